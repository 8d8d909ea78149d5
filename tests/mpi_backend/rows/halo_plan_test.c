/* Plans of halos, against every pair of rows: what a rank receives is what it has around its own
 * rows and others have, each row once, and is what its owner sends. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include "mpi_backend/rows/halo/halo_plan.h"
#include "tests/support/draws.h"
#include "tests/support/failing_memory.h"
#include "tests/support/unit.h"

/* --- drawn placements --- */

#define ROWS_MAX 40
#define RANKS_MAX 8

static struct draws draws;

struct drawn {
    struct keel_mpi_placement placement;
    uint64_t halo, most;
    uint32_t owner[ROWS_MAX];
    struct keel_mpi_halo_plan plan[RANKS_MAX];
};

static void give(struct drawn *drawn)
{
    uint64_t rows = drawn->placement.rows, first = draws_below(&draws, rows + 1);
    uint64_t last = first + draws_below(&draws, rows - first + 1);
    uint32_t to = (uint32_t)draws_below(&draws, drawn->placement.ranks);

    struct keel_mpi_assignment assignment = {first, last, to};
    assert_true(keel_mpi_placement_assign(&drawn->placement, &assignment, 1));
    for (uint64_t row = first; row < last; row++) {
        drawn->owner[row] = to;
    }
}

static void draw_placement(struct drawn *drawn)
{
    uint32_t ranks = 1 + (uint32_t)draws_below(&draws, RANKS_MAX);
    uint64_t rows = draws_below(&draws, draws_below(&draws, 3) == 0 ? 4 : ROWS_MAX + 1);
    uint64_t shares[RANKS_MAX] = {0}, row = 0;

    for (uint64_t i = 0; i < rows; i++) {
        shares[draws_below(&draws, ranks)]++;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        for (uint64_t i = 0; i < shares[r]; i++) {
            drawn->owner[row++] = r;
        }
    }
    assert_true(keel_mpi_placement_make(&drawn->placement, ranks, shares));
    for (uint64_t gives = draws_below(&draws, 2) * draws_below(&draws, 15); gives > 0; gives--) {
        give(drawn);
    }
    drawn->halo =
        draws_below(&draws, 4) == 0 ? UINT64_MAX - draws_below(&draws, 3) : draws_below(&draws, 8);
    drawn->most = draws_below(&draws, 2) == 0 ? INT_MAX : 1 + draws_below(&draws, 4);
}

static void make_plans(struct drawn *drawn)
{
    for (uint32_t r = 0; r < drawn->placement.ranks; r++) {
        assert_true(keel_mpi_halo_plan_make(&drawn->plan[r], &drawn->placement, r, drawn->halo,
                                            drawn->most));
    }
}

static void free_plans(struct drawn *drawn)
{
    for (uint32_t r = 0; r < drawn->placement.ranks; r++) {
        keel_mpi_halo_plan_free(&drawn->plan[r]);
    }
}

/* --- what plans have to be --- */

/* Whether the rank has that row, or one at most a halo away. */
static bool is_here(const struct drawn *drawn, uint32_t rank, uint64_t row)
{
    for (uint64_t own = 0; own < drawn->placement.rows; own++) {
        uint64_t distance = own < row ? row - own : own - row;
        if (drawn->owner[own] == rank && distance <= drawn->halo) {
            return true;
        }
    }
    return false;
}

static bool is_in(const struct keel_mpi_range_list *ranges, uint64_t row)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->range[i].first <= row && row < ranges->range[i].last) {
            return true;
        }
    }
    return false;
}

static void assert_ranges(const struct drawn *drawn, uint32_t rank)
{
    const struct keel_mpi_range_list *here = &drawn->plan[rank].here;

    for (uint64_t row = 0; row < drawn->placement.rows; row++) {
        assert_int_equal(is_in(&drawn->plan[rank].own, row), drawn->owner[row] == rank);
        assert_int_equal(is_in(here, row), is_here(drawn, rank, row));
    }
    for (size_t i = 1; i < here->count; i++) {
        assert_true(here->range[i].first > here->range[i - 1].last);
    }
}

