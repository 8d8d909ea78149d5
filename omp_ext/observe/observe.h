/* Events of parallel regions, passed to observers on the thread where they happen.
 *
 *   entry points (entry/, loop/observed_loop.h) -> keel_observe_...() -> observers
 *
 * Observers get all regions and all loops that come to libgomp or to Keel, whatever their schedule;
 * of static loops that the compiler divides, the barriers at their ends. Without observers, that
 * costs one predictable branch per region, loop and barrier, and nothing per chunk.
 *
 *   on the thread that meets the construct     on each thread of the team
 *   fork
 *                                              begin
 *                                                loop, [chunk ...,] arrive, [leave]
 *                                                arrive, leave                (a barrier)
 *                                              end
 *   join
 *
 * An observer is a const struct keel_observer in a file of its own; it is listed in
 * entry/observers.c, and has its number below, by which it finds what it keeps in `own`. Whether
 * it takes part is asked once, before the first event of the process.
 *
 * Threads of one team may be at different events at the same time; a thread is at one. A region
 * that is cancelled, and one that a thread leaves by longjmp() or exit(), may lack events, but
 * `end` and `join` close what is open. Regions nest, also within tasks that a thread runs while it
 * waits. */
#ifndef OMP_EXT_OBSERVE_OBSERVE_H
#define OMP_EXT_OBSERVE_OBSERVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"

struct keel_policy;

enum keel_observer_number { KEEL_OBSERVER_RECORDER, KEEL_OBSERVER_TRACE, KEEL_OBSERVERS };

/* A parallel construct that runs, on the stack of the thread that meets it, which writes it. */
struct keel_observed_region {
    struct keel_call_site place;        /* of the construct; outlined: what its threads run */
    struct keel_observed_thread *outer; /* who meets it; NULL, or without a region: a thread outside
                                           of all regions */
    uint64_t number;                    /* of regions in this process, from 1 */
    uint64_t forked;                    /* ticks */
    _Atomic uint32_t threads;           /* size of its team, by its thread 0; 0: not known yet */
    void *own[KEEL_OBSERVERS];
};

enum keel_observed_rule {
    KEEL_OBSERVED_LIBGOMP, /* chunks by libgomp, as `clause` and `chunk` say */
    KEEL_OBSERVED_STATIC,  /* the shares that the compiler would give */
    KEEL_OBSERVED_POLICY   /* Keel's, see `policy` */
};

/* A loop that a thread is in. */
struct keel_observed_loop {
    struct keel_call_site place; /* caller NULL: it is in none */
    uint64_t iterations;         /* of the whole loop */
    bool wide;                   /* over unsigned long long; false: over long */
    bool down;                   /* it counts down */
    bool ordered;
    uint64_t start, step;             /* first value of its variable; distance to the next one */
    long clause;                      /* KEEL_GFS_... of its clause; of schedule(runtime), of what
                                         that is */
    uint64_t chunk;                   /* the same; 0: none */
    enum keel_observed_rule rule;     /* known when the thread arrives at the end */
    const struct keel_policy *agreed; /* at the end: the one that the team has agreed on; otherwise
                                         NULL */
    const struct keel_policy *policy; /* at the end: the one in force, as when `auto` chooses */
    uint64_t began;                   /* ticks, before the thread asked for its first chunk. At a
                                         barrier: of the thread's last event before it */
    uint64_t done, chunks;            /* of this thread: iterations */
    uint64_t first, last; /* of the chunk that runs; equal: none does. Only with times */
    uint64_t chunk_began; /* ticks; the same */
};

