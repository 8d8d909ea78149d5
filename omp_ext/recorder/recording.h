/* The recording of this process: where it is kept, and its objects other than times.
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

/* The header of the recording; NULL if nothing is recorded. */
extern struct keel_recording_header *keel_recording;

/* Begins the recording if the settings ask for one; call once. loaded_ns: keel_clock_ns() when the
 * process began. Returns false if nothing is to be recorded or, after a message, can be. */
bool keel_recording_begin(uint64_t loaded_ns);

/* Adds an entry with room for `room` threads. region: NULL if the entry is a region itself. Returns
 * NULL if there is no room. Call with keel_slow_lock held. */
struct keel_recording_entry *keel_recording_add_entry(enum keel_recording_kind kind, uint32_t room,
                                                      struct keel_site *site,
                                                      const struct keel_call_site *place,
                                                      const struct keel_recording_entry *region);

/* The schedule that a loop with the state of `loop` at its end ran under. */
struct keel_recording_schedule keel_recording_schedule_of(const struct keel_observed_loop *loop);

/* The offset of an object from the start of the recording, bytes. */
uint64_t keel_recording_offset(const void *object);

/* The address at which a construct's names are looked up. An outlined function is named after the
 * function that contains the construct, and has one place in the report; the compiler may call it
 * at several, and attribute the call to functions that were inlined around it. */
struct keel_call_site keel_recording_named(const struct keel_call_site *place);

/* Finds names of places in the program's source. all: of all places; otherwise of one, if that has
 * taken little of the run time so far. Any thread; call without locks. */
void keel_recording_find_names(bool all);

/* Counts events of a place that were not recorded for lack of room. */
void keel_recording_leave_out(void);

/* Ends the recording and marks it complete. */
void keel_recording_complete(void);

/* The number of bytes of the recording that are used. */
size_t keel_recording_used(void);

/* --- where it is kept ---
 *
 * The recording stays at one address and grows on demand, in memory or in a file beside that of the
 * report. A file is never sparse: all blocks that the recorder may write to are allocated, so that
 * a full disk is detected when the memory grows and not when it is written to. Calls must not
 * overlap. */

/* The absolute name of the report's file, as of the first call, when recording begins: the program
 * may change its folder later. NULL: standard error, after a message if the name is too long. */
const char *keel_report_file_name(void);

/* Returns memory for at least `bytes`; replaces a regular file of the recording's name. rank: of
 * this process in its job, -1 if there is none. If the file cannot be made, a message says so.
 * Returns NULL, after a message, if there is no memory. */
void *keel_recording_store_open(size_t bytes, int rank);

/* Makes room for at least `bytes` in all and keeps the contents. Returns 0 or an errno. */
int keel_recording_store_grow(size_t bytes);

/* Removes the file if it still exists under its name. The memory stays. */
void keel_recording_store_remove(void);

/* --- the recorder ---
 *
 * The recorder for KEEL_REPORT and KEEL_EXPLAIN: sums up the time of all regions and loops.
 *
 *   events (observe/observe.h) -> recorder -> recording (recording_format.h)
 *     -> report data (recording_reader.c) -> report */

extern const struct keel_observer keel_recorder;

/* Called when the library is loaded: records the time and the initial thread. */
void keel_recorder_begin(void);

/* Whether this process records. Children of fork() do not. */
bool keel_recorder_records(void);

/* --- the report of this process, at its end --- */

/* At exit: ends the recording, writes the report that KEEL_REPORT or KEEL_EXPLAIN asks for, and
 * removes the recording. quickly: stdio's buffers are not flushed. Call without locks. */
void keel_live_report(bool quickly);

#endif
