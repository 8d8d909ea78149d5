/* What nbody.c and domains.c have in common: records that go to ranks, and what they print in the
 * end of how a run went. */
#ifndef BENCH_PAPERS_DIR_FG95_OUTCOME_H
#define BENCH_PAPERS_DIR_FG95_OUTCOME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/papers_dir/fg95/cluster.h"

/* --- particles and records go to ranks --- */

/* Own particles that belong to others go to them, and theirs come; there is room for all. Returns
 * how many there are then. owner: the rank of one. Collective. */
typedef int particle_owner(void *context, const struct particle *particle);
int particles_change(struct particle *own, int count, particle_owner *owner, void *context);

/* The records of all ranks, of `size` bytes each, come to all ranks, in the order of ranks: in
 * *arrived, memory for free(). Returns how many. Fewer than 2^31 bytes. Collective. */
int route_to_all(const void *records, int count, size_t size, void **arrived);

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