/* Every row of the halo comes, once, from its owner, and nothing else. */
static void assert_complete(const struct drawn *drawn, uint32_t rank)
{
    const struct keel_mpi_halo_pieces *receives = &drawn->plan[rank].receives;
    unsigned times[ROWS_MAX] = {0};

    for (size_t i = 0; i < receives->count; i++) {
        const struct keel_mpi_halo_piece *piece = &receives->piece[i];
        assert_true(piece->first < piece->last && piece->last <= drawn->placement.rows);
        for (uint64_t row = piece->first; row < piece->last; row++) {
            assert_int_equal(piece->rank, drawn->owner[row]);
            times[row]++;
        }
    }
    for (uint64_t row = 0; row < drawn->placement.rows; row++) {
        assert_int_equal(times[row],
                         drawn->owner[row] != rank && is_here(drawn, rank, row) ? 1 : 0);
    }
}

/* In order, and none could have gone with the one before it. */
static void assert_long(const struct drawn *drawn, const struct keel_mpi_halo_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        const struct keel_mpi_halo_piece *piece = &pieces->piece[i], *before = piece - 1;
        assert_true(piece->last - piece->first <= drawn->most);
        if (i > 0 && piece->rank == before->rank) {
            assert_true(
                piece->first > before->last ||
                (piece->first == before->last && before->last - before->first == drawn->most));
        }
        assert_true(i == 0 || piece->rank >= before->rank);
    }
}

/* The number of the next piece, from `i` on, of that rank. */
static size_t next_of(const struct keel_mpi_halo_pieces *pieces, size_t i, uint32_t rank)
{
    while (i < pieces->count && pieces->piece[i].rank != rank) {
        i++;
    }
    return i;
}

/* What `to` receives from `from` is what that sends. */
static void assert_symmetric(const struct drawn *drawn, uint32_t from, uint32_t to)
{
    const struct keel_mpi_halo_pieces *sends = &drawn->plan[from].sends;
    const struct keel_mpi_halo_pieces *receives = &drawn->plan[to].receives;
    size_t s = next_of(sends, 0, to), r = next_of(receives, 0, from);

    while (s < sends->count && r < receives->count) {
        assert_int_equal(sends->piece[s].first, receives->piece[r].first);
        assert_int_equal(sends->piece[s].last, receives->piece[r].last);
        s = next_of(sends, s + 1, to);
        r = next_of(receives, r + 1, from);
    }
    assert_int_equal(s, sends->count);
    assert_int_equal(r, receives->count);
}

TEST(drawn_plans_bring_what_is_around_own_rows)
{
    for (int i = 0; i < 1000; i++) {
        struct drawn drawn;

        draw_placement(&drawn);
        make_plans(&drawn);
        for (uint32_t a = 0; a < drawn.placement.ranks; a++) {
            assert_ranges(&drawn, a);
            assert_complete(&drawn, a);
            assert_long(&drawn, &drawn.plan[a].receives);
            assert_long(&drawn, &drawn.plan[a].sends);
            for (uint32_t b = 0; b < drawn.placement.ranks; b++) {
                assert_symmetric(&drawn, a, b);
            }
        }
        free_plans(&drawn);
        keel_mpi_placement_free(&drawn.placement);
    }
}

/* --- extremes --- */

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

/* --- without memory --- */

TEST(without_memory_there_is_no_plan)
{
    unsigned failures = 0;

    for (int i = 0; i < 30; i++) {
        struct drawn drawn;
        struct keel_mpi_halo_plan plan;

        draw_placement(&drawn);
        for (unsigned calls = 0;; calls++) {
            memory_fails_once_after(calls);
            bool room = keel_mpi_halo_plan_make(&plan, &drawn.placement, 0, drawn.halo, drawn.most);
            assert_int_equal(room, !memory_works());
            if (room) {
                break;
            }
            failures++;
            assert_null(plan.own.range);
            assert_null(plan.here.range);
            assert_null(plan.receives.piece);
            assert_null(plan.sends.piece);
            assert_int_equal(plan.receives.count + plan.sends.count, 0);
        }
        assert_int_equal(keel_mpi_range_list_iterations(&plan.own), drawn.placement.owned[0]);
        keel_mpi_halo_plan_free(&plan);
        keel_mpi_placement_free(&drawn.placement);
    }
    assert_true(failures > 30);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
