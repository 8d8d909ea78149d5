/* A thread's part in an instance by modes that have more to them than a claim. */
#include "omp_ext/loop/modes.h"

#include <math.h>

#include "omp_ext/instance/shared_state.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"
#include "omp_ext/trace/trace_writer.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/registry.h"

/* --- loops of teams whose threads may be more than there are cores for --- */

_Atomic(const struct keel_team_sizes *) keel_team_sizes;

static bool is_left(const void *loop)
{
    const struct keel_instance *instance = loop;

    return ((uintptr_t)atomic_load(&instance->policy) & KEEL_INSTANCE_LEFT) != 0;
}

/* relaxed: who has asked stays */
static const struct keel_team_sizes *sizes(void)
{
    return atomic_load_explicit(&keel_team_sizes, memory_order_relaxed);
}

/* What a thread waits here is no work of its own. */
static void await(const struct keel_loop *loop)
{
    uint64_t began_ns = keel_clock_ns();

    sizes()->wait(loop->thread, is_left, loop->awaited);
    keel_report_waited((double)(keel_clock_ns() - began_ns));
}

bool keel_loop_await_core(struct keel_loop *loop, struct keel_instance *instance,
                          const struct keel_policy *policy)
{
    if (policy->static_shares || policy->spec.schedule->claim == KEEL_CLAIM_OWN) {
        return false;
    }
    loop->awaited = instance;
    if (loop->thread < sizes()->own) {
        return false;
    }
    await(loop);
    return true;
}

/* Time of a chunk that is measured ends where the next one is asked for. */
static bool is_timed_mode(enum keel_loop_mode mode)
{
    return mode == KEEL_LOOP_LEARNING || mode == KEEL_LOOP_MEASURED || mode == KEEL_LOOP_ADAPTIVE;
}

void keel_loop_await_core_again(struct keel_loop *loop)
{
    if (!is_timed_mode(loop->own_mode)) {
        await(loop);
    }
}

void keel_loop_await_no_more(struct keel_loop *loop)
{
    atomic_fetch_or((_Atomic uintptr_t *)&loop->awaited->policy, KEEL_INSTANCE_LEFT);
    loop->awaited = NULL;
    sizes()->over(loop->thread);
}

