/* Moves of rows, by hand: policies and their simulations carry them out for any shares. */
#include <stddef.h>

#include "schedules/balance/moves.h"
#include "tests/support/unit.h"

static void check_move(const struct keel_move *move, uint32_t from, uint32_t to, uint64_t first,
                       uint64_t rows)
{
    assert_int_equal(move->from, from);
    assert_int_equal(move->to, to);
    assert_int_equal(move->first, first);
    assert_int_equal(move->rows, rows);
}

/* --- between neighbours --- */

/* All is with the first of four: rows for the last one pass through the others. */
TEST(rows_pass_through)
{
    static const uint64_t present[] = {0, 8, 8, 8, 8}, wanted[] = {0, 2, 4, 6, 8};
    struct keel_move move[4];
    struct keel_moves_sum sum = keel_moves_adjacent_sum(4, present, wanted);

    assert_int_equal(sum.rounds, 3);
    assert_int_equal(sum.rows, 12);
    assert_int_equal(sum.most_rows, 10); /* the second gets 6 and gives 4 */
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 0, move), 1);
    check_move(&move[0], 0, 1, 2, 6);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 1, move), 1);
    check_move(&move[0], 1, 2, 4, 4);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 2, move), 1);
    check_move(&move[0], 2, 3, 6, 2);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 3, move), 0);
}

/* The middle of three gives to both sides at once. */
TEST(both_sides_at_once)
{
    static const uint64_t present[] = {0, 1, 9, 10}, wanted[] = {0, 4, 7, 10};
    struct keel_move move[2];

    assert_int_equal(keel_moves_adjacent_rounds(3, present, wanted), 1);
    assert_int_equal(keel_moves_adjacent_round(3, present, wanted, 0, move), 2);
    check_move(&move[0], 1, 0, 1, 3);
    check_move(&move[1], 1, 2, 7, 2);
}

/* --- from surplus to shortage --- */

TEST(huge_shares_do_not_overflow)
{
    static const uint64_t present[] = {UINT64_MAX, 0, 0}, wanted[] = {1, UINT64_MAX - 2, 1};
    static const uint64_t blocks[] = {0, 0, UINT64_MAX}, others[] = {0, UINT64_MAX, UINT64_MAX};
    struct keel_move move[2];

    assert_int_equal(keel_moves_any(3, present, wanted, move), 2);
    check_move(&move[0], 0, 1, 1, UINT64_MAX - 2);
    check_move(&move[1], 0, 2, UINT64_MAX - 1, 1);
    assert_true(keel_moves_any_sum(3, present, wanted).rows == UINT64_MAX - 1);
    assert_int_equal(keel_moves_adjacent_round(2, blocks, others, 0, move), 1);
    check_move(&move[0], 1, 0, 0, UINT64_MAX);
}
