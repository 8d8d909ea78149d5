/* Pipelined sweeps over distributed rows in a simulated job: how long they take with blocks of
 * fixed sizes, and of the size that is chosen.
 *
 *   pipeline ROWS LENGTH FLOPS START SWEEPS chained|isolated SIZE...
 *
 * A row's part of a block takes START + FLOPS per element operations; SIZE 0: chosen.
 * chained: a rank begins the next sweep as soon as it is through with one; isolated: after all
 * others are. Prints a line for each size, fields separated by tabs:
 *
 *   ranks  chained|isolated  SIZE  ms per sweep  ms per sweep of the second half
 *   elements in a block of the last sweep  F as estimated */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"

static uint64_t count, length;
static double flops, start_flops;
static int sweeps;
static int isolated;

static void check(int code)
{
    if (code != KEEL_MPI_OK) {
        fprintf(stderr, "keel: pipeline: a call returns %d\n", code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void sweep(struct keel_mpi_rows *rows, struct keel_mpi_pipeline *pipeline)
{
    uint64_t first, last, from, to;

    check(keel_mpi_rows_bounds(rows, &first, &last));
    check(keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD));
    while (keel_mpi_pipeline_next(pipeline, &from, &to)) {
        smpi_execute_flops((double)(last - first) * (start_flops + flops * (double)(to - from)));
    }
    check(keel_mpi_pipeline_end(pipeline));
    if (isolated) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Time since the beginning when `half` of the sweeps, and all, are over on all ranks. */
static void run(struct keel_mpi_rows *rows, struct keel_mpi_pipeline *pipeline, double time_s[2])
{
    double mine[2], begun_s;

    MPI_Barrier(MPI_COMM_WORLD);
    begun_s = MPI_Wtime();
    for (int i = 0; i < sweeps; i++) {
        if (i == sweeps / 2) {
            mine[0] = MPI_Wtime() - begun_s;
        }
        sweep(rows, pipeline);
    }
    mine[1] = MPI_Wtime() - begun_s;
    MPI_Allreduce(mine, time_s, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void measure(uint64_t size)
{
    struct keel_mpi_rows *rows;
    struct keel_mpi_pipeline *pipeline;
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    double *u, time_s[2];
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(keel_mpi_rows_create(MPI_COMM_WORLD, count, KEEL_MPI_ADJACENT, &rows));
    check(keel_mpi_rows_array(rows, sizeof *u, length, 1, (void **)&u));
    check(keel_mpi_pipeline_create(rows, u, size, &pipeline));
    run(rows, pipeline, time_s);
    check(keel_mpi_pipeline_report(pipeline, &report));
    if (rank == 0) {
        printf("%d\t%s\t%llu\t%.6g\t%.6g\t%llu\t%.2f\n", ranks, isolated ? "isolated" : "chained",
               (unsigned long long)size, 1e3 * time_s[1] / sweeps,
               1e3 * (time_s[1] - time_s[0]) / (sweeps - sweeps / 2),
               (unsigned long long)report.block, report.filling);
    }
    check(keel_mpi_pipeline_free(&pipeline));
    check(keel_mpi_rows_free(&rows));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 8) {
        fprintf(stderr,
                "usage: pipeline ROWS LENGTH FLOPS START SWEEPS chained|isolated SIZE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    count = strtoull(argv[1], NULL, 10);
    length = strtoull(argv[2], NULL, 10);
    flops = atof(argv[3]);
    start_flops = atof(argv[4]);
    sweeps = atoi(argv[5]);
    isolated = strcmp(argv[6], "isolated") == 0;
    for (int i = 7; i < argc; i++) {
        measure(strtoull(argv[i], NULL, 10));
    }
    MPI_Finalize();
    return 0;
}
