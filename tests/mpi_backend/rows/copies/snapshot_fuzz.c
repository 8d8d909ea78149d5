/* Fuzz target: what another rank may send as a copy of rows is refused, or read within its memory,
 * and all of it comes back. Aborts where that does not hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/copies/snapshot.h"
#include "mpi_backend/rows/movement/layout.h"
#include "tests/mpi_backend/rows/copies/snapshot_rows.h"

/* Items that came, and of how many bytes. */
static unsigned unpacked;
static size_t unpacked_bytes;

static int unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    volatile unsigned char sum = 0;

    (void)context;
    (void)row;
    for (size_t i = 0; i < size; i++) {
        sum = (unsigned char)(sum + ((const unsigned char *)buffer)[i]);
    }
    unpacked++;
    unpacked_bytes += keel_mpi_layout_padded(size);
    return 0;
}

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* A part of a right one is right, and takes as many bytes as was said. */
static void check_part(const struct keel_mpi_rows *rows, const void *copy, uint64_t place,
                       uint64_t count)
{
    size_t bytes = keel_mpi_snapshot_part_bytes(rows, copy, place, count);
    void *part = malloc(bytes);

    keel_mpi_snapshot_part(rows, copy, place, count, part);
    expect(keel_mpi_snapshot_is_right(rows, part, bytes, count), "a part of a copy is wrong");
    free(part);
}

static void check(const struct keel_mpi_rows *rows, const void *copy, size_t bytes)
{
    const struct keel_mpi_snapshot *head = copy;

    unpacked = 0;
    unpacked_bytes = 0;
    keel_mpi_snapshot_give_arrays(rows, copy, 0);
    expect(keel_mpi_snapshot_give_items(rows, copy, 0) == KEEL_MPI_OK, "items do not come");
    expect(unpacked == head->rows * head->kinds, "not all items come");
    expect(unpacked_bytes <= bytes, "items have more bytes than there are");
    for (uint64_t place = 0; place < SNAPSHOT_ROWS; place++) {
        check_part(rows, copy, place, 1);
        check_part(rows, copy, 0, place + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct snapshot_rows made;
    const struct keel_mpi_rows *rows = snapshot_rows_make(&made, unpack);
    void *copy = malloc(bytes + 1); /* as it is where it has come by a message */

    memcpy(copy, data, bytes);
    if (bytes > 0 && keel_mpi_snapshot_is_right(rows, copy, bytes, SNAPSHOT_ROWS)) {
        check(rows, copy, bytes);
    }
    free(copy);
    return 0;
}
