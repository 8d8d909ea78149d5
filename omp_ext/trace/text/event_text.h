/* Events as elements of the trace: lines of JSON in the Trace Event Format, or of CSV.
 *
 *   event, name, place of the thread -> [keel_event_text_add()] -> ",\n{...}"
 *
 * omp_ext/README.md, "A trace in JSON", lists what is written. No allocation. Any thread. */
#ifndef OMP_EXT_TRACE_TEXT_EVENT_TEXT_H
#define OMP_EXT_TRACE_TEXT_EVENT_TEXT_H

#include "omp_ext/trace/text/event.h"
#include "omp_ext/trace/text/json_text.h"

#define KEEL_EVENT_LINE_MAX 8000 /* bytes, of an event with the longest name or text */

/* --- names --- */

struct keel_site;

/* Never change, and stay valid for ever. */
struct keel_event_name {
    const char *whole; /* "mandel.c:42 (render)", without commas */
    /* JSON strings, with their quotes. */
    const char *place;    /* "mandel.c:42"; without debug information as `function`, or where it
                             is in its module */
    const char *function; /* "render"; as `place` where that is not known */
};

/* The name of a site, found the first time, which reads debug information and takes
 * keel_slow_lock; of NULL, "a loop". Any thread, without that lock. */
const struct keel_event_name *keel_event_name_of(struct keel_site *site);

/* --- lines --- */

/* Who tells, and on which clock. */
struct keel_event_place {
    int process;       /* rank */
    uint32_t thread;   /* number in the process */
    int64_t offset_ns; /* is added to CLOCK_MONOTONIC */
};

/* Adds an event; `text` are its event->length bytes, if it has any. */
void keel_event_text_add(struct keel_json_text *json, const struct keel_event_place *place,
                         const struct keel_event *event, const struct keel_event_name *name,
                         const char *text);

/* Adds a chunk as a line of a trace in CSV; `ns`: what it took. */
void keel_event_text_add_line(struct keel_json_text *json, const struct keel_event *event,
                              const struct keel_event_name *name, double ns);

/* Adds that `count` events have been left out until `now`, ticks. */
void keel_event_text_add_left_out(struct keel_json_text *json, const struct keel_event_place *place,
                                  uint64_t now, uint64_t count);

/* Adds what names the process, and the thread. */
void keel_event_text_add_process(struct keel_json_text *json, const struct keel_event_place *place,
                                 int ranks, const char *host, const char *program);
void keel_event_text_add_thread(struct keel_json_text *json, const struct keel_event_place *place);

/* What a loop without a policy of Keel's runs under, in traces and reports: "libgomp dynamic,4".
 * clause: KEEL_GFS_...; chunk: 0: none. */
void keel_event_text_schedule(bool static_shares, long clause, uint64_t chunk, char *text,
                              size_t size);

#endif
