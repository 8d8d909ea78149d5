/* Forecasts: an event simulation whose events are the claims of a team's threads. */
#include "schedules/forecast/predict.h"

#include <math.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/claim/claim.h"
#include "schedules/claim/team.h"
#include "schedules/forecast/estimate.h"
#include "schedules/learn/learner.h"
#include "schedules/learn/least_chunk.h"

#define BINS KEEL_PROFILE_BINS
#define RUN_CHUNKS 2048 /* in all runs together */
#define RUNS_MIN 4
#define STEP_PART 0.3 /* a claim without clock readings, of one with them */
#define WEIGHTED_PART 0.45
#define OWN_NS 4.0
#define START_CLAIMS 5
#define SLOWEST 0.05                    /* part of its speed that luck leaves to a thread */
#define THREADS_MAX (UINT64_C(1) << 32) /* beyond it memory is not even asked for */

/* A thread of a weighted schedule. */
struct weighted {
    struct keel_learner learner;
    double weight;
};

/* One forecast. */
struct forecast {
    struct keel_spec spec;
    const struct keel_workload *workload;
    uint64_t iterations, threads;
    double iteration_ns, deviation_ns, wobble, speed_sum;
    double claim_ns, start_ns;
    double cost[BINS];       /* of the profile, mean 1 */
    double before[BINS + 1]; /* work before each bin, 0 .. 1 */
    struct keel_plan plan;   /* without a table: one walk serves the whole team, as steps, and
                                positions, are claimed in increasing order */
    uint64_t smallest;       /* chunk, iterations */

    struct keel_forecast_worker *worker; /* P; [0, running) is a heap by clock */
    struct weighted *weighted;           /* weighted: P */
    struct keel_team *team;              /* sized, blocks */
    struct keel_team_worker *team_worker;
    uint64_t *first; /* learned blocks: P + 1 */

    /* of one run */
    unsigned run;
    uint64_t running;
    struct keel_claims claims;
    struct keel_cursor cursor;
    struct keel_speeds speeds;
    uint64_t chunks;
    uint64_t claimed;    /* iterations */
    uint64_t last_chunk; /* iterations */
    double work_ns;      /* of these, on an average thread */
    double luck_ns;      /* by which chance has lengthened it */
    double end_ns;       /* of what was not walked */
};

/* --- what comes in --- */

static double speed_of(const struct keel_workload *workload, uint64_t thread)
{
    double speed = workload->speed != NULL ? finite_amount(workload->speed[thread]) : 0;

    return speed > 0 ? speed : 1;
}

static double late_of(const struct keel_workload *workload, uint64_t thread)
{
    return workload->late_ns != NULL ? finite_amount(workload->late_ns[thread]) : 0;
}

static double speed_sum_of(const struct keel_workload *workload)
{
    double sum = 0;

    for (uint64_t i = 0; i < workload->threads; i++) {
        sum += speed_of(workload, i);
    }
    return sum;
}

double keel_predict_ideal_ns(const struct keel_workload *workload)
{
    if (workload->iterations == 0 || workload->threads == 0) {
        return 0;
    }
    return (double)workload->iterations * finite_amount(workload->iteration_ns) /
           speed_sum_of(workload);
}

static void take_profile(struct forecast *forecast)
{
    const struct keel_profile *profile = forecast->workload->profile;
    double sum = 0, work = 0;

    for (int b = 0; b < BINS; b++) {
        double cost = profile != NULL ? finite_amount(profile->cost[b]) : 1;
        forecast->cost[b] = cost;
        sum += cost;
    }
    for (int b = 0; b < BINS; b++) {
        forecast->cost[b] = sum > 0 ? forecast->cost[b] * BINS / sum : 1;
        forecast->before[b] = work;
        work += forecast->cost[b] / BINS;
    }
    forecast->before[BINS] = 1;
}

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

/* Blocks that nobody times cost their owner an atomic operation on memory of his own. */
static double claim_cost(const struct keel_schedule *schedule, const struct keel_claim_costs *costs)
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

/* Of what sizes its claims as they come, a team counts. */
static bool has_plan(const struct forecast *forecast)
{
    enum keel_claim claim = forecast->spec.schedule->claim;

    return claim != KEEL_CLAIM_SIZED && claim != KEEL_CLAIM_BLOCKS;
}

