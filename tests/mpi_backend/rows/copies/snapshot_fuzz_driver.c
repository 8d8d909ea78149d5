/* Feeds snapshot_fuzz with copies of rows, and what is made from them. */
#include <string.h>

#include "mpi_backend/rows/copies/snapshot.h"
#include "tests/fuzz/driver.h"
#include "tests/mpi_backend/rows/copies/snapshot_rows.h"

#define SEEDS 3
#define BYTES 600

static size_t item_size[SEEDS][2] = {{0, 0}, {5, 16}, {40, 1}}; /* of the two kinds */

static size_t size(void *context, uint64_t row)
{
    return *(const size_t *)context + (row > 1);
}

static int pack(void *context, uint64_t row, void *buffer)
{
    memset(buffer, (int)row + 1, size(context, row));
    return 0;
}

static size_t make(unsigned seed, char *copy)
{
    static struct snapshot_rows made;
    struct keel_mpi_rows *rows = snapshot_rows_make(&made, NULL);

    for (unsigned kind = 0; kind < 2; kind++) {
        made.items[kind].call.context = &item_size[seed][kind];
        made.items[kind].call.size = size;
        made.items[kind].call.pack = pack;
    }
    if (seed == 0) {
        rows->items = NULL;
    }
    size_t bytes = keel_mpi_snapshot_bytes(rows);
    return bytes <= BYTES && keel_mpi_snapshot_make(rows, copy, bytes) == KEEL_MPI_OK ? bytes : 0;
}

static const char *const pieces[] = {
    "",     "\x01", "\x03", "\x08", "\x10",
    "\x11", "\x7f", "\x80", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff"};

int main(int count, char **arguments)
{
    static char copy[SEEDS][BYTES];
    static const char *seeds[SEEDS];
    static size_t length[SEEDS];
    const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_length = length,
        .seed_count = SEEDS,
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = "",
        .text_max = BYTES,
        .edits_max = 4,
    };

    for (unsigned i = 0; i < SEEDS; i++) {
        seeds[i] = copy[i];
        length[i] = make(i, copy[i]);
        if (length[i] == 0) {
            return 3;
        }
    }
    return fuzz_drive(&texts, count, arguments);
}
