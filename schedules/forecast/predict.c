/* Forecasts: chunk-by-chunk runs, and an estimate of the rest.
 *
 * A run is an event simulation whose events are the claims of a team's threads, by the code that
 * threads run:
 *
 *   spec, workload, costs of claims -> [chunk by chunk] -> clocks of the threads -> predict.h */
#include "schedules/forecast/predict.h"

#include <math.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/schedule.h"

#define RUN_CHUNKS 512 /* in all runs together */
#define RUNS_MIN 2
#define STEP_PART 0.3 /* a claim without clock readings, of one with them */
#define WEIGHTED_PART 0.45
#define OWN_NS 4.0
#define START_CLAIMS 5
#define THREADS_MAX (UINT64_C(1) << 32) /* beyond it no memory is requested */
#define SLOWEST 0.05 /* part of its speed that a thread keeps at least, whatever is random */

/* A thread of a weighted schedule. */
struct weighted {
    struct keel_learner learner;
    double weight;
};

/* Runs of one forecast. P: threads. */
struct run {
    /* the same in all runs */
    struct keel_spec spec;
    const struct keel_workload *workload;
    uint64_t iterations, threads;
    double deviation_ns, wobble, speed_sum;
    double claim_ns; /* time to get a chunk */
    double start_ns; /* time to begin the instance, on each thread */
    struct keel_workload_costs costs;
    struct keel_plan plan; /* without a table: one walk is enough for the whole team, as steps, and
                              positions, are claimed in increasing order */
    uint64_t smallest;     /* chunk, iterations */

    /* memory of its own */
    struct keel_forecast_worker *worker;  /* P; [0, running) is a heap by clock */
    struct weighted *weighted;            /* weighted: P */
    struct keel_team *team;               /* sized, blocks */
    struct keel_team_worker *team_worker; /* P */
    uint64_t *first;                      /* learned blocks: P + 1 */

    /* of the present run */
    unsigned number;  /* for keel_chance_normal() */
    uint64_t running; /* threads that still ask for chunks */
    struct keel_claims claims;
    struct keel_cursor cursor;
    struct keel_speeds speeds;
    uint64_t chunks;
    uint64_t claimed;    /* iterations */
    uint64_t last_chunk; /* iterations */
    double work_ns;      /* of the claimed iterations on an average thread, without random part */
    double random_ns;    /* random part of that; > 0: longer */
    double end_ns;       /* of the part that was not simulated */
};

static bool has_plan(const struct run *run)
{
    return keel_plan_exists(run->spec.schedule);
}

/* Whether each step belongs to a thread beforehand. */
static bool is_dealt(const struct run *run)
{
    return run->spec.schedule->claim == KEEL_CLAIM_OWN;
}

static void build_plan(struct run *run)
{
    const struct keel_schedule *schedule = run->spec.schedule;
    struct keel_problem problem = {
        .spec = &run->spec,
        .iterations = run->iterations,
        .threads = run->threads,
        .weights = schedule->learns == KEEL_LEARNS_NOT ? run->workload->weights : NULL,
    };

    run->smallest = max_u64(1, keel_least_chunk_under(&run->spec, run->iterations, run->threads));
    if (has_plan(run)) {
        keel_plan_build(&problem, NULL, &run->plan);
        run->smallest = run->plan.walk.view.min_chunk;
    }
}

/* Sets the fields that all runs share. spec: parameters complete, of a schedule that wants no list
 * of costs; N and P >= 1. */
static void begin_forecast(struct run *run, const struct keel_spec *spec,
                           const struct keel_workload *workload, double claim_ns, double start_ns)
{
    run->spec = *spec;
    run->workload = workload;
    run->iterations = workload->iterations;
    run->threads = workload->threads;
    run->deviation_ns = finite_amount(workload->deviation_ns);
    run->wobble = finite_amount(workload->wobble);
    run->speed_sum = keel_workload_speed_sum(workload);
    run->claim_ns = claim_ns;
    run->start_ns = start_ns;
    keel_workload_costs_begin(&run->costs, workload);
    build_plan(run);
}

/* --- the heap of threads --- */

static bool comes_before(const struct keel_forecast_worker *a, const struct keel_forecast_worker *b)
{
    return a->clock_ns < b->clock_ns || (a->clock_ns == b->clock_ns && a->thread < b->thread);
}