static bool is_dealt(const struct forecast *forecast)
{
    return forecast->spec.schedule->claim == KEEL_CLAIM_OWN;
}

static void build_plan(struct forecast *forecast)
{
    const struct keel_schedule *schedule = forecast->spec.schedule;
    struct keel_problem problem = {
        .spec = &forecast->spec,
        .iterations = forecast->iterations,
        .threads = forecast->threads,
        .weights = schedule->learns == KEEL_LEARNS_NOT ? forecast->workload->weights : NULL,
    };

    forecast->smallest = max_u64(
        1, keel_least_chunk_under(&forecast->spec, forecast->iterations, forecast->threads));
    if (has_plan(forecast)) {
        keel_plan_build(&problem, NULL, &forecast->plan);
        forecast->smallest = forecast->plan.walk.view.min_chunk;
    }
}

static void take_arguments(struct forecast *forecast, const struct keel_spec *spec,
                           const struct keel_workload *workload,
                           const struct keel_claim_costs *costs)
{
    forecast->spec = *spec;
    if (spec->schedule->wants_costs) {
        forecast->spec.schedule = spec->schedule->in_order;
    }
    const struct keel_schedule *schedule = forecast->spec.schedule;
    forecast->workload = workload;
    forecast->iterations = workload->iterations;
    forecast->threads = workload->threads;
    forecast->iteration_ns = finite_amount(workload->iteration_ns);
    forecast->deviation_ns = finite_amount(workload->deviation_ns);
    forecast->wobble = finite_amount(workload->wobble);
    forecast->speed_sum = speed_sum_of(workload);
    forecast->claim_ns = finite_amount(claim_cost(schedule, costs));
    forecast->start_ns = is_timed(schedule) ? finite_amount(costs->start_ns) : 0;
    take_profile(forecast);
    build_plan(forecast);
}

/* --- work --- */

/* Work before an iteration, in mean iterations. */
static double work_before(const struct forecast *forecast, int bin, double position)
{
    return (double)forecast->iterations *
           (forecast->before[bin] + (position - bin) / BINS * forecast->cost[bin]);
}

/* Time of a chunk on an average thread. Within a bin it comes from the length, which is exact
 * where positions are too close for a double. */
static double chunk_work_ns(const struct forecast *forecast, uint64_t first, uint64_t last)
{
    double scale = BINS / (double)forecast->iterations;
    double from = (double)first * scale, to = (double)last * scale;
    int bin = (int)fmin(from, BINS - 1), end = (int)fmin(to, BINS - 1);

    if (bin == end) {
        return forecast->iteration_ns * forecast->cost[bin] * (double)(last - first);
    }
    return forecast->iteration_ns *
           (work_before(forecast, end, to) - work_before(forecast, bin, from));
}

static struct keel_pace known_pace(const struct forecast *forecast, uint64_t thread)
{
    double speed = speed_of(forecast->workload, thread);
    double deviation = forecast->deviation_ns / speed;

    return (struct keel_pace){.mean_ns = forecast->iteration_ns / speed,
                              .variance_ns2 = deviation * deviation};
}

/* --- the heap of threads --- */

static bool comes_before(const struct keel_forecast_worker *a, const struct keel_forecast_worker *b)
{
    return a->clock_ns < b->clock_ns || (a->clock_ns == b->clock_ns && a->thread < b->thread);
}

