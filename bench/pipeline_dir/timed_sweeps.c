/* Pipelined sweeps over distributed rows: their time with blocks of fixed sizes, and of the size
 * that is chosen; on real ranks, and on simulated ones (KEEL_SIMULATED).
 *
 *   sweeps ROWS LENGTH FLOPS START SWEEPS chained|isolated ROUNDS SIZE...
 *
 * Simulated, a row's part of a block takes START + FLOPS per element operations; otherwise elements
 * are relaxed, and FLOPS and START are ignored. SIZE 0: chosen. chained: a rank begins the next
 * sweep as soon as one is done; isolated: after all others are. ROUNDS: number of rounds with all
 * sizes in turn, in another order each time; real ones are preceded by a warm-up round, 0, in which
 * sizes are learnt, too. Prints a line for each size and round, fields separated by tabs:
 *
 *   ranks  chained|isolated  SIZE  ms per sweep  ms per sweep of the second half
 *   elements in a block of the last sweep  round */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef KEEL_SIMULATED
#include <smpi/smpi.h>
#endif

#include "bench/support/end_job.h"
#include "mpi_backend/include/keel_mpi.h"

#define SIZES_MAX 64

static int rank, ranks, sweeps;
static uint64_t count, length;
static double flops, start_flops;
static bool isolated;

/* Elements [from, to) of rows [first, last). */
static void compute(double *u, uint64_t first, uint64_t last, uint64_t from, uint64_t to)
{
#ifdef KEEL_SIMULATED
    (void)u;
    smpi_execute_flops((double)(last - first) * (start_flops + flops * (double)(to - from)));
#else
    last = last == count ? count - 1 : last;
    to = to == length ? length - 1 : to;
    for (uint64_t i = first == 0 ? 1 : first; i < last; i++) {
        for (uint64_t j = from == 0 ? 1 : from; j < to; j++) {
            double *here = u + i * length + j;
            double mean = 0.25 * (here[-(int64_t)length] + here[length] + here[-1] + here[1]);
            *here += 1.5 * (mean - *here);
        }
    }
#endif
}

static void sweep(struct keel_mpi_rows *rows, struct keel_mpi_pipeline *pipeline, double *u)
{
    uint64_t first, last, from, to;

    job_check(keel_mpi_rows_bounds(rows, &first, &last));
    job_check(keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD));
    while (keel_mpi_pipeline_next(pipeline, &from, &to)) {
        compute(u, first, last, from, to);
    }
    job_check(keel_mpi_pipeline_end(pipeline));
    if (isolated) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Prints the time of all sweeps, and of their second half, on all ranks. */
static void measure(struct keel_mpi_rows *rows, struct keel_mpi_pipeline *pipeline, double *u,
                    const char *size, int round)
{
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    double mine[2] = {0}, time_s[2];

    MPI_Barrier(MPI_COMM_WORLD);
    double begun_s = MPI_Wtime();
    for (int i = 0; i < sweeps; i++) {
        mine[0] = i == sweeps / 2 ? MPI_Wtime() - begun_s : mine[0];
        sweep(rows, pipeline, u);
    }
    mine[1] = MPI_Wtime() - begun_s;
    MPI_Allreduce(mine, time_s, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    job_check(keel_mpi_pipeline_report(pipeline, &report));
    if (rank == 0) {
        printf("%d\t%s\t%s\t%.6g\t%.6g\t%llu\t%d\n", ranks, isolated ? "isolated" : "chained", size,
               1e3 * time_s[1] / sweeps, 1e3 * (time_s[1] - time_s[0]) / (sweeps - sweeps / 2),
               (unsigned long long)report.block, round);
    }
}

static void begin_rows(struct keel_mpi_rows *rows, double *u)
{
    uint64_t first, last;

    job_check(keel_mpi_rows_bounds(rows, &first, &last));
    for (uint64_t k = first * length; k < last * length; k++) {
        u[k] = (double)(k * 2654435761u % 1000) / 1000;
    }
}

static void run(int first_round, int rounds, int sizes, char **size)
{
    struct keel_mpi_rows *rows;
    struct keel_mpi_pipeline *pipeline[SIZES_MAX];
    double *u;

    job_check(keel_mpi_rows_create(MPI_COMM_WORLD, count, KEEL_MPI_ADJACENT, &rows));
    job_check(keel_mpi_rows_array(rows, sizeof *u, length, 1, (void **)&u));
    for (int i = 0; i < sizes; i++) {
        job_check(keel_mpi_pipeline_create(rows, u, strtoull(size[i], NULL, 10), &pipeline[i]));
    }
    for (int round = first_round; round <= rounds; round++) {
        begin_rows(rows, u);
        for (int i = 0; i < sizes; i++) {
            int at = (round * 7 + (round % 2 ? sizes - 1 - i : i)) % sizes;
            measure(rows, pipeline[at], u, size[at], round);
        }
    }
    for (int i = 0; i < sizes; i++) {
        job_check(keel_mpi_pipeline_free(&pipeline[i]));
    }
    job_check(keel_mpi_rows_free(&rows));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 9 || argc > 8 + SIZES_MAX) {
        fprintf(stderr, "usage: sweeps ROWS LENGTH FLOPS START SWEEPS chained|isolated ROUNDS "
                        "SIZE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    count = strtoull(argv[1], NULL, 10);
    length = strtoull(argv[2], NULL, 10);
    flops = atof(argv[3]);
    start_flops = atof(argv[4]);
    sweeps = atoi(argv[5]);
    isolated = strcmp(argv[6], "isolated") == 0;
#ifdef KEEL_SIMULATED
    int first_round = 1;
#else
    int first_round = 0;
#endif
    run(first_round, atoi(argv[7]), argc - 8, argv + 8);
    MPI_Finalize();
    return 0;
}
