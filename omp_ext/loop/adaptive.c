/* One thread's part in a loop that measures itself. */
#include "omp_ext/loop/adaptive.h"

#include <math.h>

#include "omp_ext/machine/clock.h"
#include "schedules/loop/registry.h"

/* A team of one has nothing to divide. */
static const struct keel_policy alone = {
    .spec = {.schedule = &keel_schedule_static, .value = {[KEEL_MIN] = {.count = 1}}},
    .grain = 1,
};

static void take_seat(struct keel_loop *loop)
{
    struct keel_arena *arena = loop->arena;

    loop->mode = KEEL_LOOP_ADAPTIVE;
    keel_seat_begin(&loop->seat, arena->team, loop->thread, arena->pace[loop->thread]);
    loop->timed = arena->run->spec.schedule->timed || loop->measurement != NULL;
    loop->logged = 0;
    loop->seen = (struct keel_cost){0};
    loop->busy_ns = 0;
    loop->done = 0;
    loop->cpu_start_ns = arena->times_cpu && loop->timed ? keel_clock_cpu_ns() : 0;
}

const struct keel_policy *keel_adaptive_start(struct keel_loop *loop,
                                              struct keel_instance *instance,
                                              const struct keel_policy *policy)
{
    if (loop->threads == 1) {
        return &alone;
    }
    if (loop->measurement != NULL && !keel_site_wants(loop->measurement)) {
        loop->measurement = NULL;
    }
    uint64_t asked = loop->measurement != NULL ? keel_clock_ticks() : 0;
    loop->instance = instance;
    loop->arena = keel_arena_enter(instance, policy, &loop->space, loop->threads);
    if (loop->arena == NULL) {
        loop->mode = KEEL_LOOP_ADAPTIVE; /* and nothing is left to take */
        return NULL;
    }
    if (loop->arena == &keel_arena_none) {
        loop->arena = NULL;
        return &keel_policy_factoring;
    }
    loop->finished = false;
    if (!keel_policy_shares_arena(loop->arena->run)) {
        return loop->arena->run;
    }
    take_seat(loop);
    if (loop->measurement != NULL) {
        loop->start_ns = keel_clock_span_ns(asked, keel_clock_ticks());
    }
    return NULL;
}

/* Notes a chunk for the cost profile. Neighbours become one where there is no more room. */
static void note_chunk(struct keel_loop *loop, double time_ns)
{
    struct keel_timed_chunk *log = keel_arena_log(loop->arena, loop->thread);

    if (loop->logged < KEEL_LOG_MAX) {
        log[loop->logged++] = (struct keel_timed_chunk){.first = loop->chunk_first,
                                                        .last = loop->chunk_first + loop->chunk,
                                                        .time_ns = time_ns};
    } else if (log[KEEL_LOG_MAX - 1].last == loop->chunk_first) {
        log[KEEL_LOG_MAX - 1].last += loop->chunk;
        log[KEEL_LOG_MAX - 1].time_ns += time_ns;
    }
}

static void take_in(struct keel_loop *loop, uint64_t now)
{
    double time_ns = loop->timed ? keel_clock_span_ns(loop->chunk_start, now) : 0;

    loop->done += loop->chunk;
    loop->busy_ns += time_ns;
    keel_seat_done(&loop->seat, time_ns, loop->overhead_ns);
    if (loop->timed) {
        note_chunk(loop, time_ns);
    }
    if (loop->measurement != NULL) {
        keel_cost_add(&loop->seen, loop->chunk, time_ns, loop->overhead_ns);
    }
}

bool keel_adaptive_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    if (loop->arena == NULL) {
        return false;
    }
    uint64_t asked = loop->timed ? keel_clock_ticks() : 0;
    if (loop->chunk > 0) {
        take_in(loop, asked);
    }
    bool taken = keel_seat_next(&loop->seat, first, last);
    loop->chunk = taken ? *last - *first : 0;
    loop->chunk_first = *first;
    if (loop->timed) {
        loop->chunk_start = keel_clock_ticks();
        loop->overhead_ns = keel_clock_span_ns(asked, loop->chunk_start);
    }
    return taken;
}

static void report(struct keel_loop *loop)
{
    struct keel_arena *arena = loop->arena;
    double cpu_ns = loop->cpu_start_ns > 0 ? keel_clock_cpu_ns() - loop->cpu_start_ns : 0;

    arena->part[loop->thread] = (struct keel_part){
        .done = loop->done,
        .busy_ns = loop->busy_ns,
        .cpu_ns = fmin(cpu_ns, loop->busy_ns),
        .noise_ns = KEEL_NOISE_NS,
        .chunk = keel_arena_log(arena, loop->thread),
        .chunks = loop->logged,
    };
    arena->pace[loop->thread] = loop->seat.turn.own;
    if (loop->done > 0) {
        bool overhead = arena->run->spec.schedule->learns_overhead;
        double time_ns = loop->busy_ns + (overhead ? loop->seat.timing.overhead_sum_ns : 0);
        arena->pace[loop->thread].mean_ns = time_ns / (double)loop->done;
    }
    if (loop->seat.turn.overhead_ns > 0) {
        atomic_store_explicit(&arena->claim_ns, loop->seat.turn.overhead_ns, memory_order_relaxed);
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
        keel_site_measured(measurement, &loop->seen, loop->space.units, loop->threads,
                           START_PARTS * loop->start_ns);
    }
}

void keel_adaptive_leave(struct keel_loop *loop)
{
    struct keel_arena *arena = loop->arena;

    if (arena == NULL) {
        return;
    }
    if (loop->mode == KEEL_LOOP_ADAPTIVE) {
        report(loop);
    }
    if (loop->measurement != NULL) {
        report_costs(loop);
    }
    loop->arena = NULL;
    keel_arena_leave(loop->instance, arena, loop->finished);
}
