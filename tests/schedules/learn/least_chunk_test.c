/* The smallest chunk that follows from measured costs: sizes worked out by hand, bounds, and who
 * keeps to it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "schedules/learn/least_chunk.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

static void it_lasts_as_long_as_32_claims(void **state)
{
    (void)state;
    assert_int_equal(keel_least_chunk(50, 10), 160);
    assert_int_equal(keel_least_chunk(50, 1600), 1);
    assert_int_equal(keel_least_chunk(50, 1599), 2);
    assert_int_equal(keel_least_chunk(20, 1e9), 1);
    assert_int_equal(keel_least_chunk(0.5, 0.25), 64);
}

static void costs_that_are_not_known_leave_single_iterations(void **state)
{
    static const double unknown[] = {0, -1, NAN, INFINITY};

    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_int_equal(keel_least_chunk(unknown[i], 10), 1);
        assert_int_equal(keel_least_chunk(50, unknown[i]), 1);
    }
}

static void it_leaves_each_thread_16_chunks(void **state)
{
    (void)state;
    assert_int_equal(keel_least_chunk_within(160, 32 * 160, 2), 160);
    assert_int_equal(keel_least_chunk_within(160, 32 * 160 - 1, 2), 159);
    assert_int_equal(keel_least_chunk_within(160, 31, 2), 1);
    assert_int_equal(keel_least_chunk_within(160, 0, 2), 1);
    assert_int_equal(keel_least_chunk_within(1, UINT64_MAX, 1), 1);
    /* an extreme pair of costs, and an extreme loop */
    assert_in_range(keel_least_chunk_within(keel_least_chunk(1e18, 1e-3), UINT64_MAX, 1), 1,
                    UINT64_MAX / 16);
}

static struct keel_spec spec_of(const char *text)
{
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];

    assert_int_equal(keel_spec_read(text, strlen(text), &spec, problem), KEEL_SPEC_GOOD);
    return spec;
}

static void a_stated_one_is_not_measured(void **state)
{
    static const char *const stated[] = {"ss",      "css,5",      "static", "gss,1", "fac2:min=1",
                                         "steal,3", "tss,100,10", "aid,4",  "rate",  "auto"};
    static const char *const open[] = {"gss",   "tss",   "tss,100", "fac2", "fac:mu=3,sigma=1",
                                       "awf-c", "steal", "af",      "wf2",  "pls"};

    (void)state;
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        struct keel_spec spec = spec_of(stated[i]);
        assert_true(keel_least_chunk_is_stated(&spec));
        spec = spec_of(open[i]);
        assert_false(keel_least_chunk_is_stated(&spec));
    }
}

/* All chunks of gss but the last, over 4000 iterations of which 125 or more are a chunk. */
static void plans_keep_to_it(void **state)
{
    struct keel_spec spec = spec_of("gss");
    struct keel_problem problem = {.spec = &spec, .iterations = 4000, .threads = 2};
    struct keel_plan fallback;
    uint64_t first, last, chunks = 0;

    (void)state;
    spec.value[KEEL_MIN].count = 1000;
    spec.min_measured = true;
    struct keel_plan *plan = keel_plan_build(&problem, realloc, &fallback);
    for (; keel_plan_chunk(plan, chunks, &first, &last); chunks++) {
        assert_true(last - first >= 125 || last == 4000);
    }
    assert_in_range(chunks, 6, 8); /* 2000 1000 500 250 125 and one: 13 with single iterations */
    free(plan);
}

static void blocks_keep_to_it(void **state)
{
    struct keel_spec spec = spec_of("steal");
    struct keel_team *team = aligned_alloc(64, keel_team_size(2));
    struct keel_team_worker worker;
    uint64_t first, last, chunks = 0;

    (void)state;
    spec.value[KEEL_MIN].count = 1000;
    spec.min_measured = true;
    keel_team_begin(team, &spec, 4001, 2, NULL, NULL);
    keel_team_worker_begin(&worker, team, 0, (struct keel_pace){0});
    for (; keel_team_worker_next(&worker, &first, &last); chunks++) {
        assert_true(last - first >= 125 || last >= 4000 || last == 2000);
        keel_team_worker_done(&worker, 0, 0);
    }
    assert_in_range(chunks, 17, 40); /* of 7 iterations, they would be 500 */
    free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_lasts_as_long_as_32_claims),
        cmocka_unit_test(costs_that_are_not_known_leave_single_iterations),
        cmocka_unit_test(it_leaves_each_thread_16_chunks),
        cmocka_unit_test(a_stated_one_is_not_measured),
        cmocka_unit_test(plans_keep_to_it),
        cmocka_unit_test(blocks_keep_to_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
