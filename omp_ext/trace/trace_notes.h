/* Noting what happens in the calling thread, for the trace in JSON.
 *
 *   observer.c, decisions of schedules, trace_ranks.c -> [keel_note_...()] -> timeline -> file
 *
 * While nothing is traced so, keel_notes_wanted() is false, and nothing else of this is called:
 * notes look for names at once, which allocates in the program's heap. */
#ifndef OMP_EXT_TRACE_TRACE_NOTES_H
#define OMP_EXT_TRACE_TRACE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/trace/text/event.h"
#include "omp_ext/trace/text/event_members.h"
#include "omp_ext/trace/trace_ranks.h"
#include "omp_ext/trace/timeline.h"
#include "omp_ext/trace/trace_writer.h"

static inline bool keel_notes_wanted(void)
{
    return __builtin_expect(keel_trace_writer_is_on(), 0) && !keel_trace_chunks_only;
}

/* Notes an event in the calling thread's line. text: its event->length bytes, if it has any. May
 * write a piece of the file. */
void keel_note(struct keel_timeline *timeline, const struct keel_event *event, const char *text);

/* Notes what has been decided now, and why. */
void keel_note_decision(const struct keel_trace_decision *decision);

/* A decision about a loop, to which the caller adds numbers. */
void keel_decision_begin(struct keel_members *decision, const char *name, struct keel_site *site,
                         const char *reason);
void keel_decision_end(struct keel_members *decision);

/* Notes a value of the process from now on, under the counter's name: "rate" or "share". */
void keel_note_counter(const char *name, double value);

/* The same of `count` threads in loops at `site`. */
void keel_note_counters(const char *name, struct keel_site *site, const double *value,
                        size_t count);

/* Notes an interval of the calling thread, from `began` to `ended`, ticks: a wait for other ranks;
 * loop: that it was in; NULL: none. */
void keel_note_wait(const char *loop, uint64_t began, uint64_t ended);

/* The same: a call of MPI, from `caller`. name: stays valid. One that has no room is counted. */
void keel_note_call(const char *name, const void *caller, uint64_t began, uint64_t ended);

/* The same: iterations or rows come. */
void keel_note_move(const struct keel_trace_move *move);

#endif
