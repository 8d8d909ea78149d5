/* Moves of rows: by hand, and carried out row by row and message by message for any shares. */
#include <stddef.h>
#include <string.h>

#include "schedules/balance/moves.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 24
#define ROWS_MAX 400
#define MOVES_MAX (WORKERS_MAX * WORKERS_MAX)

static void check_move(const struct keel_move *move, uint32_t from, uint32_t to, uint32_t round,
                       uint64_t first, uint64_t place, uint64_t rows)
{
    assert_int_equal(move->from, from);
    assert_int_equal(move->to, to);
    assert_int_equal(move->round, round);
    assert_int_equal(move->first, first);
    assert_int_equal(move->place, place);
    assert_int_equal(move->rows, rows);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* --- carrying out messages --- */

/* All moves of all workers, each worker's in the order of the list. */
struct job {
    uint32_t workers;
    struct keel_move own[WORKERS_MAX][MOVES_MAX];
    size_t count[WORKERS_MAX];
};

static void begin_job(struct job *job, uint32_t workers)
{
    job->workers = workers;
    memset(job->count, 0, sizeof job->count);
}

static void add_moves(struct job *job, const struct keel_move *move, size_t moves)
{
    for (size_t i = 0; i < moves; i++) {
        job->own[move[i].from][job->count[move[i].from]++] = move[i];
        job->own[move[i].to][job->count[move[i].to]++] = move[i];
    }
}

static bool is_same(const struct keel_move *a, const struct keel_move *b)
{
    return a->from == b->from && a->to == b->to && a->round == b->round && a->first == b->first &&
           a->place == b->place && a->rows == b->rows;
}

/* Every worker makes its moves in turn and waits for its partner each time. Returns in how many
 * steps all are made, each as long as a message; a circle of waiting workers fails. */
static uint32_t synchronous_steps(const struct job *job)
{
    size_t next[WORKERS_MAX] = {0};
    uint32_t steps = 0;

    for (;; steps++) {
        bool busy[WORKERS_MAX] = {0}, left = false, moved = false;
        for (uint32_t w = 0; w < job->workers; w++) {
            if (next[w] == job->count[w]) {
                continue;
            }
            const struct keel_move *move = &job->own[w][next[w]];
            uint32_t to = move->to;
            left = true;
            if (move->from == w && !busy[w] && !busy[to] && next[to] < job->count[to] &&
                is_same(move, &job->own[to][next[to]])) {
                busy[w] = busy[to] = moved = true;
            }
        }
        if (!left) {
            return steps;
        }
        assert_true(moved);
        for (uint32_t w = 0; w < job->workers; w++) {
            next[w] += busy[w];
        }
    }
}

static size_t most_moves(const struct job *job)
{
    size_t most = 0;

    for (uint32_t w = 0; w < job->workers; w++) {
        most = job->count[w] > most ? job->count[w] : most;
    }
    return most;
}

/* --- between neighbours --- */

/* 10 rows of two workers; the first loses 3, then gets them back. */
TEST(two_neighbours)
{
    static const uint64_t even[] = {0, 5, 10}, uneven[] = {0, 2, 10};
    struct keel_move move[2];

    assert_int_equal(keel_moves_adjacent_rounds(2, even, uneven), 1);
    assert_int_equal(keel_moves_adjacent_round(2, even, uneven, 0, move, 2), 1);
    check_move(&move[0], 0, 1, 0, 2, 2, 3);
    assert_int_equal(keel_moves_adjacent_round(2, uneven, even, 0, move, 2), 1);
    check_move(&move[0], 1, 0, 0, 2, 2, 3);
    assert_int_equal(keel_moves_adjacent_rounds(2, even, even), 0);
    assert_int_equal(keel_moves_adjacent_round(2, even, even, 0, move, 2), 0);
}

/* All is with the first of four: rows for the last one pass through the others. */
TEST(rows_pass_through)
{
    static const uint64_t present[] = {0, 8, 8, 8, 8}, wanted[] = {0, 2, 4, 6, 8};
    struct keel_move move[4];
    struct keel_moves_sum sum = keel_moves_adjacent_sum(4, present, wanted);

    assert_int_equal(sum.rounds, 3);
    assert_int_equal(sum.rows, 12);
    assert_int_equal(sum.most_rows, 10); /* the second gets 6 and gives 4 */
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 0, move, 4), 1);
    check_move(&move[0], 0, 1, 0, 2, 2, 6);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 1, move, 4), 1);
    check_move(&move[0], 1, 2, 1, 4, 4, 4);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 2, move, 4), 1);
    check_move(&move[0], 2, 3, 2, 6, 6, 2);
    assert_int_equal(keel_moves_adjacent_round(4, present, wanted, 3, move, 4), 0);
}

