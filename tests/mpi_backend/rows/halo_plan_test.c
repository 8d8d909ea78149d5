/* Plans of halos where programs do not come: more rows than MPI sends at once, and no memory. */
#include <limits.h>
#include <stddef.h>

#include "mpi_backend/rows/placement.h"
#include "tests/support/failing_memory.h"
#include "tests/support/unit.h"

TEST(long_pieces_go_in_parts_on_both_sides)
{
    const uint64_t rows = (UINT64_C(1) << 53) - 1, half = rows / 2,
                   halo = 2 * (uint64_t)INT_MAX + 1;
    struct keel_mpi_placement placement;
    struct keel_mpi_halo_plan low, high;

    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){half, rows - half}));
    assert_true(keel_mpi_halo_plan_make(&low, &placement, 0, halo, INT_MAX));
    assert_true(keel_mpi_halo_plan_make(&high, &placement, 1, halo, INT_MAX));
    assert_int_equal(low.receives.count, 3);
    assert_int_equal(low.receives.piece[0].first, half);
    assert_int_equal(low.receives.piece[0].last, half + INT_MAX);
    assert_int_equal(low.receives.piece[2].last, half + halo);
    assert_int_equal(high.sends.count, 3);
    assert_memory_equal(&high.sends.piece[2].first, &low.receives.piece[2].first,
                        2 * sizeof(uint64_t));
    assert_int_equal(high.receives.piece[0].first, half - halo);
    assert_int_equal(high.here.range[0].first, half - halo);
    assert_int_equal(high.here.range[0].last, rows);
    keel_mpi_halo_plan_free(&low);
    keel_mpi_halo_plan_free(&high);
    keel_mpi_placement_free(&placement);
}

/* Of four ranks, two of which have rows in several places. */
TEST(without_memory_there_is_no_plan)
{
    struct keel_mpi_transfer far[] = {{0, 3, 2, 4}, {0, 0, 9, 10}};
    struct keel_mpi_placement placement;
    struct keel_mpi_halo_plan plan;
    unsigned calls = 0;

    assert_true(keel_mpi_placement_make(&placement, 4, (uint64_t[]){5, 1, 5, 4}));
    assert_true(keel_mpi_placement_assign(&placement, far, 2));
    for (;; calls++) {
        memory_fails_once_after(calls);
        bool room = keel_mpi_halo_plan_make(&plan, &placement, 0, 1, 1);
        assert_int_equal(room, !memory_works());
        if (room) {
            break;
        }
        assert_null(plan.own.range);
        assert_null(plan.here.range);
        assert_null(plan.receives.piece);
        assert_null(plan.sends.piece);
        assert_int_equal(plan.receives.count + plan.sends.count, 0);
    }
    assert_true(calls > 3);
    assert_int_equal(keel_mpi_range_list_iterations(&plan.own), placement.owned[0]);
    keel_mpi_halo_plan_free(&plan);
    keel_mpi_placement_free(&placement);
}
