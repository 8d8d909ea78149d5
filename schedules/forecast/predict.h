/* How long a loop will take under a schedule: the pure schedules run over a cost profile.
 *
 *   a loop and a team as they were measured -> [workload] -> speeds, times of chunks
 *        -> [forecast] -> chunk by chunk, then [estimate] -> time, imbalance
 *
 * Feeds the choice of `auto`. No clock: everything that was measured comes in as an argument. */
#ifndef SCHEDULES_FORECAST_PREDICT_H
#define SCHEDULES_FORECAST_PREDICT_H

#include <stdint.h>

#include "schedules/claim/team.h"
#include "schedules/loop/cost_profile.h"
#include "schedules/loop/schedule.h"

/* --- workloads ---
 *
 * A loop and a team as they were measured, and what follows from that: speeds, and the time of any
 * chunk.
 *
 * Feeds predict.h. Numbers that can't be (not finite, negative; a speed of 0) count as 0, speeds as
 * 1. Pure; any thread. */

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

/* --- estimates ---
 *
 * The time of many chunks, in closed form.
 *
 * Completes a forecast (predict.h): what is too long to be walked chunk by chunk ends here. */

/* A thread of a forecast. */
struct keel_forecast_worker {
    double clock_ns; /* at which it asks for a chunk */
    double busy_ns;  /* in chunks and in getting them */
    double speed;    /* > 0; 1: average */
    double chunk_ns; /* time of the chunk it is in */
    uint64_t chunk;  /* iterations of that; 0: none that is still to be reported */
    uint64_t thread;
};

/* The part of a loop that nobody has begun. */
struct keel_estimate_rest {
    double iterations;   /* > 0 */
    double iteration_ns; /* mean time on an average thread, >= 0 */
    double deviation_ns; /* of single iterations, >= 0 */
    double claim_ns;     /* time to get a chunk, >= 0 */
    double chunks;       /* > 0 */
    double last_chunk;   /* size of the chunks at the end, iterations */
};

/* Chunks in `iterations` of a sequence that goes on with chunks of `chunk` >= `smallest` > 0 and
 * shrinks in proportion to what remains. */
double keel_estimate_chunks(double iterations, double chunk, double smallest);

/* Chunks that go to the next free thread. Moves each thread to the time by which all of them,
 * working without a pause, are through with the rest; threads that come later take no part. Returns
 * when the last one ends: they don't end together. */
double keel_estimate_shared(const struct keel_estimate_rest *rest,
                            struct keel_forecast_worker *workers, uint64_t count);

/* Chunks that are dealt in turn: moves each thread to its end. `run` is that of arithmetic.h.
 * Returns by how much chance has made the sum of all work longer, ns. */
double keel_estimate_dealt(const struct keel_estimate_rest *rest,
                           struct keel_forecast_worker *workers, uint64_t count, unsigned run);

/* --- forecasts --- */

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

/* --- single loops ---
 *
 * A loop instance without threads or a clock: the caller says what chunks cost, and each thread
 * comes for the next one when it is done with the last.
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

/* What is simulated. */
struct keel_simulation_setup {
    const struct keel_spec *spec; /* of a schedule without a plan, see keel_plan_exists() */
    uint64_t iterations;          /* N */
    uint64_t threads;             /* P, 1 .. KEEL_SIMULATION_THREADS_MAX */
    double claim_ns;              /* what getting a chunk takes */
    /* How long `chunk` takes, 0 or more ns; its time_ns is not set yet. */
    double (*time_ns)(const struct keel_simulated_chunk *chunk, void *context);
    void *context;
};

struct keel_simulation;

/* `setup` must outlive the simulation. NULL: no memory, or too many threads. */
struct keel_simulation *keel_simulation_begin(const struct keel_simulation_setup *setup);

/* The next chunk in the order of claims (at the same time: in the order of threads); false: the
 * loop is done. */
bool keel_simulation_next(struct keel_simulation *simulation, struct keel_simulated_chunk *chunk);

void keel_simulation_end(struct keel_simulation *simulation);

#endif
