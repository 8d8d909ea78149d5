/* Where the threads of a team run, and what follows from that before anything is measured: how fast
 * each of them is likely to be, and from which threads an idle one should steal.
 *
 *   processors, places of threads -> [placement] -> weights      -> first shares
 *                                                -> nearness     -> order of victims (team.h)
 *
 * If all cores are equal, no two threads share one, and all share one cache, there is no placement,
 * and it has no effect. Pure. */
#ifndef SCHEDULES_CLAIM_CLAIM_PLACEMENT_H
#define SCHEDULES_CLAIM_CLAIM_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the operating system calls a processor: a core, or one of its hardware threads. Groups have
 * any numbers; equal numbers mean the same group. */
struct keel_processor {
    uint32_t core;   /* equal for hardware threads of one core (SMT siblings) */
    uint32_t cache;  /* equal for processors that share a last-level cache */
    uint32_t node;   /* equal for processors of one NUMA node */
    double capacity; /* relative speed of the core, any unit; 0: not known */
};

/* The places of a team: thread i may run on the processors number[first[i]] to
 * number[first[i + 1] - 1], at least one. */
struct keel_places {
    uint64_t threads;
    const uint64_t *first; /* threads + 1 */
    const uint32_t *number;
    size_t processors; /* numbers are below */
    const struct keel_processor *processor;
};

/* How near a thread is to another. */
enum keel_nearness { KEEL_NEAR_CACHE, KEEL_NEAR_NODE, KEEL_NEAR_NOT, KEEL_NEARNESSES };

/* Where a thread is: groups as in keel_processor; KEEL_NO_GROUP: in several, or not known. */
struct keel_thread_groups {
    uint32_t cache, node;
};

#define KEEL_NO_GROUP UINT32_MAX

struct keel_placement {
    uint64_t threads;
    const double *weight;   /* of each thread, > 0, with sum `threads`; NULL: all equal */
    const double *position; /* with weights: the part of the loop before each thread's, 0 .. 1 */
    const struct keel_thread_groups *groups; /* of each thread; NULL: all are equally near */
};

/* Makes the placement of a team in memory of its own, to be freed. Returns NULL if all threads are
 * equal and equally near, or memory is short.
 *
 * Weights: a thread's weight is the speed of the cores that it may run on. One thread alone makes
 * use of a whole core, whether or not it may run on all of its hardware threads. Threads on n
 * hardware threads of a core get 1 + 0.15 (n - 1) cores together: Linux's scheduler assumed 1.15
 * for two (smt_gain = 1178 / 1024 in kernel/sched/topology.c of Linux 4); measured were up to 1.3
 * (Marr & others, "Hyper-Threading Technology Architecture and Microarchitecture", Intel Technology
 * Journal 6(1), 2002), and less where loops keep the arithmetic units busy. Capacities within 10 %
 * of the highest count as equal, as hwloc does with maximum frequencies: single cores with a higher
 * boost are not another kind. Threads that take turns on a processor weigh as if each had it alone:
 * the system decides which one runs when. */
struct keel_placement *keel_placement_make(const struct keel_places *places);

/* How near thread `b` is to thread `a` != b. placement->groups is not NULL. */
static inline enum keel_nearness keel_placement_nearness(const struct keel_placement *placement,
                                                         uint64_t a, uint64_t b)
{
    const struct keel_thread_groups *of_a = &placement->groups[a], *of_b = &placement->groups[b];

    if (of_a->cache == of_b->cache && of_a->cache != KEEL_NO_GROUP) {
        return KEEL_NEAR_CACHE;
    }
    return of_a->node == of_b->node && of_a->node != KEEL_NO_GROUP ? KEEL_NEAR_NODE : KEEL_NEAR_NOT;
}

/* Where the block of `thread` of `iterations` begins, if blocks are as large as weights say;
 * `thread` == threads: `iterations`. Not decreasing. placement->weight is not NULL. */
uint64_t keel_placement_first(const struct keel_placement *placement, uint64_t thread,
                              uint64_t iterations);

#endif
