/* Rows that survive ranks: snapshots of rows, and copies of whole distributions. */
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/copies/copies.h"
#include "mpi_backend/rows/copies/generations.h"
#include "mpi_backend/rows/rows_state.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- snapshots: restoring one gives rows their weights, arrays and items; if unpacking an item
 * fails, no items are left --- */

/* Rows with two arrays and two kinds of items, all on one rank. */
#define ROWS 3
#define ALL 6 /* where they are restored */

struct snapshot_rows {
    struct keel_mpi_rows rows;
    struct keel_mpi_run run;
    uint64_t owned;
    struct keel_mpi_array array[2];
    struct keel_mpi_items_entry items[2];
    double weight[ROWS];
    char wide[ROWS][24], narrow[ROWS][1];
};

static struct keel_mpi_rows *make_rows(struct snapshot_rows *made)
{
    made->run = (struct keel_mpi_run){.first = 0, .owner = 0};
    made->owned = ROWS;
    made->array[0] = (struct keel_mpi_array){
        .next = &made->array[1],
        .store = {.base = made->wide[0], .bytes = sizeof made->wide, .row_bytes = 24}};
    made->array[1] = (struct keel_mpi_array){
        .store = {.base = made->narrow[0], .bytes = sizeof made->narrow, .row_bytes = 1}};
    made->items[0] = (struct keel_mpi_items_entry){.next = &made->items[1]};
    made->items[1] = (struct keel_mpi_items_entry){0};
    made->rows.ranks = 1;
    made->rows.placement = (struct keel_mpi_placement){
        .rows = ROWS, .ranks = 1, .count = 1, .run = &made->run, .owned = &made->owned};
    made->rows.arrays = &made->array[0];
    made->rows.items = &made->items[0];
    made->rows.weights = (struct keel_mpi_store){
        .base = (char *)made->weight, .bytes = sizeof made->weight, .row_bytes = sizeof(double)};
    return &made->rows;
}

/* --- items: kind k of row r has some bytes of value 10 k + r --- */

static const int kind_number[2] = {1, 2};
static int came[2][ALL]; /* of each kind and row: bytes; -1: dropped */
static int fail_row;     /* row whose second item can't be unpacked; < 0: none */

static size_t size_of(void *context, uint64_t row)
{
    return *(const int *)context == 1 ? 3 * row : 20;
}

static int pack(void *context, uint64_t row, void *buffer)
{
    memset(buffer, 10 * *(const int *)context + (int)row, size_of(context, row));
    return 0;
}

/* Rows 0, 1, 2 are restored as rows 2, 4, 5 of rank 1. */
static uint32_t place_of(uint64_t row)
{
    return row == 2 ? 0 : row - 3;
}

static struct keel_mpi_placement placed(void)
{
    static struct keel_mpi_run run[] = {{0, 0}, {2, 1}, {3, 0}, {4, 1}};
    static uint64_t owned[] = {ALL - ROWS, ROWS};

    return (struct keel_mpi_placement){
        .rows = ALL, .ranks = 2, .count = 4, .run = run, .owned = owned};
}

static int unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    int kind = *(const int *)context;

    assert_int_equal(size, size_of(context, place_of(row)));
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(((const unsigned char *)buffer)[i], 10 * kind + (int)place_of(row));
    }
    came[kind - 1][row] = (int)size;
    return kind == 2 && (int)row == fail_row ? 5 : 0;
}

static void drop(void *context, uint64_t row)
{
    came[*(const int *)context - 1][row] = -1;
}

static struct keel_mpi_rows *make(struct snapshot_rows *made)
{
    struct keel_mpi_rows *rows = make_rows(made);

