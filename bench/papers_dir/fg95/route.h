/* Records of one size go to the ranks that they are for. */
#ifndef BENCH_PAPERS_DIR_FG95_ROUTE_H
#define BENCH_PAPERS_DIR_FG95_ROUTE_H

#include <mpi.h>
#include <stddef.h>

/* Sends record i, of `size` bytes at records + i * size, to rank to[i]; those for a rank stay in
 * their order. *arrived gets those for this rank, in the order of who sent them, in memory for
 * free(). Returns how many. Fewer than 2^31 bytes each way. Collective. */
int route(MPI_Comm comm, const void *records, int count, size_t size, const int *to,
          void **arrived);

/* The records of all ranks come to all ranks, in the order of ranks. */
int route_to_all(MPI_Comm comm, const void *records, int count, size_t size, void **arrived);

#endif
