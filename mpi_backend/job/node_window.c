/* A node's window for one shared loop. */
#include "mpi_backend/job/node_window.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/team.h"

/* Of `stage`: which loop the window is free for, prepared for, or open for. A window of zeroes is
 * free for its first loop, whatever number that has. */
enum { FREE, PREPARING, OPEN, STATES };

static uint64_t stage_of(uint64_t number, uint64_t state)
{
    return number * STATES + state;
}

static size_t ranges_of(uint32_t ranks)
{
    return (size_t)ranks * KEEL_MPI_RANK_RANGES;
}

size_t keel_mpi_window_size(uint32_t ranks, uint32_t job_ranks)
{
    size_t size = sizeof(struct keel_mpi_window) +
                  ranges_of(ranks) * sizeof(struct keel_mpi_window_range) +
                  job_ranks * sizeof(struct keel_mpi_window_pace);

    return (size + 63) & ~(size_t)63;
}

struct keel_mpi_window_pace *keel_mpi_window_paces(struct keel_mpi_window *window)
{
    return (struct keel_mpi_window_pace *)&window->range[ranges_of(window->ranks)];
}

/* --- words of ranges --- */

/* Iterations that blocks and grants are made of: all, or all but the last. */
static uint64_t handed_out(const struct keel_mpi_window *window)
{
    return window->loop.iterations - (window->loop.keeps_last && window->loop.iterations > 0);
}

/* The iteration that unit `unit` begins with. */
static uint64_t iteration_of(const struct keel_mpi_window *window, uint64_t unit)
{
    uint64_t end = handed_out(window);

    return unit > end / window->unit ? end : unit * window->unit;
}

static uint64_t load(const struct keel_mpi_window_range *range)
{
    /* relaxed here and below: the word holds the whole range and hands out disjoint units; what
     * iterations write is the program's to order, by the end of the loop and by messages */
    return atomic_load_explicit(&range->packed, memory_order_relaxed);
}

static bool swap(struct keel_mpi_window_range *range, uint64_t *packed, uint64_t wanted)
{
    return atomic_compare_exchange_strong_explicit(&range->packed, packed, wanted,
                                                   memory_order_relaxed, memory_order_relaxed);
}

static uint64_t left_of(const struct keel_mpi_window *window, uint64_t packed)
{
    return keel_packed_range_length(packed) == 0
               ? 0
               : iteration_of(window, keel_packed_range_high(packed)) -
                     iteration_of(window, keel_packed_range_low(packed));
}

/* Whether a range may begin or end there. */
static bool is_whole(const struct keel_mpi_window *window, uint64_t iteration)
{
    return iteration % window->unit == 0 || iteration == handed_out(window);
}

/* A size in iterations as units, 1 .. most. */
static uint64_t units_of(const struct keel_mpi_window *window, uint64_t size, uint64_t most)
{
    return min_u64(max_u64(1, div_ceil(size, window->unit)), most);
}

/* --- coming and leaving --- */

static void clear(struct keel_mpi_window_range *range)
{
    atomic_store_explicit(&range->packed, 0, memory_order_relaxed);
    atomic_store_explicit(&range->length, 0, memory_order_relaxed);
    atomic_store_explicit(&range->begun, 0, memory_order_relaxed);
    keel_mpi_window_set_pace(&range->pace, (struct keel_pace){0});
}

static void fill_block(struct keel_mpi_window *window, uint32_t rank, const uint64_t block[2])
{
    struct keel_mpi_window_range *range =
        &keel_mpi_window_ranges(window, rank)[KEEL_MPI_RANGE_BLOCK];
    uint64_t end = handed_out(window);
    uint64_t low = div_ceil(min_u64(block[0], end), window->unit);
    uint64_t high = div_ceil(min_u64(block[1], end), window->unit);

    atomic_store_explicit(&range->packed, keel_packed_range(low, high), memory_order_relaxed);
    atomic_store_explicit(&range->length, left_of(window, keel_packed_range(low, high)),
                          memory_order_relaxed);
}

