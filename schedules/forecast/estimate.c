/* The basis of forecasts: a measured workload, closed forms for many chunks, and a simulated loop
 * instance without threads or a clock. */
#include "schedules/forecast/predict.h"

#include <math.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"

/* --- workloads --- */

#define BINS KEEL_PROFILE_BINS

double keel_workload_speed(const struct keel_workload *workload, uint64_t thread)
{
    double speed = workload->speed != NULL ? finite_amount(workload->speed[thread]) : 0;

    return speed > 0 ? speed : 1;
}

double keel_workload_speed_sum(const struct keel_workload *workload)
{
    double sum = 0;

    for (uint64_t i = 0; i < workload->threads; i++) {
        sum += keel_workload_speed(workload, i);
    }
    return sum;
}

double keel_workload_late_ns(const struct keel_workload *workload, uint64_t thread)
{
    return workload->late_ns != NULL ? finite_amount(workload->late_ns[thread]) : 0;
}

struct keel_pace keel_workload_pace(const struct keel_workload *workload, uint64_t thread)
{
    double speed = keel_workload_speed(workload, thread);
    double deviation = finite_amount(workload->deviation_ns) / speed;

    return (struct keel_pace){.mean_ns = finite_amount(workload->iteration_ns) / speed,
                              .variance_ns2 = deviation * deviation};
}

void keel_workload_costs_begin(struct keel_workload_costs *costs,
                               const struct keel_workload *workload)
{
    const struct keel_profile *profile = workload->profile;
    double sum = 0, work = 0;

    costs->iterations = (double)workload->iterations;
    costs->iteration_ns = finite_amount(workload->iteration_ns);
    for (int b = 0; b < BINS; b++) {
        costs->cost[b] = profile != NULL ? finite_amount(profile->cost[b]) : 1;
        sum += costs->cost[b];
    }
    for (int b = 0; b < BINS; b++) {
        costs->cost[b] = sum > 0 ? costs->cost[b] * BINS / sum : 1;
        costs->before[b] = work;
        work += costs->cost[b] / BINS;
    }
    costs->before[BINS] = 1;
}

/* Work before an iteration, in mean iterations. */
static double work_before(const struct keel_workload_costs *costs, int bin, double position)
{
    return costs->iterations * (costs->before[bin] + (position - bin) / BINS * costs->cost[bin]);
}

/* Within a bin it follows from the length, which is exact even if positions are too close for a
 * double. */
double keel_workload_chunk_ns(const struct keel_workload_costs *costs, uint64_t first,
                              uint64_t last)
{
    double scale = BINS / costs->iterations;
    double from = (double)first * scale, to = (double)last * scale;
    int bin = (int)fmin(from, BINS - 1), end = (int)fmin(to, BINS - 1);

    if (bin == end) {
        return costs->iteration_ns * costs->cost[bin] * (double)(last - first);
    }
    return costs->iteration_ns * (work_before(costs, end, to) - work_before(costs, bin, from));
}

/* --- estimates --- */

/* n iterations in chunks of n/q each until these are the smallest: q ln(chunk/smallest) steps, and
 * q chunks of the smallest. */
double keel_estimate_chunks(double iterations, double chunk, double smallest)
{
    return fmax(1, iterations / chunk * (1 + log(fmax(1, chunk / smallest))));
}

/* Iterations per ns, the time to get chunks included. */
static double rate_of(const struct keel_estimate_rest *rest,
                      const struct keel_forecast_worker *worker)
{
    return 1 /
           (rest->iteration_ns / worker->speed + rest->claim_ns * rest->chunks / rest->iterations);
}

/* The time T at which the threads that arrive before T have finished: sum of rate (T - clock) ==
 * iterations. Each round leaves out those that arrive after the T of the round before; T only
 * falls. */
static double level_of(const struct keel_estimate_rest *rest,
                       const struct keel_forecast_worker *workers, uint64_t count)
{
    double level = INFINITY, before;

    do {
        double done = rest->iterations, rate = 0;
        before = level;
        for (uint64_t i = 0; i < count; i++) {
            if (workers[i].clock_ns < before) {
                done += rate_of(rest, &workers[i]) * workers[i].clock_ns;
                rate += rate_of(rest, &workers[i]);
            }
        }
        if (!(rate > 0)) {
            return before; /* the rest is lost in rounding beside the clocks */
        }
        level = done / rate;
    } while (level < before);
    return level;
}

/* How long a thread's last chunk is, as found at a random time: longer ones are found more often.
 * Twice the mean residual life of renewal theory, E t^2 / E t; deviations beyond the mean count as
 * the mean, as in the chunk-by-chunk simulation. */
static double found_chunk_ns(const struct keel_estimate_rest *rest,
                             const struct keel_forecast_worker *worker)
{
    double mean = rest->last_chunk * rest->iteration_ns;
    double deviation = fmin(mean, sqrt(rest->last_chunk) * rest->deviation_ns);

    return (mean > 0 ? mean + deviation * deviation / mean : 0) / worker->speed + rest->claim_ns;
}

#define SLICES 16

/* Mean of the largest of U_i d_i, where d_i are the threads' last chunks and U_i is anywhere in
 * 0 .. 1: the integral of 1 - product of min(1, x / d_i), by midpoints. */
