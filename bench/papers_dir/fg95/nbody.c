/* The N-body program of Franklin and Govindan (PAPERS.md F7) on simulated hosts: a cluster
 * of stars in the plane, a task for each of them, all tasks alike. The plane is cut into regions
 * along a Hilbert curve; regions are rows, so that a rank has a piece of the curve and moves its
 * ends.
 *
 *   all particles -> tree -> own tasks -> particles move, those that leave their region go to the
 *   rank of the new one -> hook -> all particles ...
 *
 *   nbody REGIONS STEPS TIME WIND FLOPS BYTES STARS
 *
 * TIME: of a step. WIND: the speed of the cluster as a whole. FLOPS: operations of a task. BYTES:
 * that others get of a particle in each step, 24 to 56. STARS: seed of the cluster.
 *
 * Messages are real; computing is simulated time. Prints the time of all steps, the part of it that
 * is the longest time of computing of any rank in each step, and a digest of where all particles
 * are in the end: it is the same however they were distributed, where every
 * particle was computed in every step. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/fg95/cluster.h"
#include "bench/papers_dir/fg95/outcome.h"
#include "bench/papers_dir/fg95/plane.h"
#include "bench/support/end_job.h"
#include "mpi_backend/include/keel_mpi.h"

/* --- regions --- */

/* The plane cut into regions: pieces of a Hilbert curve that have as many particles each at first,
 * so that neighbouring regions are neighbours in the plane. */
struct regions {
    int count;
    uint32_t *cut; /* region r is the curve from cut[r] to before cut[r + 1] */
};

#define ORDER 16    /* the curve passes 2^16 x 2^16 squares */
#define RADIUS 12.0 /* of these; what is outside counts as on their edge */

static uint32_t square_of(double at)
{
    double squares = 1u << ORDER, place = (at / RADIUS + 1) / 2 * squares;

    return (uint32_t)(place < 0 ? 0 : place < squares ? place : squares - 1);
}

static uint32_t key_of(const struct particle *particle)
{
    return curve_to(ORDER, square_of(particle->at[0]), square_of(particle->at[1]));
}

static int compare_keys(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return (one > other) - (one < other);
}

/* Particle i begins at `place` i. */
static uint32_t key_at(const uint32_t *key, int particles, double place)
{
    int i = (int)place;
    double end = i + 1 < particles ? key[i + 1] : UINT32_MAX;

    return (uint32_t)(key[i] + (place - i) * (end - key[i]));
}

/* Cuts the curve; where there are more regions than particles, also between these. */
static void regions_cut(struct regions *regions, int count, const struct particle *particle,
                        int particles)
{
    uint32_t *key = memory_new(particles, sizeof *key);

    *regions = (struct regions){count, memory_new(count, sizeof *regions->cut)};
    for (int p = 0; p < particles; p++) {
        key[p] = key_of(&particle[p]);
    }
    qsort(key, (size_t)particles, sizeof *key, compare_keys);
    for (int r = 0; r < count; r++) {
        regions->cut[r] = r > 0 ? key_at(key, particles, (double)particles * r / count) : 0;
    }
    free(key);
}

/* The region that a particle is in. */
static int regions_find(const struct regions *regions, const struct particle *particle)
{
    uint32_t key = key_of(particle);
    int low = 0, high = regions->count;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(regions->cut[middle] <= key ? &low : &high) = middle;
    }
    return low;
}

/* --- the program --- */

struct job {
    int rank, ranks, steps;
    double time, wind, flops;
    size_t bytes;
    uint64_t stars;
    struct regions regions;
    struct particle *own; /* room for all */
    int count;
    struct tree tree;
    struct keel_mpi_rows *rows;
    double *weight; /* of a region, by its number */
    struct outcome outcome;
};

static bool is_in(const struct job *job, int p, uint64_t row)
{
    return (uint64_t)regions_find(&job->regions, &job->own[p]) == row;
}

static int owner_of(void *context, const struct particle *particle)
{
    const struct job *job = context;
    int owner;

    job_check(
        keel_mpi_rows_owner(job->rows, (uint64_t)regions_find(&job->regions, particle), &owner));
    return owner;
}

/* --- what Keel moves --- */

static size_t item_size(void *context, uint64_t row)
{
    const struct job *job = context;
    size_t particles = 0;

    for (int p = 0; p < job->count; p++) {
        particles += is_in(job, p, row);
    }
    return particles * sizeof(struct particle);
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    const struct job *job = context;
    struct particle *packed = buffer;

    for (int p = 0; p < job->count; p++) {
        if (is_in(job, p, row)) {
            *packed++ = job->own[p];
        }
    }
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    struct job *job = context;

    (void)row;
    memcpy(&job->own[job->count], buffer, size);
    job->count += (int)(size / sizeof(struct particle));
    return 0;
}

