/* One thread's part in a loop that measures itself. */
#include "omp_ext/loop/modes.h"

#include <math.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"
#include "schedules/loop/registry.h"

/* A team of one has nothing to divide. */
static const struct keel_policy one_thread = {
    .spec = {.schedule = &keel_schedule_static, .value = {[KEEL_MIN] = {.count = 1}}},
    .grain = 1,
};

static void start_worker(struct keel_loop *loop)
{
    struct keel_shared_state *shared_state = loop->shared_state;

    loop->mode = KEEL_LOOP_ADAPTIVE;
    loop->policy = shared_state->run;
    keel_team_worker_begin(&loop->worker, shared_state->team, loop->thread,
                           shared_state->pace[loop->thread]);
    loop->timed = shared_state->run->spec.schedule->timed || loop->measurement != NULL;
    loop->logged = 0;
    loop->measured_cost = (struct keel_cost){0};
    loop->busy_ns = 0;
    loop->done = 0;
    loop->cpu_start_ns = shared_state->times_cpu && loop->timed ? keel_clock_cpu_ns() : 0;
}

const struct keel_policy *keel_adaptive_start(struct keel_loop *loop,
                                              struct keel_instance *instance,
                                              const struct keel_policy *policy)
{
    if (loop->threads == 1) {
        return &one_thread;
    }
    if (loop->measurement != NULL && !keel_measurement_is_wanted(loop->measurement)) {
        loop->measurement = NULL;
    }
    uint64_t claim_start = loop->measurement != NULL ? keel_clock_ticks() : 0;
    loop->instance = instance;
    loop->shared_state =
        keel_shared_state_enter(instance, policy, &loop->space, loop->threads, keel_thread.costs);
    if (loop->shared_state == NULL) {
        loop->mode = KEEL_LOOP_ADAPTIVE; /* and nothing is left to take */
        return NULL;
    }
    if (loop->shared_state == &keel_shared_state_none) {
        loop->shared_state = NULL;
        return &keel_policy_factoring;
    }
    loop->finished = false;
    if (!keel_policy_has_shared_state(loop->shared_state->run)) {
        return loop->shared_state->run;
    }
    start_worker(loop);
    if (loop->measurement != NULL) {
        loop->start_ns = keel_clock_span_ns(claim_start, keel_clock_ticks());
    }
    return NULL;
}

/* Notes a chunk for the cost profile. Neighbours become one where there is no more room. */
static void note_chunk(struct keel_loop *loop, double time_ns)
{
    struct keel_timed_chunk *log = keel_shared_state_log(loop->shared_state, loop->thread);

    if (loop->logged < KEEL_LOG_MAX) {
        log[loop->logged++] = (struct keel_timed_chunk){.first = loop->chunk_first,
                                                        .last = loop->chunk_first + loop->chunk,
                                                        .time_ns = time_ns};
    } else if (log[KEEL_LOG_MAX - 1].last == loop->chunk_first) {
        log[KEEL_LOG_MAX - 1].last += loop->chunk;
        log[KEEL_LOG_MAX - 1].time_ns += time_ns;
    }
}

static void count_chunk(struct keel_loop *loop, uint64_t now)
{
    double time_ns = loop->timed ? keel_clock_span_ns(loop->chunk_start, now) : 0;

    loop->done += loop->chunk;
    loop->busy_ns += time_ns;
    keel_team_worker_done(&loop->worker, time_ns, loop->overhead_ns);
    if (loop->timed) {
        note_chunk(loop, time_ns);
    }
    if (loop->measurement != NULL) {
        keel_cost_add(&loop->measured_cost, loop->chunk, time_ns, loop->overhead_ns);
    }
}

bool keel_adaptive_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    if (loop->shared_state == NULL) {
        return false;
    }
    uint64_t claim_start = loop->timed ? keel_clock_ticks() : 0;
    if (loop->chunk > 0) {
        count_chunk(loop, claim_start);
    }
    bool taken = keel_team_worker_next(&loop->worker, first, last);
    loop->chunk = taken ? *last - *first : 0;
    loop->chunk_first = *first;
    if (loop->timed) {
        loop->chunk_start = keel_clock_ticks();
        loop->overhead_ns = keel_clock_span_ns(claim_start, loop->chunk_start);
    }
    return taken;
}

static void report(struct keel_loop *loop)
{
    struct keel_shared_state *shared_state = loop->shared_state;
    double cpu_ns = loop->cpu_start_ns > 0 ? keel_clock_cpu_ns() - loop->cpu_start_ns : 0;

    shared_state->part[loop->thread] = (struct keel_blocks_part){
        .done = loop->done,
        .busy_ns = loop->busy_ns,
        .cpu_ns = fmin(cpu_ns, loop->busy_ns),
        .noise_ns = KEEL_NOISE_NS,
        .chunk = keel_shared_state_log(shared_state, loop->thread),
        .chunks = loop->logged,
    };
    shared_state->pace[loop->thread] = loop->worker.context.own;
    if (loop->done > 0) {
        bool overhead = shared_state->run->spec.schedule->learns_overhead;
        double time_ns = loop->busy_ns + (overhead ? loop->worker.timing.overhead_sum_ns : 0);
        shared_state->pace[loop->thread].mean_ns = time_ns / (double)loop->done;
    }
    if (loop->worker.context.overhead_ns > 0) {
        atomic_store_explicit(&shared_state->claim_ns, loop->worker.context.overhead_ns,
                              memory_order_relaxed);
    }
}

/* To leave costs about as much as to enter. */
#define START_PARTS 2

/* Sites under a schedule that has to be looked at again are asked by who begins to look. */
static void report_costs(struct keel_loop *loop)
{
    struct keel_measurement *measurement = loop->measurement;

    loop->measurement = NULL;
    if (loop->finished && loop->mode == KEEL_LOOP_ADAPTIVE) {
        keel_measurement_add(measurement, &loop->measured_cost, loop->space.units, loop->threads,
                             START_PARTS * loop->start_ns);
    }
}

void keel_adaptive_leave(struct keel_loop *loop)
{
    struct keel_shared_state *shared_state = loop->shared_state;

    if (shared_state == NULL) {
        return;
    }
    if (loop->mode == KEEL_LOOP_ADAPTIVE) {
        report(loop);
    }
    if (loop->measurement != NULL) {
        report_costs(loop);
    }
    loop->shared_state = NULL;
    keel_shared_state_leave(loop->instance, shared_state, loop->finished);
}
