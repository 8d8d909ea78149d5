/* A node's board for one shared loop. */
#include "mpi_backend/loop/node_window.h"

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/packed_range.h"

/* Of `stage`: which loop the board is free for, prepared for, or open for. A board of zeroes is
 * free for its first loop, whatever number that has. */
enum { FREE, PREPARING, OPEN, STATES };

static uint64_t stage_of(uint64_t number, uint64_t state)
{
    return number * STATES + state;
}

static size_t cells_of(uint32_t ranks)
{
    return (size_t)ranks * KEEL_CELLS;
}

size_t keel_board_size(uint32_t ranks, uint32_t job_ranks)
{
    size_t size = sizeof(struct keel_board) + cells_of(ranks) * sizeof(struct keel_cell) +
                  job_ranks * sizeof(struct keel_board_pace);

    return (size + 63) & ~(size_t)63;
}

struct keel_board_pace *keel_board_paces(struct keel_board *board)
{
    return (struct keel_board_pace *)&board->cell[cells_of(board->ranks)];
}

/* --- words of cells --- */

/* Iterations that blocks and grants are made of: all, or all but the last. */
static uint64_t handed_out(const struct keel_board *board)
{
    return board->loop.iterations - (board->loop.keeps_last && board->loop.iterations > 0);
}

/* The iteration that unit `unit` begins with. */
static uint64_t iteration_of(const struct keel_board *board, uint64_t unit)
{
    uint64_t end = handed_out(board);

    return unit > end / board->unit ? end : unit * board->unit;
}

static uint64_t load(const struct keel_cell *cell)
{
    /* relaxed here and below: the word tells all of the hold and hands out disjoint units; what
     * iterations write is the program's to order, by the end of the loop and by messages */
    return atomic_load_explicit(&cell->range, memory_order_relaxed);
}

static bool swap(struct keel_cell *cell, uint64_t *range, uint64_t wanted)
{
    return atomic_compare_exchange_strong_explicit(&cell->range, range, wanted,
                                                   memory_order_relaxed, memory_order_relaxed);
}

static uint64_t left_of(const struct keel_board *board, uint64_t range)
{
    return keel_stretch_length(range) == 0 ? 0
                                           : iteration_of(board, keel_stretch_high(range)) -
                                                 iteration_of(board, keel_stretch_low(range));
}

/* Whether a range may begin or end there. */
static bool is_whole(const struct keel_board *board, uint64_t iteration)
{
    return iteration % board->unit == 0 || iteration == handed_out(board);
}

/* A size in iterations as units, 1 .. most. */
static uint64_t units_of(const struct keel_board *board, uint64_t size, uint64_t most)
{
    return min_u64(max_u64(1, div_ceil(size, board->unit)), most);
}

/* --- coming and leaving --- */

static void clear(struct keel_cell *cell)
{
    atomic_store_explicit(&cell->range, 0, memory_order_relaxed);
    atomic_store_explicit(&cell->length, 0, memory_order_relaxed);
    atomic_store_explicit(&cell->begun, 0, memory_order_relaxed);
    keel_board_set_pace(&cell->pace, (struct keel_pace){0});
}

static void fill_block(struct keel_board *board, uint32_t rank, const uint64_t block[2])
{
    struct keel_cell *cell = &keel_board_cells(board, rank)[KEEL_CELL_BLOCK];
    uint64_t end = handed_out(board);
    uint64_t low = div_ceil(min_u64(block[0], end), board->unit);
    uint64_t high = div_ceil(min_u64(block[1], end), board->unit);

    atomic_store_explicit(&cell->range, keel_stretch(low, high), memory_order_relaxed);
    atomic_store_explicit(&cell->length, left_of(board, keel_stretch(low, high)),
                          memory_order_relaxed);
}

