/* Loops beside competing loads on machines that let processes run in turns, for a quantum each
 * (round-robin scheduling, PAPERS.md S17): pipelined ones, and such with a barrier after each
 * phase. Simulated; the messages are real, and turns are played here: computing takes its quanta,
 * and waits while other processes have theirs.
 *
 *   turns pipelined|barrier QUANTUM QUANTA LOADS ELEMENTS...
 *
 * QUANTUM in s; QUANTA: what the loop takes one worker without loads; LOADS: how many processes
 * compete on each rank's machine all the time, as 1,0,0,0. Shares are in proportion to what they
 * leave. ELEMENTS: of the LENGTH below, in a block or phase. Prints a line for each of these,
 * fields separated by tabs:
 *
 *   ELEMENTS  quanta of computing in a block or phase on a machine without loads  efficiency (S1)
 *
 * A process that waits for a message gives the rest of its turn away; afterwards it waits until
 * those who run have had theirs. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/end_job.h"
#include "mpi_backend/include/keel_mpi.h"

#define LENGTH 4000
#define SHARE 60 /* rows of a machine without loads; divisible by 1 + the numbers of loads */
#define SPEED 1e6
#define RANKS_MAX 64

static double quantum_s, row_s; /* row_s: an element of a row */
static int ranks, rank, loads[RANKS_MAX];
static uint64_t shares[RANKS_MAX], count;
static double used_s; /* of this process' turn */

/* Messages take microseconds: shorter waits are none, and what comes so little after the end of a
 * turn comes at its end. */
#define AT_ONCE 0.01 /* of a quantum */

static void let_pass(double time_s)
{
    smpi_execute_flops(time_s * SPEED);
}

/* Computes for so long, in turns. */
static void compute(double time_s)
{
    while (time_s > 1e-9) {
        if (loads[rank] > 0 && used_s > quantum_s - 1e-9) {
            let_pass(quantum_s * loads[rank]);
            used_s = 0;
        }
        double turn_s = loads[rank] > 0 ? fmin(time_s, quantum_s - used_s) : time_s;
        let_pass(turn_s);
        used_s += turn_s;
        time_s -= turn_s;
    }
}

/* The process has waited since then, if for longer than a message takes. */
static void come_back(double since_s)
{
    double waited_s = MPI_Wtime() - since_s;

    if (loads[rank] == 0 || waited_s < AT_ONCE * quantum_s) {
        return;
    }
    double turns = ceil(waited_s / quantum_s - AT_ONCE) + loads[rank] - 1;
    let_pass(fmax(0, turns * quantum_s - waited_s));
    used_s = 0;
}

/* Time of a sweep in blocks of `size`. */
static double pipelined(uint64_t size)
{
    struct keel_mpi_rows *rows;
    struct keel_mpi_pipeline *pipeline;
    double *u, asked_s, time_s;
    uint64_t from, to;

    job_check(keel_mpi_rows_create(MPI_COMM_WORLD, count, KEEL_MPI_ADJACENT, &rows));
    job_check(keel_mpi_rows_array(rows, sizeof *u, LENGTH, 1, (void **)&u));
    job_check(keel_mpi_rows_move(rows, shares));
    job_check(keel_mpi_pipeline_create(rows, u, size, &pipeline));
    MPI_Barrier(MPI_COMM_WORLD);
    time_s = MPI_Wtime();
    job_check(keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD));
    while (asked_s = MPI_Wtime(), keel_mpi_pipeline_next(pipeline, &from, &to)) {
        come_back(asked_s);
        compute((double)shares[rank] * row_s * (double)(to - from));
    }
    job_check(keel_mpi_pipeline_end(pipeline));
    time_s = MPI_Wtime() - time_s;
    job_check(keel_mpi_pipeline_free(&pipeline));
    job_check(keel_mpi_rows_free(&rows));
    return time_s;
}

/* Time of phases of `size` elements. */
static double barriers(uint64_t size)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begun_s = MPI_Wtime(), asked_s = begun_s;

    for (uint64_t from = 0; from < LENGTH; from += size) {
        uint64_t to = from + size < LENGTH ? from + size : LENGTH;
        come_back(asked_s);
        compute((double)shares[rank] * row_s * (double)(to - from));
        asked_s = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Wtime() - begun_s;
}

/* Of what loads leave, if they take no more than their part of the turns. */
static double efficiency(double alone_s, double time_s)
{
    double machines = 0;

    for (int i = 0; i < ranks; i++) {
        machines += 1.0 / (1 + loads[i]);
    }
    return alone_s / (machines * time_s);
}

static void measure(double (*run)(uint64_t size), uint64_t size, double alone_s)
{
    used_s = 0;
    double own_s = run(size), time_s;

    MPI_Allreduce(&own_s, &time_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%llu\t%.4f\t%.4f\n", (unsigned long long)size,
               (double)size * SHARE * row_s / quantum_s, efficiency(alone_s, time_s));
    }
}

/* "1,0,0,0": of each rank; false: not so many, or not divisors of SHARE. */
static bool read_loads(const char *text)
{
    for (int i = 0; i < ranks; i++) {
        char *behind;
        loads[i] = (int)strtol(text, &behind, 10);
        if (behind == text || loads[i] < 0 || SHARE % (1 + loads[i]) != 0 ||
            *behind != (i + 1 < ranks ? ',' : '\0')) {
            return false;
        }
        shares[i] = SHARE / (1 + (uint64_t)loads[i]);
        count += shares[i];
        text = behind + 1;
    }
    return true;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 6 || ranks > RANKS_MAX || !read_loads(argv[4])) {
        fprintf(stderr, "usage: turns pipelined|barrier QUANTUM QUANTA LOADS ELEMENTS...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    quantum_s = atof(argv[2]);
    double alone_s = atof(argv[3]) * quantum_s;
    row_s = alone_s / ((double)count * LENGTH);
    for (int i = 5; i < argc; i++) {
        measure(strcmp(argv[1], "barrier") == 0 ? barriers : pipelined, strtoull(argv[i], NULL, 10),
                alone_s);
    }
    MPI_Finalize();
    return 0;
}