static double longest_remainder(const struct keel_estimate_rest *rest,
                                const struct keel_forecast_worker *workers, uint64_t count,
                                double level)
{
    double most = 0, sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (workers[i].clock_ns < level) {
            most = fmax(most, found_chunk_ns(rest, &workers[i]));
        }
    }
    for (int slice = 0; slice < SLICES && most > 0; slice++) {
        double x = most * (slice + 0.5) / SLICES, all_done = 1;
        for (uint64_t i = 0; i < count && all_done > 1e-6; i++) {
            if (workers[i].clock_ns < level) {
                all_done *= fmin(1, x / found_chunk_ns(rest, &workers[i]));
            }
        }
        sum += 1 - all_done;
    }
    return most * sum / SLICES;
}

/* When nothing is left to take, each thread has half of a chunk ahead of it on average, and ends
 * at `level` on average: nothing is left at level - mean half chunk, weighted by rates. */
static double mean_remainder(const struct keel_estimate_rest *rest,
                             const struct keel_forecast_worker *workers, uint64_t count,
                             double level)
{
    double sum = 0, rate = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (workers[i].clock_ns < level) {
            sum += rate_of(rest, &workers[i]) * found_chunk_ns(rest, &workers[i]) / 2;
            rate += rate_of(rest, &workers[i]);
        }
    }
    return rate > 0 ? sum / rate : 0;
}

double keel_estimate_shared(const struct keel_estimate_rest *rest,
                            struct keel_forecast_worker *workers, uint64_t count)
{
    /* nothing takes any time */
    if (count == 0 || !(rest->iteration_ns + rest->claim_ns > 0)) {
        return 0;
    }
    double level = level_of(rest, workers, count);
    double excess = longest_remainder(rest, workers, count, level) -
                    mean_remainder(rest, workers, count, level);

    for (uint64_t i = 0; i < count; i++) {
        if (workers[i].clock_ns < level) {
            workers[i].busy_ns += level - workers[i].clock_ns;
            workers[i].clock_ns = level;
        }
    }
    return level + fmax(0, excess);
}

double keel_estimate_dealt(const struct keel_estimate_rest *rest,
                           struct keel_forecast_worker *workers, uint64_t count, unsigned run)
{
    double each = rest->iterations / (double)count, sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        double work = each * rest->iteration_ns;
        double deviate = keel_chance_normal(KEEL_CHANCE_CHUNKS + workers[i].thread, run);
        double noise = rest->deviation_ns * sqrt(each) * deviate;
        noise = fmax(-work, fmin(noise, work));
        double busy =
            (work + noise) / workers[i].speed + ceil(rest->chunks / (double)count) * rest->claim_ns;
        sum += noise;
        workers[i].busy_ns += busy;
        workers[i].clock_ns += busy;
    }
    return sum;
}

/* --- single loops --- */

/* A simulated thread. */
struct simulated_thread {
    double free_ns; /* end of its last chunk; INFINITY: no chunk is left for it */
    double time_ns; /* of its last chunk; < 0: it has had none */
    struct keel_team_worker worker;
};

struct keel_simulation {
    const struct keel_simulation_setup *setup;
    struct keel_team *team;
    struct simulated_thread *threads;
};

/* --- the setup --- */

static void begin_workers(struct keel_simulation *simulation)
{
    const struct keel_simulation_setup *setup = simulation->setup;
    const struct keel_pace unknown = {0};

    keel_team_begin(simulation->team, setup->spec, setup->iterations, setup->threads, NULL, NULL);
    for (uint64_t i = 0; i < setup->threads; i++) {
        struct simulated_thread *simulated = &simulation->threads[i];
        *simulated = (struct simulated_thread){.time_ns = -1};
        keel_team_worker_begin(&simulated->worker, simulation->team, i, unknown);
    }
}

struct keel_simulation *keel_simulation_begin(const struct keel_simulation_setup *setup)
{
    if (setup->threads > KEEL_SIMULATION_THREADS_MAX) {
        return NULL;
    }
    struct keel_simulation *simulation = malloc(sizeof *simulation);
    if (simulation == NULL) {
        return NULL;
    }
    *simulation = (struct keel_simulation){
        .setup = setup,
        .team = aligned_alloc(64, keel_team_size(setup->threads)),
        .threads = malloc(setup->threads * sizeof(struct simulated_thread)),
    };
    if (simulation->team == NULL || simulation->threads == NULL) {
        keel_simulation_end(simulation);
        return NULL;
    }
    begin_workers(simulation);
    return simulation;
}

/* The thread that is idle first; of equal ones the first. */
static uint64_t next_free(const struct keel_simulation *simulation)
{
    uint64_t next = 0;

    for (uint64_t i = 1; i < simulation->setup->threads; i++) {
        next = simulation->threads[i].free_ns < simulation->threads[next].free_ns ? i : next;
    }
    return next;
}

bool keel_simulation_next(struct keel_simulation *simulation, struct keel_simulated_chunk *chunk)
{
    const struct keel_simulation_setup *setup = simulation->setup;

    for (;;) {
        uint64_t thread = next_free(simulation);
        struct simulated_thread *simulated = &simulation->threads[thread];
        if (isinf(simulated->free_ns)) {
            return false;
        }
        if (simulated->time_ns >= 0) {
            keel_team_worker_done(&simulated->worker, simulated->time_ns, setup->claim_ns);
        }
        if (keel_team_worker_next(&simulated->worker, &chunk->first, &chunk->last)) {
            chunk->thread = thread;
            chunk->start_ns = simulated->free_ns + setup->claim_ns;
            chunk->time_ns = simulated->time_ns = setup->time_ns(chunk, setup->context);
            simulated->free_ns = chunk->start_ns + chunk->time_ns;
            return true;
        }
        simulated->free_ns = INFINITY;
    }
}

void keel_simulation_end(struct keel_simulation *simulation)
{
    free(simulation->team);
    free(simulation->threads);
    free(simulation);
}
