/* How long a loop will take under a schedule: the pure schedules run over a cost profile.
 *
 * Feeds the choice of `auto`. No clock: everything that was measured comes in as an argument. */
#ifndef SCHEDULES_FORECAST_PREDICT_H
#define SCHEDULES_FORECAST_PREDICT_H

#include "schedules/forecast/workload.h"
#include "schedules/loop/schedule.h"

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

/* What a thread needs to get a chunk under the schedule. */
double keel_predict_claim_ns(const struct keel_schedule *schedule,
                             const struct keel_claim_costs *costs);

struct keel_forecast {
    double time_ns;   /* from the first thread's start to the last one's end */
    double chunks;    /* handed out in all */
    double imbalance; /* busiest thread's time over the mean, - 1 */
};

/* Chunks that are simulated one by one, or 2 P if that is more; what comes after them is estimated
 * from its work, its overheads and the size of the last chunks. */
#define KEEL_PREDICT_CHUNKS_MAX 256

/* Runs `spec` (parameters complete) over the workload: threads claim in the order of their clocks,
 * by the code that threads run. The mean of up to 16 runs is the forecast; each has other random
 * times, and these are the same in each forecast (common random numbers). The part of the random
 * time that all schedules share is subtracted.
 *
 * Learned blocks are taken to lie where speeds and profile place them, and learned paces to be
 * those of `speed`. A schedule that wants a list of costs is replaced by its in_order. Without
 * memory the time is INFINITY. Numbers that can't be (not finite, negative; a speed of 0)
 * count as 0, speeds as 1. No iterations or no threads: all 0.
 *
 * Any thread. Simulates up to 2048 chunks in all runs together, or 4 runs if these are longer, each
 * in some tens of ns; where sizes are measured, P^2 steps come to each run. */
struct keel_forecast keel_predict(const struct keel_spec *spec,
                                  const struct keel_workload *workload,
                                  const struct keel_claim_costs *costs);

/* Total work over total rate: what no schedule can beat. */
double keel_predict_ideal_ns(const struct keel_workload *workload);

#endif
