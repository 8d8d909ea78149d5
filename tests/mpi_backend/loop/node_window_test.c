/* The window of a node: from which rank and range others steal; units that threads take, steal and
 * put back are disjoint and complete in any interleaving; loops follow each other on it. */
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sched.h>

#include "mpi_backend/job/node_window.h"
#include "tests/support/unit.h"

#define BOARDS 4

static struct keel_mpi_window *new_board(uint32_t ranks, uint32_t job_ranks)
{
    size_t size = keel_mpi_window_size(ranks, job_ranks);
    struct keel_mpi_window *window = aligned_alloc(64, size);

    assert_int_equal(size % 64, 0);
    assert_non_null(window);
    memset(window, 0, size);
    return window;
}

/* Equal blocks of all iterations for `ranks` ranks. */
static struct keel_mpi_window *open_board(uint64_t iterations, uint32_t ranks, bool keeps_last)
{
    struct keel_mpi_window *window = new_board(ranks, ranks);
    const struct keel_mpi_window_loop loop = {
        .check = 1, .iterations = iterations, .keeps_last = keeps_last};
    uint64_t block[16][2];

    for (uint32_t i = 0; i < ranks; i++) {
        block[i][0] = (uint64_t)((unsigned __int128)iterations * i / ranks);
        block[i][1] = (uint64_t)((unsigned __int128)iterations * (i + 1) / ranks);
    }
    assert_true(keel_mpi_window_enter(window, 1, BOARDS, &loop, ranks, ranks,
                                      (const uint64_t(*)[2])block, true));
    return window;
}

static uint64_t fixed_size(void *size, uint64_t left, uint64_t length)
{
    assert_true(left > 0 && left <= length);
    return *(uint64_t *)size;
}

static bool take(struct keel_mpi_window *window, struct keel_mpi_window_range *range, uint64_t size,
                 uint64_t *first, uint64_t *last)
{
    return keel_mpi_window_range_take(window, range, fixed_size, &size, first, last);
}

/* --- ranges --- */

static uint64_t half_of_length(void *seen, uint64_t left, uint64_t length)
{
    *(uint64_t *)seen = length;
    return length / 2;
}

TEST(sizes_depend_on_the_length_that_a_range_began_with)
{
    struct keel_mpi_window *window = open_board(80, 1, false);
    struct keel_mpi_window_range *range = keel_mpi_window_ranges(window, 0);
    uint64_t first, last, seen = 0;

    assert_true(take(window, range, 20, &first, &last));
    assert_true(keel_mpi_window_range_take(window, range, half_of_length, &seen, &first, &last));
    assert_int_equal(seen, 80);
    assert_int_equal(last - first, 40);
    assert_true(keel_mpi_window_range_take(window, range, half_of_length, &seen, &first, &last));
    assert_int_equal(last, 80); /* no more than is left */
    assert_true(keel_mpi_window_range_fill(window, range, 10, 16));
    assert_true(keel_mpi_window_range_take(window, range, half_of_length, &seen, &first, &last));
    assert_int_equal(seen, 6);
    free(window);
}

/* --- sums --- */

static void set_pace(struct keel_mpi_window *window, uint32_t rank, unsigned range, double mean_ns)
{
    keel_mpi_window_set_pace(&keel_mpi_window_ranges(window, rank)[range].pace,
                             (struct keel_pace){.mean_ns = mean_ns});
}

TEST(sums_are_over_all_ranges)
{
    struct keel_mpi_window *window = open_board(300, 3, false);
    uint64_t first, last;

    set_pace(window, 1, KEEL_MPI_RANGE_THREADS, 4);
    set_pace(window, 1, KEEL_MPI_RANK_RANGES - 1, 2);
    set_pace(window, 2, KEEL_MPI_RANGE_THREADS, 8);
    assert_true(take(window, keel_mpi_window_ranges(window, 2), 30, &first, &last));
    atomic_fetch_add(&keel_mpi_window_ranges(window, 2)[KEEL_MPI_RANK_RANGES - 1].begun, 30);
    assert_true(keel_mpi_window_range_fill(
        window, &keel_mpi_window_ranges(window, 0)[KEEL_MPI_RANK_RANGES - 1], first, last));
    assert_int_equal(keel_mpi_window_left(window, 0), 130);
    assert_int_equal(keel_mpi_window_begun(window, 2), 30);
    assert_true(keel_mpi_window_speed(window, 0) == 0);
    assert_true(keel_mpi_window_speed(window, 1) == 0.75);
    struct keel_mpi_window_sums sums = keel_mpi_window_sums(window);
    assert_int_equal(sums.left, 300);
    assert_int_equal(sums.begun, 30);
    assert_true(sums.speed == 0.875);
    free(window);
}

