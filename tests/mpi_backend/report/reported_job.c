/* A job with a shared loop and rows, whose report and trace are looked at: `job [rows]`, the latter
 * without loops; or with a loop in which all ranks wait for rank 0: `job late`; or with objects
 * alone: `job objects`. Each rank prints what it has counted: rank, iterations or objects, rows
 * that came. Or with shared loops until it is ended: `job ended FOLDER`. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/include/keel_mpi_objects.h"
#include "tests/support/helpers.h"

#define ITERATIONS 500
#define INSTANCES 4
#define ROWS 200
#define CALLS 12

static int rank;

static uint64_t run_loops(void)
{
    uint64_t executed = 0;

    for (int i = 0; i < INSTANCES; i++) {
        keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime) reduction(+ : executed)
        for (long j = 0; j < ITERATIONS; j++) {
            nap((uint64_t)(10 + 40 * rank));
            executed++;
        }
    }
    return executed;
}

/* Under `static`, each rank gets two iterations. */
static uint64_t run_late(void)
{
    uint64_t executed = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime) reduction(+ : executed)
    for (long j = 0; j < 4; j++) {
        nap(rank == 0 ? 2000000 : 1);
        executed++;
    }
    return executed;
}

static uint64_t run_rows(void)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    struct keel_mpi_rows *rows;
    uint64_t first, last;
    double *array;

    keel_mpi_rows_create(MPI_COMM_WORLD, ROWS, KEEL_MPI_ADJACENT, &rows);
    keel_mpi_rows_array(rows, sizeof *array, 10, 1, (void **)&array);
    for (int call = 0; call < CALLS; call++) {
        keel_mpi_rows_bounds(rows, &first, &last);
        keel_mpi_rows_work_begin(rows);
        nap((last - first) * (uint64_t)(1 + rank));
        keel_mpi_rows_work_end(rows);
        keel_mpi_rows_balance(rows, NULL);
    }
    keel_mpi_rows_report(rows, &report);
    keel_mpi_rows_free(&rows);
    return report.rows_received;
}

static uint64_t computed; /* objects, by this rank */

static void compute(void *context, uint64_t index, void *data)
{
    computed++;
}

/* Objects that stay on their ranks; no region, not even an empty one. */
static uint64_t run_objects(void)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions};
    struct keel_mpi_objects *objects;
    static char data;

    keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &objects);
    for (int i = 0; i <= rank; i++) {
        keel_mpi_objects_insert(objects, (uint64_t)(rank * ROWS + i), &data);
    }
    keel_mpi_objects_each(objects, compute);
    keel_mpi_objects_destroy(&objects);
    return computed;
}

static void say_ready(const char *folder)
{
    char path[4096], ready[4096];

    snprintf(path, sizeof path, "%s/%d.part", folder, rank);
    snprintf(ready, sizeof ready, "%s/%d", folder, rank);
    FILE *file = fopen(path, "w");
    if (file == NULL || fprintf(file, "%d\n", (int)getppid()) < 0 || fclose(file) != 0 ||
        rename(path, ready) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* Shared loops without end. Once there have been some, each rank makes FOLDER/RANK, which holds the
 * number of the process that has started it. */
static void run_without_end(const char *folder)
{
    for (int step = 0;; step++) {
        keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            nap(1000);
        }
        keel_mpi_wait(MPI_COMM_WORLD);
        if (step == 3) {
            say_ready(folder);
        }
    }
}

int main(int arguments, char **argument)
{
    int level;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (arguments == 3 && strcmp(argument[1], "ended") == 0) {
        run_without_end(argument[2]);
    }
    bool late = arguments > 1 && strcmp(argument[1], "late") == 0;
    bool objects = arguments > 1 && strcmp(argument[1], "objects") == 0;
    uint64_t executed = late            ? run_late()
                        : objects       ? run_objects()
                        : arguments > 1 ? 0
                                        : run_loops();
    uint64_t came = late || objects ? 0 : run_rows();
    printf("%d %lu %lu\n", rank, executed, came);
    return MPI_Finalize();
}
