/* Rows whose items take 4 MiB move from rank to rank; then the program's own blocks of 2 MiB are
 * mapped and given back as before.
 *
 *   threshold */
#include <malloc.h>
#include <stdbool.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/check.h"
#include "tests/support/rank_checks.h"

enum { ROWS = 6, STEPS = 6, ITEM_BYTES = 1 << 22, OWN_BYTES = 1 << 21 };

static char item[ITEM_BYTES]; /* in nobody's heap */
static int came;

static bool is_mapped(size_t bytes)
{
    size_t before = mallinfo2().hblks;
    char *volatile block = malloc(bytes);
    bool mapped = mallinfo2().hblks > before;

    free(block);
    return mapped;
}

static size_t size(void *context, uint64_t row)
{
    (void)context;
    (void)row;
    return ITEM_BYTES;
}

static int pack(void *context, uint64_t row, void *buffer)
{
    (void)context;
    memset(buffer, (int)row, ITEM_BYTES);
    return 0;
}

static int unpack(void *context, uint64_t row, const void *buffer, size_t bytes)
{
    (void)context;
    memcpy(item, buffer, bytes);
    CHECK(item[0] == (char)row, "row %d has come in place of row %d", item[0], (int)row);
    came++;
    return 0;
}

static void drop(void *context, uint64_t row)
{
    (void)context;
    (void)row;
}

static void check_blocks(void)
{
    struct keel_mpi_rows_items items = {sizeof items, NULL, size, pack, unpack, drop};
    struct keel_mpi_rows *rows;
    uint64_t computed = 0, first, last;
    int most;

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, ROWS, KEEL_MPI_ADJACENT, &rows), KEEL_MPI_OK);
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

int main(int arguments, char **argument)
{
    static const struct rank_check checks[] = {{"blocks", check_blocks}};

    return rank_checks_main(checks, 1, arguments, argument, MPI_THREAD_FUNNELED);
}
