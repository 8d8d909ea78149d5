/* How a thread takes its chunks of a shared loop: what it measures, what it takes of what its rank
 * holds, and what becomes of iterations that come. */
#include <math.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/loop/loop.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- what is measured --- */

struct keel_pace keel_loop_pace(const struct keel_mpi_loop *loop)
{
    const struct keel_cell *cell = keel_board_cells(loop->board, loop->job->local);
    double speed = 0, variance = 0, threads = 0;

    for (unsigned i = KEEL_CELL_THREADS; i < KEEL_CELLS; i++) {
        const struct keel_pace pace = keel_board_pace(&cell[i].pace);
        if (pace.mean_ns > 0) {
            speed += 1 / pace.mean_ns;
            variance += pace.variance_ns2;
            threads++;
        }
    }
    if (threads == 0) {
        return (struct keel_pace){0};
    }
    /* k iterations take threads k / threads each: their time varies as one's does, over threads
     * squared */
    return (struct keel_pace){1 / speed, variance / (threads * threads * threads)};
}

/* The paces of the rank's threads. */
static void look_around(struct keel_taker *taker)
{
    const struct keel_cell *cell = keel_board_cells(taker->loop->board, taker->loop->job->local);
    struct keel_paces team = {0};

    for (unsigned i = KEEL_CELL_THREADS; i < KEEL_CELLS; i++) {
        const struct keel_pace pace = keel_board_pace(&cell[i].pace);
        keel_timing_join(&team, &pace);
    }
    taker->team = team;
    taker->refresh = taker->chunks + min_u64(taker->chunks / 4 + 1, 16);
}

void keel_taker_account(struct keel_taker *taker)
{
    if (!taker->loop->timed) {
        return;
    }
    double now_ns = keel_mpi_clock_ns();
    if (taker->chunk > 0) {
        double time_ns = now_ns - taker->start_ns, overhead_ns = taker->start_ns - taker->asked_ns;
        taker->busy_ns += time_ns;
        taker->overhead_ns += overhead_ns;
        keel_sizer_done(&taker->sizer, taker->chunk, time_ns, overhead_ns);
        keel_board_set_pace(&taker->cell->pace, keel_sizer_pace(&taker->sizer));
        if (taker->chunks >= taker->refresh) {
            look_around(taker);
        }
    }
    taker->asked_ns = now_ns;
    taker->chunk = 0;
}

/* --- taking chunks --- */

#define SAFE_NS 100e3 /* chunks this short may be begun whatever happens next */
#define GIVEN_PART 4  /* of a thread's share of what is left, a chunk is this part at most */

/* The end of what the rank has is for others to take over, so no chunk reaches far. */
static uint64_t shared_limit(const struct keel_taker *taker, uint64_t left, double mean_ns)
{
    uint64_t limit = left / (GIVEN_PART * (uint64_t)taker->loop->threads);

    return max_u64(limit, mean_ns > 0 ? (uint64_t)fmin(SAFE_NS / mean_ns, 1e18) : 1);
}

/* Whoever answers letters has to be back in time. */
static uint64_t talk_limit(const struct keel_taker *taker, double mean_ns)
{
    if (!taker->talks || taker->loop->job->nodes == 1) {
        return UINT64_MAX;
    }
    return mean_ns > 0 ? (uint64_t)fmin(taker->loop->poll_ns / mean_ns, 1e18) : 1;
}

/* Size of the taker's chunk, of `left` iterations of a hold of `length`. */
static uint64_t size_of(void *context, uint64_t left, uint64_t length)
{
    struct keel_taker *taker = context;
    const struct keel_mpi_loop *loop = taker->loop;
    double mean_ns = keel_board_pace(&taker->cell->pace).mean_ns;
    uint64_t size = left;

    if (!loop->whole || loop->claiming == &keel_claiming_blocks) {
        const struct keel_hold hold = {.length = length, .left = left};
        size = keel_sizer_size(&taker->sizer, &hold, &taker->team);
    }
    if (loop->claiming == &keel_claiming_blocks) {
        size = min_u64(size, shared_limit(taker, left, mean_ns));
        size = max_u64(size, loop->schedule.spec.value[KEEL_MIN].count);
    }
    return min_u64(left, max_u64(1, min_u64(size, talk_limit(taker, mean_ns))));
}