static void sift_down(struct forecast *forecast, uint64_t place)
{
    struct keel_forecast_worker *heap = forecast->worker, moved = heap[place];

    for (uint64_t child; (child = 2 * place + 1) < forecast->running; place = child) {
        if (child + 1 < forecast->running && comes_before(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!comes_before(&heap[child], &moved)) {
            break;
        }
        heap[place] = heap[child];
    }
    heap[place] = moved;
}

static void make_heap(struct forecast *forecast)
{
    for (uint64_t place = forecast->running / 2; place-- > 0;) {
        sift_down(forecast, place);
    }
}

/* The first thread has been refused. */
static void retire(struct forecast *forecast)
{
    struct keel_forecast_worker refused = forecast->worker[0];

    forecast->running--;
    forecast->worker[0] = forecast->worker[forecast->running];
    forecast->worker[forecast->running] = refused;
    sift_down(forecast, 0);
}

/* --- learning --- */

static double stated_weight(const struct forecast *forecast, uint64_t thread)
{
    const double *weights = forecast->workload->weights;

    return weights != NULL ? weights[thread] : 1;
}

/* Iterations that take no time have no paces: all threads weigh the same. */
static double learned_weight(const struct forecast *forecast, const struct keel_learner *learner)
{
    enum keel_learning learns = forecast->spec.schedule->learns;

    return forecast->speeds.measured > 0
               ? keel_learner_weight(learns, learner->pace_ns, &forecast->speeds, 0)
               : 1;
}

/* All paces are known beforehand: they stand for a first chunk of N/P iterations. */
static void begin_weighted(struct forecast *forecast)
{
    bool stated = forecast->spec.schedule->learns == KEEL_LEARNS_NOT;
    uint64_t share = max_u64(1, forecast->iterations / forecast->threads);

    forecast->speeds = (struct keel_speeds){0};
    for (uint64_t i = 0; i < forecast->threads; i++) {
        struct keel_learner *learner = &forecast->weighted[i].learner;
        keel_learner_begin(learner, known_pace(forecast, i).mean_ns, share);
        keel_speeds_add(&forecast->speeds, learner->pace_ns);
    }
    for (uint64_t i = 0; i < forecast->threads; i++) {
        struct weighted *weighted = &forecast->weighted[i];
        weighted->weight =
            stated ? stated_weight(forecast, i) : learned_weight(forecast, &weighted->learner);
    }
}

/* Takes in a chunk, and keeps the team's speeds up to date. */
static void learn(struct forecast *forecast, struct weighted *weighted, uint64_t chunk,
                  double time_ns)
{
    const struct keel_schedule *schedule = forecast->spec.schedule;
    struct keel_learner *learner = &weighted->learner;
    double before_ns = learner->pace_ns;

    keel_learner_add(learner, schedule, chunk, time_ns, forecast->claim_ns);
    if (before_ns > 0) {
        keel_speeds_change(&forecast->speeds, before_ns, learner->pace_ns);
    }
    if (keel_learner_is_due(learner, schedule->learns, forecast->claims.next >> 32)) {
        weighted->weight = learned_weight(forecast, learner);
    }
}

/* --- one run --- */

/* Luck changes the speeds, not their sum. */
static void begin_workers(struct forecast *forecast)
{
    const struct keel_workload *workload = forecast->workload;
    double sum = 0;

    for (uint64_t i = 0; i < forecast->threads; i++) {
        double luck = keel_chance_normal(KEEL_CHANCE_THREADS + i, forecast->run);
        forecast->worker[i] = (struct keel_forecast_worker){
            .thread = i,
            .clock_ns = late_of(workload, i) + forecast->start_ns,
            .speed = speed_of(workload, i) * fmax(1 - forecast->wobble * luck, SLOWEST),
        };
        sum += forecast->worker[i].speed;
    }
    for (uint64_t i = 0; i < forecast->threads; i++) {
        forecast->worker[i].speed *= forecast->speed_sum / sum;
    }
}

/* Blocks of equal time. */
static const uint64_t *learned_blocks(struct forecast *forecast)
{
    double sum = 0;

    if (forecast->spec.schedule->learns == KEEL_LEARNS_NOT) {
        return NULL;
    }
    for (uint64_t i = 0; i < forecast->threads; i++) {
        double work = sum / forecast->speed_sum;
        double position = forecast->workload->profile != NULL
                              ? keel_profile_position(forecast->workload->profile, work)
                              : work;
        uint64_t first = count_of(position * (double)forecast->iterations);
        uint64_t least = i > 0 ? forecast->first[i - 1] : 0;
        forecast->first[i] = min_u64(max_u64(first, least), forecast->iterations);
        sum += speed_of(forecast->workload, i);
    }
    forecast->first[forecast->threads] = forecast->iterations;
    return forecast->first;
}

static void begin_claims(struct forecast *forecast)
{
    if (has_plan(forecast)) {
        forecast->claims = (struct keel_claims){0};
        keel_cursor_begin(&forecast->cursor, &forecast->plan);
        if (forecast->plan.claim == KEEL_CLAIM_WEIGHTED) {
            begin_weighted(forecast);
        }
        return;
    }
    keel_team_begin(forecast->team, &forecast->spec, forecast->iterations, forecast->threads,
                    learned_blocks(forecast), NULL);
    for (uint64_t i = 0; i < forecast->threads; i++) {
        keel_team_recall(forecast->team, i, known_pace(forecast, i));
    }
    for (uint64_t i = 0; i < forecast->threads; i++) {
        keel_team_worker_begin(&forecast->team_worker[i], forecast->team, i,
                               known_pace(forecast, i));
    }
}

static void begin_run(struct forecast *forecast, unsigned run)
{
    forecast->run = run;
    forecast->running = forecast->threads;
    forecast->chunks = forecast->claimed = forecast->last_chunk = 0;
    forecast->work_ns = forecast->luck_ns = forecast->end_ns = 0;
    begin_workers(forecast);
    begin_claims(forecast);
}

/* The thread runs the chunk; when it is through comes later. */
static void run_chunk(struct forecast *forecast, struct keel_forecast_worker *worker,
                      uint64_t first, uint64_t last)
{
    double work = chunk_work_ns(forecast, first, last), luck = 0;

    if (forecast->deviation_ns > 0) {
        double deviate = keel_chance_normal(KEEL_CHANCE_CHUNKS + forecast->chunks, forecast->run);
        luck = forecast->deviation_ns * sqrt((double)(last - first)) * deviate;
        luck = fmax(-work, fmin(luck, work)); /* alike both ways, so that its mean stays 0 */
    }
    worker->chunk = last - first;
    worker->chunk_ns = (work + luck) / worker->speed;
    worker->clock_ns += forecast->claim_ns + worker->chunk_ns;
    worker->busy_ns += forecast->claim_ns + worker->chunk_ns;
    forecast->chunks++;
    forecast->claimed += worker->chunk;
    forecast->last_chunk = worker->chunk;
    forecast->work_ns += work;
    forecast->luck_ns += luck;
}

/* What others see of a chunk, they see when it is done. */
static void report_chunk(struct forecast *forecast, struct keel_forecast_worker *worker)
{
    if (worker->chunk == 0) {
        return;
    }
    if (!has_plan(forecast)) {
        keel_team_worker_done(&forecast->team_worker[worker->thread], worker->chunk_ns,
                              forecast->claim_ns);
    } else if (forecast->plan.claim == KEEL_CLAIM_WEIGHTED) {
        learn(forecast, &forecast->weighted[worker->thread], worker->chunk, worker->chunk_ns);
    }
    worker->chunk = 0;
}

static bool claim(struct forecast *forecast, uint64_t thread, uint64_t *first, uint64_t *last)
{
    if (!has_plan(forecast)) {
        return keel_team_worker_next(&forecast->team_worker[thread], first, last);
    }
    if (forecast->plan.claim == KEEL_CLAIM_WEIGHTED) {
        forecast->cursor.share =
            keel_plan_share(&forecast->plan, forecast->weighted[thread].weight);
    }
    return keel_claim(&forecast->plan, &forecast->claims, &forecast->cursor, first, last);
}

/* Claims by whoever is free first. */
static void walk_shared(struct forecast *forecast, uint64_t most)
{
    uint64_t first, last;

    make_heap(forecast);
    while (forecast->running > 0 && forecast->chunks < most) {
        struct keel_forecast_worker *worker = &forecast->worker[0];
        report_chunk(forecast, worker);
        if (claim(forecast, worker->thread, &first, &last)) {
            run_chunk(forecast, worker, first, last);
            sift_down(forecast, 0);
        } else {
            retire(forecast);
        }
    }
}

/* Claims of steps that belong to threads beforehand: their order in time means nothing. */
static void walk_dealt(struct forecast *forecast, uint64_t most)
{
    uint64_t first, last;

    for (uint64_t step = 0; step < most; step++) {
        forecast->cursor.step = step;
        if (!keel_claim_own(&forecast->plan, &forecast->cursor, &first, &last)) {
            return;
        }
        run_chunk(forecast, &forecast->worker[step % forecast->threads], first, last);
    }
}

/* --- what is not walked --- */

/* Before any chunk is claimed, what a schedule of measured sizes begins with is taken for N/P. */
static double chunk_ahead(const struct forecast *forecast)
{
    if (forecast->last_chunk > 0) {
        return (double)forecast->last_chunk;
    }
    if (has_plan(forecast) && !forecast->plan.walks) {
        double chunk = (double)forecast->plan.tail_chunk;
        bool batch = forecast->plan.claim == KEEL_CLAIM_WEIGHTED;
        return batch ? fmax(1, chunk / (double)forecast->threads) : chunk;
    }
    return fmax(1, (double)forecast->iterations / (double)forecast->threads);
}

static struct keel_estimate_rest rest_of(const struct forecast *forecast)
{
    struct keel_estimate_rest rest = {
        .iterations = (double)(forecast->iterations - forecast->claimed),
        .deviation_ns = forecast->deviation_ns,
        .claim_ns = forecast->claim_ns,
    };
    double all = (double)forecast->iterations * forecast->iteration_ns;
    double ahead = chunk_ahead(forecast);
    double mean = (double)forecast->claimed / fmax(1, (double)forecast->chunks);
    bool equal = has_plan(forecast) && (is_dealt(forecast) || !forecast->plan.walks);

    rest.iteration_ns = fmax(0, all - forecast->work_ns) / rest.iterations;
    if (equal || forecast->spec.schedule->shape == KEEL_UNIFORM) {
        rest.last_chunk = ahead;
    } else if (forecast->spec.schedule->shape == KEEL_IRREGULAR && forecast->chunks > 0) {
        ahead = rest.last_chunk = mean;
    } else if (!has_plan(forecast) && forecast->chunks > 0 && ahead >= mean / 2) {
        rest.last_chunk = ahead; /* chunks have not become smaller */
    } else {
        rest.last_chunk = fmin(ahead, (double)forecast->smallest);
    }
    rest.chunks = keel_estimate_chunks(rest.iterations, ahead, rest.last_chunk);
    return rest;
}

/* Returns the chunks of the rest. */
static double estimate_rest(struct forecast *forecast)
{
    struct keel_estimate_rest rest = rest_of(forecast);

    if (is_dealt(forecast)) {
        forecast->luck_ns +=
            keel_estimate_dealt(&rest, forecast->worker, forecast->threads, forecast->run);
    } else {
        forecast->end_ns = keel_estimate_shared(&rest, forecast->worker, forecast->running);
    }
    return rest.chunks;
}

/* --- the forecast --- */

/* 0: nothing is walked. */
static uint64_t chunks_to_walk(const struct forecast *forecast)
{
    uint64_t most = max_u64(KEEL_PREDICT_CHUNKS_MAX, 2 * forecast->threads);
    bool known =
        has_plan(forecast) && !forecast->plan.walks && forecast->plan.claim != KEEL_CLAIM_WEIGHTED;

    return known && forecast->plan.steps > most ? 0 : most;
}

/* How one run ended. Luck that lengthens all work is no schedule's merit or fault: without it, no
 * run ends before the ideal. */
static struct keel_forecast end_of(const struct forecast *forecast, double chunks)
{
    double last = 0, earliest = INFINITY, busiest = 0, sum = 0;

    for (uint64_t i = 0; i < forecast->threads; i++) {
        const struct keel_forecast_worker *worker = &forecast->worker[i];
        last = fmax(last, worker->clock_ns);
        busiest = fmax(busiest, worker->busy_ns);
        sum += worker->busy_ns;
        earliest = fmin(earliest, late_of(forecast->workload, i));
    }
    busiest += fmax(0, forecast->end_ns - last);
    sum += fmax(0, forecast->end_ns - last);
    last = fmax(last, forecast->end_ns);
    return (struct keel_forecast){
        .time_ns = last - earliest - forecast->luck_ns / forecast->speed_sum,
        .chunks = (double)forecast->chunks + chunks,
        .imbalance = sum > 0 ? busiest * (double)forecast->threads / sum - 1 : 0,
    };
}

static struct keel_forecast one_run(struct forecast *forecast, unsigned run)
{
    uint64_t most = chunks_to_walk(forecast);
    double rest = 0;

    begin_run(forecast, run);
    (is_dealt(forecast) ? walk_dealt : walk_shared)(forecast, most);
    if (forecast->claimed < forecast->iterations) {
        rest = estimate_rest(forecast);
    }
    return end_of(forecast, rest);
}

/* A power of 2, so that the runs are spread evenly over what chance offers. */
static unsigned runs_of(const struct forecast *forecast)
{
    uint64_t run = max_u64(1, max_u64(forecast->chunks, forecast->threads));
    unsigned runs = KEEL_CHANCE_RUNS;

    if (forecast->deviation_ns == 0 && forecast->wobble == 0) {
        return 1;
    }
    while (runs > RUNS_MIN && runs * run > RUN_CHUNKS) {
        runs /= 2;
    }
    return runs;
}

static struct keel_forecast mean_of_runs(struct forecast *forecast)
{
    struct keel_forecast mean = one_run(forecast, 0);
    unsigned runs = runs_of(forecast);

    for (unsigned i = 1; i < runs; i++) {
        struct keel_forecast run = one_run(forecast, i * (KEEL_CHANCE_RUNS / runs));
        mean.time_ns += run.time_ns;
        mean.chunks += run.chunks;
        mean.imbalance += run.imbalance;
    }
    mean.time_ns = fmax(mean.time_ns / runs, keel_predict_ideal_ns(forecast->workload));
    mean.chunks /= runs;
    mean.imbalance /= runs;
    return mean;
}

/* Without memory: one thread that is as quick as the team, or, of what is dealt, the slowest. */
static struct keel_forecast rough(struct forecast *forecast)
{
    struct keel_estimate_rest rest = rest_of(forecast);
    double threads = (double)forecast->threads, slowest = INFINITY, inverse = 0;
    struct keel_forecast_worker worker = {.speed = forecast->speed_sum,
                                          .clock_ns = forecast->start_ns};

    for (uint64_t i = 0; i < forecast->threads; i++) {
        slowest = fmin(slowest, speed_of(forecast->workload, i));
        inverse += 1 / speed_of(forecast->workload, i);
    }
    if (is_dealt(forecast)) {
        worker.speed = slowest * threads;
    }
    rest.claim_ns /= threads;
    double end = keel_estimate_shared(&rest, &worker, 1);
    return (struct keel_forecast){
        .time_ns = fmax(end, keel_predict_ideal_ns(forecast->workload)),
        .chunks = rest.chunks,
        .imbalance = is_dealt(forecast) ? threads / slowest / inverse - 1 : 0,
    };
}

/* --- memory --- */

static size_t aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

/* Cuts the next part of `size` bytes; NULL memory: only counts. */
static void *cut(char *memory, size_t *used, size_t size)
{
    void *part = memory != NULL ? memory + *used : NULL;

    *used += aligned(size);
    return part;
}

static size_t lay_out(struct forecast *forecast, char *memory, uint64_t threads)
{
    size_t used = 0;

    forecast->worker = cut(memory, &used, threads * sizeof *forecast->worker);
    forecast->weighted = cut(memory, &used, threads * sizeof *forecast->weighted);
    forecast->team_worker = cut(memory, &used, threads * sizeof *forecast->team_worker);
    forecast->first = cut(memory, &used, (threads + 1) * sizeof *forecast->first);
    forecast->team = cut(memory, &used, keel_team_size(threads));
    return used;
}

size_t keel_predict_size(uint64_t threads)
{
    struct forecast unused;

    return threads < THREADS_MAX ? lay_out(&unused, NULL, threads) : SIZE_MAX;
}

struct keel_forecast keel_predict_in(void *memory, const struct keel_spec *spec,
                                     const struct keel_workload *workload,
                                     const struct keel_claim_costs *costs)
{
    struct forecast forecast = {0};

    if (workload->iterations == 0 || workload->threads == 0) {
        return (struct keel_forecast){0};
    }
    take_arguments(&forecast, spec, workload, costs);
    if (memory == NULL) {
        return rough(&forecast);
    }
    lay_out(&forecast, memory, workload->threads);
    return mean_of_runs(&forecast);
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
