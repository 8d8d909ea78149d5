/* Events as elements of the trace: lines of JSON in the Trace Event Format, or of CSV.
 *
 *   event, name, place of the thread -> [keel_event_text_add()] -> ",\n{...}"
 *
 * omp_ext/README.md, "A trace in JSON", lists what is written. No allocation. Any thread. */
#ifndef OMP_EXT_TRACE_EVENT_TEXT_H
#define OMP_EXT_TRACE_EVENT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/trace/json_text.h"

/* --- what happened in a thread, as it is noted ---
 *
 * Of one size, so that noting it is a copy. */

struct keel_policy;
struct keel_site;

enum keel_event_kind {
    KEEL_EVENT_REGION,  /* a thread's part in a region, to its arrival at the end */
    KEEL_EVENT_LOOP,    /* the same in a loop */
    KEEL_EVENT_CHUNK,   /* iterations [first, last) */
    KEEL_EVENT_WAIT,    /* at what `detail` names, a const char * that stays valid */
    KEEL_EVENT_CALL,    /* of MPI, called `detail`, likewise */
    KEEL_EVENT_WRITING, /* the thread wrote a piece of the trace */
    KEEL_EVENT_SPAN,    /* `length` bytes of text follow: the members of an event that lasts, but
                           for its time, process and thread */
    KEEL_EVENT_MOMENT   /* the same of one that does not last */
};

struct keel_event {
    uint64_t began, ended;  /* ticks */
    struct keel_site *site; /* of the region or loop; NULL: there are too many */
    uint64_t instance;
    union {
        struct {
            uint64_t first, last; /* CHUNK */
        };
        struct {
            uint64_t iterations; /* LOOP: of the whole one */
            union {
                uint64_t chunk;                /* LOOP of libgomp's: of the clause; 0: none */
                const struct keel_policy *run; /* LOOP under Keel: what `policy` has come to */
            };
        };
        uint64_t length; /* SPAN, MOMENT: of the text, in the places behind */
    };
    union {
        const struct keel_policy *policy; /* LOOP under Keel; else NULL */
        const char *detail;
    };
    uint32_t threads;       /* LOOP, REGION: of the team. CHUNK: number of the thread in it */
    uint8_t kind;           /* enum keel_event_kind */
    uint8_t clause;         /* LOOP: KEEL_GFS_... without a policy */
    bool has_static_shares; /* LOOP: Keel's, that each thread finds by itself */
};

#define KEEL_EVENT_TEXT_MAX 4032 /* bytes; 63 places */

/* Places that `length` bytes of text take. */
static inline uint32_t keel_event_places(uint64_t length)
{
    return (uint32_t)((length + sizeof(struct keel_event) - 1) / sizeof(struct keel_event));
}

_Static_assert(sizeof(struct keel_event) == 64, "a buffer's size is a whole number of pages");

/* --- moments in ticks (clock.h) as moments of CLOCK_MONOTONIC ---
 *
 * All processes of a node share that clock.
 *
 * A moment has one time for good: what a piece of the trace says of it, later pieces say, too, and
 * what was before it stays before it. Else parts would not lie within the whole. So the rate that
 * clock.c works out counts from the moment on when it is known, and what the result is off by then
 * is made up for little by little. */

/* Takes the present into account; earlier moments may be asked for then. Any thread; one at a
 * time. */
void keel_tick_time_refine(void);

/* --- events as text --- */

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

/* What a loop under the policy runs under, in traces and reports; returns the length as snprintf()
 * does. Policies that nobody has stated stand for others in special cases, such as teams of one. */
int keel_event_text_policy(const struct keel_policy *policy, char *text, size_t size);

/* What a loop without a policy of Keel's runs under, in traces and reports: "libgomp dynamic,4".
 * clause: KEEL_GFS_...; chunk: 0: none. */
void keel_event_text_schedule(bool static_shares, long clause, uint64_t chunk, char *text,
                              size_t size);

#endif
