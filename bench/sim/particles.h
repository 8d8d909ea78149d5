/* Particles in regions that are rows, under simulation: the shape of Franklin & Govindan's program
 * (PAPERS.md F7) without its gravity.
 *
 *   places of all particles to all ranks -> compute, by the particles of own regions -> hook
 *
 * A crowd of particles wanders along the regions, so that these cost more and less in time. Regions
 * are packed and unpacked as items of 24 bytes a particle, and weighed by their particles. */
#ifndef BENCH_SIM_PARTICLES_H
#define BENCH_SIM_PARTICLES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"

#define PARTICLES_BYTES 24 /* of one, as in the paper */

struct particles {
    struct keel_mpi_rows *rows;
    uint64_t regions, mean, steps, step; /* mean: particles of a region */
    uint64_t *been;                      /* phases that a region has been through; own regions */
    char *own, *all;                     /* places, as they are told */
};

/* Sets up `rows`, which have `regions` rows. Ends the job without memory. Collective. */
void particles_begin(struct particles *particles, struct keel_mpi_rows *rows, uint64_t regions,
                     uint64_t mean, uint64_t steps);

/* Every rank is told where all particles are. Collective. */
void particles_tell(struct particles *particles);

/* Counts the own regions' phase, weighs them, and returns how many particles they have. */
uint64_t particles_pass(struct particles *particles);

/* Whether own regions have been through so many phases. */
bool particles_have_been(const struct particles *particles, uint64_t phases);

void particles_end(struct particles *particles);

#endif
