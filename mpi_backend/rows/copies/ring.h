/* Which rank holds the copy of whose rows.
 *
 *   machines of all ranks -> [ring] -> each rank sends its copy to one rank, and holds one
 *
 * Pure: no MPI. All ranks come to the same one. */
#ifndef MPI_BACKEND_ROWS_COPIES_RING_H
#define MPI_BACKEND_ROWS_COPIES_RING_H

#include <stdbool.h>
#include <stdint.h>

/* holder[i]: the rank that holds the copy of rank i's rows, which is never i. Each rank holds one.
 * It is on another machine for all ranks, if no machine has more than half of them; else for as
 * many as there are on other machines. machine[i] < ranks: equal where ranks i are on one.
 * ranks >= 2. False: no memory. O(ranks). */
bool keel_mpi_ring_make(uint32_t ranks, const uint32_t *machine, uint32_t *holder);

#endif
