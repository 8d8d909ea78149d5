/* Loops and rows where a call of MPI fails (inject.c): no function says KEEL_MPI_OK and has a wrong
 * result, a loop that is not shared runs whole on its rank, and the job ends. Prints each code
 * other than that, and says what is wrong. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/checks.h"

static int rank, ranks;

#define N 240
static int data[N];
static unsigned char times[N];

/* Whether it said that it was fine. */
static bool fine(const char *what, int code)
{
    if (code != KEEL_MPI_OK) {
        printf("rank %d: %s: %d\n", rank, what, code);
    }
    return code == KEEL_MPI_OK;
}

static int run_loop(long *sum)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;

    *sum = 0;
    memset(times, 0, sizeof times);
    memset(data, 0, sizeof data);
    keel_mpi_loop_begin(MPI_COMM_WORLD, N, 0, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            times[i]++;
            data[i] = (int)i + 1;
            *sum += (long)i + 1;
        }
    }
    return keel_mpi_loop_end(&loop);
}

static void loops(void)
{
    long sum, whole = (long)N * (N + 1) / 2;
    int code = run_loop(&sum), last;

    bool shared = fine("loop", code);
    for (int i = 0; !shared && i < N; i++) {
        CHECK(times[i] == 1, "iteration %d executed %d times on rank %d", i, times[i], rank);
    }
    if (fine("reduce", keel_mpi_reduce(&sum, 1, MPI_LONG, MPI_SUM, ranks - 1, MPI_COMM_WORLD))) {
        CHECK(rank != ranks - 1 || sum == whole, "the sum is %ld", sum);
    }
    if (fine("gather", keel_mpi_gather(data, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD))) {
        for (int i = 0; rank == ranks - 1 && i < N; i++) {
            CHECK(data[i] == i + 1, "datum %d is %d", i, data[i]);
        }
    }
    if (fine("second loop", run_loop(&sum)) &&
        fine("allreduce", keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD))) {
        CHECK(sum == whole, "the sum on all is %ld", sum);
    }
    if (fine("allgather", keel_mpi_allgather(data, 1, MPI_INT, MPI_COMM_WORLD))) {
        for (int i = 0; i < N; i++) {
            CHECK(data[i] == i + 1, "datum %d of all is %d", i, data[i]);
        }
    }
    fine("last", keel_mpi_loop_last_rank(MPI_COMM_WORLD, &last));
    fine("wait", keel_mpi_wait(MPI_COMM_WORLD));
}

#define ROWS 24
#define LENGTH 16

static double value(uint64_t row, uint64_t column)
{
    return (double)(row * LENGTH + column);
}

static void check_rows(const double *array, uint64_t first, uint64_t last, const char *what)
{
    for (uint64_t row = first; row < last; row++) {
        for (uint64_t column = 0; column < LENGTH; column++) {
            CHECK(array[row * LENGTH + column] == value(row, column), "%s: row %d on rank %d", what,
                  (int)row, rank);
        }
    }
}

static bool exchange(struct keel_mpi_rows *rows, double *array, const char *what)
{
    uint64_t first, last;

    keel_mpi_rows_bounds(rows, &first, &last);
    if (!fine(what, keel_mpi_rows_exchange(rows, array))) {
        return false;
    }
    check_rows(array, first > 0 && first < last ? first - 1 : first,
               last < ROWS && first < last ? last + 1 : last, what);
    return true;
}

/* Each element is the sum of those before it, by one from row to row. */
static void sweep(struct keel_mpi_rows *rows, double *array)
{
    struct keel_mpi_pipeline *pipeline;
    uint64_t first, last, from, to;

    if (!fine("pipeline", keel_mpi_pipeline_create(rows, array, 4, &pipeline))) {
        return;
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    fine("begin of a sweep", keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD));
    while (keel_mpi_pipeline_next(pipeline, &from, &to)) {
        for (uint64_t row = first; row < last; row++) {
            for (uint64_t column = from; column < to; column++) {
                array[row * LENGTH + column] =
                    (row > 0 ? array[(row - 1) * LENGTH + column] : 0) + 1;
            }
        }
    }
    if (fine("end of a sweep", keel_mpi_pipeline_end(pipeline))) {
        for (uint64_t row = first; row < last; row++) {
            CHECK(array[row * LENGTH + LENGTH - 1] == (double)row + 1, "row %d of a sweep",
                  (int)row);
        }
    }
    fine("end of the pipeline", keel_mpi_pipeline_free(&pipeline));
}

static void move(struct keel_mpi_rows *rows, double *array)
{
    uint64_t shares[8], first, last;

    for (int i = 0; i < ranks; i++) {
        shares[i] = i == 0 ? ROWS - (uint64_t)(ranks - 1) * 2 : 2;
    }
    if (fine("move", keel_mpi_rows_move(rows, shares))) {
        keel_mpi_rows_bounds(rows, &first, &last);
        CHECK(last - first == shares[rank], "%d rows on rank %d", (int)(last - first), rank);
        check_rows(array, first, last, "moved");
    }
}

static void distributed(void)
{
    static double all[ROWS * LENGTH];
    struct keel_mpi_rows *rows;
    double *array;
    uint64_t first, last;

    if (!fine("create", keel_mpi_rows_create(MPI_COMM_WORLD, ROWS, KEEL_MPI_ADJACENT, &rows)) ||
        !fine("array", keel_mpi_rows_array(rows, sizeof(double), LENGTH, 1, (void **)&array))) {
        return;
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        for (uint64_t column = 0; column < LENGTH; column++) {
            array[row * LENGTH + column] = value(row, column);
        }
    }
    exchange(rows, array, "exchange");
    move(rows, array);
    exchange(rows, array, "second exchange");
    if (fine("gathering rows", keel_mpi_rows_allgather(rows, array, all))) {
        check_rows(all, 0, ROWS, "gathered");
    }
    for (int i = 0; i < 4; i++) {
        keel_mpi_rows_work_begin(
            rows); /* else the balance call may ask for work, if it is late enough */
        keel_mpi_rows_work_end(rows);
        fine("hook", keel_mpi_rows_balance(rows, NULL));
    }
    sweep(rows, array);
    fine("free", keel_mpi_rows_free(&rows));
}

int main(int argc, char **argv)
{
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(ranks > 0, "no rank"); /* where all calls fail, there is nothing else to check */
    loops();
    distributed();
    MPI_Finalize();
    return check_status();
}
