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

/* --- events of a thread ---
 *
 * All have one size, so that recording an event is a copy. */

struct keel_policy;
struct keel_site;

enum keel_event_kind {
    KEEL_EVENT_REGION,  /* a thread's part in a region, up to its arrival at the end */
    KEEL_EVENT_LOOP,    /* the same in a loop */
    KEEL_EVENT_CHUNK,   /* iterations [first, last) */
    KEEL_EVENT_WAIT,    /* at a construct named by `detail`, which stays valid */
    KEEL_EVENT_CALL,    /* of MPI, named by `detail`, which stays valid */
    KEEL_EVENT_WRITING, /* the thread wrote a piece of the trace */
    KEEL_EVENT_SPAN,    /* `length` bytes of text follow: the members of an event with a duration,
                           without its time, process and thread */
    KEEL_EVENT_MOMENT   /* the same for an event without duration */
};

struct keel_event {
    uint64_t began, ended;  /* ticks */
    struct keel_site *site; /* of the region or loop; NULL if there are too many */
    uint64_t instance;
    union {
        struct {
            uint64_t first, last; /* CHUNK */
        };
        struct {
            uint64_t iterations; /* LOOP: of the whole loop */
            union {
                uint64_t chunk;                /* LOOP of libgomp: of the clause; 0: none */
                const struct keel_policy *run; /* LOOP under Keel: chosen by `policy` */
            };
        };
        uint64_t length; /* SPAN, MOMENT: of the text, in the next places */
    };
    union {
        const struct keel_policy *policy; /* LOOP under Keel; otherwise NULL */
        const char *detail;
    };
    uint32_t threads;       /* LOOP, REGION: of the team. CHUNK: number of the thread in it */
    uint8_t kind;           /* enum keel_event_kind */
    uint8_t clause;         /* LOOP: KEEL_GFS_... without a policy */
    bool has_static_shares; /* LOOP: Keel's static shares, computed by each thread */
};

#define KEEL_EVENT_TEXT_MAX 4032 /* bytes: 63 places */

/* The number of places that `length` bytes of text take. */
static inline uint32_t keel_event_places(uint64_t length)
{
    return (uint32_t)((length + sizeof(struct keel_event) - 1) / sizeof(struct keel_event));
}

_Static_assert(sizeof(struct keel_event) == 64, "a buffer's size is a whole number of pages");

/* --- ticks (clock.h) as times of CLOCK_MONOTONIC ---
 *
 * All processes of a node share that clock.
 *
 * The time of a tick never changes, and the order of ticks is kept: otherwise later pieces of the
 * trace would not fit to earlier ones, nor parts of an interval lie within it. So a new rate of
 * clock.c applies only to ticks after its calibration, and the error up to then is corrected
 * gradually. */

/* Calibrates by the present; earlier ticks may be converted after that. Any thread; one at a
 * time. */
void keel_tick_time_refine(void);

/* --- events as text --- */

#define KEEL_EVENT_LINE_MAX 8000 /* bytes, of an event with the longest name or text */

/* --- names --- */

struct keel_site;

/* Names never change and are never freed. */
struct keel_event_name {
    const char *whole; /* "mandel.c:42 (render)", without commas */
    /* JSON strings, with their quotes. */
    const char *place;    /* "mandel.c:42"; without debug information as `function`, or the offset
                             in its module */
    const char *function; /* "render"; as `place` if that is not known */
};

/* The name of a site; "a loop" for NULL. The first call for a site reads debug information and
 * takes keel_slow_lock. Any thread; call without that lock. */
const struct keel_event_name *keel_event_name_of(struct keel_site *site);

/* --- lines --- */

/* The thread of an event, and its clock. */
struct keel_event_place {
    int process;       /* rank */
    uint32_t thread;   /* number in the process */
    int64_t offset_ns; /* added to CLOCK_MONOTONIC */
};

/* Adds an event; `text`: its event->length bytes, if it has any. */
void keel_event_text_add(struct keel_json_text *json, const struct keel_event_place *place,
                         const struct keel_event *event, const struct keel_event_name *name,
                         const char *text);

/* Adds a chunk as a line of a trace in CSV; `ns`: its time. */
void keel_event_text_add_line(struct keel_json_text *json, const struct keel_event *event,
                              const struct keel_event_name *name, double ns);

/* Adds an event: `count` events have been left out until `now`, ticks. */
void keel_event_text_add_left_out(struct keel_json_text *json, const struct keel_event_place *place,
                                  uint64_t now, uint64_t count);

/* Adds the name of the process, and of the thread. */
void keel_event_text_add_process(struct keel_json_text *json, const struct keel_event_place *place,
                                 int ranks, const char *host, const char *program);
void keel_event_text_add_thread(struct keel_json_text *json, const struct keel_event_place *place);

/* Writes the schedule of a loop under the policy, for traces and reports; returns the length as
 * snprintf() does. Internal policies replace others in special cases, such as teams of one. */
int keel_event_text_policy(const struct keel_policy *policy, char *text, size_t size);

/* Writes the schedule of a loop without a policy of Keel, for traces and reports: "libgomp
 * dynamic,4". clause: KEEL_GFS_...; chunk: 0 if there is none. */
void keel_event_text_schedule(bool static_shares, long clause, uint64_t chunk, char *text,
                              size_t size);

#endif