    for (int kind = 0; kind < 2; kind++) {
        made->items[kind].call = (struct keel_mpi_rows_items){
            .context = (void *)&kind_number[kind],
            .size = size_of,
            .pack = pack,
            .unpack = unpack,
            .drop = drop,
        };
    }
    for (int row = 0; row < ROWS; row++) {
        made->weight[row] = 0.5 + row;
        memset(made->wide[row], 'a' + row, sizeof made->wide[row]);
        made->narrow[row][0] = (char)('k' + row);
    }
    return rows;
}

/* --- giving back --- */

static double weight[ALL];
static char wide[ALL][24], narrow[ALL][1];

static int give(struct snapshot_rows *made)
{
    struct keel_mpi_rows *rows = make(made);
    const struct keel_mpi_placement placement = placed();
    size_t bytes = keel_mpi_snapshot_bytes(rows);
    void *copy = malloc(bytes);

    assert_int_equal(keel_mpi_snapshot_make(rows, copy, bytes), KEEL_MPI_OK);
    memset(came, 0, sizeof came);
    rows->weights.base = (char *)weight;
    made->array[0].store.base = wide[0];
    made->array[1].store.base = narrow[0];
    keel_mpi_snapshot_give_arrays(rows, copy, &placement, 1);
    int code = keel_mpi_snapshot_give_items(rows, copy, &placement, 1);
    free(copy);
    return code;
}

TEST(a_copy_gives_back_its_rows)
{
    static struct snapshot_rows made;

    fail_row = -1;
    assert_int_equal(give(&made), KEEL_MPI_OK);
    for (uint64_t row = 0; row < ALL; row++) {
        bool is_in = row == 2 || row >= 4;
        uint64_t place = is_in ? place_of(row) : 0;
        assert_true(weight[row] == (is_in ? made.weight[place] : 0));
        assert_int_equal(narrow[row][0], is_in ? made.narrow[place][0] : 0);
        assert_int_equal(wide[row][0], is_in ? made.wide[place][0] : 0);
        assert_int_equal(wide[row][23], wide[row][0]);
        assert_int_equal(came[1][row], is_in ? 20 : 0);
        assert_int_equal(came[0][row], is_in ? 3 * place : 0);
    }
}

TEST(no_items_are_left_if_one_cannot_be_unpacked)
{
    static struct snapshot_rows made;

    fail_row = 4;
    assert_int_equal(give(&made), KEEL_MPI_CALLBACK);
    assert_int_equal(came[0][2], -1);
    assert_int_equal(came[1][2], -1);
    assert_int_equal(came[0][4], -1);
    assert_int_equal(came[1][4], 20); /* it never was */
    assert_int_equal(came[1][5], 0);
}

/* --- whole copies: each rank holds one copy, not its own, of a rank on another machine if
 * possible. Ranks go back to the latest complete copies. --- */

#define RANKS_MAX 40

static struct draws draws;

/* Returns how many ranks have their copies on their own machine. */
static uint32_t count_near(uint32_t ranks, const uint32_t *machine)
{
    uint32_t holder[RANKS_MAX], near = 0;
    bool holds[RANKS_MAX] = {false};

    assert_true(keel_mpi_copies_ring(ranks, machine, holder));
    for (uint32_t i = 0; i < ranks; i++) {
        assert_true(holder[i] < ranks);
        assert_int_not_equal(holder[i], i);
        assert_false(holds[holder[i]]);
        holds[holder[i]] = true;
        near += machine[holder[i]] == machine[i];
    }
    return near;
}

TEST(a_machine_alone_is_a_ring_of_neighbours)
{
    const uint32_t machine[4] = {0};
    uint32_t holder[4];

    assert_true(keel_mpi_copies_ring(4, machine, holder));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(holder[i], (i + 1) % 4);
    }
}

