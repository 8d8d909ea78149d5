/* Self-scheduling as Kim & Purtilo ran it (PAPERS.md K6, K8), under simulation: a master
 * that does nothing else gives each worker a row at a time, which brings its row back.
 *
 *   master ROWS FLOPS TASK_BYTES RESULT_BYTES      rank 0 is the master; prints the seconds
 *
 * FLOPS: of all rows together, which cost what rows of the Mandelbrot set do. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/papers_dir/kp96/set_rows.h"

#define NOTHING UINT64_MAX /* in place of a row: there are no more */

static uint64_t rows;
static int task_bytes, result_bytes, workers;

static void send_row(uint64_t *task, uint64_t row, int worker)
{
    task[0] = row;
    MPI_Send(task, task_bytes, MPI_BYTE, worker, 0, MPI_COMM_WORLD);
}

static void serve(uint64_t *task, char *result)
{
    uint64_t given = 0;

    for (int worker = 1; worker <= workers; worker++) {
        send_row(task, given < rows ? given++ : NOTHING, worker);
    }
    for (uint64_t got = 0; got < rows; got++) {
        MPI_Status status;
        MPI_Recv(result, result_bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        send_row(task, given < rows ? given++ : NOTHING, status.MPI_SOURCE);
    }
}

static void work(uint64_t *task, char *result, const double *cost)
{
    for (;;) {
        MPI_Recv(task, task_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task[0] == NOTHING) {
            return;
        }
        smpi_execute_flops(cost[task[0]]);
        MPI_Send(result, result_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &workers);
    workers--;
    if (argc != 5 || atoi(argv[3]) < (int)sizeof(uint64_t) || workers == 0) {
        fprintf(stderr, "usage: master ROWS FLOPS TASK_BYTES RESULT_BYTES, at least two ranks and "
                        "8 bytes\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    rows = strtoull(argv[1], NULL, 10);
    task_bytes = atoi(argv[3]);
    result_bytes = atoi(argv[4]);
    double *cost = malloc(rows * sizeof *cost);
    if (rank == 0) {
        set_rows((unsigned)rows, atof(argv[2]), cost);
    }
    MPI_Bcast(cost, (int)rows, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    uint64_t *task = calloc(1, (size_t)task_bytes);
    char *result = calloc(1, (size_t)result_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    if (rank == 0) {
        serve(task, result);
        printf("%.4f\n", MPI_Wtime() - began);
    } else {
        work(task, result, cost);
    }
    MPI_Finalize();
    return 0;
}