TEST(the_fullest_is_busy_longest)
{
    struct keel_mpi_window *window = open_board(300, 3, false);
    uint64_t first, last;

    for (uint32_t rank = 0; rank < 3; rank++) {
        set_pace(window, rank, KEEL_MPI_RANGE_THREADS, rank == 1 ? 10 : 1);
    }
    assert_true(take(window, keel_mpi_window_ranges(window, 1), 50, &first, &last));
    assert_true(take(window, keel_mpi_window_ranges(window, 2), 10, &first, &last));
    assert_int_equal(keel_mpi_window_most_loaded(window, 3), 1);
    assert_int_equal(keel_mpi_window_most_loaded(window, 0), 1);
    assert_int_equal(keel_mpi_window_most_loaded(window, 1), 0);
    for (uint32_t rank = 0; rank < 3; rank++) {
        assert_true(take(window, keel_mpi_window_ranges(window, rank), 300, &first, &last));
    }
    assert_true(keel_mpi_window_most_loaded(window, 3) == UINT32_MAX);
    free(window);
}

TEST(steals_are_from_the_fullest_range_of_a_rank)
{
    struct keel_mpi_window *window = open_board(100, 2, false);
    uint64_t first, last;

    assert_true(take(window, keel_mpi_window_ranges(window, 0), 45, &first, &last));
    assert_true(keel_mpi_window_range_fill(
        window, &keel_mpi_window_ranges(window, 0)[KEEL_MPI_RANGE_ARRIVAL], 10, 40));
    assert_true(keel_mpi_window_cut(window, 0, 7, &first, &last));
    assert_int_equal(first, 33);
    assert_int_equal(last, 40);
    free(window);
}

/* --- loops on it --- */

TEST(windows_serve_one_loop_after_another)
{
    struct keel_mpi_window *window = new_board(2, 2);
    struct keel_mpi_window_loop loop = {.check = 7, .iterations = 50};
    const struct keel_mpi_window_loop other = {.check = 8, .iterations = 60};

    assert_false(keel_mpi_window_is_open(window, 3));
    assert_true(keel_mpi_window_enter(window, 3, BOARDS, &loop, 2, 2, NULL, false));
    assert_true(keel_mpi_window_is_open(window, 3));
    assert_false(keel_mpi_window_is_open(window, 3 + BOARDS));
    assert_true(keel_mpi_window_enter(window, 3, BOARDS, &other, 2, 2, NULL, false));
    assert_int_equal(window->loop.check, 7); /* the first one's */
    keel_mpi_window_end_loop(window, KEEL_MPI_WINDOW_CANCELLED);
    keel_mpi_window_end_loop(window, KEEL_MPI_WINDOW_OVER);
    assert_int_equal(keel_mpi_window_end(window), KEEL_MPI_WINDOW_CANCELLED);
    atomic_store(&window->next, 50);
    atomic_store(&keel_mpi_window_ranges(window, 1)->begun, 9);
    set_pace(window, 1, KEEL_MPI_RANGE_THREADS, 5);
    keel_mpi_window_leave(window, 3, BOARDS);
    assert_false(keel_mpi_window_enter(window, 3 + BOARDS, BOARDS, &other, 2, 2, NULL, false));
    keel_mpi_window_leave(window, 3, BOARDS);
    assert_false(keel_mpi_window_is_open(window, 3));
    assert_true(keel_mpi_window_enter(window, 3 + BOARDS, BOARDS, &other, 2, 2, NULL, false));
    assert_int_equal(window->loop.check, 8);
    assert_int_equal(keel_mpi_window_end(window), KEEL_MPI_WINDOW_RUNNING);
    assert_int_equal(atomic_load(&window->next), 0);
    assert_int_equal(keel_mpi_window_sums(window).begun, 0);
    assert_true(keel_mpi_window_sums(window).speed == 0);
    free(window);
}

#define RANKS 4
#define LOOPS 3000

