/* A loop and a team as they were measured, and what follows from that: speeds, and the time of any
 * chunk.
 *
 * Feeds predict.h. Numbers that can't be (not finite, negative; a speed of 0) count as 0, speeds as
 * 1. Pure; any thread. */
#ifndef SCHEDULES_FORECAST_WORKLOAD_H
#define SCHEDULES_FORECAST_WORKLOAD_H

#include "schedules/loop/cost_profile.h"
#include "schedules/loop/schedule.h"

/* A loop and a team as they were measured. */
struct keel_workload {
    uint64_t iterations; /* N >= 1 */
    uint64_t threads;    /* P >= 1 */
    const struct keel_profile *profile;
    double iteration_ns;   /* mean time of an iteration on an average thread */
    double deviation_ns;   /* standard deviation of single iterations around the profile */
    const double *speed;   /* P values > 0, mean 1 */
    const double *late_ns; /* P values >= 0: when each thread arrives at the loop; NULL: 0 */
    double wobble; /* relative standard deviation of a thread's speed from one instance to the next;
                      a division that is made beforehand can't know it */
    const double *weights; /* P values > 0 with sum P, for weighted schedules that don't learn
                              them; NULL: all 1 */
};

/* > 0; 1: average. */
double keel_workload_speed(const struct keel_workload *workload, uint64_t thread);

/* Their sum over all threads. */
double keel_workload_speed_sum(const struct keel_workload *workload);

/* When the thread arrives, ns. */
double keel_workload_late_ns(const struct keel_workload *workload, uint64_t thread);

/* Time of an iteration on this thread. */
struct keel_pace keel_workload_pace(const struct keel_workload *workload, uint64_t thread);

/* How costs go along the loop. */
struct keel_workload_costs {
    double iterations, iteration_ns;
    double cost[KEEL_PROFILE_BINS];       /* of the profile, mean 1 */
    double before[KEEL_PROFILE_BINS + 1]; /* work before each bin, 0 .. 1 */
};

void keel_workload_costs_begin(struct keel_workload_costs *costs,
                               const struct keel_workload *workload);

/* Time of the chunk [first, last) on an average thread, without its random part, ns. */
double keel_workload_chunk_ns(const struct keel_workload_costs *costs, uint64_t first,
                              uint64_t last);

#endif