static void item_drop(void *context, uint64_t row)
{
    struct job *job = context;

    for (int p = 0; p < job->count;) {
        if (is_in(job, p, row)) {
            job->own[p] = job->own[--job->count];
        } else {
            p++;
        }
    }
}

/* --- a step --- */

/* All receive where all particles are. */
static void exchange(struct job *job)
{
    size_t size = place_size(job->bytes);
    char *own = memory_new(job->count, size), *all;

    places_pack(job->own, job->count, job->bytes, own);
    int known = route_to_all(own, job->count, size, (void **)&all);
    places_know(&job->tree, all, (size_t)known, job->bytes);
    tree_build(&job->tree);
    free(all);
    free(own);
}

static void compute(struct job *job, int step)
{
    keel_mpi_rows_work_begin(job->rows);
    outcome_compute(&job->outcome, step, &job->tree, job->own, job->count, job->flops);
    keel_mpi_rows_work_end(job->rows);
}

typedef int weigher(struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                    const double *weight);

/* By how many particles each own region has. */
static void weigh(struct job *job, weigher *weigher)
{
    uint64_t first, last;

    memset(job->weight, 0, (size_t)job->regions.count * sizeof *job->weight);
    for (int p = 0; p < job->count; p++) {
        job->weight[regions_find(&job->regions, &job->own[p])]++;
    }
    keel_mpi_rows_bounds(job->rows, &first, &last);
    if (last > first) {
        job_check(weigher(job->rows, first, last, &job->weight[first]));
    }
}

static void balance(struct job *job)
{
    uint64_t moved;

    weigh(job, keel_mpi_rows_weigh_ahead);
    job_check(keel_mpi_rows_balance(job->rows, &moved));
}

static void run(struct job *job)
{
    weigh(job, keel_mpi_rows_weigh);
    for (int step = 0; step < job->steps; step++) {
        exchange(job);
        compute(job, step);
        job->count = particles_drift(job->own, job->count, job->time, owner_of, job);
        balance(job);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* --- beginning and end --- */

/* Every rank makes all particles, and keeps its own. */
static void begin(struct job *job, int particles, int regions)
{
    struct particle *all = memory_new(particles, sizeof *all);
    struct keel_mpi_rows_items items = {sizeof items, job,         item_size,
                                        item_pack,    item_unpack, item_drop};

    cluster_make(all, particles, job->stars);
    regions_cut(&job->regions, regions, all, particles);
    job_check(
        keel_mpi_rows_create(MPI_COMM_WORLD, (uint64_t)regions, KEEL_MPI_ADJACENT, &job->rows));
    job_check(keel_mpi_rows_items(job->rows, &items));
    job->own = memory_new(particles, sizeof *job->own);
    job->weight = memory_new(regions, sizeof *job->weight);
    job->outcome = outcome_open(job->steps, particles);
    for (int p = 0; p < particles; p++) {
        all[p].speed[0] += job->wind;
        if (owner_of(job, &all[p]) == job->rank) {
            job->own[job->count++] = all[p];
        }
    }
    tree_open(&job->tree, particles);
    free(all);
}

static void end(struct job *job)
{
    keel_mpi_rows_free(&job->rows);
    tree_close(&job->tree);
    free(job->regions.cut);
    free(job->own);
    free(job->weight);
    outcome_close(&job->outcome);
}

#define PARTICLES 1024

int main(int argc, char **argv)
{
    struct job job = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    if (argc < 8 || strtoul(argv[6], NULL, 10) > sizeof(struct particle) || atoi(argv[1]) < 1 ||
        atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: nbody REGIONS STEPS TIME WIND FLOPS BYTES STARS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    job.steps = atoi(argv[2]);
    job.time = strtod(argv[3], NULL);
    job.wind = strtod(argv[4], NULL);
    job.flops = strtod(argv[5], NULL);
    job.bytes = strtoul(argv[6], NULL, 10);
    job.stars = strtoul(argv[7], NULL, 10);
    begin(&job, PARTICLES, atoi(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = MPI_Wtime();
    run(&job);
    bool fine = outcome_print(&job.outcome, MPI_Wtime() - began_s, job.own, job.count);
    end(&job);
    MPI_Finalize();
    return fine ? 0 : 1;
}
