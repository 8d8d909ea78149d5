/* What KEEL_EXPLAIN tells of what Keel has measured at a loop, and the same for reports. */
#ifndef OMP_EXT_EXPLAIN_LEARNED_H
#define OMP_EXT_EXPLAIN_LEARNED_H

#include "omp_ext/explain/loops.h"
#include "schedules/learn/profile.h"

/* Prints it. Returns whether `auto` has compared schedules there. Takes keel_slow_lock. */
bool keel_explain_learned(const struct keel_explained_loop *loop);

#define KEEL_LEARNED_THREADS_MAX 512 /* whose speeds are told */

/* What was measured at a loop: figures->measured points into it. */
struct keel_learned_figures {
    double costs[KEEL_PROFILE_BINS];
    double speeds[KEEL_LEARNED_THREADS_MAX];
};

/* Fills in figures->measured of the loop, if anything was measured at a place of its name in teams
 * of its size; and in terms of that, what its chunks have cost. Takes keel_slow_lock. */
void keel_learned_fill_in(struct keel_explained_loop *loop, struct keel_learned_figures *learned);

#endif
