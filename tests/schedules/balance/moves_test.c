/* Moves of rows: by hand, and carried out row by row for any shares. */
#include <stddef.h>
#include <string.h>

#include "schedules/balance/moves.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 24
#define ROWS_MAX 400

static void check_move(const struct keel_move *move, uint32_t from, uint32_t to, uint64_t first,
                       uint64_t rows)
{
    assert_int_equal(move->from, from);
    assert_int_equal(move->to, to);
    assert_int_equal(move->first, first);
    assert_int_equal(move->rows, rows);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
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

/* Bounds of blocks, many of them empty; often only a few differ from equal blocks. */
static void draw_blocks(struct draws *draws, uint32_t workers, uint64_t rows, uint64_t *first)
{
    first[0] = 0;
    first[workers] = rows;
    bool wild = draws_below(draws, 2) == 0;
    for (uint32_t b = 1; b < workers; b++) {
        uint64_t bound =
            wild ? draws_below(draws, rows + 1) : b * rows / workers + draws_below(draws, 3);
        bound = bound > rows ? rows : bound;
        uint32_t place = b;
        for (; place > 1 && first[place - 1] > bound; place--) {
            first[place] = first[place - 1];
        }
        first[place] = bound;
    }
}

static uint32_t block_of(const uint64_t *first, uint64_t row)
{
    uint32_t w = 0;

    while (first[w + 1] <= row) {
        w++;
    }
    return w;
}

/* Carries out a round on the owners of rows. */
static uint64_t carry_out(uint32_t *owner, const struct keel_move *move, size_t moves)
{
    uint32_t before[ROWS_MAX];
    uint64_t rows = 0;

    memcpy(before, owner, sizeof(before));
    for (size_t i = 0; i < moves; i++) {
        assert_int_equal(distance(move[i].from, move[i].to), 1);
        assert_true(move[i].rows > 0);
        for (uint64_t row = move[i].first; row < move[i].first + move[i].rows; row++) {
            assert_int_equal(before[row], move[i].from);
            owner[row] = move[i].to;
        }
        rows += move[i].rows;
    }
    return rows;
}

static void check_adjacent(uint32_t workers, uint64_t rows, const uint64_t *present,
                           const uint64_t *wanted)
{
    struct keel_moves_sum sum = keel_moves_adjacent_sum(workers, present, wanted);
    uint32_t owner[ROWS_MAX] = {0}, farthest = 0;
    uint64_t moved = 0, bounds = 0;

    for (uint64_t row = 0; row < rows; row++) {
        uint32_t steps = (uint32_t)distance(block_of(present, row), block_of(wanted, row));
        owner[row] = block_of(present, row);
        farthest = steps > farthest ? steps : farthest;
    }
    assert_int_equal(sum.rounds, farthest);
    for (uint32_t round = 0; round < sum.rounds; round++) {
        struct keel_move move[WORKERS_MAX];
        size_t count = keel_moves_adjacent_round(workers, present, wanted, round, move);
        assert_in_range(count, 1, workers - 1);
        moved += carry_out(owner, move, count);
        for (uint64_t row = 1; row < rows; row++) { /* still blocks */
            assert_true(owner[row - 1] <= owner[row]);
        }
    }
    for (uint64_t row = 0; row < rows; row++) {
        assert_int_equal(owner[row], block_of(wanted, row));
    }
    for (uint32_t b = 0; b < workers; b++) {
        bounds += distance(present[b], wanted[b]);
    }
    assert_int_equal(moved, bounds);
    assert_int_equal(sum.rows, bounds);
}

TEST(any_blocks_are_carried_out)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 4000; times++) {
        uint64_t present[WORKERS_MAX + 1], wanted[WORKERS_MAX + 1];
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, WORKERS_MAX);
        uint64_t rows = draws_below(&draws, times % 2 == 0 ? 12 : ROWS_MAX);
        draw_blocks(&draws, workers, rows, present);
        draw_blocks(&draws, workers, rows, wanted);
        check_adjacent(workers, rows, present, wanted);
    }
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
    assert_int_equal(keel_moves_adjacent_round(2, blocks, others, 0, move), 1);
    check_move(&move[0], 1, 0, 0, UINT64_MAX);
}

static void draw_shares(struct draws *draws, uint32_t workers, uint64_t *share)
{
    uint64_t first[WORKERS_MAX + 1];
    uint64_t rows = draws_below(draws, ROWS_MAX);

    draw_blocks(draws, workers, rows, first);
    for (uint32_t w = 0; w < workers; w++) {
        share[w] = first[w + 1] - first[w];
    }
}

static void check_any(uint32_t workers, const uint64_t *present, const uint64_t *wanted)
{
    struct keel_move move[WORKERS_MAX];
    size_t moves = keel_moves_any(workers, present, wanted, move);
    bool taken[WORKERS_MAX][ROWS_MAX] = {{0}};
    uint64_t half = 0, moved = 0, got[WORKERS_MAX] = {0};

    assert_true(moves < workers);
    for (size_t i = 0; i < moves; i++) {
        for (uint64_t r = 0; r < move[i].rows; r++) {
            uint64_t first = move[i].first + r;
            assert_in_range(first, wanted[move[i].from], present[move[i].from] - 1);
            assert_false(taken[move[i].from][first]);
            taken[move[i].from][first] = true;
            got[move[i].to]++;
            moved++;
        }
    }
    for (uint32_t w = 0; w < workers; w++) {
        assert_int_equal(got[w], wanted[w] > present[w] ? wanted[w] - present[w] : 0);
        half += distance(present[w], wanted[w]);
    }
    assert_int_equal(2 * moved, half);
    assert_int_equal(2 * keel_moves_any_sum(workers, present, wanted).rows, half);
}

TEST(any_shares_are_carried_out)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 4000; times++) {
        uint64_t present[WORKERS_MAX], wanted[WORKERS_MAX];
        uint32_t workers = 1 + (uint32_t)draws_below(&draws, WORKERS_MAX);
        draw_shares(&draws, workers, present);
        for (uint32_t w = 0; w < workers; w++) { /* the same shares, the other way round */
            wanted[w] = present[workers - 1 - w];
        }
        if (times % 2 == 0) { /* a few rows go from anywhere to anywhere */
            memcpy(wanted, present, sizeof(wanted));
            for (int i = 0; i < 30; i++) {
                uint32_t from = (uint32_t)draws_below(&draws, workers);
                uint64_t some = draws_below(&draws, wanted[from] + 1);
                wanted[from] -= some;
                wanted[draws_below(&draws, workers)] += some;
            }
        }
        check_any(workers, present, wanted);
    }
}