/* --- loops that measure themselves --- */

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
        keel_measurement_add(measurement, &loop->cost, loop->space.units, loop->threads,
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

/* --- learning paces --- */

static const struct keel_schedule *schedule_of(const struct keel_loop *loop)
{
    return loop->plan->walk.view.spec->schedule;
}

static struct keel_record_worker *recorded(const struct keel_loop *loop)
{
    return &loop->record->worker[loop->thread];
}

static void set_share(struct keel_loop *loop)
{
    double weight = keel_record_weight(loop->record, loop->thread, schedule_of(loop)->learns);

    loop->cursor.share = keel_plan_share(loop->plan, weight);
}

void keel_learning_start(struct keel_loop *loop, struct keel_site_records *memory)
{
    loop->record = keel_record_of_team(memory, loop->threads, 0, schedule_of(loop));
    if (loop->record == NULL) {
        loop->mode = KEEL_LOOP_WEIGHTED;
        return;
    }
    /* relaxed: see keel_record_weight() */
    double known_ns = atomic_load_explicit(&recorded(loop)->pace_ns, memory_order_relaxed);
    keel_learner_begin(&loop->learner, known_ns, loop->space.units / loop->threads);
    set_share(loop);
}

static void publish_pace(struct keel_loop *loop, double pace_ns)
{
    /* relaxed: see keel_record_weight() */
    if (pace_ns > 0) {
        atomic_store_explicit(&recorded(loop)->pace_ns, pace_ns, memory_order_relaxed);
    }
}

/* The team's present batch, for schedules that look at it. */
static uint64_t batch_of(const struct keel_loop *loop)
{
    if (schedule_of(loop)->learns != KEEL_LEARNS_BATCHES) {
        return 0;
    }
    /* relaxed: says roughly how far the team is */
    return atomic_load_explicit(&loop->claims->next, memory_order_relaxed) >> 32;
}

/* Sets the share for the next chunk. */
static void learn_chunk(struct keel_loop *loop, double time_ns)
{
    const struct keel_schedule *schedule = schedule_of(loop);

    if (schedule->learns == KEEL_LEARNS_LOOPS) {
        return;
    }
    keel_learner_add(&loop->learner, schedule, loop->chunk, time_ns, loop->overhead_ns);
    publish_pace(loop, loop->learner.pace_ns);
    if (keel_learner_take_batch(&loop->learner, schedule->learns, batch_of(loop))) {
        set_share(loop);
    }
}

void keel_learning_finish(struct keel_loop *loop)
{
    struct keel_record_worker *worker = recorded(loop);

    if (loop->done == 0) {
        return;
    }
    atomic_store_explicit(&worker->busy_ns, loop->busy_ns, memory_order_relaxed);
    /* acquire and release: order the writes to `loops`. A thread that finds it held learns
     * nothing. */
    if (!atomic_flag_test_and_set_explicit(&worker->busy, memory_order_acquire)) {
        keel_sample_add(&worker->loops, loop->done, loop->busy_ns);
        publish_pace(loop, keel_sample_pace_ns(&worker->loops));
        atomic_flag_clear_explicit(&worker->busy, memory_order_release);
    }
    if (keel_notes_wanted() && loop->thread == 0) {
        keel_learning_trace_paces(loop->record, loop->policy);
    }
}

/* --- chunks that are counted --- */

static void count_chunk(struct keel_loop *loop, uint64_t now)
{
    double time_ns = loop->timed ? keel_clock_span_ns(loop->chunk_start, now) : 0;

    loop->done += loop->chunk;
    loop->busy_ns += time_ns;
    if (loop->measurement != NULL) {
        keel_cost_add(&loop->cost, loop->chunk, time_ns, loop->overhead_ns);
    }
    if (loop->mode == KEEL_LOOP_LEARNING) {
        learn_chunk(loop, time_ns);
    } else if (loop->mode == KEEL_LOOP_ADAPTIVE) {
        keel_team_worker_done(&loop->worker, time_ns, loop->overhead_ns);
        if (loop->timed) {
            note_chunk(loop, time_ns);
        }
    }
}

bool keel_counted_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    bool adaptive = loop->mode == KEEL_LOOP_ADAPTIVE;

    if (adaptive && loop->shared_state == NULL) {
        return false;
    }
    uint64_t claim_start = loop->timed ? keel_clock_ticks() : 0;
    if (loop->chunk > 0) {
        count_chunk(loop, claim_start);
    }
    bool taken = adaptive ? keel_team_worker_next(&loop->worker, first, last)
                          : keel_claim(loop->plan, loop->claims, &loop->cursor, first, last);
    loop->chunk = taken ? *last - *first : 0;
    loop->chunk_first = taken ? *first : 0;
    if (loop->timed) {
        loop->chunk_start = keel_clock_ticks();
        loop->overhead_ns = keel_clock_span_ns(claim_start, loop->chunk_start);
    }
    return taken;
}

/* --- lent iterations --- */

void keel_lent_loop_start(struct keel_loop *loop, struct keel_loan *loan,
                          const struct keel_lent_loop *lent_loop)
{
    const struct keel_policy *own = lent_loop->own;
    const struct keel_construct *construct = &lent_loop->construct;
    const struct keel_call_site place = construct->place;
    bool scheduled = own != NULL && own->spec.schedule != NULL;
    const struct keel_lender *lender = loan->lender;
    void *context = loan->context;
    struct keel_lending_thread thread = {
        .iterations = loop->space.iterations,
        .threads = loop->threads,
        .thread = loop->thread,
        .grain = keel_grain_common(construct->grain > 1 ? construct->grain : 1,
                                   scheduled ? own->grain : 1),
        .spec = scheduled ? &own->stated : NULL,
        .in_order = construct->in_order || (scheduled && own->spec.in_order),
        .site = place.outlined != NULL ? (uintptr_t)place.outlined : (uintptr_t)place.caller,
        .caller = place.caller,
        .outlined = place.outlined,
    };

    keel_loan_joined(loan, loop->threads); /* `loan` may serve another loop from here on */
    loop->finished = false;
    loop->lender = lender;
    loop->lender_handle = lender->join(context, &thread);
    loop->mode = KEEL_LOOP_LENT;
}

