/* Fuzz target: what sizes of items another rank may name, the items lie side by side in the memory
 * that is taken for them. Aborts where that does not hold. The text is a list of sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/movement/layout.h"
#include "tests/fuzz/driver.h"

#define SIZES_MAX (FUZZ_TEXT_MAX / sizeof(uint64_t))

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* The end of the last item, in numbers that cannot overflow. */
static unsigned __int128 end_of(const uint64_t *size, size_t count)
{
    unsigned __int128 end = 0;

    for (size_t i = 0; i < count; i++) {
        end += ((unsigned __int128)size[i] + 15) / 16 * 16;
    }
    return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint64_t size[SIZES_MAX];
    size_t count = bytes / sizeof *size, total, at = 0;

    count = count < SIZES_MAX ? count : SIZES_MAX;
    memcpy(size, data, count * sizeof *size);
    bool fits = keel_mpi_layout_total(size, count, &total);
    expect(fits == (end_of(size, count) <= PTRDIFF_MAX), "sizes are taken, or refused, wrongly");
    if (fits) {
        expect(total == end_of(size, count), "the total is not the sum");
        for (size_t i = 0; i < count; i++) {
            expect(keel_mpi_layout_padded(size[i]) >= size[i],
                   "an item has less room than it needs");
            at += keel_mpi_layout_padded(size[i]);
        }
        expect(at == total, "items end elsewhere");
    }
    return 0;
}
