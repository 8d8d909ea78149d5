/* Forecasts: runs chunk by chunk, and an estimate of what comes after. */
#include "schedules/forecast/predict.h"

#include <math.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/forecast/forecast_run.h"

#define RUN_CHUNKS 512 /* in all runs together */
#define RUNS_MIN 2
#define STEP_PART 0.3 /* a claim without clock readings, of one with them */
#define WEIGHTED_PART 0.45
#define OWN_NS 4.0
#define START_CLAIMS 5
#define THREADS_MAX (UINT64_C(1) << 32) /* beyond it memory is not even asked for */

double keel_predict_ideal_ns(const struct keel_workload *workload)
{
    if (workload->iterations == 0 || workload->threads == 0) {
        return 0;
    }
    return (double)workload->iterations * finite_amount(workload->iteration_ns) /
           keel_workload_speed_sum(workload);
}

/* --- costs of claims --- */

struct keel_claim_costs keel_predict_claim_costs(double timed_ns)
{
    return (struct keel_claim_costs){
        .step_ns = STEP_PART * timed_ns,
        .own_ns = OWN_NS,
        .weighted_ns = WEIGHTED_PART * timed_ns,
        .timed_ns = timed_ns,
        .start_ns = START_CLAIMS * timed_ns,
    };
}

static bool is_timed(const struct keel_schedule *schedule)
{
    return schedule->timed || schedule->learns != KEEL_LEARNS_NOT;
}

/* A claim from the thread's own block, untimed, is one atomic operation on a cache line that others
 * seldom touch. */
double keel_predict_claim_ns(const struct keel_schedule *schedule,
                             const struct keel_claim_costs *costs)
{
    if (is_timed(schedule)) {
        return costs->timed_ns;
    }
    switch (schedule->claim) {
    case KEEL_CLAIM_OWN:
        return costs->own_ns;
    case KEEL_CLAIM_WEIGHTED:
    case KEEL_CLAIM_BLOCKS:
        return costs->weighted_ns;
    case KEEL_CLAIM_STEPS:
    case KEEL_CLAIM_SIZED:
        break;
    }
    return costs->step_ns;
}

/* --- what is not simulated --- */

/* Size of the next chunk. Before any is claimed, schedules of measured sizes are taken to begin
 * with N/P. */
static double chunk_ahead(const struct keel_forecast_run *run)
{
    if (run->last_chunk > 0) {
        return (double)run->last_chunk;
    }
    if (keel_plan_exists(run->spec.schedule) && !run->plan.walks) {
        double chunk = (double)run->plan.tail_chunk;
        bool batch = run->plan.claim == KEEL_CLAIM_WEIGHTED;
        return batch ? fmax(1, chunk / (double)run->threads) : chunk;
    }
    return fmax(1, (double)run->iterations / (double)run->threads);
}

static struct keel_estimate_rest rest_of(const struct keel_forecast_run *run)
{
    struct keel_estimate_rest rest = {
        .iterations = (double)(run->iterations - run->claimed),
        .deviation_ns = run->deviation_ns,
        .claim_ns = run->claim_ns,
    };
    double all = (double)run->iterations * run->costs.iteration_ns;
    double ahead = chunk_ahead(run);
    double mean = (double)run->claimed / fmax(1, (double)run->chunks);
    bool equal = keel_plan_exists(run->spec.schedule) &&
                 (keel_forecast_run_is_dealt(run) || !run->plan.walks);

    rest.iteration_ns = fmax(0, all - run->work_ns) / rest.iterations;
    if (equal || run->spec.schedule->shape == KEEL_UNIFORM) {
        rest.last_chunk = ahead;
    } else if (run->spec.schedule->shape == KEEL_IRREGULAR && run->chunks > 0) {
        ahead = rest.last_chunk = mean;
    } else if (!keel_plan_exists(run->spec.schedule) && run->chunks > 0 && ahead >= mean / 2) {
        rest.last_chunk = ahead; /* chunks have not become smaller */
    } else {
        rest.last_chunk = fmin(ahead, (double)run->smallest);
    }
    rest.chunks = keel_estimate_chunks(rest.iterations, ahead, rest.last_chunk);
    return rest;
}

/* Returns the chunks of the rest. */
static double estimate_rest(struct keel_forecast_run *run)
{
    struct keel_estimate_rest rest = rest_of(run);

    if (keel_forecast_run_is_dealt(run)) {
        run->random_ns += keel_estimate_dealt(&rest, run->worker, run->threads, run->number);
    } else {
        run->end_ns = keel_estimate_shared(&rest, run->worker, run->running);
    }
    return rest.chunks;
}

