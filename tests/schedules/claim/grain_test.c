/* Grain: what is said in iterations, said in units, and that no border lies between multiples. */
#include <stddef.h>
#include <stdlib.h>

#include "schedules/claim/plan.h"
#include "schedules/forecast/predict.h"
#include "tests/schedules/support/sequence.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

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
    (void)context;
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
