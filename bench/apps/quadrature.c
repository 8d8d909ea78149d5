/* Adaptive quadrature with hot spots that move: at each time the integral of a function with peaks
 * that wander over the plane. Its cells (panels.h) are objects, or with --rows the items of
 * rows: the same work under both.
 *
 *   each: own cells are integrated, objects move -> their sum over all ranks -> next time ...
 *   own cells are integrated -> hook: rows move -> their sum over all ranks -> next time ...
 *
 * Result: the integral, and the panels, of every cell are those of the serial program, bit for bit.
 * Their sum is, but for rounding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"
#include "bench/apps/panels.h"

#define TIMES_PER_TURN 100 /* after so many times peaks are where they were */
#define ROUNDING 1e-12     /* of the sum, relative to it */

/* What a cell has come to. */
struct outcome {
    double integral, total;
    double panels;
};

struct job {
    struct app app;
    struct panels_task task;
    bool told, gathered;
    double time;
    struct keel_mpi_objects *objects; /* or */
    struct keel_mpi_rows *rows;
    struct panels_cell *cell; /* rows: all, those of other ranks empty */
    double integral;          /* over the plane, at the last time */
    struct outcome *outcome;  /* rank 0: of all cells */
};

static uint64_t cells(const struct job *job)
{
    return (uint64_t)job->task.across * (uint64_t)job->task.across;
}

static double time_of(uint64_t step)
{
    return (double)step / TIMES_PER_TURN;
}

static struct outcome outcome_of(const struct panels_cell *cell)
{
    return (struct outcome){cell->integral, cell->total, cell->count};
}

/* Each time ends when the integral over the plane is known everywhere. own: of this rank's cells.
 * Collective. */
static void end_time(struct job *job, double own)
{
    MPI_Allreduce(&own, &job->integral, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* --- objects --- */

static size_t object_size(void *context, uint64_t index, const void *data)
{
    (void)context;
    (void)index;
    return panels_size(data);
}

static int object_pack(void *context, uint64_t index, const void *data, void *buffer)
{
    (void)context;
    (void)index;
    panels_pack(data, buffer);
    return 0;
}

static int object_unpack(void *context, uint64_t index, const void *buffer, size_t size,
                         void **data)
{
    struct panels_cell *cell = malloc(sizeof *cell);

    (void)context;
    (void)index;
    (void)size;
    if (cell == NULL || !panels_unpack(cell, buffer)) {
        free(cell);
        return 1;
    }
    *data = cell;
    return 0;
}

static void object_drop(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    panels_free(data);
    free(data);
}

static void object_compute(void *context, uint64_t index, void *data)
{
    const struct job *job = context;
    struct panels_cell *cell = data;

    panels_integrate(&job->task, cell, job->time);
    if (job->told) {
        app_check(keel_mpi_objects_weigh(job->objects, index, cell->count));
    }
}

/* Blocks of cells, as large on each rank; or all on rank 0. */
static void make_objects(struct job *job)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .context = job,
                                                   .size = object_size,
                                                   .pack = object_pack,
                                                   .unpack = object_unpack,
                                                   .drop = object_drop};
    uint64_t rank = (uint64_t)job->app.rank, ranks = (uint64_t)job->app.ranks;

    app_check(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &job->objects));
    uint64_t first = cells(job) * rank / ranks, last = cells(job) * (rank + 1) / ranks;
    if (job->gathered) {
        first = 0;
        last = rank == 0 ? cells(job) : 0;
    }
    for (uint64_t i = first; i < last; i++) {
        struct panels_cell *cell = app_room(1, sizeof *cell);
        panels_make(cell, i);
        app_check(keel_mpi_objects_insert(job->objects, i, cell));
    }
}

static double sum_of_objects(const struct job *job)
{
    const uint64_t *index;
    uint64_t count;
    double sum = 0;

    app_check(keel_mpi_objects_list(job->objects, &index, &count));
    for (uint64_t i = 0; i < count; i++) {
        const struct panels_cell *cell = keel_mpi_objects_data(job->objects, index[i]);
        sum += cell->integral;
    }
    return sum;
}

static void run_objects(struct job *job)
{
    app_start(&job->app);
    for (uint64_t step = 0; step < job->app.steps; step++) {
        job->time = time_of(step);
        app_check(keel_mpi_objects_each(job->objects, object_compute));
        end_time(job, sum_of_objects(job));
    }
    app_stop_objects(&job->app, job->objects);
}

static void take_object(void *context, uint64_t index, const void *packed, size_t size)
{
    struct job *job = context;
    struct panels_cell cell;

    (void)size;
    if (!panels_unpack(&cell, packed)) {
        app_check(KEEL_MPI_NO_ROOM);
    }
    job->outcome[index] = outcome_of(&cell);
    panels_free(&cell);
}

/* --- rows --- */

static size_t item_size(void *context, uint64_t row)
{
    return panels_size(&((struct job *)context)->cell[row]);
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    panels_pack(&((struct job *)context)->cell[row], buffer);
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    (void)size;
    return !panels_unpack(&((struct job *)context)->cell[row], buffer);
}

static void item_drop(void *context, uint64_t row)
{
    panels_free(&((struct job *)context)->cell[row]);
}

