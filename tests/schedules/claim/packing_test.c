/* Packings of loops whose costs are known: by hand, as threads take them, and for any costs. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

static struct draws draws;

static struct keel_spec binlpt_of(uint64_t chunks, uint64_t minimum)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_binlpt);

    spec.value[KEEL_CHUNKS].count = chunks;
    spec.value[KEEL_MIN].count = minimum;
    return spec;
}

static struct keel_spec lpt_of(uint64_t minimum)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_lpt);

    spec.value[KEEL_MIN].count = minimum;
    return spec;
}

static struct keel_packing *build(const struct keel_spec *spec, const double *costs, uint64_t count,
                                  uint64_t threads)
{
    struct keel_packing *packing = keel_packing_build(spec, costs, count, threads, realloc);

    assert_non_null(packing);
    return packing;
}

enum { KINDS = 9 };

/* Costs of one of several kinds. */
static double *draw_costs(uint64_t count, uint64_t kind)
{
    double *costs = malloc(count * sizeof *costs);

    for (uint64_t i = 0; i < count; i++) {
        double uniform = draws_real(&draws);
        double cost[KINDS] = {0,
                              1,
                              uniform,
                              (double)i,
                              (double)(count - i),
                              -log(1 - uniform),
                              pow(1 - uniform, -2), /* a heavy tail */
                              uniform * DBL_MAX,
                              i == count / 3 ? 1e12 : uniform};
        costs[i] = cost[kind];
    }
    return costs;
}

static double load_of(const struct keel_listed_chunk *chunk, const double *costs, double scale)
{
    double load = 0;

    for (uint64_t i = chunk->first; i < chunk->last; i++) {
        load += costs[i] * scale;
    }
    return load;
}

/* --- worked out by hand --- */

/* The list as "first-last" words, blocks divided by bars; "+" for an iteration that is left out. */
static void expect_packing(const struct keel_spec *spec, const double *costs, uint64_t count,
                           uint64_t threads, const char *wanted)
{
    struct keel_packing *packing = build(spec, costs, count, threads);
    char text[400] = "";
    uint64_t block = 0;

    for (uint64_t i = 0; i <= packing->list->count; i++) {
        for (; packing->first != NULL && block < threads && packing->first[block + 1] == i;
             block++) {
            strcat(text, "|");
        }
        if (i < packing->list->count) {
            const struct keel_listed_chunk *chunk = &packing->list->chunk[i];
            sprintf(text + strlen(text), " %d-%d", (int)chunk->first, (int)chunk->last);
        }
    }
    assert_true(packing->list->iterations == count || packing->list->iterations == count - 1);
    strcat(text, packing->list->iterations < count ? " +" : "");
    assert_string_equal(text, wanted);
    free(packing);
}

/* Sum 28, 6 chunks. Shares of the rest: 28/6 takes 6; 22/5 takes 2 2, as 4 + 8/2 is more; 18/4
 * takes 8; 10/3 takes 1 1, as 2 + 4/2 is more; 8/2 takes 4; the last gets 4. Largest first onto the
 * least loaded: 8 to 0, 6 to 1, 4 to 2, 4 to 2, 4 to 1, 2 to 0 (8 8 10). */
TEST(chunks_are_packed_largest_first)
{
    static const double costs[] = {6, 2, 2, 8, 1, 1, 4, 4, 2};
    struct keel_spec spec = binlpt_of(6, 1);

    expect_packing(&spec, costs, 9, 3, " 3-4 4-6| 0-1 7-8| 1-3 6-7| +");
}

/* --- as threads take them --- */

/* Thread 1, with the chunks 7-8 8-9 0-3 4-7, never comes: thread 0 takes them from the end, and
 * then the iteration that ends the loop. */
TEST(idle_threads_take_the_smallest)
{
    static const double costs[] = {1, 1, 1, 100, 1, 1, 1, 5, 5, 5};
    static const uint64_t wanted[] = {3, 4, 0, 8, 7, 9};
    struct keel_spec spec = binlpt_of(5, 1);
    struct keel_packing *packing = build(&spec, costs, 10, 2);
    struct keel_team *team = aligned_alloc(64, (keel_team_size(2) + 63) / 64 * 64);
    struct keel_team_worker worker;
    uint64_t first, last;

    keel_team_begin(team, &spec, 10, 2, packing->first, packing->list);
    keel_team_worker_begin(&worker, team, 0, (struct keel_pace){0});
    for (size_t i = 0; i < 6; i++) {
        assert_true(keel_team_worker_next(&worker, &first, &last));
        assert_int_equal(first, wanted[i]);
        keel_team_worker_done(&worker, 1, 0);
    }
    assert_false(keel_team_worker_next(&worker, &first, &last));
    free(team);
    free(packing);
}

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

TEST(blocks_are_balanced)
{
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

TEST(lists_are_falling)
{
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

/* --- memory --- */

static unsigned allowed; /* calls that succeed */

static void *scarce(void *memory, size_t size)
{
    return allowed > 0 && allowed-- > 0 ? realloc(memory, size) : NULL;
}

TEST(memory_may_be_short)
{
    static const double costs[] = {1, 2, 3};
    struct keel_spec spec = binlpt_of(0, 1);

    allowed = 0;
    assert_null(keel_packing_build(&spec, costs, 3, 2, scarce));
    allowed = 1;
    struct keel_packing *packing = keel_packing_build(&spec, costs, 3, 2, scarce);
    assert_non_null(packing);
    expect_whole(packing, 3, 1);
    expect_balance(packing, 2, costs, 3, 1);
    free(packing);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