/* On a machine with more than half of the ranks: as many of them as there are ranks elsewhere. */
TEST(any_machines)
{
    for (int round = 0; round < 5000; round++) {
        uint32_t ranks = 2 + (uint32_t)(draws_next(&draws) % (RANKS_MAX - 1)), machine[RANKS_MAX],
                 largest = 0;
        uint32_t count[RANKS_MAX] = {0}, machines = 1 + (uint32_t)(draws_next(&draws) % ranks);
        for (uint32_t i = 0; i < ranks; i++) {
            machine[i] = (uint32_t)(draws_next(&draws) % machines);
            count[machine[i]]++;
            largest = count[machine[i]] > largest ? count[machine[i]] : largest;
        }
        uint32_t near = count_near(ranks, machine);
        assert_int_equal(near, 2 * largest > ranks ? 2 * largest - ranks : 0);
    }
}

/* --- which generation --- */

static const uint64_t ids[] = {0, 1, 2, 3}, rows_of_all[] = {5, 5, 5, 5};

/* Ranks 0 .. 3, rank i's copy on rank i + 1: the copies of rank `id` when all copies of the step
 * are complete. */
static struct keel_mpi_generation complete(uint64_t id, uint64_t step)
{
    return (struct keel_mpi_generation){1, step, (id + 3) % 4};
}

static int choose(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                  const uint64_t *owned, struct keel_mpi_gone *gone)
{
    struct keel_mpi_epoch epoch[KEEL_MPI_GENERATIONS];
    int chosen[RANKS_MAX] = {0};

    for (uint32_t i = 0; i < survivors; i++) {
        for (int g = 0; g < KEEL_MPI_GENERATIONS; g++) {
            epoch[g] = (struct keel_mpi_epoch){ids, owned, 4};
        }
        chosen[i] = keel_mpi_copies_choose(survivor, survivors, i, epoch, gone);
        assert_int_equal(chosen[i] < 0, chosen[0] < 0);
        if (chosen[0] >= 0) { /* each in its own numbers, all of the same step */
            assert_int_equal(survivor[i].generation[chosen[i]].step,
                             survivor[0].generation[chosen[0]].step);
        }
    }
    keel_mpi_copies_choose(survivor, survivors, 0, epoch, gone);
    return chosen[0];
}

TEST(a_rank_and_its_holder_are_gone)
{
    struct keel_mpi_survivor survivor[] = {
        {.id = 0, .generation = {complete(0, 10), complete(0, 12)}},
        {.id = 3, .generation = {complete(3, 10), complete(3, 12)}},
    };
    static const uint64_t none_there[] = {5, 0, 5, 5};
    struct keel_mpi_gone gone;

    assert_int_equal(choose(survivor, 2, rows_of_all, &gone), -1);
    assert_int_equal(gone.generation, 0);
    assert_int_equal(gone.rank, 1);
    assert_int_equal(choose(survivor, 2, none_there, &gone), 1); /* it had no rows */
    assert_int_equal(choose(survivor, 2, NULL, &gone), -1);      /* each had data */
}

/* Rank 3 is gone, and rank 0, whose copy the first of all holds. */
TEST(a_holder_provides_the_rows_of_a_lost_rank)
{
    const struct keel_mpi_survivor survivor[] = {
        {.id = 1, .generation = {complete(1, 10)}},
        {.id = 2, .generation = {complete(2, 10)}},
    };

    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 0), 0);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 1), 0);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 2), 1);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 10, 3), KEEL_MPI_NO_SURVIVOR);
    assert_int_equal(keel_mpi_copies_provider(survivor, 2, 1, 11, 0), KEEL_MPI_NO_SURVIVOR);
}

TEST(it_is_known_whether_there_were_copies)
{
    struct keel_mpi_survivor survivor[3] = {{.id = 0}, {.id = 1}, {.id = 2}};

    assert_false(keel_mpi_copies_were_whole(survivor, 3));
    for (uint32_t i = 0; i < 3; i++) {
        survivor[i].confirmed = 1;
        assert_true(keel_mpi_copies_were_whole(survivor, 3));
        survivor[i].confirmed = 0;
    }
}

BEFORE_TESTS
{
    draws = draws_begin();
}
