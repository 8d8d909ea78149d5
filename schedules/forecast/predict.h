/* How long a loop will take under a schedule: the pure schedules run over a cost profile.
 *
 * Feeds the choice of `auto`. No clock: everything that was measured comes in as an argument. */
#ifndef SCHEDULES_FORECAST_PREDICT_H
#define SCHEDULES_FORECAST_PREDICT_H

#include "schedules/learn/profile.h"
#include "schedules/loop/schedule.h"

/* A loop and a team as they were measured. */
struct keel_workload {
    uint64_t iterations; /* N >= 1 */
    uint64_t threads;    /* P >= 1 */
    const struct keel_profile *profile;
    double iteration_ns;   /* mean time of an iteration on an average thread */
    double deviation_ns;   /* standard deviation of single iterations around the
                                          profile */
    const double *speed;   /* P values > 0, mean 1 */
    const double *late_ns; /* P values >= 0: when each thread comes to the loop; NULL: 0 */
    double wobble; /* relative standard deviation of a thread's speed from one instance to the next:
                      what a division made beforehand can't know */
    const double *weights; /* P values > 0 with sum P, for weighted schedules that don't learn
                              them; NULL: all 1 */
};

/* What it costs a thread to get a chunk, ns. */
struct keel_claim_costs {
    double step_ns;     /* a shared step counter, all threads at it */
    double own_ns;      /* own steps: nothing shared */
    double weighted_ns; /* shared position, shares */
    double timed_ns;    /* any claim of a schedule that times its chunks */
    double start_ns;    /* what such a schedule needs once per instance and thread */
};

/* All of them from the one that is measured: what a claim takes whose chunks are timed. */
struct keel_claim_costs keel_predict_claim_costs(double timed_ns);

struct keel_forecast {
    double time_ns;   /* from the first thread's start to the last one's end */
    double chunks;    /* handed out in all */
    double imbalance; /* busiest thread's time over the mean, - 1 */
};

/* Chunks that are walked one by one, or 2 P if that is more; what comes after them is estimated
 * from its work, its overheads and the size of the last chunks. */
#define KEEL_PREDICT_CHUNKS_MAX 1024

/* Runs `spec` (parameters complete) over the workload: threads claim in the order of their clocks,
 * by the code that threads run. The random part is met by up to 16 runs of differing luck, always
 * the same, and their mean is the forecast; luck that all schedules would share is taken out.
 *
 * Learned blocks are taken to lie where speeds and profile want them, and learned paces to be those
 * of `speed`. A schedule that wants costs is taken for what stands in without them. Without memory
 * the forecast is a rough one. Numbers that can't be (not finite, negative; a speed of 0) count as
 * 0, speeds as 1. No iterations or no threads: all 0.
 *
 * Any thread. Walks up to 2048 chunks in all runs together, or 4 runs if these are longer, each in
 * some tens of ns; where sizes are measured, P^2 steps come to each run. */
struct keel_forecast keel_predict(const struct keel_spec *spec,
                                  const struct keel_workload *workload,
                                  const struct keel_claim_costs *costs);

/* The same in memory of the caller's, for several forecasts in a row: keel_predict_size(threads)
 * bytes, alignment 64; NULL: without memory. */
size_t keel_predict_size(uint64_t threads);
struct keel_forecast keel_predict_in(void *memory, const struct keel_spec *spec,
                                     const struct keel_workload *workload,
                                     const struct keel_claim_costs *costs);

/* Total work over total rate: what no schedule can beat. */
double keel_predict_ideal_ns(const struct keel_workload *workload);

#endif
