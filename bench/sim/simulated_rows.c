/* The programs of Siegell and Steenkiste (the experiments, PAPERS.md S15), and particles, on
 * simulated machines, beside competing loads.
 *
 *   rows sor SIZE ITERATIONS FLOPS
 *       red-black SOR: two half sweeps an iteration, a balance call after each; rows of SIZE
 *       numbers and a halo of one. ITERATIONS 40x10: half sweeps of 10 strips of columns, a balance
 *       call after each strip
 *   rows gs SIZE ITERATIONS FLOPS
 *       the paper's SOR: in Gauss-Seidel order, as pipelined sweeps; a balance call after each.
 *       ITERATIONS 40x10: rows move within sweeps, at 10 balance calls; 40x10/25: in blocks of 25
 *       columns; without: the size is chosen
 *   rows mm SIZE STRIPS FLOPS
 *       matrix multiplication: a strip of columns of the result, a balance call; rows of both
 *       matrices move, all ranks have the third one
 *   rows particles REGIONSxMEAN STEPS FLOPS
 *       see below; MEAN: of a region
 *
 * FLOPS: operations for a point of SOR, for a multiplication and addition, or for a particle.
 * 10~0.02: each phase of each rank takes a part more or less, drawn from a normal distribution of
 * that deviation. Messages are real, so rows carry real data; computing is simulated time. Prints a
 * line of measurements. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/end_job.h"
#include "bench/support/support.h"
#include "mpi_backend/include/keel_mpi.h"

/* --- particles ---
 *
 * Particles in regions that are rows, under simulation: the shape of Franklin & Govindan's program
 * (PAPERS.md F7) without its gravity.
 *
 *   positions of all particles to all ranks -> compute, by the particles of own regions -> balance
 *   call
 *
 * A crowd of particles moves along the regions, so that their costs change. Regions are packed and
 * unpacked as items of 24 bytes a particle, and weighed by their particles. */

#define PARTICLES_BYTES 24 /* of one, as in the paper */

struct particles {
    struct keel_mpi_rows *rows;
    uint64_t regions, mean, steps, step; /* mean: particles of a region */
    uint64_t *been;                      /* phases of each own region so far */
    char *own, *all;                     /* positions, as they are sent */
};

/* The crowd has this part of all particles, this width, and moves from here to there; parts of the
 * regions. */
#define CROWD 0.5
#define CROWD_WIDTH 0.1
#define CROWD_FROM 0.3
#define CROWD_TO 0.7

/* Number of particles of a region in a step; at least 1. Adds up to about mean * regions. */
static uint64_t particles_in(const struct particles *particles, uint64_t region, uint64_t step)
{
    double middle = CROWD_FROM + (CROWD_TO - CROWD_FROM) * (double)step / (double)particles->steps;
    double away = (((double)region + 0.5) / (double)particles->regions - middle) / CROWD_WIDTH;
    double crowd = exp(-away * away / 2) / (CROWD_WIDTH * sqrt(2 * M_PI));
    double count = (double)particles->mean * (1 - CROWD + CROWD * crowd);

    return count > 1 ? (uint64_t)(count + 0.5) : 1;
}

/* --- data that Keel moves: the number of phases, and zeros for the rest --- */

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

/* Sets up `rows`, which have `regions` rows. Ends the job if memory is short. Collective. */
static void particles_begin(struct particles *particles, struct keel_mpi_rows *rows,
                            uint64_t regions, uint64_t mean, uint64_t steps)
{
    *particles = (struct particles){.rows = rows, .regions = regions, .mean = mean, .steps = steps};
    struct keel_mpi_rows_items items = {sizeof items, particles,   item_size,
                                        item_pack,    item_unpack, item_drop};

    particles->been = memory_new(regions, sizeof *particles->been);
    particles->own = memory_new(places_most(particles), 1);
    particles->all = memory_new(places_most(particles), 1);
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

/* Sends the positions of all particles to every rank. Collective. */
static void particles_send(struct particles *particles)
{
    int own = (int)own_particles(particles) * PARTICLES_BYTES, ranks, all = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *bytes = memory_new(ranks, sizeof *bytes);
    int *from = memory_new(ranks, sizeof *from);
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

/* Counts the own regions' phase, weighs them, and returns the number of their particles. */
static uint64_t particles_pass(struct particles *particles)
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

/* Whether own regions have been through `phases` phases. */
static bool particles_have_been(const struct particles *particles, uint64_t phases)
{
    uint64_t first, last;
    bool fine = true;

    keel_mpi_rows_bounds(particles->rows, &first, &last);
    for (uint64_t region = first; region < last; region++) {
        fine = fine && particles->been[region] == phases;
    }
    return fine;
}

static void particles_end(struct particles *particles)
{
    free(particles->been);
    free(particles->own);
    free(particles->all);
}

/* --- programs --- */

struct program {
    bool exchanges, has_particles;
    uint64_t size, phases, strips; /* strips: phases from one exchange of halos to the next */
    uint64_t mean;                 /* particles of a region */
    double flops;                  /* of a row in a phase, or of a particle */
    double noise;                  /* deviation of a phase, as a part of it */
    uint64_t drawn;                /* the state of its generator */
    struct particles particles;
    uint64_t sweeps, calls, block; /* of pipelined sweeps; 0 sweeps: it is another program */
    bool wrong;                    /* an element was swept out of order */
    struct keel_mpi_pipeline *pipeline;
    struct keel_mpi_rows *rows;
    double *array[2];
    int arrays;
};

/* A normal deviate by Box and Muller, at most 3. */
static double deviate(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - random_fraction(random_next(state))));

    return fmax(-3, fmin(3, radius * cos(2 * M_PI * random_fraction(random_next(state)))));
}

