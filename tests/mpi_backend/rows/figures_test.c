/* What the figures of all ranks come to: sums, extremes, and what one rank's word is enough for.
 * And rates from phases: all of the time where phases are long, only that of undisturbed ones where
 * they are shorter than a quantum. */
#include <math.h>
#include <stddef.h>

#include "mpi_backend/rows/balance/measurements.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

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

TEST(times_are_those_of_the_slowest)
{
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

TEST(work_is_that_of_all_and_the_end_the_soonest)
{
    for (int one = 0; one < RANKS; one++) {
        assert_near(WITH(work, 2, 5, one).work, 9);
        assert_near(WITH(last_hook, INFINITY, 70, one).last_hook, 70);
    }
    assert_near(WITH(last_hook, INFINITY, INFINITY, 0).last_hook, INFINITY);
}

TEST(one_rank_is_enough)
{
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

/* --- phases --- */

#define QUANTUM_S 0.004

TEST(nothing_noted_is_not_known)
{
    struct keel_mpi_phases phases = {0};

    assert_true(keel_mpi_phases_rate(&phases, QUANTUM_S) == 0);
    keel_mpi_phases_note(&phases, 0, 1);
    keel_mpi_phases_note(&phases, 1, 0);
    keel_mpi_phases_note(&phases, -1, 1);
    keel_mpi_phases_note(&phases, 1, NAN);
    keel_mpi_phases_note(&phases, INFINITY, 1);
    assert_true(keel_mpi_phases_rate(&phases, QUANTUM_S) == 0);
}

TEST(interruptions_of_short_ones_do_not)
{
    struct keel_mpi_phases phases = {0};

    for (int i = 0; i < 40; i++) {
        keel_mpi_phases_note(&phases, 100, i % 10 == 0 ? 0.00325 : i % 2 == 0 ? 0.00024 : 0.00026);
    }
    /* of ten, one is left out, 4 take 0.24 ms and 5 take 0.26 ms */
    assert_true(
        is_near(keel_mpi_phases_rate(&phases, QUANTUM_S), 900 / (4 * 0.00024 + 5 * 0.00026)));
    /* with a shorter quantum, all count */
    assert_true(is_near(keel_mpi_phases_rate(&phases, 0.0004),
                        1000 / (0.00325 + 4 * 0.00024 + 5 * 0.00026)));
}

/* However many there are, those that are kept lie all over the time. */
TEST(many_phases_are_thinned_out)
{
    struct draws draws = draws_begin();

    for (int round = 0; round < 200; round++) {
        struct keel_mpi_phases phases = {0};
        uint64_t count = 1 + draws_below(&draws, 5000);
        for (uint64_t i = 1; i <= count; i++) {
            keel_mpi_phases_note(&phases, 1, (double)i);
            assert_true(phases.count < KEEL_MPI_PHASES);
        }
        assert_true(count >= KEEL_MPI_PHASES || phases.count == count);
        assert_true(count < KEEL_MPI_PHASES || phases.count >= KEEL_MPI_PHASES / 2);
        for (unsigned i = 0; i < phases.count; i++) {
            assert_true(phases.busy_s[i] == (double)((i + 1) * phases.stride));
        }
        assert_true((double)count - phases.busy_s[phases.count - 1] < (double)phases.stride);
    }
}
