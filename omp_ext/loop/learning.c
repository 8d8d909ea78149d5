/* Loops whose threads time their chunks. */
#include "omp_ext/loop/modes.h"

#include "omp_ext/instance/learning_trace.h"
#include "omp_ext/trace/trace_notes.h"

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
    loop->done = 0;
    loop->busy_ns = 0;
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

void keel_learning_chunk(struct keel_loop *loop, double time_ns, double overhead_ns)
{
    const struct keel_schedule *schedule = schedule_of(loop);

    loop->done += loop->chunk;
    loop->busy_ns += time_ns;
    if (schedule->learns == KEEL_LEARNS_LOOPS) {
        return;
    }
    keel_learner_add(&loop->learner, schedule, loop->chunk, time_ns, overhead_ns);
    publish_pace(loop, loop->learner.pace_ns);
    if (keel_learner_is_due(&loop->learner, schedule->learns, batch_of(loop))) {
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