/* Cells of the rank that its takers look into. */
static unsigned cells_in_use(const struct keel_mpi_loop *loop)
{
    return KEEL_CELL_THREADS + (unsigned)min_u64(loop->threads, KEEL_THREAD_CELLS);
}

/* From what the rank holds: the taker's own cell first. */
static bool take_held(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;
    struct keel_cell *cell = keel_board_cells(loop->board, loop->job->local);

    if (keel_cell_take(loop->board, taker->cell, size_of, taker, first, last)) {
        return true;
    }
    for (unsigned i = 0; i < cells_in_use(loop); i++) {
        if (keel_cell_take(loop->board, &cell[i], size_of, taker, first, last)) {
            return true;
        }
    }
    return false;
}

/* Iterations [first, *last) that only the taker has become its chunk and, for all to take from, the
 * rest. */
static void settle(struct keel_taker *taker, uint64_t first, uint64_t *last)
{
    uint64_t length = *last - first, size = size_of(taker, length, length);

    if (size < length && keel_cell_fill(taker->loop->board, taker->cell, first + size, *last)) {
        *last = first + size;
    }
}

/* What has arrived and found no cell. */
static bool take_overflow(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (!taker->talks || !atomic_load_explicit(&loop->overflows, memory_order_relaxed)) {
        return false;
    }
    keel_job_hold(loop->job);
    bool got = loop->overflow.count > 0;
    if (got) {
        *first = loop->overflow.range[loop->overflow.count - 1].first;
        *last = loop->overflow.range[loop->overflow.count - 1].last;
        loop->overflow.count--;
    }
    atomic_store_explicit(&loop->overflows, loop->overflow.count > 0, memory_order_relaxed);
    keel_job_release(loop->job);
    return got;
}

bool keel_taker_claim(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    if (take_held(taker, first, last)) {
        return true;
    }
    if (take_overflow(taker, first, last) || taker->loop->claiming->refill(taker, first, last)) {
        settle(taker, *first, last);
        return true;
    }
    return false;
}

void keel_taker_begin_chunk(struct keel_taker *taker, uint64_t first, uint64_t last)
{
    struct keel_mpi_loop *loop = taker->loop;

    taker->chunk = last - first;
    taker->ended = !loop->whole && last == loop->units;
    taker->chunks++;
    keel_ranges_note(&taker->ranges, first, last);
    /* relaxed: who sums up looks again */
    atomic_fetch_add_explicit(&taker->cell->begun, taker->chunk, memory_order_relaxed);
    if (loop->timed) {
        taker->start_ns = keel_mpi_clock_ns();
    }
}

bool keel_loop_is_over(struct keel_mpi_loop *loop)
{
    if (keel_board_end(loop->board) != KEEL_BOARD_RUNS) {
        return true;
    }
    if (loop->job->nodes > 1) {
        return false;
    }
    if (loop->claiming == &keel_claiming_counter) {
        return keel_counter_is_over(loop);
    }
    if (keel_board_sums(loop->board).begun < loop->board->loop.iterations) {
        return false;
    }
    keel_board_close(loop->board, KEEL_BOARD_OVER);
    return true;
}

void keel_loop_arrive(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    struct keel_cell *cell = keel_board_cells(loop->board, loop->job->local);

    if (loop->board->loop.keeps_last && last == loop->units) {
        atomic_store(&loop->board->last, 1);
        atomic_store(&loop->board->dry, 1);
        return;
    }
    for (unsigned i = 1; i <= cells_in_use(loop); i++) {
        if (keel_cell_fill(loop->board, &cell[i % cells_in_use(loop)], first, last)) {
            return;
        }
    }
    keel_ranges_note(&loop->overflow, first, last);
    atomic_store_explicit(&loop->overflows, true, memory_order_relaxed);
}
