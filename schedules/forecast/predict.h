/* How long a loop will take under a schedule: the pure schedules run over a cost profile.
 *
 *   a loop and a team as they were measured -> [workload] -> speeds, times of chunks
 *        -> [forecast] -> chunk by chunk, then [estimate] -> time, imbalance
 *
 * Feeds the choice of `auto`. No clock: all measurements are arguments. */
#ifndef SCHEDULES_FORECAST_PREDICT_H
#define SCHEDULES_FORECAST_PREDICT_H

#include <stdint.h>

#include "schedules/claim/team.h"
#include "schedules/loop/cost_profile.h"
#include "schedules/loop/schedule.h"

/* --- workloads ---
 *
 * A loop and a team as they were measured, and the values that follow: speeds, and the time of any
 * chunk.
 *
 * Feeds the forecasts below. Impossible numbers (not finite, negative; a speed of 0) count as 0,
 * speeds as 1. Pure; any thread. */

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
                      a division that is made beforehand can't take it into account */
    const double *weights; /* P values > 0 with sum P, for weighted schedules that don't learn
                              them; NULL: all 1 */
};

/* > 0; 1: average. */
double keel_workload_speed(const struct keel_workload *workload, uint64_t thread);

/* Sum of the speeds of all threads. */
double keel_workload_speed_sum(const struct keel_workload *workload);

/* When the thread arrives, ns. */
double keel_workload_late_ns(const struct keel_workload *workload, uint64_t thread);

/* Time of an iteration on this thread. */
struct keel_pace keel_workload_pace(const struct keel_workload *workload, uint64_t thread);

/* Costs along the loop. */
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

/* --- estimates ---
 *
 * The time of many chunks, in closed form.
 *
 * Completes a forecast: chunks beyond those that are simulated one by one. */

/* A thread of a forecast. */
struct keel_forecast_worker {
    double clock_ns; /* at which it asks for a chunk */
    double busy_ns;  /* in chunks and in getting them */
    double speed;    /* > 0; 1: average */
    double chunk_ns; /* time of the chunk it is in */
    uint64_t chunk;  /* iterations of that; 0: none has to be reported */
    uint64_t thread;
};

/* The part of a loop that has not begun. */
struct keel_estimate_rest {
    double iterations;   /* > 0 */
    double iteration_ns; /* mean time on an average thread, >= 0 */
    double deviation_ns; /* of single iterations, >= 0 */
    double claim_ns;     /* time to get a chunk, >= 0 */
    double chunks;       /* > 0 */
    double last_chunk;   /* size of the chunks at the end, iterations */
};

/* Number of chunks in `iterations` of a sequence that goes on with chunks of `chunk` >= `smallest`
 * > 0 and shrinks in proportion to the remaining iterations. */
double keel_estimate_chunks(double iterations, double chunk, double smallest);

/* Chunks that go to the next idle thread. Moves each thread to the time at which all of them,
 * working without a pause, have finished the rest; threads that arrive later take no part. Returns
 * the end of the last one, which is later. */
double keel_estimate_shared(const struct keel_estimate_rest *rest,
                            struct keel_forecast_worker *workers, uint64_t count);

/* Chunks that are dealt in turn: moves each thread to its end. run: for keel_chance_normal().
 * Returns by how much chance has lengthened the sum of all work, ns. */
double keel_estimate_dealt(const struct keel_estimate_rest *rest,
                           struct keel_forecast_worker *workers, uint64_t count, unsigned run);

/* --- forecasts --- */

/* Cost of a claim for a thread, ns. */
struct keel_claim_costs {
    double step_ns;     /* a shared step counter, all threads at it */
    double own_ns;      /* own steps: nothing shared */
    double weighted_ns; /* shared position, shares */
    double timed_ns;    /* any claim of a schedule that times its chunks */
    double start_ns;    /* of such a schedule, once per instance and thread */
};

/* Derives all from the measured one: a claim of a schedule that times its chunks. */
struct keel_claim_costs keel_predict_claim_costs(double timed_ns);

/* Cost of a claim under the schedule, ns. */
double keel_predict_claim_ns(const struct keel_schedule *schedule,
                             const struct keel_claim_costs *costs);

struct keel_forecast {
    double time_ns;   /* from the first thread's start to the last one's end */
    double chunks;    /* handed out in all */
    double imbalance; /* busiest thread's time over the mean, - 1 */
};

/* Chunks that are simulated one by one, or 2 P if that is more; the rest is estimated from its
 * work, its overheads and the size of the last chunks. */
#define KEEL_PREDICT_CHUNKS_MAX 256

/* Runs `spec` (parameters complete) over the workload: threads claim in the order of their clocks,
 * by the code that threads run. The mean of up to 16 runs is the forecast; each has other random
 * times, and these are the same in each forecast (common random numbers). The part of the random
 * time that all schedules share is subtracted.
 *
 * Learned blocks are assumed where speeds and profile place them, and learned paces to be those of
 * `speed`. A schedule that wants a list of costs is replaced by its in_order. Without memory the
 * time is INFINITY. Impossible numbers (not finite, negative; a speed of 0) count as 0, speeds as
 * 1. No iterations or no threads: all 0.
 *
 * Any thread. Simulates up to 512 chunks in all runs together, or 2 runs if these are longer, each
 * in some tens of ns; if sizes are measured, each run takes P^2 steps more. */
struct keel_forecast keel_predict(const struct keel_spec *spec,
                                  const struct keel_workload *workload,
                                  const struct keel_claim_costs *costs);

/* Total work over total rate: a lower bound for all schedules. */
double keel_predict_ideal_ns(const struct keel_workload *workload);

/* --- single loops ---
 *
 * A loop instance without threads or a clock: the caller sets the cost of chunks, and each thread
 * claims the next one when it is done with the last.
 *
 * Simulates a team (team.h) for schedules that are sized at claim time. */

#define KEEL_SIMULATION_THREADS_MAX 512 /* each look at the others takes as many steps */

/* Iterations [first, last), run by `thread` from start_ns on. */
struct keel_simulated_chunk {
    uint64_t first, last;
    uint64_t thread;
    double start_ns;
    double time_ns;
};

/* The input of a simulation. */
struct keel_simulation_setup {
    const struct keel_spec *spec; /* of a schedule without a plan, see keel_plan_exists() */
    uint64_t iterations;          /* N */
    uint64_t threads;             /* P, 1 .. KEEL_SIMULATION_THREADS_MAX */
    double claim_ns;              /* time to get a chunk */
    /* Returns how long `chunk` takes, 0 or more ns; its time_ns is not set yet. */
    double (*time_ns)(const struct keel_simulated_chunk *chunk, void *context);
    void *context;
};

struct keel_simulation;

/* `setup` must outlive the simulation. Returns NULL without memory, or with too many threads. */
struct keel_simulation *keel_simulation_begin(const struct keel_simulation_setup *setup);

/* Writes the next chunk in the order of claims (at the same time: in the order of threads); false
 * if the loop is done. */
bool keel_simulation_next(struct keel_simulation *simulation, struct keel_simulated_chunk *chunk);

void keel_simulation_end(struct keel_simulation *simulation);

#endif
