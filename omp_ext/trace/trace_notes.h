/* Noting what happens in the calling thread, for the trace in JSON.
 *
 *   observer.c, decisions of schedules, who calls by trace_ranks.h -> [notes] -> timeline -> file
 *
 * While nothing is traced so, keel_notes_wanted() is false, and nothing else of this is called:
 * notes look for names at once, which allocates in the program's heap. */
#ifndef OMP_EXT_TRACE_TRACE_NOTES_H
#define OMP_EXT_TRACE_TRACE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/trace/text/event.h"
#include "omp_ext/trace/text/json_text.h"
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

/* The text of one event: "name":...,"cat":...,"ph":...,"args":{...}. What has no room is left out
 * as a whole; strings are cut. */
struct keel_members {
    struct keel_json_text json;
    bool any; /* a member of args is there */
    char memory[KEEL_EVENT_TEXT_MAX];
};

/* A decision about a loop, to which the caller adds numbers, members of args. */
void keel_decision_begin(struct keel_members *decision, const char *name, struct keel_site *site,
                         const char *reason);
void keel_members_real(struct keel_members *decision, const char *name, double value);
void keel_decision_end(struct keel_members *decision);

/* Notes values of `count` threads in loops at `site` from now on, under the counter's name: "rate"
 * or "share". */
void keel_note_counters(const char *name, struct keel_site *site, const double *value,
                        size_t count);

#endif
