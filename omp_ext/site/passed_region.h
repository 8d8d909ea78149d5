/* Short regions that need nothing of Keel: finding them, and what they meet while they are passed
 * on.
 *
 *   region under Keel -> loops that its first thread meets -> learned -> passed on to libgomp
 *           ^                                                                  |
 *           +---- a loop that was not there, or is longer; a change; ----------+
 *                 every 251st region (keel_worthwhile_recheck())
 *
 * Under Keel each thread of a region gets a state of its own. That costs as much as a short loop's
 * body, as the other threads have to be told of it. Nobody uses it where a region has no loops for
 * Keel, or only ones that the program divides by itself, by static shares: settled ones
 * (settled.h), or any under `static`. The thread that starts the region decides alone. The others
 * have no state there, and without one every loop of the team is as the compiler and libgomp have
 * it. So all of them do the same.
 *
 * All threads of a team meet the same loops, so the notes of the one that starts the region are of
 * all of them. What has been learned holds for one epoch of settled.h. */
#ifndef OMP_EXT_SITE_PASSED_REGION_H
#define OMP_EXT_SITE_PASSED_REGION_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_MET_LOOPS_MAX 16 /* places of loops in a region that is passed on */

/* A loop that the program divides by itself. */
struct keel_met_loop {
    const void *caller;
    uint64_t threads; /* of the team; 0: of any */
    uint64_t most;    /* iterations of such loops, as far as is known */
};

/* The loops of a region. Never changes once it can be found, and is never freed. */
struct keel_passing {
    uint64_t epoch;      /* that it holds in, */
    unsigned unloadings; /* and keel_unload_count: later, another library may be there */
    unsigned count;
    /* The region's last one; NULL: none. Kept, as who has found it may still read it. */
    const struct keel_passing *before;
    struct keel_met_loop loop[];
};

/* What the thread that starts a region notes while the region runs. On that thread's stack. */
struct keel_met_loops {
    const struct keel_thread *starter;  /* that thread */
    const struct keel_passing *passing; /* passed on, as it has these loops; NULL: under Keel */
    bool needs_keel; /* Keel had something to do, or would have had: else the region may be passed
                        on */
    unsigned count;  /* under Keel: of the loops below; passed on: of `passing`, where it is */
    struct keel_met_loop loop[KEEL_MET_LOOPS_MAX];
};

/* Under Keel: the program divides this loop by itself. Does nothing where the region is passed on.
 */
void keel_met_loops_divided(struct keel_met_loops *met, const struct keel_met_loop *loop);

/* Passed on: the region has come to a loop of `iterations` that Keel could have divided otherwise.
 */
void keel_met_loops_check(struct keel_met_loops *met, const void *caller, uint64_t threads,
                          uint64_t iterations);

/* A region of the program, by the function that its threads run. */
struct keel_known_region;

/* What is known of a region; NULL: there is no room. Any thread. */
struct keel_known_region *keel_known_region(void (*outlined)(void *));

/* Its loops, if it is passed on in that epoch; else NULL. */
const struct keel_passing *keel_known_region_passing(const struct keel_known_region *region,
                                                     uint64_t epoch);

/* Whether what its next instance meets, under Keel, is to be learned; counts the instance. */
bool keel_known_region_is_learned(struct keel_known_region *region);

/* Learns from an instance that has run under Keel for `region_ns`, which is not used where it has
 * needed Keel. */
void keel_known_region_learn(struct keel_known_region *region, const struct keel_met_loops *met,
                             uint64_t epoch, double region_ns);

/* An instance that was passed on would have needed Keel. */
void keel_known_region_return(struct keel_known_region *region);

#endif
