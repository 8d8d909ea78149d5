/* What nbody.c and domains.c have in common: records that go to ranks, and what they print in the
 * end of how a run went. */
#ifndef BENCH_PAPERS_DIR_FG95_OUTCOME_H
#define BENCH_PAPERS_DIR_FG95_OUTCOME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/papers_dir/fg95/cluster.h"

/* --- records of one size go to the ranks that they are for --- */

/* Sends record i, of `size` bytes at records + i * size, to rank to[i]; those for a rank stay in
 * their order. *arrived gets those for this rank, in the order of who sent them, in memory for
 * free(). Returns how many. Fewer than 2^31 bytes each way. Collective. */
int route(MPI_Comm comm, const void *records, int count, size_t size, const int *to,
          void **arrived);

/* The records of all ranks come to all ranks, in the order of ranks. */
int route_to_all(MPI_Comm comm, const void *records, int count, size_t size, void **arrived);

/* --- how a run went --- */

struct outcome {
    int steps, particles;
    double *busy_s; /* of this rank in each step */
    int *computed;  /* own particles in each step */
};

struct outcome outcome_open(int steps, int particles);

void outcome_note(struct outcome *outcome, int step, double busy_s, int computed);

/* Prints
 *
 *   ranks time longest interactions movements moved digest verdict
 *
 * longest: the longest time of computing of any rank in each step, over all steps. digest: of where
 * all particles are in the end (Fowler, Noll and Vo's hash), which is the same however they were
 * distributed. verdict: "all": as many tasks as particles in every step, else "WRONG". Returns
 * whether it is "all". Collective; the numbers are rank 0's. */
bool outcome_print(const struct outcome *outcome, double time_s, const unsigned long number[3],
                   const struct particle *own, int count);

void outcome_close(struct outcome *outcome);

#endif
