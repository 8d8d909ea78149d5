/* A thread's next chunk, by the mode of its loop. */
#include "omp_ext/loop/loop_next.h"

#include "omp_ext/loop/modes.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/loop/watched_loop.h"

/* Counts the chunk that has run for `time_ns`. */
static void count_chunk(struct keel_loop *loop, double time_ns)
{
    if (loop->measurement != NULL) {
        keel_cost_add(&loop->cost, loop->chunk, time_ns, loop->overhead_ns);
    }
    if (loop->mode == KEEL_LOOP_LEARNING) {
        keel_learning_chunk(loop, time_ns, loop->overhead_ns);
    }
}

static bool next_timed(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    uint64_t claim_start = keel_clock_ticks();

    if (loop->chunk > 0) {
        count_chunk(loop, keel_clock_span_ns(loop->chunk_start, claim_start));
    }
    bool taken = keel_claim(loop->plan, loop->claims, &loop->cursor, first, last);
    loop->chunk = taken ? *last - *first : 0;
    loop->chunk_start = keel_clock_ticks();
    loop->overhead_ns = keel_clock_span_ns(claim_start, loop->chunk_start);
    return taken;
}

/* A ticket is the number of a step. libgomp gives one at a time, but to a team of one all tickets
 * of a static loop at once. The first came with the start of the loop. */
static bool draw_ticket(struct keel_loop *loop)
{
    bool own = loop->plan->claim == KEEL_CLAIM_OWN;

    if (loop->ticket_ready) {
        loop->ticket_ready = false;
        return true;
    }
    return loop->tickets_left && (own ? loop->libgomp->GOMP_loop_ull_ordered_static_next
                                      : loop->libgomp->GOMP_loop_ull_ordered_dynamic_next)(
                                     &loop->ticket, &loop->ticket_end);
}

static bool next_ordered(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    uint64_t unused;

    if (!draw_ticket(loop)) {
        return false;
    }
    keel_plan_any_chunk(loop->plan, &loop->cursor.walk, loop->ticket, first, last);
    if (loop->ticket_end - 1 > loop->ticket) {
        keel_plan_any_chunk(loop->plan, &loop->cursor.walk, loop->ticket_end - 1, &unused, last);
    }
    return true;
}

static bool claim_by_mode(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    switch (loop->mode) {
    case KEEL_LOOP_MEASURED:
    case KEEL_LOOP_LEARNING:
        return next_timed(loop, first, last);
    case KEEL_LOOP_ADAPTIVE:
        return keel_adaptive_next(loop, first, last);
    case KEEL_LOOP_ORDERED:
        return next_ordered(loop, first, last);
    case KEEL_LOOP_LENT:
        return keel_lent_loop_next(loop, first, last);
    case KEEL_LOOP_CHECKED:
        return keel_checked_loop_next(loop, first, last);
    case KEEL_LOOP_STATIC_GIVEN:
        return false;
    case KEEL_LOOP_STATIC:
        return keel_static_share_next(loop, first, last);
    default:
        return keel_claim(loop->plan, loop->claims, &loop->cursor, first, last);
    }
}

/* Gives the program units [first, last) as values of its loop variable; always true. */
static inline bool give_chunk(const struct keel_loop *loop, uint64_t first, uint64_t last,
                              keel_bound *start, keel_bound *end)
{
    *start = keel_space_value(&loop->space, first);
    *end = keel_space_bound(&loop->space, last);
    return true;
}

/* libgomp's functions for runtime schedules go on with loops of all. */
static bool next_of_libgomp(const struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    const struct keel_libgomp *libgomp = loop->libgomp;

    if (loop->wide) {
        return (loop->ordered
                    ? libgomp->GOMP_loop_ull_ordered_runtime_next
                    : libgomp->GOMP_loop_ull_runtime_next)((keel_ull *)start, (keel_ull *)end);
    }
    return (loop->ordered ? libgomp->GOMP_loop_ordered_runtime_next
                          : libgomp->GOMP_loop_runtime_next)((long *)start, (long *)end);
}

/* By the loop's own mode, which it is in once nothing is left. */
static bool next_instrumented(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    if (loop->in_pieces && keel_watched_loop_piece(loop, start, end)) {
        return true;
    }
    if (loop->observed) {
        keel_observed_loop_chunk_over();
    }
    loop->mode = loop->own_mode;
    bool taken = loop->mode == KEEL_LOOP_LIBGOMP ? next_of_libgomp(loop, start, end)
                                                 : keel_loop_next(loop, start, end);
    if (!taken) {
        return false;
    }
    loop->own_mode = loop->mode;
    loop->mode = KEEL_LOOP_INSTRUMENTED;
    if (loop->observed) {
        keel_observed_loop_taken(*start, *end);
    }
    if (loop->in_pieces) {
        keel_watched_loop_taken(loop->watched, start, end);
    }
    return true;
}

static __attribute__((noinline)) bool next_by_mode(struct keel_loop *loop, keel_bound *start,
                                                   keel_bound *end)
{
    uint64_t first, last;

    if (loop->mode == KEEL_LOOP_COMBINED) {
        keel_loop_open_combined(loop);
        return keel_loop_next(loop, start, end);
    }
    if (__builtin_expect(loop->mode == KEEL_LOOP_INSTRUMENTED, 0)) {
        return next_instrumented(loop, start, end);
    }
    if (!claim_by_mode(loop, &first, &last)) {
        return keel_loop_finish(loop);
    }
    return give_chunk(loop, first, last, start, end);
}

static __attribute__((noinline)) bool next_weighted(struct keel_loop *loop, keel_bound *start,
                                                    keel_bound *end)
{
    uint64_t first, last;

    if (!keel_claim_weighted(loop->plan, loop->claims, &loop->cursor, &first, &last)) {
        return keel_loop_finish(loop);
    }
    return give_chunk(loop, first, last, start, end);
}

/* Out of line, so that the path of tables stays short. */
static __attribute__((noinline)) bool next_without_table(struct keel_loop *loop, keel_bound *start,
                                                         keel_bound *end)
{
    return loop->mode == KEEL_LOOP_WEIGHTED ? next_weighted(loop, start, end)
                                            : next_by_mode(loop, start, end);
}

/* Steps of a table or of the equal chunks behind it. */
bool keel_loop_next_other(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    uint64_t first, last;

    if (__builtin_expect(loop->mode != KEEL_LOOP_STEPS, 0)) {
        return next_without_table(loop, start, end);
    }
    keel_claim_prefetch(loop->claims);
    if (!keel_plan_chunk(loop->plan, keel_claim_next_step(loop->claims), &first, &last)) {
        return keel_loop_finish(loop);
    }
    return give_chunk(loop, first, last, start, end);
}
