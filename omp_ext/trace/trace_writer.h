/* Writing the trace, in JSON or, of chunks alone, in CSV: lines of time become pieces of the file,
 * while the program runs.
 *
 *   timelines -> [text, names, budget of events] -> piece_file.h -> KEEL_TRACE's file
 *
 * Whatever fails costs the trace, never the program: one message, and nothing is traced from there
 * on. What has been written until then can be read. In a child of a fork nothing is written. */
#ifndef OMP_EXT_TRACE_TRACE_WRITER_H
#define OMP_EXT_TRACE_TRACE_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/observe/observe.h"
#include "omp_ext/trace/timeline.h"

/* What is still noted; the rest is counted. Chunks may fill three quarters of the file: who wants
 * to know how a long program goes on needs its loops and waits. */
enum keel_trace_state {
    KEEL_TRACE_OFF,       /* nothing: not asked for, failed, or over */
    KEEL_TRACE_FULL,      /* nothing */
    KEEL_TRACE_NO_CHUNKS, /* all but chunks */
    KEEL_TRACE_ON
};

extern _Atomic(enum keel_trace_state) keel_trace_state;

/* relaxed: stands for itself; what is noted without need is dropped later */
static inline enum keel_trace_state keel_trace_writer_state(void)
{
    return atomic_load_explicit(&keel_trace_state, memory_order_relaxed);
}

/* In CSV: all but chunks is left out when it is written. Written before the state is set. */
extern bool keel_trace_chunks_only;

/* Whether events other than chunks are noted. */
static inline bool keel_trace_writer_is_on(void)
{
    return keel_trace_writer_state() >= KEEL_TRACE_NO_CHUNKS;
}

/* Whether events are noted, or counted at least. */
static inline bool keel_trace_writer_begun(void)
{
    return keel_trace_writer_state() != KEEL_TRACE_OFF;
}

/* Regions, loops, chunks and waits, as they are observed, come to their threads' timelines. */
extern const struct keel_observer keel_trace_observer;

/* Notes which process loaded the library. */
void keel_trace_writer_loaded(void);

/* Opens the file the first time, if the settings name one; whether anything is traced. Any thread.
 * Never in a child of a fork. */
bool keel_trace_writer_begin(void);

/* Where the process stands from now on, as keel_trace_ranks.place() says. */
void keel_trace_writer_place(int rank, int ranks, int64_t offset_ns);

/* Writes what the calling thread's line holds, and empties it. */
void keel_trace_writer_write_own(struct keel_timeline *timeline);

/* Writes what all lines hold. */
void keel_trace_writer_write_all(void);

/* The same if that has last been a second ago, at `now` in ticks. */
void keel_trace_writer_tick(uint64_t now);

/* Writes what all lines hold, and that is the end. quickly: what stands in stdio's buffers stays
 * there. */
void keel_trace_writer_end(bool quickly);

#endif
