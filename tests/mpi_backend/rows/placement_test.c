/* Placements where programs do not come: more rows than memory holds, and no memory, without which
 * nothing changes. */
#include <stddef.h>

#include "mpi_backend/rows/placement.h"
#include "tests/support/failing_memory.h"
#include "tests/support/unit.h"

static bool give(struct keel_mpi_placement *placement, uint64_t first, uint64_t last, uint32_t to)
{
    struct keel_mpi_transfer assignment = {0, to, first, last};

    return keel_mpi_placement_assign(placement, &assignment, 1);
}

TEST(two_to_the_53_rows_less_one_are_counted_exactly)
{
    const uint64_t rows = (UINT64_C(1) << 53) - 1, half = rows / 2;
    struct keel_mpi_placement placement;
    uint64_t first, last;

    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){half, rows - half}));
    assert_int_equal(placement.rows, rows);
    assert_int_equal(keel_mpi_placement_find(&placement, rows - 1), 1);
    assert_true(give(&placement, rows - 1, rows, 0));
    assert_true(give(&placement, 0, 1, 1));
    assert_int_equal(placement.count, 4);
    assert_int_equal(placement.owned[0], half);
    assert_int_equal(placement.owned[1], rows - half);
    assert_true(keel_mpi_placement_at(&placement, 0, half - 1, UINT64_MAX, &first, &last));
    assert_int_equal(first, rows - 1);
    assert_int_equal(last, rows);
    assert_true(keel_mpi_placement_at(&placement, 1, rows - half - 1, 5, &first, &last));
    assert_int_equal(first, rows - 2);
    assert_int_equal(last, rows - 1);
    assert_false(keel_mpi_placement_at(&placement, 1, rows - half, 5, &first, &last));
    assert_true(give(&placement, 0, rows, 1));
    assert_int_equal(placement.count, 1);
    assert_int_equal(placement.owned[1], rows);
    keel_mpi_placement_free(&placement);
}

/* --- without memory --- */

TEST(without_memory_none_is_made)
{
    struct keel_mpi_placement placement, copy;

    for (unsigned calls = 0; calls < 2; calls++) {
        memory_fails_after(calls);
        assert_false(keel_mpi_placement_make(&placement, 2, (uint64_t[]){4, 5}));
        assert_null(placement.run);
        assert_null(placement.owned);
        assert_int_equal(placement.rows, 0);
        assert_true(memory_works());
    }
    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){4, 5}));
    for (unsigned calls = 0; calls < 2; calls++) {
        memory_fails_after(calls);
        assert_false(keel_mpi_placement_copy(&copy, &placement));
        assert_null(copy.run);
        assert_null(copy.owned);
        assert_true(memory_works());
    }
    keel_mpi_placement_free(&placement);
}

TEST(without_memory_nothing_is_given)
{
    struct keel_mpi_placement placement;

    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){2, 3}));
    memory_fails_after(0);
    assert_false(give(&placement, 1, 4, 0));
    assert_true(memory_works());
    assert_int_equal(placement.count, 2);
    assert_int_equal(placement.run[0].owner, 0);
    assert_int_equal(placement.run[1].first, 2);
    assert_int_equal(placement.run[1].owner, 1);
    assert_int_equal(placement.owned[0], 2);
    assert_int_equal(placement.owned[1], 3);
    keel_mpi_placement_free(&placement);
}
