/* What the figures of all ranks come to: sums, extremes, and what one rank's word is enough for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mpi_backend/rows/balance/figures.h"
#include "tests/support/near.h"

enum { RANKS = 3 };

/* The value `low` on all ranks but one, `high` on that. */
static struct keel_mpi_figures_summary with(size_t offset, double low, double high, int one)
{
    struct keel_mpi_figures figures[RANKS] = {{0}};

    for (int i = 0; i < RANKS; i++) {
        *(double *)(void *)((char *)&figures[i] + offset) = i == one ? high : low;
    }
    return keel_mpi_figures_of_all(figures, RANKS);
}

#define WITH(field, low, high, one) with(offsetof(struct keel_mpi_figures, field), low, high, one)

static void times_are_those_of_the_slowest(void **state)
{
    (void)state;
    for (int one = 0; one < RANKS; one++) {
        assert_near(WITH(span_s, 2, 3, one).span_s, 3);
        assert_near(WITH(busy_s, 2, 3, one).busy_s, 3);
        assert_near(WITH(phase_s, 2, 3, one).phase_s, 3);
        assert_near(WITH(outside_s, 2, 3, one).outside_s, 3);
        assert_near(WITH(outside_s, 3, 2, one).least_outside_s, 2);
        assert_near(WITH(movement_s, 2, 3, one).movement_s, 3);
        assert_near(WITH(item_bytes, 2, 3, one).item_bytes, 3);
        assert_near(WITH(skew_hooks, 2, 3, one).skew_hooks, 3);
    }
}

static void work_is_that_of_all_and_the_end_the_soonest(void **state)
{
    (void)state;
    for (int one = 0; one < RANKS; one++) {
        assert_near(WITH(work, 2, 5, one).work, 9);
        assert_near(WITH(last_hook, INFINITY, 70, one).last_hook, 70);
    }
    assert_near(WITH(last_hook, INFINITY, INFINITY, 0).last_hook, INFINITY);
}

static void one_rank_is_enough(void **state)
{
    (void)state;
    for (int one = 0; one < RANKS; one++) {
        assert_true(WITH(weighted, 0, 1, one).weighted);
        assert_true(WITH(told, 0, 1, one).told);
        assert_true(WITH(measured, 0, 1, one).measured);
        assert_true(WITH(watched, 0, 1, one).watched);
        assert_true(WITH(in_sweep, 0, 1, one).in_sweep);
        assert_true(WITH(hook, 7, 8, one).differ);
    }
    struct keel_mpi_figures_summary none = WITH(hook, 7, 7, 0);
    assert_false(none.weighted || none.told || none.measured || none.watched || none.in_sweep ||
                 none.differ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_those_of_the_slowest),
        cmocka_unit_test(work_is_that_of_all_and_the_end_the_soonest),
        cmocka_unit_test(one_rank_is_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
