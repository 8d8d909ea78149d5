/* Packings of loops whose costs are known, and grain. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "schedules/forecast/predict.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- packings of loops whose costs are known: by hand, as threads take them, and for any costs
 * --- */

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

/* Each iteration is in one chunk but the last, which may be left out or by itself; chunks are
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
 * ends a loop of `count` iterations may be anywhere. */
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
    allow_exceptions();
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
    allow_exceptions();
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

/* --- grain: what is said in iterations, said in units, and that no border lies between
 * multiples --- */

TEST(both_grains_are_kept)
{
    assert_int_equal(keel_grain_common(1, 1), 1);
    assert_int_equal(keel_grain_common(64, 1), 64);
    assert_int_equal(keel_grain_common(64, 16), 64);
    assert_int_equal(keel_grain_common(4, 6), 12);
    assert_int_equal(keel_grain_common(7, 5), 35);
    assert_true(keel_grain_common(1ull << 63, 1ull << 62) == 1ull << 63);
    assert_true(keel_grain_common(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
}

TEST(units_and_where_they_begin)
{
    assert_int_equal(keel_grain_units(0, 64), 0);
    assert_int_equal(keel_grain_units(1, 64), 1);
    assert_int_equal(keel_grain_units(128, 64), 2);
    assert_int_equal(keel_grain_units(129, 64), 3);
    assert_int_equal(keel_grain_iteration(0, 129, 64), 0);
    assert_int_equal(keel_grain_iteration(2, 129, 64), 128);
    assert_int_equal(keel_grain_iteration(3, 129, 64), 129);
    assert_int_equal(keel_grain_iteration(2, 128, 64), 128);
    assert_int_equal(keel_grain_iteration(0, 0, 64), 0);
    assert_int_equal(keel_grain_iteration(1, 5, UINT64_MAX), 5);
    assert_true(keel_grain_iteration(2, UINT64_MAX, 1ull << 63) == UINT64_MAX);
    assert_true(keel_grain_iteration(1, UINT64_MAX, 1ull << 63) == 1ull << 63);
    assert_true(keel_grain_iteration(UINT64_MAX, UINT64_MAX, 1) == UINT64_MAX);
}

static struct keel_spec in_units(const char *text)
{
    struct keel_spec spec = specs_read(text);

    return keel_grain_spec(&spec);
}

TEST(sizes_are_rounded_up)
{
    struct keel_spec tss = in_units("tss,130,64:min=65,grain=64");
    struct keel_spec css = in_units("css,10:grain=64");
    struct keel_spec gss = in_units("gss:grain=64");

    assert_int_equal(tss.value[KEEL_FIRST].count, 3);
    assert_int_equal(tss.value[KEEL_LAST].count, 1);
    assert_int_equal(tss.value[KEEL_MIN].count, 2);
    assert_int_equal(tss.value[KEEL_GRAIN].count, 1);
    assert_int_equal(css.value[KEEL_CHUNK].count, 1);
    assert_int_equal(gss.value[KEEL_FIRST].count, 0); /* follows from the loop, in either */
    assert_int_equal(gss.value[KEEL_MIN].count, 1);
    assert_int_equal(gss.given, 0);
}

TEST(times_are_those_of_units)
{
    struct keel_spec bold = specs_read("bold:mu=10,sigma=3,overhead=50,grain=16");
    struct keel_spec huge = specs_read("bold:mu=1e17,sigma=1e17,overhead=50,grain=10000");
    struct keel_spec units = keel_grain_spec(&bold);

    assert_true(units.value[KEEL_MU].real == 160);
    assert_true(units.value[KEEL_SIGMA].real == 12);
    assert_true(units.value[KEEL_OVERHEAD].real == 50);
    units = keel_grain_spec(&huge);
    assert_true(units.value[KEEL_MU].real == 1e18); /* the largest that a spec may hold */
    assert_true(units.value[KEEL_SIGMA].real == 1e18);
}

TEST(a_spec_may_get_a_grain)
{
    struct keel_spec spec = specs_read("gss");

    keel_grain_add(&spec, 1);
    assert_int_equal(spec.given, 0);
    keel_grain_add(&spec, 6);
    assert_int_equal(spec.given, KEEL_BIT(KEEL_GRAIN));
    keel_grain_add(&spec, 4);
    assert_int_equal(keel_grain_of(&spec), 12);
}

/* --- no border between multiples --- */

struct borders {
    uint64_t iterations, grain, executed;
};

static void check_chunk(struct borders *borders, uint64_t first_unit, uint64_t last_unit)
{
    uint64_t first = keel_grain_iteration(first_unit, borders->iterations, borders->grain);
    uint64_t last = keel_grain_iteration(last_unit, borders->iterations, borders->grain);

    assert_true(first < last && last <= borders->iterations);
    assert_int_equal(first % borders->grain, 0);
    assert_true(last % borders->grain == 0 || last == borders->iterations);
    borders->executed += last - first;
}

static void check_plan(const struct keel_spec *spec, uint64_t threads, struct borders *borders)
{
    struct keel_plan fallback;
    const struct keel_problem problem = {.spec = spec,
                                         .iterations =
                                             keel_grain_units(borders->iterations, borders->grain),
                                         .threads = threads};
    struct keel_plan *plan = keel_plan_build(&problem, realloc, &fallback);
    struct sequence sequence = sequence_of_plan(plan, 100000);

    for (size_t i = 0; i < sequence.steps; i++) {
        check_chunk(borders, sequence.bound[i], sequence.bound[i + 1]);
    }
    sequence_free(&sequence);
    free(plan);
}

static double equal_time(const struct keel_simulated_chunk *chunk, void *context)
{
    return 100.0 * (double)(chunk->last - chunk->first);
}

static void check_replay(const struct keel_spec *spec, uint64_t threads, struct borders *borders)
{
    const struct keel_simulation_setup setup = {
        .spec = spec,
        .iterations = keel_grain_units(borders->iterations, borders->grain),
        .threads = threads,
        .claim_ns = 10,
        .time_ns = equal_time};
    struct keel_simulation *replay = keel_simulation_begin(&setup);
    struct keel_simulated_chunk chunk;

    while (keel_simulation_next(replay, &chunk)) {
        check_chunk(borders, chunk.first, chunk.last);
    }
    keel_simulation_end(replay);
}

static void check(const char *text, uint64_t iterations, uint64_t grain, uint64_t threads)
{
    struct keel_spec stated = specs_read(text);
    struct borders borders = {iterations, grain, 0};

    keel_grain_add(&stated, grain);
    struct keel_spec spec = keel_grain_spec(&stated);
    if (spec.schedule->claim == KEEL_CLAIM_WEIGHTED) {
        return; /* who claims decides where borders are: programs show that */
    }
    if (keel_plan_exists(spec.schedule)) {
        check_plan(&spec, threads, &borders);
    } else {
        check_replay(&spec, threads, &borders);
    }
    assert_true(borders.executed == iterations);
}

TEST(every_schedule_keeps_the_grain)
{
    const uint64_t iterations[] = {0, 1, 63, 64, 65, 1000, 1283};
    struct draws draws = draws_begin();

    for (size_t i = 0; specs_texts[i] != NULL; i++) {
        for (size_t k = 0; k < sizeof iterations / sizeof *iterations; k++) {
            const uint64_t grains[] = {1, 3, 64, 101, iterations[k] + 1, UINT64_MAX};
            uint64_t grain = grains[draws_below(&draws, 6)];
            check(specs_texts[i], iterations[k], grain, 1 + draws_below(&draws, 9));
        }
    }
}