/* Relaxed stores: the window is published as a whole. */
static void prepare(struct keel_mpi_window *window, const struct keel_mpi_window_loop *loop,
                    uint32_t ranks, uint32_t job_ranks, const uint64_t (*block)[2], bool has_last)
{
    window->loop = *loop;
    window->unit = loop->iterations / UINT32_MAX + 1;
    window->ranks = ranks;
    window->job_ranks = job_ranks;
    atomic_store_explicit(&window->present, ranks, memory_order_relaxed);
    atomic_store_explicit(&window->next, 0, memory_order_relaxed);
    atomic_store_explicit(&window->claimants, 0, memory_order_relaxed);
    atomic_store_explicit(&window->end, KEEL_MPI_WINDOW_RUNNING, memory_order_relaxed);
    atomic_store_explicit(&window->last, has_last && loop->keeps_last && loop->iterations > 0,
                          memory_order_relaxed);
    atomic_store_explicit(&window->requester, 0, memory_order_relaxed);
    atomic_store_explicit(&window->others_empty, 0, memory_order_relaxed);
    atomic_store_explicit(&window->idle, 0, memory_order_relaxed);
    for (size_t i = 0; i < KEEL_MPI_PENDING_REQUESTS; i++) {
        atomic_store_explicit(&window->pending[i].rank, 0, memory_order_relaxed);
    }
    for (size_t i = 0; i < ranges_of(ranks); i++) {
        clear(&window->range[i]);
    }
    for (uint32_t i = 0; i < job_ranks; i++) {
        keel_mpi_window_set_pace(&keel_mpi_window_paces(window)[i], (struct keel_pace){0});
    }
    for (uint32_t i = 0; block != NULL && i < ranks; i++) {
        fill_block(window, i, block[i]);
    }
}

bool keel_mpi_window_is_open(const struct keel_mpi_window *window, uint64_t number)
{
    /* acquire: pairs with the release in keel_mpi_window_enter() */
    return atomic_load_explicit(&window->stage, memory_order_acquire) == stage_of(number, OPEN);
}

bool keel_mpi_window_enter(struct keel_mpi_window *window, uint64_t number, uint64_t windows,
                           const struct keel_mpi_window_loop *loop, uint32_t ranks,
                           uint32_t job_ranks, const uint64_t (*block)[2], bool has_last)
{
    /* acquire: who prepares it sees that the others have left, see keel_mpi_window_leave() */
    uint64_t stage = number <= windows ? 0 : stage_of(number, FREE);

    if (atomic_compare_exchange_strong_explicit(&window->stage, &stage, stage_of(number, PREPARING),
                                                memory_order_acquire, memory_order_acquire)) {
        prepare(window, loop, ranks, job_ranks, block, has_last);
        /* release: all of the window is there once it is open */
        atomic_store_explicit(&window->stage, stage_of(number, OPEN), memory_order_release);
        return true;
    }
    return stage == stage_of(number, OPEN);
}

void keel_mpi_window_leave(struct keel_mpi_window *window, uint64_t number, uint64_t windows)
{
    /* acquire and release: all that ranks did with it comes before the next use */
    if (atomic_fetch_sub_explicit(&window->present, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&window->stage, stage_of(number + windows, FREE),
                              memory_order_release);
    }
}

void keel_mpi_window_end_loop(struct keel_mpi_window *window, enum keel_mpi_window_end end)
{
    int runs = KEEL_MPI_WINDOW_RUNNING;

    /* release: pairs with keel_mpi_window_end() */
    atomic_compare_exchange_strong_explicit(&window->end, &runs, end, memory_order_release,
                                            memory_order_relaxed);
}

/* --- ranges --- */

uint64_t keel_mpi_window_range_left(const struct keel_mpi_window *window,
                                    const struct keel_mpi_window_range *range)
{
    return left_of(window, load(range));
}

bool keel_mpi_window_range_take(const struct keel_mpi_window *window,
                                struct keel_mpi_window_range *range,
                                uint64_t (*size)(void *, uint64_t, uint64_t), void *context,
                                uint64_t *first, uint64_t *last)
{
    uint64_t packed = load(range), units;

    do {
        uint64_t left = left_of(window, packed);
        if (left == 0) {
            return false;
        }
        uint64_t length = atomic_load_explicit(&range->length, memory_order_relaxed);
        units = units_of(window, size(context, left, max_u64(length, left)),
                         keel_packed_range_length(packed));
    } while (!swap(
        range, &packed,
        keel_packed_range(keel_packed_range_low(packed) + units, keel_packed_range_high(packed))));
    *first = iteration_of(window, keel_packed_range_low(packed));
    *last = iteration_of(window, keel_packed_range_low(packed) + units);
    return true;
}

/* Cuts `amount` iterations or, if it has less, all off the end. False: it is empty, or `amount`
 * is 0. */
static bool cut_range(const struct keel_mpi_window *window, struct keel_mpi_window_range *range,
                      uint64_t amount, uint64_t *first, uint64_t *last)
{
    uint64_t packed = load(range), low;

    do {
        if (keel_packed_range_length(packed) == 0 || amount == 0) {
            return false;
        }
        low = keel_packed_range_high(packed) -
              units_of(window, amount, keel_packed_range_length(packed));
    } while (!swap(range, &packed, keel_packed_range(keel_packed_range_low(packed), low)));
    *first = iteration_of(window, low);
    *last = iteration_of(window, keel_packed_range_high(packed));
    return true;
}