/* Each row counts its phases. Returns the operations. */
static double count_phase(struct program *program, uint64_t first, uint64_t last)
{
    if (program->has_particles) {
        return (double)particles_pass(&program->particles) * program->flops;
    }
    for (uint64_t row = first; row < last; row++) {
        program->array[0][row * program->size] += 1;
    }
    return (double)(last - first) * program->flops;
}

static void compute(struct program *program)
{
    uint64_t first, last;

    keel_mpi_rows_bounds(program->rows, &first, &last);
    keel_mpi_rows_work_begin(program->rows);
    double flops = count_phase(program, first, last);
    if (program->noise > 0) {
        flops *= fmax(0.1, 1 + program->noise * deviate(&program->drawn));
    }
    if (last > first) {
        smpi_execute_flops(flops);
    }
    keel_mpi_rows_work_end(program->rows);
}

/* Each element counts its sweeps: the one above has this sweep already, and the one below, and the
 * next, have not. */
static void sweep_element(struct program *program, uint64_t row, uint64_t column)
{
    uint64_t size = program->size;
    double *here = program->array[0] + row * size + column;

    *here += 1;
    program->wrong = program->wrong || (row > 0 && here[-(int64_t)size] != *here) ||
                     (row + 1 < size && here[size] != *here - 1) ||
                     (column > 0 && here[-1] != *here) ||
                     (column + 1 < size && here[1] != *here - 1);
}

static void sweep(struct program *program)
{
    uint64_t first, last, from, to;

    keel_mpi_pipeline_begin(program->pipeline, KEEL_MPI_FORWARD);
    while (keel_mpi_pipeline_next_rows(program->pipeline, &first, &last, &from, &to)) {
        for (uint64_t row = first; row < last; row++) {
            for (uint64_t column = from; column < to; column++) {
                sweep_element(program, row, column);
            }
        }
        smpi_execute_flops((double)(last - first) * (double)(to - from) * program->flops);
    }
    keel_mpi_pipeline_end(program->pipeline);
    if (program->calls == 0) {
        keel_mpi_rows_balance(program->rows, NULL);
    }
}

static bool own_rows_went_through(const struct program *program)
{
    uint64_t first, last;
    bool fine = !program->wrong;

    if (program->has_particles) {
        return particles_have_been(&program->particles, program->phases);
    }
    keel_mpi_rows_bounds(program->rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        fine = fine && program->array[0][row * program->size] ==
                           (double)(program->phases + program->sweeps);
    }
    return fine;
}

