/* Placements: who has which row after any number of gives, against one owner per row; without
 * memory nothing changes. */
#include <stddef.h>
#include <stdlib.h>

#include "mpi_backend/rows/placement.h"
#include "tests/support/draws.h"
#include "tests/support/failing_memory.h"
#include "tests/support/unit.h"

/* --- against one owner per row --- */

#define ROWS_MAX 60
#define RANKS_MAX 9

static bool give(struct keel_mpi_placement *placement, uint64_t first, uint64_t last, uint32_t to)
{
    struct keel_mpi_assignment assignment = {first, last, to};

    return keel_mpi_placement_assign(placement, &assignment, 1);
}

static void assert_runs(const struct keel_mpi_placement *placement, const uint32_t *owner)
{
    uint64_t owned[RANKS_MAX] = {0}, row = 0;

    for (size_t i = 0; i < placement->count; i++) {
        assert_int_equal(placement->run[i].first, row);
        assert_true(keel_mpi_placement_end(placement, i) > row);
        assert_true(i == 0 || placement->run[i].owner != placement->run[i - 1].owner);
        for (; row < keel_mpi_placement_end(placement, i); row++) {
            assert_int_equal(placement->run[i].owner, owner[row]);
            assert_int_equal(keel_mpi_placement_find(placement, row), i);
            owned[owner[row]]++;
        }
    }
    assert_int_equal(row, placement->rows);
    assert_memory_equal(placement->owned, owned, placement->ranks * sizeof *owned);
}

/* One behind the last row of the run that `row` is in. */
static uint64_t end_of_run(const struct keel_mpi_placement *placement, const uint32_t *owner,
                           uint64_t row)
{
    uint64_t end = row + 1;

    while (end < placement->rows && owner[end] == owner[row]) {
        end++;
    }
    return end;
}

static void assert_next(const struct keel_mpi_placement *placement, const uint32_t *owner,
                        uint32_t rank, uint64_t from)
{
    uint64_t row = from, first = 77, last = 77;

    while (row < placement->rows && owner[row] != rank) {
        row++;
    }
    assert_int_equal(keel_mpi_placement_next(placement, rank, from, &first, &last),
                     row < placement->rows);
    if (row < placement->rows) {
        assert_int_equal(first, row);
        assert_int_equal(last, end_of_run(placement, owner, row));
    }
}

/* Every row of a rank is found by its place, alone and with those behind it. */
static void assert_places(const struct keel_mpi_placement *placement, const uint32_t *owner,
                          uint32_t rank, uint64_t most)
{
    uint64_t place = 0, first, last;

    for (uint64_t row = 0; row < placement->rows; row++) {
        if (owner[row] != rank) {
            continue;
        }
        uint64_t end = end_of_run(placement, owner, row);
        assert_true(keel_mpi_placement_at(placement, rank, place++, most, &first, &last));
        assert_int_equal(first, row);
        assert_int_equal(last, end - row > most ? row + most : end);
    }
    assert_false(keel_mpi_placement_at(placement, rank, place, most, &first, &last));
}

static void assert_same(const struct keel_mpi_placement *placement, const uint32_t *owner)
{
    assert_runs(placement, owner);
    for (uint32_t rank = 0; rank < placement->ranks; rank++) {
        for (uint64_t from = 0; from <= placement->rows + 1; from++) {
            assert_next(placement, owner, rank, from);
        }
        assert_places(placement, owner, rank, 1);
        assert_places(placement, owner, rank, 3);
        assert_places(placement, owner, rank, UINT64_MAX);
    }
}

static struct draws draws;

/* Drawn blocks, of which some are empty. */
static void make_some(struct keel_mpi_placement *placement, uint32_t *owner)
{
    uint32_t ranks = 1 + (uint32_t)draws_below(&draws, RANKS_MAX);
    uint64_t rows =
        draws_below(&draws, 3) == 0 ? draws_below(&draws, 3) : draws_below(&draws, ROWS_MAX + 1);
    uint64_t shares[RANKS_MAX] = {0}, row = 0;

    for (uint64_t i = 0; i < rows; i++) {
        shares[draws_below(&draws, ranks)]++;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        for (uint64_t i = 0; i < shares[r]; i++) {
            owner[row++] = r;
        }
    }
    assert_true(keel_mpi_placement_make(placement, ranks, shares));
    assert_int_equal(placement->rows, rows);
    assert_int_equal(placement->ranks, ranks);
}

/* In any order. */
static size_t draw_gifts(const struct keel_mpi_placement *placement,
                         struct keel_mpi_assignment *assignment)
{
    size_t assignments = 0;

    for (uint64_t row = 0; row < placement->rows;) {
        uint64_t last = row + 1 + draws_below(&draws, placement->rows - row);
        if (draws_below(&draws, 2) == 0) {
            uint32_t to = (uint32_t)draws_below(&draws, placement->ranks);
            size_t place = draws_below(&draws, assignments + 1);
            assignment[assignments++] = assignment[place];
            assignment[place] = (struct keel_mpi_assignment){row, last, to};
        }
        row = last + draws_below(&draws, 2);
    }
    return assignments;
}

TEST(many_gifts_do_what_one_after_the_other_do)
{
    for (int i = 0; i < 500; i++) {
        struct keel_mpi_placement placement;
        struct keel_mpi_assignment assignment[ROWS_MAX];
        uint32_t owner[ROWS_MAX];

        make_some(&placement, owner);
        for (int times = 0; times < 4; times++) {
            size_t assignments = draw_gifts(&placement, assignment);
            for (size_t g = 0; g < assignments; g++) {
                for (uint64_t row = assignment[g].first; row < assignment[g].last; row++) {
                    owner[row] = assignment[g].to;
                }
            }
            assert_true(keel_mpi_placement_assign(&placement, assignment, assignments));
            assert_same(&placement, owner);
        }
        keel_mpi_placement_free(&placement);
    }
}

/* --- extremes --- */

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
    uint32_t owner[] = {0, 0, 1, 1, 1};
    struct keel_mpi_placement placement;

    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){2, 3}));
    memory_fails_after(0);
    assert_false(give(&placement, 1, 4, 0));
    assert_true(memory_works());
    assert_same(&placement, owner);
    keel_mpi_placement_free(&placement);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
