/* Moving rows: pieces of copies, and the bytes of items. */
#include <stdlib.h>

#include "mpi_backend/rows/copies/generations.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "mpi_backend/rows/rows_state.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- pieces: rows are restored when ranks have ended: every row once, and on the right rank --- */

#define RANKS_MAX 12
#define ROWS_MAX 200
#define NONE KEEL_MPI_NO_SURVIVOR

static struct draws draws;

static uint32_t draw(uint64_t below)
{
    return (uint32_t)(draws_next(&draws) % below);
}

struct drawn {
    struct keel_mpi_placement before;
    uint32_t survivor[RANKS_MAX], provider[RANKS_MAX];
    struct keel_mpi_recovery recovery;
};

static void draw_survivors(struct drawn *drawn, uint32_t ranks)
{
    uint32_t survivors = 0, always = draw(ranks);

    for (uint32_t i = 0; i < ranks; i++) {
        drawn->survivor[i] = i == always || draw(2) == 0 ? survivors++ : NONE;
    }
    for (uint32_t i = 0; i < ranks; i++) {
        drawn->provider[i] = drawn->survivor[i] != NONE ? drawn->survivor[i] : draw(survivors);
    }
    drawn->recovery = (struct keel_mpi_recovery){&drawn->before, drawn->survivor, drawn->provider,
                                                 survivors, draw(2) == 0};
}

static void draw_placement(struct drawn *drawn, uint32_t ranks)
{
    uint64_t share[RANKS_MAX];

    for (uint32_t i = 0; i < ranks; i++) {
        share[i] = draw(3) > 0 ? draw(ROWS_MAX / RANKS_MAX) : 0;
    }
    assert_true(keel_mpi_placement_make(&drawn->before, ranks, share));
    for (int i = 0; i < 10 && !drawn->recovery.adjacent && drawn->before.rows > 0; i++) {
        uint64_t first = draw(drawn->before.rows);
        struct keel_mpi_transfer one = {0, draw(ranks), first, first + 1};
        assert_true(keel_mpi_placement_assign(&drawn->before, &one, 1));
    }
}

static uint32_t owner_before(const struct drawn *drawn, uint64_t row)
{
    return drawn->before.run[keel_mpi_placement_find(&drawn->before, row)].owner;
}

static void check_pieces(const struct drawn *drawn, const struct keel_mpi_transfer *piece,
                         size_t pieces)
{
    uint64_t row = 0;

    for (size_t i = 0; i < pieces; i++) {
        assert_int_equal(piece[i].first, row);
        assert_true(piece[i].last > row);
        assert_true(piece[i].to < drawn->recovery.survivors);
        for (; row < piece[i].last; row++) {
            uint32_t of = owner_before(drawn, row);
            assert_int_equal(piece[i].from, drawn->provider[of]);
            assert_true(drawn->survivor[of] == NONE || piece[i].to == drawn->survivor[of]);
        }
        if (drawn->recovery.adjacent && i > 0) {
            assert_true(piece[i].to >= piece[i - 1].to);
        }
    }
    assert_int_equal(row, drawn->before.rows);
}

/* Returns how many rows of ended ranks a survivor gets. */
static uint64_t gets(const struct drawn *drawn, const struct keel_mpi_transfer *piece,
                     size_t pieces, uint32_t survivor)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < pieces; i++) {
        bool gone = drawn->survivor[owner_before(drawn, piece[i].first)] == NONE;
        rows += gone && piece[i].to == survivor ? piece[i].last - piece[i].first : 0;
    }
    return rows;
}

static void check_shares(const struct drawn *drawn, const struct keel_mpi_transfer *piece,
                         size_t pieces)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (uint32_t i = 0; i < drawn->recovery.survivors; i++) {
        uint64_t rows = gets(drawn, piece, pieces, i);
        least = rows < least ? rows : least;
        most = rows > most ? rows : most;
    }
    assert_true(drawn->recovery.adjacent || most - least <= 1);
}

TEST(every_row_comes_back_once)
{
    for (int round = 0; round < 5000; round++) {
        struct keel_mpi_placement after;
        struct drawn drawn;
        uint32_t ranks = 1 + draw(RANKS_MAX);
        draw_survivors(&drawn, ranks);
        draw_placement(&drawn, ranks);
        size_t room = keel_mpi_recovery_room(&drawn.recovery);
        struct keel_mpi_transfer *piece = malloc(room * sizeof *piece);
        size_t pieces = keel_mpi_recovery_pieces(&drawn.recovery, piece);
        assert_true(pieces <= room);
        check_pieces(&drawn, piece, pieces);
        check_shares(&drawn, piece, pieces);
        assert_true(keel_mpi_recovery_placement(&drawn.recovery, piece, pieces, &after));
        assert_int_equal(after.rows, drawn.before.rows);
        for (size_t i = 0; i < pieces; i++) {
            size_t run = keel_mpi_placement_find(&after, piece[i].first);
            assert_int_equal(after.run[run].owner, piece[i].from);
            assert_true(keel_mpi_placement_end(&after, run) >= piece[i].last);
        }
        keel_mpi_placement_free(&after);
        keel_mpi_placement_free(&drawn.before);
        free(piece);
    }
}

TEST(neighbours_get_one_half_each)
{
    static const uint64_t share[] = {10, 4, 6, 10};
    static const uint32_t survivor[] = {0, NONE, NONE, 1}, provider[] = {0, 1, 0, 1};
    struct keel_mpi_placement before;
    struct keel_mpi_recovery recovery = {&before, survivor, provider, 2, true};
    struct keel_mpi_transfer piece[10];

    assert_true(keel_mpi_placement_make(&before, 4, share));
    size_t pieces = keel_mpi_recovery_pieces(&recovery, piece);
    for (size_t i = 0; i < pieces; i++) {
        assert_int_equal(piece[i].to, piece[i].first < 15 ? 0 : 1);
        assert_true(piece[i].last <= 15 || piece[i].first >= 15);
    }
    assert_int_equal(piece[pieces - 1].last, 30);
    keel_mpi_placement_free(&before);
}

BEFORE_TESTS
{
    draws = draws_begin();
}

/* --- bytes of items: the mean of own rows, from the program's functions, by which the cost of
 * moving rows is estimated before any has moved. And the layout of items whose sizes another rank
 * sends. --- */

#define ROWS 5000

static unsigned asked[ROWS];
static unsigned questions;

/* Row 7 has many bytes, all others few. */
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

TEST(if_rows_are_many_different_ones_are_asked_in_turn)
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

/* Small, or near the limit of memory, or any. */
static uint64_t draw_size(struct draws *draws)
{
    uint64_t kind = draws_below(draws, 4), any = draws_next(draws);
    static const uint64_t limits[] = {0, PTRDIFF_MAX, UINT64_MAX / 4, UINT64_MAX};

    return kind < 2 ? any % 50 : kind == 2 ? limits[any % 4] - any / 4 % 40 : any;
}

/* Whatever sizes are, items lie side by side in the memory that is allocated for them. */
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
