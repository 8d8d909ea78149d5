/* What nbody.c and domains.c have in common: places of particles, tasks, particles that go to
 * ranks, and what they print in the end of how a run went. */
#ifndef BENCH_PAPERS_DIR_FG95_OUTCOME_H
#define BENCH_PAPERS_DIR_FG95_OUTCOME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/papers_dir/fg95/cluster.h"

/* --- places of particles --- */

/* Of a particle: 24 bytes, and more if `bytes` is. */
size_t place_size(size_t bytes);

/* Writes those of own particles, one after the other. */
void places_pack(const struct particle *own, int count, size_t bytes, char *message);

/* Puts them into the tree, which is not built. */
void places_know(struct tree *tree, const char *places, size_t count, size_t bytes);

/* --- particles and records go to ranks --- */

/* Own particles move for a time; those that belong to others then go to them, and theirs come;
 * there is room for all. Returns how many there are then. owner: the rank of one. Collective. */
typedef int particle_owner(void *context, const struct particle *particle);
int particles_drift(struct particle *own, int count, double time, particle_owner *owner,
                    void *context);

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

/* Executes the tasks of own particles, of `flops` operations each. */
void outcome_compute(struct outcome *outcome, int step, const struct tree *tree,
                     struct particle *own, int count, double flops);

/* Prints
 *
 *   ranks time longest digest verdict
 *
 * longest: the longest time of computing of any rank in each step, over all steps. digest: of where
 * all particles are in the end (Fowler, Noll and Vo's hash), which is the same however they were
 * distributed. verdict: "all": as many tasks as particles in every step, else "WRONG". Returns
 * whether it is "all". Collective. */
bool outcome_print(const struct outcome *outcome, double time_s, const struct particle *own,
                   int count);

void outcome_close(struct outcome *outcome);

#endif
