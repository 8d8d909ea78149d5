/* The recording of this process: where it is kept, and its objects that are not about time.
 *
 *   recorder.c, teams.c -> places, entries -> recording_store.c -> memory, or a file
 */
#ifndef OMP_EXT_RECORDER_RECORDING_H
#define OMP_EXT_RECORDER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/observe/observe.h"
#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/site/site.h"

/* --- the recording --- */

/* Its header. NULL: nothing is recorded. */
extern struct keel_recording_header *keel_recording;

/* Begins it, as the settings ask; once. loaded_ns: keel_clock_ns() when the process began. False:
 * nothing is to be recorded, or a message has told why it cannot be. */
bool keel_recording_begin(uint64_t loaded_ns);

/* A new entry with room for `room` threads. region: NULL: it is one. NULL: there is no room. Under
 * keel_slow_lock. */
struct keel_recording_entry *keel_recording_add_entry(enum keel_recording_kind kind, uint32_t room,
                                                      struct keel_site *site,
                                                      const struct keel_call_site *place,
                                                      const struct keel_recording_entry *region);

/* What loops run under that end like `loop`. */
struct keel_recording_schedule keel_recording_schedule_of(const struct keel_observed_loop *loop);

/* Where an object begins. */
uint64_t keel_recording_offset(const void *object);

/* Where a construct's names are looked up. An outlined function is called after the function that
 * the construct stands in, and has one place in the report; the compiler may call it at several,
 * and count the call among functions that were inlined around it. */
struct keel_call_site keel_recording_named(const struct keel_call_site *place);

/* Finds names of places in the program's source. all: of all; else of a few, while that takes
 * little of the time that the process has run. Any thread, without locks. */
void keel_recording_find_names(bool all);

/* Events of a place were not recorded, for want of room. */
void keel_recording_leave_out(void);

/* Ends it: it is complete. */
void keel_recording_complete(void);

/* The bytes of it that are used. */
size_t keel_recording_used(void);

/* --- where it is kept ---
 *
 * At one address for good, grown on demand, in memory, or in a file beside that of the report. A
 * file is never sparse: what the recorder may write to has its blocks, so that a full disk is seen
 * when the memory grows and not when it is written to. Calls must not overlap. */

/* The name of the report's file, absolute, as the program may change its folder: as it was at the
 * first call, when recording begins. NULL: standard error; a message has told of a name that is too
 * long. */
const char *keel_report_file_name(void);

/* Memory with room for at least `bytes`; of a file, a regular one of that name is replaced. rank:
 * of this process in its job; -1: there is none. Where there can be no file, a message says so.
 * NULL, after a message: there is no memory. */
void *keel_recording_store_open(size_t bytes, int rank);

/* Makes room for at least `bytes` in all; 0 or an errno, and what was there stays. */
int keel_recording_store_grow(size_t bytes);

/* Removes the file, if it is still there under its name. The memory stays. */
void keel_recording_store_remove(void);

/* --- the recorder ---
 *
 * The recorder behind KEEL_REPORT and KEEL_EXPLAIN: sums up where the time of all regions and loops
 * goes.
 *
 *   events (observe/observe.h) -> recorder -> recording (recording_format.h)
 *     -> figures (recording_reader.c) -> report */

extern const struct keel_observer keel_recorder;

/* When the library is loaded: notes the time, and the thread that begins the program. */
void keel_recorder_begin(void);

/* Whether this process records. Not in children of fork(): what they do does not count. */
bool keel_recorder_records(void);

/* --- the report of this process, at its end --- */

/* At exit: ends the recording, writes the report that KEEL_REPORT or KEEL_EXPLAIN asks for, and
 * removes the recording. quickly: what stands in stdio's buffers stays there. Without locks. */
void keel_live_report(bool quickly);

#endif
