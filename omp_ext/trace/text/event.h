/* What happened in a thread, as it is noted: of one size, so that noting it is a copy. */
#ifndef OMP_EXT_TRACE_TEXT_EVENT_H
#define OMP_EXT_TRACE_TEXT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