bool keel_lent_loop_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    return loop->lender_handle != NULL && loop->lender->next(loop->lender_handle, first, last);
}

void keel_lent_loop_leave(struct keel_loop *loop)
{
    if (loop->lender_handle != NULL) {
        loop->lender->leave(loop->lender_handle, loop->finished);
    }
}

/* --- static shares --- */

/* In keel_instance.users: threads that have ended, and above them the last end, ns. */
#define ENDED_BITS 16
#define ENDED_MAX ((UINT64_C(1) << ENDED_BITS) - 1)
#define END_MAX_NS ((double)(UINT64_C(1) << 47))

/* Ticks at which the first thread of the instance began. */
static uint64_t begin_of(struct keel_instance *instance, uint64_t now)
{
    uint64_t began = 0;

    /* relaxed: a time without dependent data */
    return atomic_compare_exchange_strong_explicit(&instance->began, &began, now,
                                                   memory_order_relaxed, memory_order_relaxed)
               ? now
               : began;
}

static void end(struct keel_loop *loop)
{
    struct keel_instance *instance = loop->instance;
    uint64_t began = atomic_load_explicit(&instance->began, memory_order_relaxed);
    double end_ns = fmin(keel_clock_span_ns(began, keel_clock_ticks()), END_MAX_NS);
    uint64_t own = (uint64_t)end_ns, users, ended;

    atomic_fetch_add_explicit(&instance->claims.next, own, memory_order_relaxed);
    users = atomic_load_explicit(&instance->users, memory_order_relaxed);
    do {
        uint64_t last = users >> ENDED_BITS;
        ended = (last > own ? last : own) << ENDED_BITS | ((users & ENDED_MAX) + 1);
        /* release: the sum has this thread's end in it; acquire: and those of all before it */
    } while (!atomic_compare_exchange_weak_explicit(&instance->users, &users, ended,
                                                    memory_order_acq_rel, memory_order_relaxed));
    if ((ended & ENDED_MAX) == loop->threads) {
        double sum = (double)atomic_load_explicit(&instance->claims.next, memory_order_relaxed);
        keel_settled_learn(loop->trial, loop->threads, loop->space.iterations,
                           (double)(ended >> ENDED_BITS), sum / loop->threads, loop->overhead_ns);
    }
}

/* Larger teams are not counted. */
static bool is_timed(const struct keel_loop *loop)
{
    return loop->trial != NULL && loop->threads > 1 && loop->threads < ENDED_MAX;
}

void keel_static_share_start(struct keel_loop *loop, struct keel_instance *instance,
                             const struct keel_policy *policy)
{
    loop->mode = KEEL_LOOP_STATIC;
    loop->instance = instance;
    loop->trial = policy->trial;
    loop->ready = true;
    loop->overhead_ns = 0;
    if (is_timed(loop)) {
        uint64_t now = keel_clock_ticks();
        begin_of(instance, now);
        loop->overhead_ns = loop->chunk_start != 0 ? keel_clock_span_ns(loop->chunk_start, now) : 0;
    }
}

bool keel_static_share_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    if (loop->ready) {
        loop->ready = false;
        keel_static_share_of(loop->space.iterations, loop->threads, loop->thread, first, last);
        if (*first < *last) {
            return true;
        }
    }
    if (is_timed(loop)) {
        end(loop);
        loop->trial = NULL;
    }
    return false;
}