static bool went_through_all(const struct program *program)
{
    int fine = own_rows_went_through(program), all;

    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static void run(struct program *program)
{
    uint64_t moved = 0;

    keel_mpi_rows_expect(program->rows, program->sweeps > 0 && program->calls > 0
                                            ? program->sweeps * program->calls
                                            : program->sweeps + program->phases);
    for (uint64_t i = 0; i < program->sweeps; i++) {
        sweep(program);
    }
    for (uint64_t phase = 0; phase < program->phases; phase++) {
        if (program->exchanges && (phase % program->strips == 0 || moved > 0)) {
            keel_mpi_rows_exchange(program->rows, NULL);
        }
        if (program->has_particles) {
            particles_send(&program->particles);
        }
        compute(program);
        keel_mpi_rows_balance(program->rows, &moved);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void print(const struct program *program, const char *name, double time_s, bool fine)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t bytes = 0;
    double most[2], own[2];
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    keel_mpi_rows_report(program->rows, &report);
    own[0] = report.decision_s;
    own[1] = report.movement_s;
    MPI_Reduce(own, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&report.bytes_sent, &bytes, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("%s %d %lu %.6f %lu %lu %lu %lu %.4f %.4f %s\n", name, ranks,
               (unsigned long)program->size, time_s, (unsigned long)report.interactions,
               (unsigned long)report.movements, (unsigned long)report.rows_moved,
               (unsigned long)bytes, most[0], most[1], fine ? "once" : "WRONG");
    }
}

static bool read_sweeps(struct program *program, char **argv)
{
    char *behind;

    program->size = strtoull(argv[2], NULL, 10);
    program->sweeps = strtoull(argv[3], &behind, 10);
    program->calls = *behind == 'x' ? strtoull(behind + 1, &behind, 10) : 0;
    program->block = *behind == '/' ? strtoull(behind + 1, NULL, 10) : 0;
    program->flops = strtod(argv[4], NULL);
    program->arrays = 1;
    return program->sweeps > 0 && program->size > 0;
}

/* SIZE, ITERATIONSxSTRIPS and FLOPS~NOISE. */
static bool read_program(struct program *program, int argc, char **argv)
{
    if (argc < 5) {
        return false;
    }
    if (strcmp(argv[1], "gs") == 0) {
        return read_sweeps(program, argv);
    }
    bool is_sor = strcmp(argv[1], "sor") == 0;
    char *behind;
    program->has_particles = strcmp(argv[1], "particles") == 0;
    program->size = strtoull(argv[2], &behind, 10);
    program->mean = *behind == 'x' ? strtoull(behind + 1, NULL, 10) : 1;
    double number = strtod(argv[3], &behind);
    program->strips = *behind == 'x' ? strtoull(behind + 1, NULL, 10) : 1;
    program->exchanges = is_sor;
    program->phases = (uint64_t)(is_sor ? 2 * number : number) * program->strips;
    program->arrays = program->has_particles ? 0 : is_sor ? 1 : 2;
    program->flops = strtod(argv[4], &behind);
    program->noise = *behind == '~' ? strtod(behind + 1, NULL) : 0;
    if (!program->has_particles) {
        program->flops *= (double)program->size * (is_sor ? 0.5 : (double)program->size / number) /
                          (double)program->strips;
    }
    return (is_sor || program->has_particles || strcmp(argv[1], "mm") == 0) &&
           program->phases > 0 && program->size > 0 && program->mean > 0;
}

static void begin(struct program *program, int rank)
{
    program->drawn = (uint64_t)rank << 32;
    keel_mpi_rows_create(MPI_COMM_WORLD, program->size, KEEL_MPI_ADJACENT, &program->rows);
    for (int i = 0; i < program->arrays; i++) {
        keel_mpi_rows_array(program->rows, sizeof(double), program->size,
                            program->exchanges || program->sweeps > 0 ? 1 : 0,
                            (void **)&program->array[i]);
    }
    if (program->sweeps > 0) {
        keel_mpi_pipeline_create(program->rows, program->array[0], program->block,
                                 &program->pipeline);
        keel_mpi_pipeline_hooks(program->pipeline, program->calls);
    }
    if (program->has_particles) {
        particles_begin(&program->particles, program->rows, program->size, program->mean,
                        program->phases);
    }
}

static void end(struct program *program)
{
    if (program->sweeps > 0) {
        keel_mpi_pipeline_free(&program->pipeline);
    }
    keel_mpi_rows_free(&program->rows);
    if (program->has_particles) {
        particles_end(&program->particles);
    }
}

int main(int argc, char **argv)
{
    struct program program = {0};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_program(&program, argc, argv)) {
        fprintf(stderr, "usage: rows sor SIZE ITERATIONS FLOPS\n"
                        "       rows gs SIZE ITERATIONS FLOPS\n"
                        "       rows mm SIZE STRIPS FLOPS\n"
                        "       rows particles REGIONSxMEAN STEPS FLOPS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    begin(&program, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = MPI_Wtime();
    run(&program);
    double time_s = MPI_Wtime() - began_s;
    bool fine = went_through_all(&program);
    print(&program, argv[1], time_s, fine);
    end(&program);
    MPI_Finalize();
    return fine ? 0 : 1;
}