/* --- the forecast --- */

/* 0: nothing is simulated. */
static uint64_t chunks_to_simulate(const struct keel_forecast_run *run)
{
    uint64_t most = max_u64(KEEL_PREDICT_CHUNKS_MAX, 2 * run->threads);
    bool known = keel_plan_exists(run->spec.schedule) && !run->plan.walks &&
                 run->plan.claim != KEEL_CLAIM_WEIGHTED;

    return known && run->plan.steps > most ? 0 : most;
}

/* How one run ended. Subtracts the part of the random time that all schedules share, so that no
 * forecast is below the ideal time. */
static struct keel_forecast end_of(const struct keel_forecast_run *run, double chunks)
{
    double last = 0, earliest = INFINITY, busiest = 0, sum = 0;

    for (uint64_t i = 0; i < run->threads; i++) {
        const struct keel_forecast_worker *worker = &run->worker[i];
        last = fmax(last, worker->clock_ns);
        busiest = fmax(busiest, worker->busy_ns);
        sum += worker->busy_ns;
        earliest = fmin(earliest, keel_workload_late_ns(run->workload, i));
    }
    busiest += fmax(0, run->end_ns - last);
    sum += fmax(0, run->end_ns - last);
    last = fmax(last, run->end_ns);
    return (struct keel_forecast){
        .time_ns = last - earliest - run->random_ns / run->speed_sum,
        .chunks = (double)run->chunks + chunks,
        .imbalance = sum > 0 ? busiest * (double)run->threads / sum - 1 : 0,
    };
}

static struct keel_forecast one_run(struct keel_forecast_run *run, unsigned number)
{
    double rest = 0;

    keel_forecast_run_walk(run, number, chunks_to_simulate(run));
    if (run->claimed < run->iterations) {
        rest = estimate_rest(run);
    }
    return end_of(run, rest);
}

/* A power of 2, so that the runs are spread evenly over the random numbers of chance.h. */
static unsigned runs_of(const struct keel_forecast_run *run)
{
    uint64_t each = max_u64(1, max_u64(run->chunks, run->threads));
    unsigned runs = KEEL_CHANCE_RUNS;

    if (run->deviation_ns == 0 && run->wobble == 0) {
        return 1;
    }
    while (runs > RUNS_MIN && runs * each > RUN_CHUNKS) {
        runs /= 2;
    }
    return runs;
}

static struct keel_forecast mean_of_runs(struct keel_forecast_run *run)
{
    struct keel_forecast mean = one_run(run, 0);
    unsigned runs = runs_of(run);

    for (unsigned i = 1; i < runs; i++) {
        struct keel_forecast one = one_run(run, i * (KEEL_CHANCE_RUNS / runs));
        mean.time_ns += one.time_ns;
        mean.chunks += one.chunks;
        mean.imbalance += one.imbalance;
    }
    mean.time_ns = fmax(mean.time_ns / runs, keel_predict_ideal_ns(run->workload));
    mean.chunks /= runs;
    mean.imbalance /= runs;
    return mean;
}

/* --- entry points --- */

size_t keel_predict_size(uint64_t threads)
{
    struct keel_forecast_run unused;

    return threads < THREADS_MAX ? keel_forecast_run_lay_out(&unused, NULL, threads) : SIZE_MAX;
}

struct keel_forecast keel_predict_in(void *memory, const struct keel_spec *spec,
                                     const struct keel_workload *workload,
                                     const struct keel_claim_costs *costs)
{
    struct keel_spec served = *spec;
    struct keel_forecast_run run;

    if (workload->iterations == 0 || workload->threads == 0) {
        return (struct keel_forecast){0};
    }
    if (memory == NULL) {
        return (struct keel_forecast){.time_ns = INFINITY};
    }
    if (spec->schedule->wants_costs) {
        served.schedule = spec->schedule->in_order;
    }
    keel_forecast_run_begin(&run, &served, workload,
                            finite_amount(keel_predict_claim_ns(served.schedule, costs)),
                            is_timed(served.schedule) ? finite_amount(costs->start_ns) : 0);
    keel_forecast_run_lay_out(&run, memory, workload->threads);
    return mean_of_runs(&run);
}

struct keel_forecast keel_predict(const struct keel_spec *spec,
                                  const struct keel_workload *workload,
                                  const struct keel_claim_costs *costs)
{
    size_t size = keel_predict_size(workload->threads);
    void *memory = size < SIZE_MAX ? aligned_alloc(64, size) : NULL;
    struct keel_forecast forecast = keel_predict_in(memory, spec, workload, costs);

    free(memory);
    return forecast;
}