/* A thread's part in a region, or outside of all regions; on its stack. */
struct keel_observed_thread {
    struct keel_observed_thread *outer;  /* of the same thread; NULL, or without a region: none */
    struct keel_observed_region *region; /* NULL: none; there are serial loops */
    uint32_t thread, threads;            /* number in the team, and its size */
    uint64_t constructs;                 /* loops and barriers that it has come to. All threads of a
                                            team come to the same ones, so this numbers them */
    uint64_t began;                      /* ticks, when it began */
    uint64_t since;                      /* ticks of its last event */
    uint64_t waited;                     /* ticks of that time that it waited for other ranks; in a
                                            loop, of the time since that began */
    uint64_t waited_before;              /* the same from the last event until the loop began */
    struct keel_observed_loop loop;
    bool in_heap;
    void *own[KEEL_OBSERVERS];
    void *construct[KEEL_OBSERVERS]; /* what observers keep of the loop or barrier */
};

/* What a thread arrives at. */
enum keel_observed_end {
    KEEL_OBSERVED_LOOP_END,    /* with a barrier */
    KEEL_OBSERVED_LOOP_NOWAIT, /* without one: nothing is left */
    KEEL_OBSERVED_BARRIER
};

/* `now`: ticks, read once for each event. What an observer does not want to know is NULL. */
struct keel_observer {
    bool (*wanted)(void); /* whether it takes part; by the settings */
    bool skips;           /* it may have instances of regions skipped, see observed_loop.h */
    bool times_chunks;    /* `chunk` is wanted, which costs two readings of the clock per chunk */
    /* The thread that meets the construct; region->own[] is NULL before. */
    void (*fork)(struct keel_observed_region *region, uint64_t now);
    void (*join)(struct keel_observed_region *region, uint64_t now);
    /* thread->own[] is NULL before. Without a region: between them there is one serial loop. */
    void (*begin)(struct keel_observed_thread *thread, uint64_t now);
    void (*end)(struct keel_observed_thread *thread, uint64_t now);
    /* thread->loop has begun. */
    void (*loop)(struct keel_observed_thread *thread, uint64_t now);
    /* Chunk [first, last), in iterations from 0, ran from loop.chunk_began until now. */
    void (*chunk)(struct keel_observed_thread *thread, uint64_t now);
    /* caller: return address of the call that ends the loop or is the barrier. thread->loop is the
     * loop that ends; loop.place.caller NULL: no loop does. */
    void (*arrive)(struct keel_observed_thread *thread, enum keel_observed_end end,
                   const void *caller, uint64_t now);
    void (*leave)(struct keel_observed_thread *thread, enum keel_observed_end end,
                  const void *caller, uint64_t now);
    /* A library may be unloaded next: names are to be found now. Any thread. */
    void (*unload)(void);
};

extern atomic_bool keel_observe_on;

/* Whether anybody observes. */
static inline bool keel_observing(void)
{
    /* acquire: pairs with the release in keel_observe_begin() */
    return __builtin_expect(atomic_load_explicit(&keel_observe_on, memory_order_acquire), 0);
}

/* Asks each observer of the list, which NULL ends, whether it takes part. Once, before all events.
 */
void keel_observe_begin(const struct keel_observer *const *observer);

/* Whether chunks are to be timed. */
bool keel_observe_times_chunks(void);

/* Whether regions may be skipped: no observer wants all of them. */
bool keel_observe_may_skip(void);

/* In place of the part of a thread that starts a region which is skipped. */
extern struct keel_observed_thread keel_unobserved;

/* Passes the event to the observers. Sets the fields that events set, `since` and `forked`
 * included.
 */
void keel_observe_fork(struct keel_observed_region *region);
void keel_observe_join(struct keel_observed_region *region);
void keel_observe_thread_begin(struct keel_observed_thread *thread);
void keel_observe_thread_end(struct keel_observed_thread *thread);
void keel_observe_loop(struct keel_observed_thread *thread);
void keel_observe_chunk(struct keel_observed_thread *thread, uint64_t now);
void keel_observe_arrive(struct keel_observed_thread *thread, enum keel_observed_end end,
                         const void *caller);
void keel_observe_leave(struct keel_observed_thread *thread, enum keel_observed_end end,
                        const void *caller);
void keel_observe_unload(void);

#endif