static struct keel_mpi_window *ring[BOARDS];

/* Each rank counts once on each loop's window, and no rank sees another loop's. */
static void *go_around(void *failures)
{
    for (uint64_t number = 1; number <= LOOPS; number++) {
        struct keel_mpi_window *window = ring[number % BOARDS];
        const struct keel_mpi_window_loop loop = {.iterations = number * 10};
        while (!keel_mpi_window_enter(window, number, BOARDS, &loop, RANKS, RANKS, NULL, false)) {
            sched_yield();
        }
        bool right = window->loop.iterations == number * 10 &&
                     keel_mpi_window_is_open(window, number) &&
                     atomic_fetch_add(&window->next, 1) < RANKS;
        atomic_fetch_add((atomic_int *)failures, !right);
        keel_mpi_window_leave(window, number, BOARDS);
    }
    return NULL;
}

TEST(ranks_that_run_ahead_wait_for_a_window)
{
    pthread_t thread[RANKS];
    atomic_int failures = 0;

    for (unsigned i = 0; i < BOARDS; i++) {
        ring[i] = new_board(RANKS, RANKS);
    }
    for (unsigned i = 0; i < RANKS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, go_around, &failures), 0);
    }
    for (unsigned i = 0; i < RANKS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(atomic_load(&failures), 0);
    for (unsigned i = 0; i < BOARDS; i++) {
        assert_int_equal(atomic_load(&ring[i]->next), RANKS);
        free(ring[i]);
    }
}

/* --- many at once --- */

#define MANY 20000

struct crowd {
    struct keel_mpi_window *window;
    atomic_uchar times[MANY];
    atomic_uint number, others;
};

static uint64_t small_part(void *context, uint64_t left, uint64_t length)
{
    return left / 8;
}

static void execute(struct crowd *crowd, struct keel_mpi_window_range *range, uint64_t first,
                    uint64_t last)
{
    for (uint64_t i = first; i < last; i++) {
        atomic_fetch_add(&crowd->times[i], 1);
    }
    atomic_fetch_add(&range->begun, last - first);
}

/* One of two threads of a rank: takes from its rank, or steals from the fullest one. */
static void *join_in(void *argument)
{
    struct crowd *crowd = argument;
    struct keel_mpi_window *window = crowd->window;
    unsigned number = atomic_fetch_add(&crowd->number, 1);
    uint32_t rank = number / 2;
    struct keel_mpi_window_range *ranges = keel_mpi_window_ranges(window, rank);
    struct keel_mpi_window_range *own = &ranges[KEEL_MPI_RANGE_THREADS + number % 2];
    uint64_t first, last;

    while (keel_mpi_window_sums(window).begun < MANY) {
        uint32_t victim = keel_mpi_window_most_loaded(window, rank);
        if (keel_mpi_window_range_take(window, own, small_part, NULL, &first, &last) ||
            keel_mpi_window_range_take(window, ranges, small_part, NULL, &first, &last)) {
            execute(crowd, own, first, last);
        } else if (victim != UINT32_MAX &&
                   keel_mpi_window_cut(window, victim, keel_mpi_window_left(window, victim) / 2 + 1,
                                       &first, &last)) {
            uint64_t part = first + (last - first + 3) / 4;
            if (part < last && !keel_mpi_window_range_fill(window, own, part, last)) {
                part = last;
            }
            execute(crowd, own, first, part);
        } else if (keel_mpi_window_sums(window).begun == MANY - 1 &&
                   keel_mpi_window_take_last(window, &first, &last)) {
            execute(crowd, own, first, last);
        }
    }
    return NULL;
}

TEST(many_threads_execute_everything_once)
{
    static struct crowd crowd;
    pthread_t thread[2 * RANKS];

    for (unsigned round = 0; round < 5; round++) {
        memset(&crowd, 0, sizeof crowd);
        crowd.window = open_board(MANY, RANKS, true);
        for (unsigned i = 0; i < 2 * RANKS; i++) {
            assert_int_equal(pthread_create(&thread[i], NULL, join_in, &crowd), 0);
        }
        for (unsigned i = 0; i < 2 * RANKS; i++) {
            pthread_join(thread[i], NULL);
        }
        for (unsigned i = 0; i < MANY; i++) {
            assert_int_equal(atomic_load(&crowd.times[i]), 1);
        }
        free(crowd.window);
    }
}