/* The middle of three gives to both sides at once; even bounds come first. */
TEST(both_sides_at_once)
{
    static const uint64_t present[] = {0, 1, 9, 10}, wanted[] = {0, 4, 7, 10};
    struct keel_move move[3] = {{0}};

    assert_int_equal(keel_moves_adjacent_rounds(3, present, wanted), 1);
    assert_int_equal(keel_moves_adjacent_round(3, present, wanted, 0, move, 1), 2);
    check_move(&move[0], 1, 2, 0, 7, 7, 2);
    assert_int_equal(move[1].rows, 0); /* beyond the capacity */
    assert_int_equal(keel_moves_adjacent_round(3, present, wanted, 0, move, 3), 2);
    check_move(&move[1], 1, 0, 0, 1, 1, 3);
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
    static struct job job;
    struct keel_moves_sum sum = keel_moves_adjacent_sum(workers, present, wanted);
    uint32_t owner[ROWS_MAX] = {0}, farthest = 0;
    uint64_t moved = 0, bounds = 0;

    for (uint64_t row = 0; row < rows; row++) {
        uint32_t steps = (uint32_t)distance(block_of(present, row), block_of(wanted, row));
        owner[row] = block_of(present, row);
        farthest = steps > farthest ? steps : farthest;
    }
    assert_int_equal(sum.rounds, farthest);
    begin_job(&job, workers);
    for (uint32_t round = 0; round < sum.rounds; round++) {
        struct keel_move move[WORKERS_MAX];
        size_t count =
            keel_moves_adjacent_round(workers, present, wanted, round, move, WORKERS_MAX);
        assert_in_range(count, 1, workers - 1);
        moved += carry_out(owner, move, count);
        add_moves(&job, move, count);
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
    assert_true(synchronous_steps(&job) <= 2 * sum.rounds);
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

    assert_int_equal(keel_moves_any(3, present, wanted, move, 2), 2);
    check_move(&move[0], 0, 1, 0, 1, 0, UINT64_MAX - 2);
    check_move(&move[1], 0, 2, 0, UINT64_MAX - 1, 0, 1);
    assert_int_equal(keel_moves_adjacent_round(2, blocks, others, 0, move, 2), 1);
    check_move(&move[0], 1, 0, 0, 0, 0, UINT64_MAX);
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
    static struct job job;
    struct keel_move move[WORKERS_MAX];
    size_t moves = keel_moves_any(workers, present, wanted, move, WORKERS_MAX);
    bool taken[WORKERS_MAX][ROWS_MAX] = {{0}}, filled[WORKERS_MAX][ROWS_MAX] = {{0}};
    uint64_t half = 0, moved = 0;

    assert_true(moves < workers);
    for (size_t i = 0; i < moves; i++) {
        for (uint64_t r = 0; r < move[i].rows; r++) {
            uint64_t first = move[i].first + r, place = move[i].place + r;
            assert_in_range(first, wanted[move[i].from], present[move[i].from] - 1);
            assert_in_range(place, present[move[i].to], wanted[move[i].to] - 1);
            assert_false(taken[move[i].from][first]);
            assert_false(filled[move[i].to][place]);
            taken[move[i].from][first] = filled[move[i].to][place] = true;
            moved++;
        }
    }
    begin_job(&job, workers);
    add_moves(&job, move, moves);
    for (uint32_t w = 0; w < workers; w++) {
        half += distance(present[w], wanted[w]);
    }
    assert_int_equal(2 * moved, half);
    assert_int_equal(2 * keel_moves_any_sum(workers, present, wanted).rows, half);
    assert_true(synchronous_steps(&job) <= most_moves(&job) + 1);
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
