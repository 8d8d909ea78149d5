/* Loops whose threads time their chunks. */
#include "omp_ext/loop/learning.h"

#define PROBE_WEIGHT 0.125 /* of a thread's first chunk, while its pace is unknown */

static const struct keel_schedule *schedule_of(const struct keel_loop *loop)
{
    return loop->plan->walk.view.spec->schedule;
}

/* The share for the paces of now. A thread that nobody has timed yet begins with a small chunk
 * where the schedule learns within the loop: a large one can't be taken back. */
static void learn_share(struct keel_loop *loop)
{
    bool within = schedule_of(loop)->learns != KEEL_LEARNS_LOOPS;
    double weight = keel_record_weight(loop->record, loop->thread);
    double pace =
        atomic_load_explicit(&loop->record->worker[loop->thread].pace_ns, memory_order_relaxed);

    if (pace == 0 && within) {
        weight = PROBE_WEIGHT;
    }
    loop->cursor.share = keel_plan_share(loop->plan, weight);
}

/* What the thread has done in instances before stands for its first chunk: iterations differ along
 * a loop, and the pace of one chunk alone would tell as much of its place as of its thread. */
static void recall(struct keel_loop *loop)
{
    double pace =
        atomic_load_explicit(&loop->record->worker[loop->thread].pace_ns, memory_order_relaxed);
    uint64_t share = loop->space.units / loop->threads;

    if (pace > 0 && share > 0) {
        keel_sample_add(&loop->sample, share, pace * (double)share);
    }
}

void keel_learning_start(struct keel_loop *loop, struct keel_site_records *memory)
{
    loop->record = keel_record_of_team(memory, loop->threads, schedule_of(loop));
    if (loop->record == NULL) {
        loop->mode = KEEL_LOOP_WEIGHTED;
        return;
    }
    loop->sample = (struct keel_sample){0};
    recall(loop);
    loop->done = loop->batch = 0;
    loop->busy_ns = 0;
    learn_share(loop);
}

static void publish_pace(struct keel_loop *loop, double pace_ns)
{
    /* relaxed: see keel_record_weight() */
    if (pace_ns > 0) {
        atomic_store_explicit(&loop->record->worker[loop->thread].pace_ns, pace_ns,
                              memory_order_relaxed);
    }
}

/* Whether the schedule makes new weights before the chunk that is asked for now. */
static bool learns_now(struct keel_loop *loop)
{
    if (schedule_of(loop)->learns == KEEL_LEARNS_CHUNKS || loop->sample.count == 1) {
        return true;
    }
    /* relaxed: tells roughly where the team is */
    uint64_t batch = atomic_load_explicit(&loop->claims->next, memory_order_relaxed) >> 32;
    bool begun = batch != loop->batch;
    loop->batch = batch;
    return begun;
}

void keel_learning_chunk(struct keel_loop *loop, double time_ns, double overhead_ns)
{
    const struct keel_schedule *schedule = schedule_of(loop);

    loop->done += loop->chunk;
    loop->busy_ns += time_ns;
    if (schedule->learns == KEEL_LEARNS_LOOPS) {
        return;
    }
    keel_sample_add(&loop->sample, loop->chunk,
                    time_ns + (schedule->learns_overhead ? overhead_ns : 0));
    publish_pace(loop, keel_sample_pace_ns(&loop->sample));
    if (learns_now(loop)) {
        learn_share(loop);
    }
}

void keel_learning_finish(struct keel_loop *loop)
{
    struct keel_record_worker *worker = &loop->record->worker[loop->thread];

    if (loop->done == 0) {
        return;
    }
    atomic_store_explicit(&worker->busy_ns, loop->busy_ns, memory_order_relaxed);
    /* acquire and release: order the writes to `loops`. Whoever finds it held learns nothing. */
    if (!atomic_flag_test_and_set_explicit(&worker->busy, memory_order_acquire)) {
        keel_sample_add(&worker->loops, loop->done, loop->busy_ns);
        publish_pace(loop, keel_sample_pace_ns(&worker->loops));
        atomic_flag_clear_explicit(&worker->busy, memory_order_release);
    }
}
