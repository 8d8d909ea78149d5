/* Packings of loops: what holds whatever the costs, and when memory is short. */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/claim/packing.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/claim/packing_cases.h"
#include "tests/support/draws.h"

/* --- whatever the costs --- */

/* Each iteration stands in one chunk but the last, which may be left out or by itself; chunks are
 * as long as they have to. */
static void expect_whole(const struct keel_packing *packing, uint64_t count, uint64_t minimum)
{
    unsigned char *times = calloc(count, 1);

    for (uint64_t i = 0; i < packing->list->count; i++) {
        const struct keel_listed_chunk *chunk = &packing->list->chunk[i];
        assert_true(chunk->first < chunk->last && chunk->last <= count);
        assert_true(chunk->last - chunk->first >= minimum || chunk->last >= count - 1);
        for (uint64_t j = chunk->first; j < chunk->last; j++) {
            times[j]++;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(times[i], i < packing->list->iterations);
    }
    assert_true(packing->list->iterations == count ||
                (packing->first != NULL && packing->list->iterations == count - 1));
    free(times);
}

/* Places [begin, end) hold chunks of falling load, equal ones as in the loop; but the chunk that
 * ends a loop of `count` iterations may stand anywhere. */
static void expect_falling(const struct keel_packing *packing, uint64_t begin, uint64_t end,
                           const double *costs, uint64_t count, double scale)
{
    struct keel_listed_chunk before = {0, 0};
    double load_before = INFINITY;

    for (uint64_t i = begin; i < end; i++) {
        struct keel_listed_chunk chunk = packing->list->chunk[i];
        double load = load_of(&chunk, costs, scale);
        if (chunk.last != count) {
            assert_true(load <= load_before);
            assert_true(load < load_before || before.first < chunk.first);
            before = chunk;
            load_before = load;
        }
    }
}

/* Loads of a block. */
struct loads {
    double sum, least;
};

static struct loads loads_of(const struct keel_packing *packing, uint64_t begin, uint64_t end,
                             const double *costs, double scale)
{
    struct loads loads = {0, begin < end ? INFINITY : 0};

    for (uint64_t i = begin; i < end; i++) {
        double load = load_of(&packing->list->chunk[i], costs, scale);
        loads.sum += load;
        loads.least = fmin(loads.least, load);
    }
    return loads;
}

/* Whoever got a chunk had least: without its smallest, which came last, no block is larger than any
 * other. The chunk that ends the loop ends its block. */
static void expect_balance(const struct keel_packing *packing, uint64_t threads,
                           const double *costs, uint64_t count, double scale)
{
    double least = INFINITY, most = 0;

    assert_int_equal(packing->first[0], 0);
    assert_int_equal(packing->first[threads], packing->list->count);
    for (uint64_t i = 0; i < threads; i++) {
        uint64_t begin = packing->first[i], end = packing->first[i + 1];
        assert_true(begin <= end);
        expect_falling(packing, begin, end, costs, count, scale);
        for (uint64_t place = begin; place + 1 < end; place++) {
            assert_true(packing->list->chunk[place].last != count);
        }
        struct loads loads = loads_of(packing, begin, end, costs, scale);
        least = fmin(least, loads.sum);
        most = fmax(most, loads.sum - loads.least);
    }
    assert_true(most <= least * (1 + 1e-9));
}

/* Waiting for the last iteration would take more than a quarter of a thread's share; both sides
 * times P. */
static bool ends_heavily(const double *costs, uint64_t count, uint64_t threads, double scale)
{
    double whole = load_of(&(struct keel_listed_chunk){0, count}, costs, scale);

    return whole > 0 ? costs[count - 1] * scale * (double)(threads - 1) > whole / 4
                     : (double)(threads - 1) > (double)count / 4;
}

static void blocks_are_balanced(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        uint64_t count = 1 + draws_below(&draws, 300), threads = 1 + draws_below(&draws, 20);
        uint64_t chunks = draws_below(&draws, 50), minimum = 1 + draws_below(&draws, 4);
        uint64_t kind = 1 + draws_below(&draws, KINDS - 1);
        struct keel_spec spec = binlpt_of(chunks, minimum);
        double *costs = draw_costs(count, kind);
        struct keel_packing *packing = build(&spec, costs, count, threads);
        double scale = kind == 7 ? 0x1p-64 : 1;
        expect_whole(packing, count, minimum);
        bool whole = packing->list->iterations == count;
        assert_true(packing->list->count <= (chunks > 0 ? chunks : 16 * threads) + whole);
        assert_int_equal(whole, ends_heavily(costs, count, threads, scale));
        expect_balance(packing, threads, costs, count, scale);
        free(packing);
        free(costs);
    }
}

/* The chunk that ends the loop is as early as (P - 1) times its load behind it allow, but not
 * before larger ones. */
