/* Rows whose costs differ, among real ranks: weights follow from times of loops over own rows; and
 * rows whose items take 4 MiB. `row_costs CHECK...`, under mpirun. */
#include <malloc.h>

#include "tests/mpi_backend/rows/world.h"

enum { ROWS = 40, HEAVY = 25 };

static volatile double sink;

/* Rows from HEAVY on take 30 times as long as the others. */
static void work_on(uint64_t row)
{
    double sum = 0;

    for (int i = 0; i < (row >= HEAVY ? 60000 : 2000); i++) {
        sum = (double)i - sum * 0.5;
    }
    sink = sum;
}

static void compute(struct keel_mpi_rows *rows, unsigned how)
{
    uint64_t first, last, count;
    const uint64_t *row;

    if (how == KEEL_MPI_ADJACENT) {
        keel_mpi_rows_bounds(rows, &first, &last);
#pragma omp parallel for schedule(runtime)
        for (uint64_t i = first; i < last; i++) {
            work_on(i);
        }
    } else {
        keel_mpi_rows_list(rows, &row, &count);
#pragma omp parallel for schedule(runtime)
        for (uint64_t i = 0; i < count; i++) {
            work_on(row[i]);
        }
    }
}

/* Own rows that are heavy. */
static uint64_t count_heavy(struct keel_mpi_rows *rows, uint64_t *count)
{
    const uint64_t *row;
    uint64_t heavy = 0;

    keel_mpi_rows_list(rows, &row, count);
    for (uint64_t i = 0; i < *count; i++) {
        heavy += row[i] >= HEAVY;
    }
    return heavy;
}

/* Balance calls at which weights were checked, and at which they were right. */
struct tally {
    int looked, in_order, in_scale;
};

/* Rows of a rank with heavy rows only weigh more than those of a rank without any, and all rows
 * weigh 1 on average. Not at each balance call: a rank that loses its processor within a loop seems
 * to have heavy rows. */
static void look_at_weights(struct world *world, struct tally *tally)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t count, heavy = count_heavy(world->rows, &count);
    double sum, weight, light_most, heavy_least;

    keel_mpi_rows_report(world->rows, &report);
    weight = count > 0 ? report.work / (double)count : 0;
    double light = heavy == 0 ? weight : 0, heavy_one = heavy == count && count > 0 ? weight : 1e9;
    MPI_Allreduce(&report.work, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&light, &light_most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&heavy_one, &heavy_least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    tally->looked++;
    tally->in_order += light_most < heavy_least;
    /* on a busy machine, ranks are taken to differ in speed; without a scale, rows weigh ns */
    tally->in_scale += sum > 0.1 * ROWS && sum < 10 * ROWS;
}

static void check_weights(const struct tally *tally)
{
    CHECK(2 * tally->in_order > tally->looked, "light rows weigh less at %d of %d balance calls",
          tally->in_order, tally->looked);
    CHECK(2 * tally->in_scale > tally->looked, "rows weigh 1 on average at %d of %d balance calls",
          tally->in_scale, tally->looked);
}

static void run(unsigned how, bool tells)
{
    static const double one[ROWS] = {[0 ... ROWS - 1] = 1};
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    int calls = check_nightly() ? 300 : 150;
    struct tally tally = {0};
    struct world world;
    uint64_t count;

    name_context(ROWS, how, "row costs");
    open_world(&world, ROWS, how, true);
    for (int call = 0; call < calls; call++) {
        compute(world.rows, how);
        if (tells && rank == 0 && how == KEEL_MPI_ADJACENT) {
            uint64_t first, last;
            keel_mpi_rows_bounds(world.rows, &first, &last);
            keel_mpi_rows_weigh(world.rows, first, last, one);
        }
        RETURNS(keel_mpi_rows_balance(world.rows, NULL), KEEL_MPI_OK);
        if (tells || call < calls / 3) {
            MPI_Barrier(MPI_COMM_WORLD);
        } else {
            look_at_weights(&world, &tally);
        }
    }
    if (tells) {
        keel_mpi_rows_report(world.rows, &report);
        count_heavy(world.rows, &count);
        CHECK(report.work == (double)count, "%lu rows weigh %g", count, report.work);
    } else {
        check_weights(&tally);
    }
    check_world(&world);
    close_world(&world);
}

RANK_CHECK(blocks)
{
    run(KEEL_MPI_ADJACENT, false);
}

RANK_CHECK(any)
{
    run(KEEL_MPI_ANY, false);
}

/* If the program sets weights on one rank, none are measured. */
RANK_CHECK(weights_set)
{
    run(KEEL_MPI_ADJACENT, true);
}

/* --- the heap: the program's own blocks are mapped and unmapped as before rows have moved --- */

enum { ITEM_ROWS = 6, STEPS = 6, ITEM_BYTES = 1 << 22, OWN_BYTES = 1 << 21 };

static char item[ITEM_BYTES]; /* not on a heap */
static int came;

static bool is_mapped(size_t bytes)
{
    size_t before = mallinfo2().hblks;
    char *volatile block = malloc(bytes);
    bool mapped = mallinfo2().hblks > before;

    free(block);
    return mapped;
}

static size_t item_size(void *context, uint64_t row)
{
    return ITEM_BYTES;
}

static int pack_item(void *context, uint64_t row, void *buffer)
{
    memset(buffer, (int)row, ITEM_BYTES);
    return 0;
}

static int unpack_item(void *context, uint64_t row, const void *buffer, size_t bytes)
{
    memcpy(item, buffer, bytes);
    CHECK(item[0] == (char)row, "row %d has arrived instead of row %d", item[0], (int)row);
    came++;
    return 0;
}

static void drop_item(void *context, uint64_t row) {}

RANK_CHECK(heap)
{
    struct keel_mpi_rows_items items = {sizeof items, NULL,        item_size,
                                        pack_item,    unpack_item, drop_item};
    struct keel_mpi_rows *rows;
    uint64_t computed = 0, first, last;
    int most;

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, ITEM_ROWS, KEEL_MPI_ADJACENT, &rows), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_items(rows, &items), KEEL_MPI_OK);
    for (int step = 0; step < STEPS; step++) {
        RETURNS(keel_mpi_rows_bounds(rows, &first, &last), KEEL_MPI_OK);
        keel_mpi_rows_work_begin(rows);
        for (uint64_t i = 0; i < 100000 * (last - first); i++) {
            computed += i ^ *(volatile uint64_t *)&computed;
        }
        keel_mpi_rows_work_end(rows);
        RETURNS(keel_mpi_rows_balance(rows, NULL), KEEL_MPI_OK);
    }
    MPI_Allreduce(&came, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(most > 0, "no row has moved");
    CHECK(is_mapped(OWN_BYTES), "Keel's blocks have raised the size from which blocks are mapped");
    RETURNS(keel_mpi_rows_free(&rows), KEEL_MPI_OK);
}

RANK_CHECKS_MAIN(MPI_THREAD_FUNNELED)
