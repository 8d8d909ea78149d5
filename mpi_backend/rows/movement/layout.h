/* Where packed items lie in the memory of a payload. No MPI.
 *
 *   sizes of items, perhaps another rank's -> [layout] -> bytes in all -> memory */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_LAYOUT_H
#define MPI_BACKEND_ROWS_MOVEMENT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that an item of `size` takes, up to where the next one begins. Of sizes that
 * keel_mpi_layout_total() accepts. */
size_t keel_mpi_layout_padded(uint64_t size);

/* Bytes that items of these sizes take together. False: more than memory can hold; the sizes are
 * not to be used. */
bool keel_mpi_layout_total(const uint64_t *size, size_t count, size_t *total);

#endif