/* Relaxed stores: the board is published as a whole. */
static void prepare(struct keel_board *board, const struct keel_board_loop *loop, uint32_t ranks,
                    uint32_t job_ranks, const uint64_t (*block)[2], bool has_last)
{
    board->loop = *loop;
    board->unit = loop->iterations / UINT32_MAX + 1;
    board->ranks = ranks;
    board->job_ranks = job_ranks;
    atomic_store_explicit(&board->present, ranks, memory_order_relaxed);
    atomic_store_explicit(&board->next, 0, memory_order_relaxed);
    atomic_store_explicit(&board->end, KEEL_BOARD_RUNS, memory_order_relaxed);
    atomic_store_explicit(&board->last, has_last && loop->keeps_last && loop->iterations > 0,
                          memory_order_relaxed);
    atomic_store_explicit(&board->asker, 0, memory_order_relaxed);
    atomic_store_explicit(&board->dry, 0, memory_order_relaxed);
    atomic_store_explicit(&board->idle, 0, memory_order_relaxed);
    for (size_t i = 0; i < KEEL_WAITERS; i++) {
        atomic_store_explicit(&board->waiter[i].rank, 0, memory_order_relaxed);
    }
    for (size_t i = 0; i < cells_of(ranks); i++) {
        clear(&board->cell[i]);
    }
    for (uint32_t i = 0; i < job_ranks; i++) {
        keel_board_set_pace(&keel_board_paces(board)[i], (struct keel_pace){0});
    }
    for (uint32_t i = 0; block != NULL && i < ranks; i++) {
        fill_block(board, i, block[i]);
    }
}

bool keel_board_is_open(const struct keel_board *board, uint64_t number)
{
    /* acquire: pairs with the release in keel_board_enter() */
    return atomic_load_explicit(&board->stage, memory_order_acquire) == stage_of(number, OPEN);
}

bool keel_board_enter(struct keel_board *board, uint64_t number, uint64_t boards,
                      const struct keel_board_loop *loop, uint32_t ranks, uint32_t job_ranks,
                      const uint64_t (*block)[2], bool has_last)
{
    /* acquire: who prepares it sees that the others have left, see keel_board_leave() */
    uint64_t stage = number <= boards ? 0 : stage_of(number, FREE);

    if (atomic_compare_exchange_strong_explicit(&board->stage, &stage, stage_of(number, PREPARING),
                                                memory_order_acquire, memory_order_acquire)) {
        prepare(board, loop, ranks, job_ranks, block, has_last);
        /* release: all of the board is there once it is open */
        atomic_store_explicit(&board->stage, stage_of(number, OPEN), memory_order_release);
        return true;
    }
    return stage == stage_of(number, OPEN);
}

void keel_board_leave(struct keel_board *board, uint64_t number, uint64_t boards)
{
    /* acquire and release: all that ranks did with it comes before the next use */
    if (atomic_fetch_sub_explicit(&board->present, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&board->stage, stage_of(number + boards, FREE), memory_order_release);
    }
}

void keel_board_close(struct keel_board *board, enum keel_board_end end)
{
    int runs = KEEL_BOARD_RUNS;

    /* release: pairs with keel_board_end() */
    atomic_compare_exchange_strong_explicit(&board->end, &runs, end, memory_order_release,
                                            memory_order_relaxed);
}

/* --- cells --- */

uint64_t keel_cell_left(const struct keel_board *board, const struct keel_cell *cell)
{
    return left_of(board, load(cell));
}

bool keel_cell_take(const struct keel_board *board, struct keel_cell *cell,
                    uint64_t (*size)(void *, uint64_t, uint64_t), void *context, uint64_t *first,
                    uint64_t *last)
{
    uint64_t range = load(cell), units;

    do {
        uint64_t left = left_of(board, range);
        if (left == 0) {
            return false;
        }
        uint64_t length = atomic_load_explicit(&cell->length, memory_order_relaxed);
        units =
            units_of(board, size(context, left, max_u64(length, left)), keel_stretch_length(range));
    } while (!swap(cell, &range,
                   keel_stretch(keel_stretch_low(range) + units, keel_stretch_high(range))));
    *first = iteration_of(board, keel_stretch_low(range));
    *last = iteration_of(board, keel_stretch_low(range) + units);
    return true;
}