bool keel_mpi_window_range_fill(const struct keel_mpi_window *window,
                                struct keel_mpi_window_range *range, uint64_t first, uint64_t last)
{
    uint64_t packed = load(range);

    if (keel_packed_range_length(packed) != 0 || !is_whole(window, first) ||
        !is_whole(window, last)) {
        return false;
    }
    /* Before the word that shows it: sizes only, so the order does not matter. */
    atomic_store_explicit(&range->length, last - first, memory_order_relaxed);
    return swap(range, &packed,
                keel_packed_range(div_ceil(first, window->unit), div_ceil(last, window->unit)));
}

bool keel_mpi_window_take_last(struct keel_mpi_window *window, uint64_t *first, uint64_t *last)
{
    if (atomic_load_explicit(&window->last, memory_order_relaxed) == 0 ||
        atomic_exchange_explicit(&window->last, 0, memory_order_relaxed) == 0) {
        return false;
    }
    *last = window->loop.iterations;
    *first = *last - 1;
    return true;
}

/* --- sums --- */

static const struct keel_mpi_window_range *ranges_const(const struct keel_mpi_window *window,
                                                        uint32_t rank)
{
    return &window->range[(size_t)rank * KEEL_MPI_RANK_RANGES];
}

uint64_t keel_mpi_window_begun(const struct keel_mpi_window *window, uint32_t rank)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < KEEL_MPI_RANK_RANGES; i++) {
        sum += atomic_load_explicit(&ranges_const(window, rank)[i].begun, memory_order_relaxed);
    }
    return sum;
}

uint64_t keel_mpi_window_left(const struct keel_mpi_window *window, uint32_t rank)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < KEEL_MPI_RANK_RANGES; i++) {
        sum += keel_mpi_window_range_left(window, &ranges_const(window, rank)[i]);
    }
    return sum;
}

double keel_mpi_window_iteration_ns(const struct keel_mpi_window *window, uint32_t rank)
{
    double longest_ns = 0;

    for (uint32_t i = 0; i < KEEL_MPI_RANK_RANGES; i++) {
        longest_ns =
            fmax(longest_ns, keel_mpi_window_pace(&ranges_const(window, rank)[i].pace).mean_ns);
    }
    return longest_ns;
}

double keel_mpi_window_speed(const struct keel_mpi_window *window, uint32_t rank)
{
    double sum = 0;

    for (uint32_t i = 0; i < KEEL_MPI_RANK_RANGES; i++) {
        double mean_ns = keel_mpi_window_pace(&ranges_const(window, rank)[i].pace).mean_ns;
        sum += mean_ns > 0 ? 1 / mean_ns : 0;
    }
    return sum;
}

struct keel_mpi_window_sums keel_mpi_window_sums(const struct keel_mpi_window *window)
{
    struct keel_mpi_window_sums sums = {0};

    for (uint32_t i = 0; i < window->ranks; i++) {
        sums.begun += keel_mpi_window_begun(window, i);
        sums.left += keel_mpi_window_left(window, i);
        sums.speed += keel_mpi_window_speed(window, i);
    }
    /* units that move between two ranks meanwhile may be seen twice */
    if (sums.left > window->loop.iterations) {
        sums.left = window->loop.iterations;
    }
    return sums;
}

uint32_t keel_mpi_window_most_loaded(const struct keel_mpi_window *window, uint32_t besides)
{
    uint32_t fullest = UINT32_MAX;
    double most = 0;

    for (uint32_t i = 1; i <= window->ranks; i++) {
        uint32_t rank = (besides + i) % window->ranks;
        double left = (double)keel_mpi_window_left(window, rank),
               speed = keel_mpi_window_speed(window, rank);
        double time = speed > 0 ? left / speed : left;
        if (rank != besides && time > most) {
            most = time;
            fullest = rank;
        }
    }
    return fullest;
}

bool keel_mpi_window_cut(struct keel_mpi_window *window, uint32_t rank, uint64_t amount,
                         uint64_t *first, uint64_t *last)
{
    struct keel_mpi_window_range *ranges = keel_mpi_window_ranges(window, rank), *fullest = ranges;

    for (uint32_t i = 1; i < KEEL_MPI_RANK_RANGES; i++) {
        if (keel_mpi_window_range_left(window, &ranges[i]) >
            keel_mpi_window_range_left(window, fullest)) {
            fullest = &ranges[i];
        }
    }
    return cut_range(window, fullest, amount, first, last);
}