static void sift_down(struct run *run, uint64_t place)
{
    struct keel_forecast_worker *heap = run->worker, moved = heap[place];

    for (uint64_t child; (child = 2 * place + 1) < run->running; place = child) {
        if (child + 1 < run->running && comes_before(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!comes_before(&heap[child], &moved)) {
            break;
        }
        heap[place] = heap[child];
    }
    heap[place] = moved;
}

static void make_heap(struct run *run)
{
    for (uint64_t place = run->running / 2; place-- > 0;) {
        sift_down(run, place);
    }
}

/* Removes the first thread, which got no chunk. */
static void retire(struct run *run)
{
    struct keel_forecast_worker refused = run->worker[0];

    run->running--;
    run->worker[0] = run->worker[run->running];
    run->worker[run->running] = refused;
    sift_down(run, 0);
}

/* --- learning --- */

static double stated_weight(const struct run *run, uint64_t thread)
{
    const double *weights = run->workload->weights;

    return weights != NULL ? weights[thread] : 1;
}

/* Iterations that take no time have no paces: then all threads have the same weight. */
static double learned_weight(const struct run *run, const struct keel_learner *learner)
{
    enum keel_learning learns = run->spec.schedule->learns;

    return run->speeds.measured > 0 ? keel_learner_weight(learns, learner->pace_ns, &run->speeds, 0)
                                    : 1;
}

/* All paces are known beforehand: they count as a first chunk of N/P iterations. */
static void begin_weighted(struct run *run)
{
    bool stated = run->spec.schedule->learns == KEEL_LEARNS_NOT;
    uint64_t share = max_u64(1, run->iterations / run->threads);

    run->speeds = (struct keel_speeds){0};
    for (uint64_t i = 0; i < run->threads; i++) {
        struct keel_learner *learner = &run->weighted[i].learner;
        keel_learner_begin(learner, keel_workload_pace(run->workload, i).mean_ns, share);
        keel_speeds_add(&run->speeds, learner->pace_ns);
    }
    for (uint64_t i = 0; i < run->threads; i++) {
        struct weighted *weighted = &run->weighted[i];
        weighted->weight = stated ? stated_weight(run, i) : learned_weight(run, &weighted->learner);
    }
}

/* Records a chunk, and updates the team's speeds. */
static void learn(struct run *run, struct weighted *weighted, uint64_t chunk, double time_ns)
{
    const struct keel_schedule *schedule = run->spec.schedule;
    struct keel_learner *learner = &weighted->learner;
    double before_ns = learner->pace_ns;

    keel_learner_add(learner, schedule, chunk, time_ns, run->claim_ns);
    if (before_ns > 0) {
        keel_speeds_change(&run->speeds, before_ns, learner->pace_ns);
    }
    if (keel_learner_take_batch(learner, schedule->learns, run->claims.next >> 32)) {
        weighted->weight = learned_weight(run, learner);
    }
}

/* --- one run --- */

/* Speeds change at random; their sum stays. */
static void begin_workers(struct run *run)
{
    const struct keel_workload *workload = run->workload;
    double sum = 0;

    for (uint64_t i = 0; i < run->threads; i++) {
        double deviate = keel_chance_normal(KEEL_CHANCE_THREADS + i, run->number);
        run->worker[i] = (struct keel_forecast_worker){
            .thread = i,
            .clock_ns = keel_workload_late_ns(workload, i) + run->start_ns,
            .speed = keel_workload_speed(workload, i) * fmax(1 - run->wobble * deviate, SLOWEST),
        };
        sum += run->worker[i].speed;
    }
    for (uint64_t i = 0; i < run->threads; i++) {
        run->worker[i].speed *= run->speed_sum / sum;
    }
}

/* Bounds of blocks of equal time; NULL if the schedule does not learn them. */
static const uint64_t *learned_blocks(struct run *run)
{
    double sum = 0;

    if (run->spec.schedule->learns == KEEL_LEARNS_NOT) {
        return NULL;
    }
    for (uint64_t i = 0; i < run->threads; i++) {
        double work = sum / run->speed_sum;
        double position = run->workload->profile != NULL
                              ? keel_profile_position(run->workload->profile, work)
                              : work;
        uint64_t first = count_of(position * (double)run->iterations);
        uint64_t least = i > 0 ? run->first[i - 1] : 0;
        run->first[i] = min_u64(max_u64(first, least), run->iterations);
        sum += keel_workload_speed(run->workload, i);
    }
    run->first[run->threads] = run->iterations;
    return run->first;
}

static void begin_claims(struct run *run)
{
    if (has_plan(run)) {
        run->claims = (struct keel_claims){0};
        keel_cursor_begin(&run->cursor, &run->plan);
        if (run->plan.claim == KEEL_CLAIM_WEIGHTED) {
            begin_weighted(run);
        }
        return;
    }
    keel_team_begin(run->team, &run->spec, run->iterations, run->threads, learned_blocks(run),
                    NULL);
    for (uint64_t i = 0; i < run->threads; i++) {
        keel_team_recall(run->team, i, keel_workload_pace(run->workload, i));
    }
    for (uint64_t i = 0; i < run->threads; i++) {
        keel_team_worker_begin(&run->team_worker[i], run->team, i,
                               keel_workload_pace(run->workload, i));
    }
}

static void begin_run(struct run *run, unsigned number)
{
    run->number = number;
    run->running = run->threads;
    run->chunks = run->claimed = run->last_chunk = 0;
    run->work_ns = run->random_ns = run->end_ns = 0;
    begin_workers(run);
    begin_claims(run);
}

/* The thread runs the chunk. It is reported when the thread asks for the next one. */
static void run_chunk(struct run *run, struct keel_forecast_worker *worker, uint64_t first,
                      uint64_t last)
{
    double work = keel_workload_chunk_ns(&run->costs, first, last), random = 0;

    if (run->deviation_ns > 0) {
        double deviate = keel_chance_normal(KEEL_CHANCE_CHUNKS + run->chunks, run->number);
        random = run->deviation_ns * sqrt((double)(last - first)) * deviate;
        random = fmax(-work, fmin(random, work)); /* both ways alike: its mean stays 0 */
    }
    worker->chunk = last - first;
    worker->chunk_ns = (work + random) / worker->speed;
    worker->clock_ns += run->claim_ns + worker->chunk_ns;
    worker->busy_ns += run->claim_ns + worker->chunk_ns;
    run->chunks++;
    run->claimed += worker->chunk;
    run->last_chunk = worker->chunk;
    run->work_ns += work;
    run->random_ns += random;
}

/* Other threads know the time of a chunk when it is done. */
static void report_chunk(struct run *run, struct keel_forecast_worker *worker)
{
    if (worker->chunk == 0) {
        return;
    }
    if (!has_plan(run)) {
        keel_team_worker_done(&run->team_worker[worker->thread], worker->chunk_ns, run->claim_ns);
    } else if (run->plan.claim == KEEL_CLAIM_WEIGHTED) {
        learn(run, &run->weighted[worker->thread], worker->chunk, worker->chunk_ns);
    }
    worker->chunk = 0;
}

static bool claim(struct run *run, uint64_t thread, uint64_t *first, uint64_t *last)
{
    if (!has_plan(run)) {
        return keel_team_worker_next(&run->team_worker[thread], first, last);
    }
    if (run->plan.claim == KEEL_CLAIM_WEIGHTED) {
        run->cursor.share = keel_plan_share(&run->plan, run->weighted[thread].weight);
    }
    return keel_claim(&run->plan, &run->claims, &run->cursor, first, last);
}

/* Event simulation: the thread with the smallest clock claims next. */
static void walk_shared(struct run *run, uint64_t most)
{
    uint64_t first, last;

    make_heap(run);
    while (run->running > 0 && run->chunks < most) {
        struct keel_forecast_worker *worker = &run->worker[0];
        report_chunk(run, worker);
        if (claim(run, worker->thread, &first, &last)) {
            run_chunk(run, worker, first, last);
            sift_down(run, 0);
        } else {
            retire(run);
        }
    }
}

/* Steps that belong to threads beforehand: their order in time does not matter. */
static void walk_dealt(struct run *run, uint64_t most)
{
    uint64_t first, last;

    for (uint64_t step = 0; step < most; step++) {
        run->cursor.step = step;
        if (!keel_claim_own(&run->plan, &run->cursor, &first, &last)) {
            return;
        }
        run_chunk(run, &run->worker[step % run->threads], first, last);
    }
}

/* --- memory --- */

/* Returns false if memory is short. */
static bool take_memory(struct run *run, uint64_t threads)
{
    if (threads >= THREADS_MAX) {
        return false;
    }
    run->worker = malloc(threads * sizeof *run->worker);
    run->weighted = malloc(threads * sizeof *run->weighted);
    run->team_worker = malloc(threads * sizeof *run->team_worker);
    run->first = malloc((threads + 1) * sizeof *run->first);
    run->team = aligned_alloc(64, keel_team_size(threads));
    return run->worker != NULL && run->weighted != NULL && run->team_worker != NULL &&
           run->first != NULL && run->team != NULL;
}

static void release_memory(struct run *run)
{
    free(run->worker);
    free(run->weighted);
    free(run->team_worker);
    free(run->first);
    free(run->team);
}

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

/* --- the part that is not simulated --- */

/* Size of the next chunk. Before the first claim, schedules of measured sizes are assumed to begin
 * with N/P. */
static double chunk_ahead(const struct run *run)
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

static struct keel_estimate_rest rest_of(const struct run *run)
{
    struct keel_estimate_rest rest = {
        .iterations = (double)(run->iterations - run->claimed),
        .deviation_ns = run->deviation_ns,
        .claim_ns = run->claim_ns,
    };
    double all = (double)run->iterations * run->costs.iteration_ns;
    double ahead = chunk_ahead(run);
    double mean = (double)run->claimed / fmax(1, (double)run->chunks);
    bool equal = keel_plan_exists(run->spec.schedule) && (is_dealt(run) || !run->plan.walks);

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

/* Estimates the rest. Returns its chunks. */
static double estimate_rest(struct run *run)
{
    struct keel_estimate_rest rest = rest_of(run);

    if (is_dealt(run)) {
        run->random_ns += keel_estimate_dealt(&rest, run->worker, run->threads, run->number);
    } else {
        run->end_ns = keel_estimate_shared(&rest, run->worker, run->running);
    }
    return rest.chunks;
}

/* --- the forecast --- */

/* How many chunks to simulate; 0: none. */
static uint64_t chunks_to_simulate(const struct run *run)
{
    uint64_t most = max_u64(KEEL_PREDICT_CHUNKS_MAX, 2 * run->threads);
    bool known = keel_plan_exists(run->spec.schedule) && !run->plan.walks &&
                 run->plan.claim != KEEL_CLAIM_WEIGHTED;

    return known && run->plan.steps > most ? 0 : most;
}

/* The result of one run. Subtracts the part of the random time that all schedules share, so that no
 * forecast is below the ideal time. */
static struct keel_forecast end_of(const struct run *run, double chunks)
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

static struct keel_forecast one_run(struct run *run, unsigned number)
{
    double rest = 0;

    begin_run(run, number);
    (is_dealt(run) ? walk_dealt : walk_shared)(run, chunks_to_simulate(run));
    if (run->claimed < run->iterations) {
        rest = estimate_rest(run);
    }
    return end_of(run, rest);
}

/* A power of 2, so that the runs are spread evenly over the random numbers of arithmetic.h. */
static unsigned runs_of(const struct run *run)
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

static struct keel_forecast mean_of_runs(struct run *run)
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

/* --- the entry point --- */

struct keel_forecast keel_predict(const struct keel_spec *spec,
                                  const struct keel_workload *workload,
                                  const struct keel_claim_costs *costs)
{
    struct keel_spec served = *spec;
    struct keel_forecast forecast = {.time_ns = INFINITY};
    struct run run = {0};

    if (workload->iterations == 0 || workload->threads == 0) {
        return (struct keel_forecast){0};
    }
    if (spec->schedule->wants_costs) {
        served.schedule = spec->schedule->in_order;
    }
    if (take_memory(&run, workload->threads)) {
        begin_forecast(&run, &served, workload,
                       finite_amount(keel_predict_claim_ns(served.schedule, costs)),
                       is_timed(served.schedule) ? finite_amount(costs->start_ns) : 0);
        forecast = mean_of_runs(&run);
    }
    release_memory(&run);
    return forecast;
}