bool keel_cell_cut(const struct keel_board *board, struct keel_cell *cell, uint64_t amount,
                   uint64_t *first, uint64_t *last)
{
    uint64_t range = load(cell), low;

    do {
        if (keel_stretch_length(range) == 0 || amount == 0) {
            return false;
        }
        low = keel_stretch_high(range) - units_of(board, amount, keel_stretch_length(range));
    } while (!swap(cell, &range, keel_stretch(keel_stretch_low(range), low)));
    *first = iteration_of(board, low);
    *last = iteration_of(board, keel_stretch_high(range));
    return true;
}

bool keel_cell_fill(const struct keel_board *board, struct keel_cell *cell, uint64_t first,
                    uint64_t last)
{
    uint64_t range = load(cell);

    if (keel_stretch_length(range) != 0 || !is_whole(board, first) || !is_whole(board, last)) {
        return false;
    }
    /* Before the word that shows it: sizes only, so the order does not matter. */
    atomic_store_explicit(&cell->length, last - first, memory_order_relaxed);
    return swap(cell, &range,
                keel_stretch(div_ceil(first, board->unit), div_ceil(last, board->unit)));
}

bool keel_board_take_last(struct keel_board *board, uint64_t *first, uint64_t *last)
{
    if (atomic_load_explicit(&board->last, memory_order_relaxed) == 0 ||
        atomic_exchange_explicit(&board->last, 0, memory_order_relaxed) == 0) {
        return false;
    }
    *last = board->loop.iterations;
    *first = *last - 1;
    return true;
}

/* --- sums --- */

static const struct keel_cell *cells_const(const struct keel_board *board, uint32_t rank)
{
    return &board->cell[(size_t)rank * KEEL_CELLS];
}

uint64_t keel_board_begun(const struct keel_board *board, uint32_t rank)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < KEEL_CELLS; i++) {
        sum += atomic_load_explicit(&cells_const(board, rank)[i].begun, memory_order_relaxed);
    }
    return sum;
}

uint64_t keel_board_left(const struct keel_board *board, uint32_t rank)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < KEEL_CELLS; i++) {
        sum += keel_cell_left(board, &cells_const(board, rank)[i]);
    }
    return sum;
}

double keel_board_speed(const struct keel_board *board, uint32_t rank)
{
    double sum = 0;

    for (uint32_t i = 0; i < KEEL_CELLS; i++) {
        double mean_ns = keel_board_pace(&cells_const(board, rank)[i].pace).mean_ns;
        sum += mean_ns > 0 ? 1 / mean_ns : 0;
    }
    return sum;
}

struct keel_board_sums keel_board_sums(const struct keel_board *board)
{
    struct keel_board_sums sums = {0};

    for (uint32_t i = 0; i < board->ranks; i++) {
        sums.begun += keel_board_begun(board, i);
        sums.left += keel_board_left(board, i);
        sums.speed += keel_board_speed(board, i);
    }
    return sums;
}

uint32_t keel_board_fullest(const struct keel_board *board, uint32_t besides)
{
    uint32_t fullest = UINT32_MAX;
    double most = 0;

    for (uint32_t i = 1; i <= board->ranks; i++) {
        uint32_t rank = (besides + i) % board->ranks;
        double left = (double)keel_board_left(board, rank), speed = keel_board_speed(board, rank);
        double time = speed > 0 ? left / speed : left;
        if (rank != besides && time > most) {
            most = time;
            fullest = rank;
        }
    }
    return fullest;
}

bool keel_board_cut(struct keel_board *board, uint32_t rank, uint64_t amount, uint64_t *first,
                    uint64_t *last)
{
    struct keel_cell *cells = keel_board_cells(board, rank), *fullest = cells;

    for (uint32_t i = 1; i < KEEL_CELLS; i++) {
        if (keel_cell_left(board, &cells[i]) > keel_cell_left(board, fullest)) {
            fullest = &cells[i];
        }
    }
    return keel_cell_cut(board, fullest, amount, first, last);
}
