/* Time for the layer across ranks: that in scheduled loops, and that of their iterations. */
#include "omp_ext/loop/timed_loop.h"

#include "omp_ext/machine/clock.h"

/* --- the time in scheduled loops --- */

atomic_bool keel_loop_time_on;

static _Alignas(64) struct keel_loop_counters work;

const struct keel_loop_counters *keel_loop_time_enable(void)
{
    atomic_store_explicit(&keel_loop_time_on, true, memory_order_relaxed);
    return &work;
}

/* CLOCK_MONOTONIC: what is counted is never more than what the program's own clock says, which a
 * rate of ticks that is still being refined could not promise. */
void keel_loop_time_begin(bool counts)
{
    keel_thread.time_scope = KEEL_LOOP_TIME_OWN;
    keel_thread.timed_since_ns = counts ? keel_clock_ns() : 0;
}

void keel_loop_time_add(void)
{
    uint64_t since_ns = keel_thread.timed_since_ns;

    keel_thread.time_scope = KEEL_LOOP_TIME_NONE;
    if (since_ns != 0) {
        /* relaxed: sums; whoever has seen a loop end by other means sees it counted */
        atomic_fetch_add_explicit(&work.busy_ns, keel_clock_ns() - since_ns, memory_order_relaxed);
        atomic_fetch_add_explicit(&work.loops, 1, memory_order_relaxed);
    }
}

/* --- the time of iterations --- */

_Atomic(const struct keel_loop_timer *) keel_timed_loop_timer;

void keel_timed_loop_enable(const struct keel_loop_timer *timer)
{
    /* release: pairs with the acquire in begin() */
    atomic_store_explicit(&keel_timed_loop_timer, timer, memory_order_release);
}

/* --- the start --- */

static bool is_down(const struct keel_space *space, bool wide, bool up)
{
    return wide ? !up : (int64_t)space->stride < 0;
}

/* Pieces end where chunks may. */
static uint64_t whole_grains(uint64_t piece, uint64_t grain)
{
    uint64_t beyond = piece % grain;

    return beyond == 0 ? piece : piece - beyond + grain;
}

/* Asks the timer about the loop; from now on `next` comes here. False: nothing is wanted. */
static bool begin(struct keel_loop *loop, const struct keel_space *space, bool wide, bool up,
                  uint64_t grain)
{
    struct keel_timed_part *part = loop->timed_part;
    /* acquire: pairs with the release in keel_timed_loop_enable() */
    const struct keel_loop_timer *timer =
        atomic_load_explicit(&keel_timed_loop_timer, memory_order_acquire);
    const struct keel_timed_loop timed = {.start = space->start,
                                          .step = (int64_t)space->stride,
                                          .iterations = space->iterations,
                                          .threads = loop->threads};

    if (part == NULL || timer == NULL || space->iterations == 0 ||
        !timer->begin(&timed, &part->thread)) {
        return false;
    }
    part->down = is_down(space, wide, up);
    part->start = space->start;
    part->stride = space->stride;
    part->timer = timer;
    part->thread.piece = whole_grains(part->thread.piece, grain);
    part->first = part->last = part->chunk_last = 0;
    keel_loop_instrument(loop, wide, false);
    loop->in_pieces = true;
    return true;
}

void keel_timed_loop_combined(const struct keel_libgomp *libgomp, const struct keel_space *space)
{
    struct keel_loop *loop = keel_loop_of_team(libgomp);
    const struct keel_combined *combined = loop->combined;

    begin(loop, space, false, true, combined != NULL ? combined->policy->grain : 1);
}

/* --- pieces --- */

/* Distance of a value of the loop variable from `from`, in iterations, rounded up. */
static uint64_t distance(const struct keel_timed_part *part, uint64_t from, uint64_t to)
{
    uint64_t values = part->down ? from - to : to - from;
    uint64_t step = part->down ? -part->stride : part->stride;

    return step == 1 ? values : values / step + (values % step != 0);
}

/* Gives the program the next piece of the chunk. */
static void give_piece(struct keel_timed_part *part, keel_bound *start, keel_bound *end)
{
    bool whole = part->chunk_last - part->last <= part->thread.piece;

    part->first = part->last;
    part->last = whole ? part->chunk_last : part->first + part->thread.piece;
    *start = part->start + part->first * part->stride;
    *end = whole ? part->chunk_end : part->start + part->last * part->stride;
    part->began = keel_clock_ticks();
}

/* The thread has got a chunk. */
void keel_timed_loop_taken(struct keel_timed_part *part, keel_bound *start, keel_bound *end)
{
    part->last = distance(part, part->start, *start);
    part->chunk_last = part->last + distance(part, *start, *end);
    part->chunk_end = *end;
    give_piece(part, start, end);
}

void keel_timed_loop_opened(const struct keel_libgomp *libgomp, const struct keel_start *start)
{
    if (keel_thread.loop == NULL) {
        return; /* of a region that Keel does not know: its other threads have no state either */
    }
    struct keel_loop *loop = keel_loop_of_team(libgomp);

    if (keel_thread.time_scope == KEEL_LOOP_TIME_OWN && loop->mode != KEEL_LOOP_LENT &&
        begin(loop, &start->space, start->wide, start->up,
              start->construct.grain > 1 ? start->construct.grain : 1)) {
        keel_timed_loop_taken(loop->timed_part, start->istart, start->iend);
    }
}

bool keel_timed_loop_piece(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    struct keel_timed_part *part = loop->timed_part;

    if (part->first < part->last) {
        part->timer->took(&part->thread, part->first, part->last,
                          keel_clock_span_ns(part->began, keel_clock_ticks()));
    }
    if (part->last < part->chunk_last) {
        give_piece(part, start, end);
        return true;
    }
    part->first = part->last;
    return false;
}
