/* How far a measured value is believed, given how much of it may be chance.
 *
 * Stands between what has been measured and every share that follows from it: blocks (blocks.h)
 * and weights. Pure. */
#ifndef SCHEDULES_LEARN_LEARNER_H
#define SCHEDULES_LEARN_LEARNER_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/loop/schedule.h"

/* Differences up to so many standard errors may be chance. */
#define KEEL_CERTAINTY_ERRORS 2.0

/* The value between `equal` and `measured` that the measurement is good for. `error` >= 0 is the
 * standard error of `measured`. With d = measured - equal and e = KEEL_CERTAINTY_ERRORS error it is
 *
 *     equal + d max(0, 1 - e^2 / d^2)
 *
 * (the positive part of James & Stein 1961): `equal` as long as d is not beyond e, and nearly
 * `measured` as soon as it is several times e. */
double keel_certainty_shrink(double measured, double equal, double error);

/* How much a value strays from one measurement to the next by chance. {0} at first. */
struct keel_spread {
    double last;     /* the last value */
    double step;     /* from the one before to it */
    double variance; /* of single values; may be negative while little is known */
    double values;   /* in a row: 0, 1, or 2 for more */
    double products; /* in the variance; counts no further than what that goes back */
};

/* Takes in a finite value. The variance is the mean of -(b - a) (c - b) over three neighbours a, b,
 * c, the last 16 or so (Roll 1984): chance leads back where it came from, while a value that goes
 * to another place, at once or step by step, adds nothing. */
void keel_spread_add(struct keel_spread *spread, double value);

/* The next value has nothing to do with the last one. */
void keel_spread_break(struct keel_spread *spread);

/* The standard error of a mean of `count` >= 1 of these values; 0 while fewer than three are known.
 */
double keel_spread_error(const struct keel_spread *spread, double count);

/* What threads have measured of their own chunks, and the weights that follow.
 *
 * Feeds the schedules that learn: measured chunks -> [sample] -> pace -> weight -> share.
 * Pure: times come from the caller. */

/* One thread's chunks, or instances of a loop, 1 .. K so far. Later ones count more. {0} first. */
struct keel_sample {
    uint64_t count;    /* K */
    double iterations; /* sum of k n_k */
    double time_ns;    /* sum of k t_k */
};

/* Adds the next one: n = iterations >= 1 in t = time_ns >= 0. */
void keel_sample_add(struct keel_sample *sample, uint64_t iterations, double time_ns);

/* The thread's pace: weighted average time of an iteration, ns, sum k t_k / sum k n_k (Banicescu,
 * Velusamy & Devaprasad 2003). 0: not measured yet, or too quick for the clock. */
double keel_sample_pace_ns(const struct keel_sample *sample);

/* The speeds of a team's threads, put together. {0} at first. */
struct keel_speeds {
    double sum; /* of 1 / pace */
    uint64_t measured;
};

/* Adds a thread's pace; 0 is left out. */
void keel_speeds_add(struct keel_speeds *speeds, double pace_ns);

/* A thread that was added with the pace before_ns > 0 has the pace now_ns > 0 by now. */
void keel_speeds_change(struct keel_speeds *speeds, double before_ns, double now_ns);

/* The weight of a thread with this pace among them: its speed over the mean speed. 1 if it has not
 * been measured. */
double keel_speeds_weight(const struct keel_speeds *speeds, double pace_ns);

/* Learning of weights: from a thread's timed chunks to its weight among the threads of its team.
 *
 *   timed chunk -> [learner] -> pace -> speeds of the team -> weight -> share (plan.h)
 *
 * The one that loops on threads (omp_ext/loop/modes.c), their forecasts (forecast/predict.c) and
 * ranges that teams share (claim/sizer.c) go by. One learner belongs to one thread. Pure: times
 * come from the caller. */

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
 * speed, moved towards 1 by `error`, the standard error of that (0: none is known).
 * Without any pace to compare with: 1. A thread whose pace is not known: 1, or
 * KEEL_LEARNER_FIRST_WEIGHT where it is learned within the loop. Weights that are not learned: 1.
 * */
double keel_learner_weight(enum keel_learning learns, double pace_ns,
                           const struct keel_speeds *team, double error);

#endif