static void expect_end_in_place(const struct keel_packing *packing, uint64_t threads,
                                const double *costs, uint64_t count, double scale)
{
    const struct keel_listed_chunk *chunk = packing->list->chunk;
    uint64_t places = packing->list->count, end = 0;

    while (chunk[end].last != count) {
        end++;
    }
    double load = load_of(&chunk[end], costs, scale), most = (double)(threads - 1) * load;
    double behind = loads_of(packing, end + 1, places, costs, scale).sum;
    assert_true(behind <= most * (1 + 1e-9));
    assert_true(threads > 1 || end == places - 1);
    if (end > 0 && load_of(&chunk[end - 1], costs, scale) < load && threads > 1) {
        behind += load_of(&chunk[end - 1], costs, scale);
        assert_true(behind > most * (1 - 1e-9));
    }
}

static void lists_are_falling(void **state)
{
    (void)state;
    for (int round = 0; round < 1000; round++) {
        uint64_t count = 1 + draws_below(&draws, 300), minimum = 1 + draws_below(&draws, 4);
        uint64_t threads = 1 + draws_below(&draws, 9);
        uint64_t kind = 1 + draws_below(&draws, KINDS - 1);
        struct keel_spec spec = lpt_of(minimum);
        double *costs = draw_costs(count, kind);
        struct keel_packing *packing = build(&spec, costs, count, threads);
        double scale = kind == 7 ? 0x1p-64 : 1;
        assert_null(packing->first);
        assert_int_equal(packing->list->count, (count + minimum - 1) / minimum);
        expect_whole(packing, count, minimum);
        expect_falling(packing, 0, packing->list->count, costs, count, scale);
        expect_end_in_place(packing, threads, costs, count, scale);
        free(packing);
        free(costs);
    }
}

/* Each chunk comes within half an iteration of its share, so the loads differ from W/k by what such
 * steps add up to: half of the largest cost times 1 + 1/2 + ... + 1/k. */
static void chunks_have_about_equal_loads(void **state)
{
    (void)state;
    for (int round = 0; round < 1000; round++) {
        uint64_t count = 50 + draws_below(&draws, 1000), chunks = 1 + draws_below(&draws, 50);
        struct keel_spec spec = binlpt_of(chunks, 1);
        double *costs = draw_costs(count, 2);
        struct keel_packing *packing = build(&spec, costs, count, 4);
        double share = load_of(&(struct keel_listed_chunk){0, count}, costs, 1) / (double)chunks;
        for (uint64_t i = 0; i < packing->list->count; i++) {
            double slack = 1 + (1 + log((double)chunks)) / 2; /* costs are at most 1 */
            assert_true(load_of(&packing->list->chunk[i], costs, 1) <= share + slack);
        }
        free(packing);
        free(costs);
    }
}

static void long_lists_have_a_bound(void **state)
{
    static const uint64_t counts[] = {KEEL_PLAN_HEAD_MAX, KEEL_PLAN_HEAD_MAX + 1, 100000};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (uint64_t kind = 0; kind < KINDS; kind++) {
            struct keel_spec spec = lpt_of(1), blocks = binlpt_of(0, 1);
            double *costs = draw_costs(counts[i], kind);
            struct keel_packing *packing = build(&spec, costs, counts[i], 2);
            assert_true(packing->list->count <= KEEL_PLAN_HEAD_MAX);
            assert_true(packing->list->count == counts[i] || counts[i] > KEEL_PLAN_HEAD_MAX);
            expect_whole(packing, counts[i], 1);
            free(packing);
            packing = build(&blocks, costs, counts[i], 5000);
            assert_true(packing->list->count <= KEEL_PLAN_HEAD_MAX + 1);
            expect_whole(packing, counts[i], 1);
            free(packing);
            free(costs);
        }
    }
}

static void same_costs_same_packing(void **state)
{
    (void)state;
    for (uint64_t kind = 0; kind < KINDS; kind++) {
        struct keel_spec spec = binlpt_of(0, 1);
        double *costs = draw_costs(500, kind);
        struct keel_packing *one = build(&spec, costs, 500, 7), *two = build(&spec, costs, 500, 7);
        assert_int_equal(one->list->count, two->list->count);
        assert_memory_equal(one->list->chunk, two->list->chunk,
                            one->list->count * sizeof one->list->chunk[0]);
        assert_memory_equal(one->first, two->first, 8 * sizeof one->first[0]);
        free(one);
        free(two);
        free(costs);
    }
}

/* --- memory --- */

static unsigned allowed; /* calls that succeed */

static void *scarce(void *memory, size_t size)
{
    return allowed > 0 && allowed-- > 0 ? realloc(memory, size) : NULL;
}

static void memory_may_be_short(void **state)
{
    static const double costs[] = {1, 2, 3};
    struct keel_spec spec = binlpt_of(0, 1);

    (void)state;
    allowed = 0;
    assert_null(keel_packing_build(&spec, costs, 3, 2, scarce));
    allowed = 1;
    struct keel_packing *packing = keel_packing_build(&spec, costs, 3, 2, scarce);
    assert_non_null(packing);
    expect_whole(packing, 3, 1);
    expect_balance(packing, 2, costs, 3, 1);
    free(packing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_balanced),           cmocka_unit_test(lists_are_falling),
        cmocka_unit_test(chunks_have_about_equal_loads), cmocka_unit_test(long_lists_have_a_bound),
        cmocka_unit_test(same_costs_same_packing),       cmocka_unit_test(memory_may_be_short),
    };

    draws = draws_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
