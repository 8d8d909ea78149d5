/* Which rank holds the copies of which other one: a ring over the machines of all ranks. */
#ifndef MPI_BACKEND_ROWS_COPIES_HOLDERS_H
#define MPI_BACKEND_ROWS_COPIES_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"

/* holder[i]: of rank i's copies, as keel_mpi_ring_make() has it. Two ranks or more. The same on all
 * of them. False: no memory. Local. */
bool keel_mpi_holders_find(const struct keel_mpi_peers *peers, uint32_t *holder);

/* The rank whose copies `rank` holds. */
uint32_t keel_mpi_holders_held_of(const uint32_t *holder, uint32_t ranks, uint32_t rank);

#endif
