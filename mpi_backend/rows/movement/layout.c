/* Where packed items lie. */
#include "mpi_backend/rows/movement/layout.h"

#define ALIGNED 16                                   /* items begin at multiples of it */
#define TOTAL_MAX (SIZE_MAX / 2 / ALIGNED * ALIGNED) /* a multiple of it, below PTRDIFF_MAX */

size_t keel_mpi_layout_padded(uint64_t size)
{
    return (size_t)((size + ALIGNED - 1) / ALIGNED * ALIGNED);
}

/* *total is a multiple of ALIGNED, and so is TOTAL_MAX: what fits, fits with its padding. */
bool keel_mpi_layout_total(const uint64_t *size, size_t count, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        if (size[i] > TOTAL_MAX - *total) {
            return false;
        }
        *total += keel_mpi_layout_padded(size[i]);
    }
    return true;
}