static void make_rows(struct job *job, bool adjacent)
{
    struct keel_mpi_rows_items items = {sizeof items, job,         item_size,
                                        item_pack,    item_unpack, item_drop};
    const uint64_t *row;
    uint64_t rows;

    job->cell = app_room(cells(job), sizeof *job->cell);
    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, cells(job),
                                   adjacent ? KEEL_MPI_ADJACENT : KEEL_MPI_ANY, &job->rows));
    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        panels_make(&job->cell[row[i]], row[i]);
    }
    app_check(keel_mpi_rows_items(job->rows, &items));
}

static void compute_rows(struct job *job)
{
    const uint64_t *row;
    uint64_t rows;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = 0; i < rows; i++) {
        panels_integrate(&job->task, &job->cell[row[i]], job->time);
    }
    for (uint64_t i = 0; job->told && i < rows; i++) {
        double weight = job->cell[row[i]].count;
        app_check(keel_mpi_rows_weigh(job->rows, row[i], row[i] + 1, &weight));
    }
}

static double sum_of_rows(const struct job *job)
{
    const uint64_t *row;
    uint64_t rows;
    double sum = 0;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        sum += job->cell[row[i]].integral;
    }
    return sum;
}

static void run_rows(struct job *job)
{
    app_start(&job->app);
    for (uint64_t step = 0; step < job->app.steps; step++) {
        job->time = time_of(step);
        compute_rows(job);
        app_check(keel_mpi_rows_balance(job->rows, NULL));
        end_time(job, sum_of_rows(job));
    }
    app_stop(&job->app, job->rows);
}

/* Rank 0 gets what others have. Collective. */
static void take_rows(struct job *job)
{
    int numbers = (int)(cells(job) * (sizeof *job->outcome / sizeof(double)));
    const uint64_t *row;
    uint64_t rows;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        job->outcome[row[i]] = outcome_of(&job->cell[row[i]]);
    }
    MPI_Reduce(job->app.rank == 0 ? MPI_IN_PLACE : job->outcome, job->outcome, numbers, MPI_DOUBLE,
               MPI_SUM, 0, MPI_COMM_WORLD);
}

static void free_rows(struct job *job)
{
    for (uint64_t row = 0; row < cells(job); row++) {
        panels_free(&job->cell[row]);
    }
    free(job->cell);
    app_check(keel_mpi_rows_free(&job->rows));
}

/* --- the serial program --- */

static struct outcome run_alone(const struct job *job, uint64_t number)
{
    struct panels_cell cell;

    panels_make(&cell, number);
    for (uint64_t step = 0; step < job->app.steps; step++) {
        panels_integrate(&job->task, &cell, time_of(step));
    }
    struct outcome outcome = outcome_of(&cell);
    panels_free(&cell);
    return outcome;
}

/* Rank 0 compares every cell with what it computes alone, and their sum. Collective. */
static bool same_as_alone(struct job *job)
{
    uint64_t wrong = 0;
    double sum = 0;

    job->outcome = app_room(cells(job), sizeof *job->outcome);
    if (job->objects != NULL) {
        app_check(keel_mpi_objects_gather(job->objects, 0, take_object));
    } else {
        take_rows(job);
    }
    for (uint64_t i = 0; job->app.rank == 0 && i < cells(job); i++) {
        struct outcome alone = run_alone(job, i);
        wrong += memcmp(&job->outcome[i], &alone, sizeof alone) != 0;
        sum += alone.integral;
    }
    free(job->outcome);
    return job->app.rank != 0 || (wrong == 0 && fabs(job->integral - sum) <= ROUNDING * sum);
}

/* --- the program --- */

int main(int arguments, char **argument)
{
    const char *across = "32", *rows = NULL, *adjacent = NULL, *told = NULL;
    const char *gathered = NULL;
    const struct app_option own[] = {
        {"across", "N", "cells are N x N (default 32)", &across},
        {"rows", NULL, "cells are items of rows, instead of objects", &rows},
        {"adjacent", NULL, "rows move between neighbouring ranks only", &adjacent},
        {"told", NULL, "cells weigh as many panels as they had", &told},
        {"gathered", NULL, "all objects are on rank 0 at first", &gathered},
        {NULL, NULL, NULL, NULL},
    };
    struct job job = {.app = app_begin("quadrature", 20, 50, own, arguments, argument)};

    if (rows != NULL && gathered != NULL) {
        app_refuse(&job.app, "gathered", "--rows", "possible beside it");
    }
    job.task = (struct panels_task){.across = (int)app_number(&job.app, "across", across, 1, 1024),
                                    .tolerance = 1e-7,
                                    .narrow = 1.0 / (double)job.app.size};
    job.told = told != NULL;
    job.gathered = gathered != NULL;
    if (rows == NULL) {
        make_objects(&job);
        run_objects(&job);
    } else {
        make_rows(&job, adjacent != NULL);
        run_rows(&job);
    }
    bool same = !job.app.verify || same_as_alone(&job);
    if (rows == NULL) {
        app_check(keel_mpi_objects_destroy(&job.objects));
    } else {
        free_rows(&job);
    }
    return app_end(&job.app, same);
}
