/* The ranks of bench/pipeline: sweep over SIZE x SIZE points with blocks of several sizes in turn,
 * and say how long they took. Rank 0 writes lines of support/sample.h.
 *
 *   sampler SIZE ROUNDS SWEEPS chained|isolated BLOCK...
 *
 * BLOCK 0: chosen. Samples are `sweep`, ms of a sweep, and `block`, the size that it had; their
 * case is "RANKS ranks, chained", their variant BLOCK. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/sample.h"
#include "mpi_backend/include/keel_mpi.h"

#define BLOCKS_MAX 64

static int rank, ranks;
static uint64_t n;
static bool isolated;

static void check(int code)
{
    if (code != KEEL_MPI_OK) {
        fprintf(stderr, "keel: pipeline_dir/sampler: rank %d: a call returns %d\n", rank, code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void relax_block(double *u, uint64_t first, uint64_t last, uint64_t from, uint64_t to)
{
    last = last == n ? n - 1 : last;
    to = to == n ? n - 1 : to;
    for (uint64_t i = first == 0 ? 1 : first; i < last; i++) {
        for (uint64_t j = from == 0 ? 1 : from; j < to; j++) {
            double *here = u + i * n + j;
            double mean = 0.25 * (here[-(int64_t)n] + here[n] + here[-1] + here[1]);
            *here += 1.5 * (mean - *here);
        }
    }
}

static void sweep(struct keel_mpi_rows *rows, struct keel_mpi_pipeline *pipeline, double *u)
{
    uint64_t first, last, from, to;

    check(keel_mpi_rows_bounds(rows, &first, &last));
    check(keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD));
    while (keel_mpi_pipeline_next(pipeline, &from, &to)) {
        relax_block(u, first, last, from, to);
    }
    check(keel_mpi_pipeline_end(pipeline));
    if (isolated) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void tell(const char *kind, const char *block, int round, double value)
{
    char what[SAMPLE_TEXT_MAX];

    snprintf(what, sizeof what, "%d ranks, %s", ranks, isolated ? "isolated" : "chained");
    if (rank == 0) {
        sample_write(kind, what, block, round, 1, value);
    }
}

/* From barrier to barrier. */
static void measure(struct keel_mpi_rows *rows, struct keel_mpi_pipeline *pipeline, double *u,
                    int sweeps, const char *block, int round)
{
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};

    MPI_Barrier(MPI_COMM_WORLD);
    double begun_s = MPI_Wtime();
    for (int i = 0; i < sweeps; i++) {
        sweep(rows, pipeline, u);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    tell("sweep", block, round, 1e3 * (MPI_Wtime() - begun_s) / sweeps);
    check(keel_mpi_pipeline_report(pipeline, &report));
    tell("block", block, round, (double)report.block);
}

static void begin_rows(struct keel_mpi_rows *rows, double *u)
{
    uint64_t first, last;

    check(keel_mpi_rows_bounds(rows, &first, &last));
    for (uint64_t k = first * n; k < last * n; k++) {
        u[k] = (double)(k * 2654435761u % 1000) / 1000;
    }
}

/* The order changes from round to round; the first round is to warm up. */
static void run(int rounds, int sweeps, int count, char **block)
{
    struct keel_mpi_rows *rows;
    struct keel_mpi_pipeline *pipeline[BLOCKS_MAX];
    double *u;

    check(keel_mpi_rows_create(MPI_COMM_WORLD, n, KEEL_MPI_ADJACENT, &rows));
    check(keel_mpi_rows_array(rows, sizeof *u, n, 1, (void **)&u));
    for (int i = 0; i < count; i++) {
        check(keel_mpi_pipeline_create(rows, u, strtoull(block[i], NULL, 10), &pipeline[i]));
    }
    for (int round = 0; round <= rounds; round++) {
        begin_rows(rows, u);
        for (int i = 0; i < count; i++) {
            int at = (round * 7 + (round % 2 ? count - 1 - i : i)) % count;
            measure(rows, pipeline[at], u, sweeps, block[at], round);
        }
    }
    for (int i = 0; i < count; i++) {
        check(keel_mpi_pipeline_free(&pipeline[i]));
    }
    check(keel_mpi_rows_free(&rows));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 6 || argc > 5 + BLOCKS_MAX) {
        fprintf(stderr, "usage: sampler SIZE ROUNDS SWEEPS chained|isolated BLOCK...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    n = strtoull(argv[1], NULL, 10);
    isolated = strcmp(argv[4], "isolated") == 0;
    run(atoi(argv[2]), atoi(argv[3]), argc - 5, argv + 5);
    MPI_Finalize();
    return 0;
}
