/* Particles in regions that are rows, under simulation. */
#include "bench/sim/particles.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The crowd has this part of all particles, is so wide, and wanders from here to there; parts of
 * the regions. */
#define CROWD 0.5
#define CROWD_WIDTH 0.1
#define CROWD_FROM 0.3
#define CROWD_TO 0.7

static void *room(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);

    if (memory == NULL) {
        fputs("rows: no memory for particles\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* How many particles a region has in a step; at least 1. Adds up to about mean * regions. */
static uint64_t particles_in(const struct particles *particles, uint64_t region, uint64_t step)
{
    double middle = CROWD_FROM + (CROWD_TO - CROWD_FROM) * (double)step / (double)particles->steps;
    double away = (((double)region + 0.5) / (double)particles->regions - middle) / CROWD_WIDTH;
    double crowd = exp(-away * away / 2) / (CROWD_WIDTH * sqrt(2 * M_PI));
    double count = (double)particles->mean * (1 - CROWD + CROWD * crowd);

    return count > 1 ? (uint64_t)(count + 0.5) : 1;
}

/* --- what Keel moves: the number of phases, and nothing in particular for the rest --- */

static size_t item_size(void *context, uint64_t row)
{
    const struct particles *particles = context;

    return particles_in(particles, row, particles->step) * PARTICLES_BYTES;
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    const struct particles *particles = context;

    memset(buffer, 0, item_size(context, row));
    memcpy(buffer, &particles->been[row], sizeof particles->been[row]);
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    struct particles *particles = context;

    if (size != item_size(context, row)) {
        return 1;
    }
    memcpy(&particles->been[row], buffer, sizeof particles->been[row]);
    return 0;
}

static void item_drop(void *context, uint64_t row)
{
    ((struct particles *)context)->been[row] = 0;
}

/* --- steps --- */

static uint64_t particles_of_all(const struct particles *particles, uint64_t step)
{
    uint64_t all = 0;

    for (uint64_t region = 0; region < particles->regions; region++) {
        all += particles_in(particles, region, step);
    }
    return all;
}

/* The crowd is cut off at the ends, and counts are rounded: more room than for the mean. */
static size_t places_most(const struct particles *particles)
{
    return 2 * (particles->regions * (particles->mean + 1)) * PARTICLES_BYTES;
}

void particles_begin(struct particles *particles, struct keel_mpi_rows *rows, uint64_t regions,
                     uint64_t mean, uint64_t steps)
{
    *particles = (struct particles){.rows = rows, .regions = regions, .mean = mean, .steps = steps};
    struct keel_mpi_rows_items items = {sizeof items, particles,   item_size,
                                        item_pack,    item_unpack, item_drop};

    particles->been = room(regions * sizeof *particles->been);
    particles->own = room(places_most(particles));
    particles->all = room(places_most(particles));
    keel_mpi_rows_items(rows, &items);
}

static uint64_t own_particles(const struct particles *particles)
{
    uint64_t first, last, own = 0;

    keel_mpi_rows_bounds(particles->rows, &first, &last);
    for (uint64_t region = first; region < last; region++) {
        own += particles_in(particles, region, particles->step);
    }
    return own;
}

void particles_tell(struct particles *particles)
{
    int own = (int)own_particles(particles) * PARTICLES_BYTES, ranks, all = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *bytes = room((size_t)ranks * sizeof *bytes), *from = room((size_t)ranks * sizeof *from);
    MPI_Allgather(&own, 1, MPI_INT, bytes, 1, MPI_INT, MPI_COMM_WORLD);
    for (int rank = 0; rank < ranks; rank++) {
        from[rank] = all;
        all += bytes[rank];
    }
    if ((uint64_t)all != particles_of_all(particles, particles->step) * PARTICLES_BYTES) {
        fputs("rows: particles were lost\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allgatherv(particles->own, own, MPI_BYTE, particles->all, bytes, from, MPI_BYTE,
                   MPI_COMM_WORLD);
    free(bytes);
    free(from);
}

uint64_t particles_pass(struct particles *particles)
{
    uint64_t first, last, own = 0;

    keel_mpi_rows_bounds(particles->rows, &first, &last);
    for (uint64_t region = first; region < last; region++) {
        uint64_t count = particles_in(particles, region, particles->step);
        double weight = (double)count;
        particles->been[region]++;
        keel_mpi_rows_weigh(particles->rows, region, region + 1, &weight);
        own += count;
    }
    particles->step++;
    return own;
}

bool particles_have_been(const struct particles *particles, uint64_t phases)
{
    uint64_t first, last;
    bool fine = true;

    keel_mpi_rows_bounds(particles->rows, &first, &last);
    for (uint64_t region = first; region < last; region++) {
        fine = fine && particles->been[region] == phases;
    }
    return fine;
}

void particles_end(struct particles *particles)
{
    free(particles->been);
    free(particles->own);
    free(particles->all);
}
