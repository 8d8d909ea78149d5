/* What the items of own rows come to, as the program's functions tell it: so it can be told what
 * moving rows will take before any has moved. And where items lie whose sizes another rank
 * names. */
#include <stddef.h>
#include <stdlib.h>

#include "mpi_backend/rows/movement/movement_room.h"
#include "mpi_backend/rows/rows_state.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define ROWS 5000

static unsigned asked[ROWS];
static unsigned questions;

/* Row 7 has much, all others little. */
static size_t size_of(void *context, uint64_t row)
{
    assert_true(row < ROWS);
    asked[row]++;
    questions++;
    return (row == 7 ? 10000 : 10) * *(const size_t *)context;
}

/* Rank 1 of two has `own` rows behind 5 others. */
static void make(struct keel_mpi_rows *rows, uint64_t own)
{
    const uint64_t shares[] = {5, own};

    *rows = (struct keel_mpi_rows){.rank = 1, .ranks = 2};
    assert_true(keel_mpi_placement_make(&rows->placement, 2, shares));
}

TEST(rows_without_items_have_none)
{
    struct keel_mpi_rows rows;

    make(&rows, 10);
    assert_true(keel_mpi_items_row_bytes(&rows, 1) == 0);
    keel_mpi_placement_free(&rows.placement);
}

TEST(sizes_of_all_kinds_add_up)
{
    size_t once = 1, twice = 2;
    struct keel_mpi_items_entry second = {.call = {.context = &twice, .size = size_of}};
    struct keel_mpi_items_entry first = {&second, {.context = &once, .size = size_of}};
    struct keel_mpi_rows rows;

    for (uint64_t turn = 0; turn < 3; turn++) {
        make(&rows, 10);
        rows.items = &first;
        assert_true(keel_mpi_items_row_bytes(&rows, turn) == 3 * (10000 + 9 * 10) / 10.);
        keel_mpi_placement_free(&rows.placement);
    }
    make(&rows, 0);
    rows.items = &first;
    assert_true(keel_mpi_items_row_bytes(&rows, 0) == 0);
    keel_mpi_placement_free(&rows.placement);
}

TEST(of_many_rows_others_are_asked_in_turn)
{
    size_t once = 1;
    struct keel_mpi_items_entry items = {.call = {.context = &once, .size = size_of}};
    struct keel_mpi_rows rows;

    make(&rows, ROWS - 5);
    rows.items = &items;
    for (uint64_t turn = 0; turn < 100; turn++) {
        questions = 0;
        assert_true(keel_mpi_items_row_bytes(&rows, turn) >= 10);
        assert_in_range(questions, 200, 256);
    }
    for (uint64_t row = 0; row < ROWS; row++) {
        assert_int_equal(asked[row] > 0, row >= 5);
    }
    keel_mpi_placement_free(&rows.placement);
}

/* Small, or near what no memory holds, or any. */
static uint64_t draw_size(struct draws *draws)
{
    uint64_t kind = draws_below(draws, 4), any = draws_next(draws);
    static const uint64_t limits[] = {0, PTRDIFF_MAX, UINT64_MAX / 4, UINT64_MAX};

    return kind < 2 ? any % 50 : kind == 2 ? limits[any % 4] - any / 4 % 40 : any;
}

/* Whatever sizes are, items lie side by side in the memory that is taken for them. */
TEST(items_have_room_or_are_refused)
{
    struct draws draws = draws_begin();

    for (unsigned turn = 0; turn < 300000; turn++) {
        uint64_t size[4], count = draws_below(&draws, 5);
        unsigned __int128 end = 0;
        size_t total, at = 0;
        for (uint64_t i = 0; i < count; i++) {
            size[i] = draw_size(&draws);
            end += ((unsigned __int128)size[i] + 15) / 16 * 16;
        }
        assert_int_equal(keel_mpi_packed_total(size, count, &total), end <= PTRDIFF_MAX);
        for (uint64_t i = 0; end <= PTRDIFF_MAX && i < count; i++) {
            assert_true(keel_mpi_packed_bytes(size[i]) >= size[i]);
            at += keel_mpi_packed_bytes(size[i]);
        }
        assert_true(end > PTRDIFF_MAX || (at == total && total == end));
    }
}
