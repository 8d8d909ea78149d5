/* Forecasts chunk by chunk. */
#include "schedules/forecast/forecast_run.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/loop/least_chunk.h"

/* SLOWEST: part of its speed that a thread keeps at least, whatever is random. */
#define SLOWEST 0.05

static bool has_plan(const struct keel_forecast_run *run)
{
    return keel_plan_exists(run->spec.schedule);
}

bool keel_forecast_run_is_dealt(const struct keel_forecast_run *run)
{
    return run->spec.schedule->claim == KEEL_CLAIM_OWN;
}

static void build_plan(struct keel_forecast_run *run)
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

void keel_forecast_run_begin(struct keel_forecast_run *run, const struct keel_spec *spec,
                             const struct keel_workload *workload, double claim_ns, double start_ns)
{
    *run = (struct keel_forecast_run){
        .spec = *spec,
        .workload = workload,
        .iterations = workload->iterations,
        .threads = workload->threads,
        .deviation_ns = finite_amount(workload->deviation_ns),
        .wobble = finite_amount(workload->wobble),
        .speed_sum = keel_workload_speed_sum(workload),
        .claim_ns = claim_ns,
        .start_ns = start_ns,
    };
    keel_workload_costs_begin(&run->costs, workload);
    build_plan(run);
}

/* --- the heap of threads --- */

static bool comes_before(const struct keel_forecast_worker *a, const struct keel_forecast_worker *b)
{
    return a->clock_ns < b->clock_ns || (a->clock_ns == b->clock_ns && a->thread < b->thread);
}

static void sift_down(struct keel_forecast_run *run, uint64_t place)
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

static void make_heap(struct keel_forecast_run *run)
{
    for (uint64_t place = run->running / 2; place-- > 0;) {
        sift_down(run, place);
    }
}

/* The first thread has been refused. */
static void retire(struct keel_forecast_run *run)
{
    struct keel_forecast_worker refused = run->worker[0];

    run->running--;
    run->worker[0] = run->worker[run->running];
    run->worker[run->running] = refused;
    sift_down(run, 0);
}

/* --- learning --- */

static double stated_weight(const struct keel_forecast_run *run, uint64_t thread)
{
    const double *weights = run->workload->weights;

    return weights != NULL ? weights[thread] : 1;
}

/* Iterations that take no time have no paces: all threads weigh the same. */
static double learned_weight(const struct keel_forecast_run *run,
                             const struct keel_learner *learner)
{
    enum keel_learning learns = run->spec.schedule->learns;

    return run->speeds.measured > 0 ? keel_learner_weight(learns, learner->pace_ns, &run->speeds, 0)
                                    : 1;
}

/* All paces are known beforehand: they stand for a first chunk of N/P iterations. */
static void begin_weighted(struct keel_forecast_run *run)
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
        struct keel_forecast_weighted *weighted = &run->weighted[i];
        weighted->weight = stated ? stated_weight(run, i) : learned_weight(run, &weighted->learner);
    }
}

/* Takes in a chunk, and keeps the team's speeds up to date. */
static void learn(struct keel_forecast_run *run, struct keel_forecast_weighted *weighted,
                  uint64_t chunk, double time_ns)
{
    const struct keel_schedule *schedule = run->spec.schedule;
    struct keel_learner *learner = &weighted->learner;
    double before_ns = learner->pace_ns;

    keel_learner_add(learner, schedule, chunk, time_ns, run->claim_ns);
    if (before_ns > 0) {
        keel_speeds_change(&run->speeds, before_ns, learner->pace_ns);
    }
    if (keel_learner_is_due(learner, schedule->learns, run->claims.next >> 32)) {
        weighted->weight = learned_weight(run, learner);
    }
}

/* --- one run --- */

/* Random changes of speeds, whose sum stays. */
static void begin_workers(struct keel_forecast_run *run)
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

/* Bounds of blocks of equal time; NULL: the schedule does not learn them. */
static const uint64_t *learned_blocks(struct keel_forecast_run *run)
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

static void begin_claims(struct keel_forecast_run *run)
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

static void begin_run(struct keel_forecast_run *run, unsigned number)
{
    run->number = number;
    run->running = run->threads;
    run->chunks = run->claimed = run->last_chunk = 0;
    run->work_ns = run->random_ns = run->end_ns = 0;
    begin_workers(run);
    begin_claims(run);
}

/* The thread runs the chunk. It is reported when the thread asks for the next one. */
static void run_chunk(struct keel_forecast_run *run, struct keel_forecast_worker *worker,
                      uint64_t first, uint64_t last)
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

/* Others see what a chunk took when it is done. */
static void report_chunk(struct keel_forecast_run *run, struct keel_forecast_worker *worker)
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

static bool claim(struct keel_forecast_run *run, uint64_t thread, uint64_t *first, uint64_t *last)
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
static void walk_shared(struct keel_forecast_run *run, uint64_t most)
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
static void walk_dealt(struct keel_forecast_run *run, uint64_t most)
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

void keel_forecast_run_walk(struct keel_forecast_run *run, unsigned number, uint64_t most)
{
    begin_run(run, number);
    (keel_forecast_run_is_dealt(run) ? walk_dealt : walk_shared)(run, most);
}

/* --- memory --- */

static size_t aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

/* The next part of `size` bytes; NULL memory: only counts. */
static void *cut(char *memory, size_t *used, size_t size)
{
    void *part = memory != NULL ? memory + *used : NULL;

    *used += aligned(size);
    return part;
}

size_t keel_forecast_run_lay_out(struct keel_forecast_run *run, void *memory, uint64_t threads)
{
    size_t used = 0;

    run->worker = cut(memory, &used, threads * sizeof *run->worker);
    run->weighted = cut(memory, &used, threads * sizeof *run->weighted);
    run->team_worker = cut(memory, &used, threads * sizeof *run->team_worker);
    run->first = cut(memory, &used, (threads + 1) * sizeof *run->first);
    run->team = cut(memory, &used, keel_team_size(threads));
    return used;
}
