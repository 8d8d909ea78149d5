/* Learning of weights: from a thread's timed chunks to its weight among the threads of its team.
 *
 *   timed chunk -> [learner] -> pace -> speeds of the team (sample.h) -> weight -> share (plan.h)
 *
 * The one that loops on threads (omp_ext/loop/learning.c), their forecasts (forecast/predict.c) and
 * ranges that teams share (claim/sizer.c) go by. One learner belongs to one thread. Pure: times
 * come from the caller. */
#ifndef SCHEDULES_LEARN_LEARNER_H
#define SCHEDULES_LEARN_LEARNER_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/learn/sample.h"
#include "schedules/loop/schedule.h"

/* The weight of a thread whose pace is not known, where weights are learned within a loop: it gets
 * a small first chunk, as a large one can't be taken back. */
#define KEEL_LEARNER_FIRST_WEIGHT 0.125

/* Weights are not below this, nor above the number of threads. */
#define KEEL_LEARNER_WEIGHT_MIN (1.0 / 64)

/* One thread's, in one instance of a loop. */
struct keel_learner {
    struct keel_sample sample; /* its chunks; what is known beforehand counts as the first one */
    double pace_ns;            /* time of an iteration; 0: not known */
    uint64_t batch;            /* of the team, when this thread asked last */
};

/* Begins with a pace from earlier instances, which stands for a first chunk of `share` iterations:
 * costs differ along a loop, and the pace of a single chunk would say as much about its place as
 * about its thread. known_ns 0: not known. share 0: the pace counts until a chunk is measured. */
void keel_learner_begin(struct keel_learner *learner, double known_ns, uint64_t share);

/* Takes in a chunk of `iterations` >= 1 that ran for time_ns, after overhead_ns to get it, as
 * `schedule` learns from it: weights that are learned once per loop take nothing in. */
void keel_learner_add(struct keel_learner *learner, const struct keel_schedule *schedule,
                      uint64_t iterations, double time_ns, double overhead_ns);

/* Whether the thread's weight is computed anew before its next chunk: after each chunk; or after
 * its first one and whenever the team has begun another batch since it last asked. batch: the
 * team's present one; only KEEL_LEARNS_BATCHES looks at it. */
bool keel_learner_is_due(struct keel_learner *learner, enum keel_learning learns, uint64_t batch);

/* The weight of a thread with this pace among `team`, its own included: its speed over the mean
 * speed, moved towards 1 by `error`, the standard error of that (certainty.h; 0: none is known).
 * Without any pace to compare with: 1. A thread whose pace is not known: 1, or
 * KEEL_LEARNER_FIRST_WEIGHT where it is learned within the loop. Weights that are not learned: 1.
 * */
double keel_learner_weight(enum keel_learning learns, double pace_ns,
                           const struct keel_speeds *team, double error);

#endif
