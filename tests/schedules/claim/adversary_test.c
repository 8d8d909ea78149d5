/* What adversarial schedules keep, whatever the seed: each iteration once, the order that a loop
 * promises, and the end of the loop last; and that they are adversarial: everything else comes. */
#include <stdlib.h>

#include "schedules/claim/adversary.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

#define THREADS_MAX 20

static struct draws draws;

struct chunk {
    uint64_t first, last, thread;
};

/* Chunks of one instance in the order in which they were taken. */
struct run {
    struct keel_adversary adversary;
    size_t count;
    struct chunk *chunk;
};

/* Takes the thread's next chunk; false: none. `next` is the counter that threads share. */
static bool take(struct run *run, uint64_t thread, uint64_t *place, uint64_t *next)
{
    struct chunk *chunk = &run->chunk[run->count];

    if (run->adversary.who == KEEL_ADVERSARY_SHARED) {
        if (*next >= run->adversary.chunks) {
            return false;
        }
        keel_adversary_chunk(&run->adversary, (*next)++, &chunk->first, &chunk->last);
    } else if (!keel_adversary_next_own(&run->adversary, thread, place, &chunk->first,
                                        &chunk->last)) {
        return false;
    }
    chunk->thread = thread;
    run->count++;
    return true;
}

/* Threads come and go at random. */
static struct run run_team(uint64_t seed, uint64_t iterations, uint64_t threads, bool in_order)
{
    struct run run = {.count = 0};
    uint64_t place[THREADS_MAX] = {0}, next = 0, left = threads;
    bool done[THREADS_MAX] = {false};

    keel_adversary_begin(&run.adversary, seed, iterations, threads, in_order);
    assert_true(run.adversary.chunks <= iterations);
    run.chunk = calloc(run.adversary.chunks + 1, sizeof *run.chunk);
    assert_non_null(run.chunk);
    while (left > 0) {
        uint64_t thread = draws_below(&draws, threads);
        for (uint64_t n = draws_below(&draws, 100); !done[thread] && n > 0; n--) {
            assert_true(run.count <= run.adversary.chunks);
            done[thread] = !take(&run, thread, &place[thread], &next);
            left -= done[thread];
        }
    }
    return run;
}

static int by_first(const void *a, const void *b)
{
    const struct chunk *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

static void assert_each_once(const struct run *run)
{
    struct chunk *sorted = malloc((run->count + 1) * sizeof *sorted);
    uint64_t end = 0;

    for (size_t i = 0; i < run->count; i++) {
        sorted[i] = run->chunk[i];
    }
    qsort(sorted, run->count, sizeof *sorted, by_first);
    for (size_t i = 0; i < run->count; i++) {
        assert_int_equal(sorted[i].first, end);
        assert_true(sorted[i].last > sorted[i].first);
        end = sorted[i].last;
    }
    assert_int_equal(end, run->adversary.iterations);
    free(sorted);
}

static void assert_end_is_last(const struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        for (size_t j = i + 1; run->chunk[i].last == run->adversary.iterations && j < run->count;
             j++) {
            assert_int_not_equal(run->chunk[j].thread, run->chunk[i].thread);
        }
    }
}

static void assert_in_order(const struct run *run)
{
    uint64_t end[THREADS_MAX] = {0};

    for (size_t i = 0; i < run->count; i++) {
        assert_true(run->chunk[i].first >= end[run->chunk[i].thread]);
        end[run->chunk[i].thread] = run->chunk[i].last;
    }
}

static void check_run(uint64_t iterations, uint64_t threads, bool in_order)
{
    struct run run = run_team(draws_next(&draws), iterations, threads, in_order);

    assert_each_once(&run);
    assert_end_is_last(&run);
    if (in_order || threads == 1) {
        assert_in_order(&run);
    }
    free(run.chunk);
}

TEST(every_iteration_runs_once)
{
    for (int i = 0; i < 3000; i++) {
        check_run(draws_below(&draws, 1000), 1 + draws_below(&draws, THREADS_MAX), i % 2 == 0);
    }
}

TEST(extreme_loops_are_covered)
{
    static const uint64_t iterations[] =
        LIST(0, 1, 2, 3, KEEL_ADVERSARY_CHUNKS_MAX, KEEL_ADVERSARY_CHUNKS_MAX + 1,
             UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX);

    for (size_t i = 0; i < sizeof iterations / sizeof iterations[0]; i++) {
        for (uint64_t threads = 1; threads <= 3; threads++) {
            for (int run = 0; run < 8; run++) {
                check_run(iterations[i], threads, run % 2 == 0);
            }
        }
    }
}

/* Whether a team of two gets loops of eight iterations in a way that `shows`, for some seed. */
static void assert_comes(bool (*shows)(const struct run *run), bool in_order)
{
    bool comes = false;

    for (uint64_t seed = 0; seed < 400; seed++) {
        struct run run = run_team(seed, 8, 2, in_order);
        comes |= shows(&run);
        free(run.chunk);
    }
    assert_true(comes);
}

static bool begins_with_second_thread(const struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->chunk[i].first == 0) {
            return run->adversary.who != KEEL_ADVERSARY_SHARED && run->chunk[i].thread == 1;
        }
    }
    return false;
}

static bool is_one_threads(const struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->chunk[i].thread != run->chunk[0].thread) {
            return false;
        }
    }
    return run->adversary.who == KEEL_ADVERSARY_ONE && run->count > 1;
}

static bool is_single_iterations(const struct run *run)
{
    return run->count == 8;
}

static bool takes_turns(const struct run *run)
{
    return run->adversary.who == KEEL_ADVERSARY_ROUND_ROBIN && run->count == 8;
}

static bool takes_turns_from_the_second_on(const struct run *run)
{
    return takes_turns(run) && begins_with_second_thread(run);
}

static bool is_shared(const struct run *run)
{
    return run->adversary.who == KEEL_ADVERSARY_SHARED && run->count == 8;
}

static bool has_unequal_chunks(const struct run *run)
{
    return run->count == 2 && run->chunk[0].last - run->chunk[0].first != 4;
}

static bool goes_back(const struct run *run)
{
    for (size_t i = 1; i < run->count; i++) {
        if (run->chunk[i].thread == run->chunk[i - 1].thread &&
            run->chunk[i].first < run->chunk[i - 1].first) {
            return true;
        }
    }
    return false;
}

static bool jumps(const struct run *run)
{
    return run->count == 8 && run->adversary.factor != 1 && run->adversary.factor != 6;
}

TEST(all_ways_come)
{
    for (int in_order = 0; in_order < 2; in_order++) {
        assert_comes(begins_with_second_thread, in_order);
        assert_comes(is_one_threads, in_order);
        assert_comes(is_single_iterations, in_order);
        assert_comes(takes_turns, in_order);
        assert_comes(takes_turns_from_the_second_on, in_order);
        assert_comes(is_shared, in_order);
        assert_comes(has_unequal_chunks, in_order);
    }
    assert_comes(goes_back, false);
    assert_comes(jumps, false);
}

/* Of orders, a quarter is backwards, and a quarter forwards, or half where threads take turns. */
TEST(orders_come_as_often_as_they_should)
{
    unsigned forwards = 0, backwards = 0;

    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct keel_adversary adversary;
        keel_adversary_begin(&adversary, seed, 1000, 2, false);
        forwards += adversary.factor == 1;
        backwards += adversary.offset > 0 && adversary.factor == adversary.offset;
    }
    assert_in_range(forwards, 1000, 2000);
    assert_in_range(backwards, 900, 1100);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
