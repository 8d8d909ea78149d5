/* Adaptive quadrature with hot spots that move: at each time the integral of a function with peaks
 * that wander over the plane. Its cells are objects, or with --rows the items of rows: the same
 * work under both.
 *
 *   panels of the last time -> halved where Simpson's rule errs, joined where it does not need them
 *   -> panels of this time, their sum
 *
 * A cell keeps its panels from one time to the next. What becomes of it depends on its calls alone:
 * nothing but + - * / is used.
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
#include "bench/support/support.h"

#define TIMES_PER_TURN 100 /* after so many times peaks are where they were */
#define ROUNDING 1e-12     /* of the sum, relative to it */

#define PANELS_LEVEL_MAX 20

/* What all cells have in common. */
struct panels_task {
    int across;       /* cells in a row, and rows of cells */
    double tolerance; /* error of the integral over the unit square at one time, about */
    double narrow;    /* width of the peaks */
};

/* Panels in depth-first order of a quadtree, by their levels: 0 is the whole cell. */
struct panels_cell {
    uint64_t number; /* row by row */
    double integral; /* over space, at the last time */
    double total;    /* of all times */
    int count, room;
    uint8_t *level;
};

/* --- the integrand --- */

/* Peaks go along straight lines, to and fro; each its own way. */
static const struct peak {
    double x, y, to_x, to_y, height;
} peaks[] = {
    {0.15, 0.2, 0.85, 0.4, 1},
    {0.9, 0.85, 0.2, 0.7, 0.7},
    {0.5, 0.05, 0.55, 0.95, 0.4},
};

#define PEAKS (sizeof peaks / sizeof *peaks)

/* 0 .. 1 .. 0 while `time` goes from 0 to 1, and again. */
static double to_and_fro(double time)
{
    double part = time - (double)(int64_t)time;

    return part < 0.5 ? 2 * part : 2 - 2 * part;
}

static double panels_value(const struct panels_task *task, double x, double y, double time)
{
    double value = 1, square = task->narrow * task->narrow, at = to_and_fro(time);

    for (size_t p = 0; p < PEAKS; p++) {
        double dx = x - (peaks[p].x + at * (peaks[p].to_x - peaks[p].x));
        double dy = y - (peaks[p].y + at * (peaks[p].to_y - peaks[p].y));
        value += peaks[p].height / (square + dx * dx + dy * dy);
    }
    return value;
}

/* --- panels --- */

/* A square. */
struct panel {
    double x, y, side;
    int level;
};

/* A walk through the panels of a cell, old ones and new ones. */
struct walk {
    const struct panels_task *task;
    double time;
    const uint8_t *old; /* the next one */
    struct panels_cell *cell;
    double allowed; /* error per area */
};

/* Simpson's rule in both directions. */
static double simpson(struct walk *walk, double x, double y, double side)
{
    static const double factor[3] = {1, 4, 1};
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += factor[i] * factor[j] *
                   panels_value(walk->task, x + i * side / 2, y + j * side / 2, walk->time);
        }
    }
    return sum * side * side / 36;
}

static struct panel quarter(const struct panel *panel, int which)
{
    double half = panel->side / 2;

    return (struct panel){panel->x + which % 2 * half, panel->y + which / 2 * half, half,
                          panel->level + 1};
}

/* The sum over its quarters, if that is near enough to the whole: the panel need not be halved. */
static bool suffices(struct walk *walk, const struct panel *panel, double *integral)
{
    double whole = simpson(walk, panel->x, panel->y, panel->side), sum = 0;

    for (int q = 0; q < 4; q++) {
        struct panel part = quarter(panel, q);
        sum += simpson(walk, part.x, part.y, part.side);
    }
    double error = (sum - whole) / 15;
    *integral = sum;
    return (error < 0 ? -error : error) <= walk->allowed * panel->side * panel->side ||
           panel->level == PANELS_LEVEL_MAX;
}

static void add_panel(struct walk *walk, int level)
{
    struct panels_cell *cell = walk->cell;

    cell->level = memory_grow(cell->level, &cell->room, cell->count + 1, sizeof *cell->level);
    cell->level[cell->count++] = (uint8_t)level;
}

/* A panel that was one, or is new. */
static double integrate_fresh(struct walk *walk, const struct panel *panel)
{
    double integral;

    if (suffices(walk, panel, &integral)) {
        add_panel(walk, panel->level);
        return integral;
    }
    integral = 0;
    for (int q = 0; q < 4; q++) {
        struct panel part = quarter(panel, q);
        integral += integrate_fresh(walk, &part);
    }
    return integral;
}

/* A panel whose quarters were panels, or had some. Four that are left as they are become one again
 * where that suffices. */
static double integrate_panel(struct walk *walk, const struct panel *panel)
{
    int first = walk->cell->count;
    double integral = 0, joined;

    if (*walk->old == panel->level) {
        walk->old++;
        return integrate_fresh(walk, panel);
    }
    for (int q = 0; q < 4; q++) {
        struct panel part = quarter(panel, q);
        integral += integrate_panel(walk, &part);
    }
    if (walk->cell->count == first + 4 && suffices(walk, panel, &joined)) {
        walk->cell->count = first;
        add_panel(walk, panel->level);
        return joined;
    }
    return integral;
}

/* The integral at a time, from 0; peaks come back after about 1. */
static void panels_integrate(const struct panels_task *task, struct panels_cell *cell, double time)
{
    uint64_t across = (uint64_t)task->across;
    struct panel whole = {(double)(cell->number % across) / task->across,
                          (double)(cell->number / across) / task->across, 1.0 / task->across, 0};
    struct panels_cell last = *cell;
    struct walk walk = {task, time, last.level, cell, task->tolerance};

    cell->level = NULL;
    cell->count = cell->room = 0;
    cell->integral = integrate_panel(&walk, &whole);
    cell->total += cell->integral;
    free(last.level);
}

/* A cell that is one panel. */
static void panels_make(struct panels_cell *cell, uint64_t number)
{
    *cell = (struct panels_cell){.number = number, .count = 1, .room = 1};
    cell->level = memory_new(1, sizeof *cell->level);
    cell->level[0] = 0;
}

static void panels_free(struct panels_cell *cell)
{
    free(cell->level);
    *cell = (struct panels_cell){0};
}

/* --- moving --- */

struct packed {
    uint64_t number;
    double integral, total;
    int64_t count;
};

static size_t panels_size(const struct panels_cell *cell)
{
    return sizeof(struct packed) + (size_t)cell->count * sizeof *cell->level;
}

static void panels_pack(const struct panels_cell *cell, void *buffer)
{
    struct packed packed = {cell->number, cell->integral, cell->total, cell->count};

    memcpy(buffer, &packed, sizeof packed);
    memcpy((char *)buffer + sizeof packed, cell->level, panels_size(cell) - sizeof packed);
}

/* False: no memory, and *cell is empty. */
static bool panels_unpack(struct panels_cell *cell, const void *buffer)
{
    struct packed packed;

    memcpy(&packed, buffer, sizeof packed);
    *cell = (struct panels_cell){.number = packed.number,
                                 .integral = packed.integral,
                                 .total = packed.total,
                                 .count = (int)packed.count,
                                 .room = (int)packed.count};
    cell->level = malloc((size_t)packed.count * sizeof *cell->level);
    if (cell->level == NULL) {
        *cell = (struct panels_cell){0};
        return false;
    }
    memcpy(cell->level, (const char *)buffer + sizeof packed, panels_size(cell) - sizeof packed);
    return true;
}

/* --- the job --- */

/* What a cell has come to. */
struct outcome {
    double integral, total;
    double panels;
};

struct job {
    struct app app;
    struct panels_task task;
    bool told;
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
        job_check(keel_mpi_objects_weigh(job->objects, index, cell->count));
    }
}

/* Blocks of cells, as large on each rank. */
static void make_objects(struct job *job)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .context = job,
                                                   .size = object_size,
                                                   .pack = object_pack,
                                                   .unpack = object_unpack,
                                                   .drop = object_drop};
    uint64_t rank = (uint64_t)job->app.rank, ranks = (uint64_t)job->app.ranks;

    job_check(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &job->objects));
    uint64_t first = cells(job) * rank / ranks, last = cells(job) * (rank + 1) / ranks;
    for (uint64_t i = first; i < last; i++) {
        struct panels_cell *cell = memory_new(1, sizeof *cell);
        panels_make(cell, i);
        job_check(keel_mpi_objects_insert(job->objects, i, cell));
    }
}

static double sum_of_objects(const struct job *job)
{
    const uint64_t *index;
    uint64_t count;
    double sum = 0;

    job_check(keel_mpi_objects_list(job->objects, &index, &count));
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
        job_check(keel_mpi_objects_each(job->objects, object_compute));
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
        job_check(KEEL_MPI_NO_ROOM);
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

static void make_rows(struct job *job)
{
    struct keel_mpi_rows_items items = {sizeof items, job,         item_size,
                                        item_pack,    item_unpack, item_drop};
    const uint64_t *row;
    uint64_t rows;

    job->cell = memory_new(cells(job), sizeof *job->cell);
    job_check(keel_mpi_rows_create(MPI_COMM_WORLD, cells(job), KEEL_MPI_ANY, &job->rows));
    job_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        panels_make(&job->cell[row[i]], row[i]);
    }
    job_check(keel_mpi_rows_items(job->rows, &items));
}

static void compute_rows(struct job *job)
{
    const uint64_t *row;
    uint64_t rows;

    job_check(keel_mpi_rows_list(job->rows, &row, &rows));
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = 0; i < rows; i++) {
        panels_integrate(&job->task, &job->cell[row[i]], job->time);
    }
    for (uint64_t i = 0; job->told && i < rows; i++) {
        double weight = job->cell[row[i]].count;
        job_check(keel_mpi_rows_weigh(job->rows, row[i], row[i] + 1, &weight));
    }
}

static double sum_of_rows(const struct job *job)
{
    const uint64_t *row;
    uint64_t rows;
    double sum = 0;

    job_check(keel_mpi_rows_list(job->rows, &row, &rows));
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
        job_check(keel_mpi_rows_balance(job->rows, NULL));
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

    job_check(keel_mpi_rows_list(job->rows, &row, &rows));
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
    job_check(keel_mpi_rows_free(&job->rows));
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

    job->outcome = memory_new(cells(job), sizeof *job->outcome);
    if (job->objects != NULL) {
        job_check(keel_mpi_objects_gather(job->objects, 0, take_object));
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
    const char *across = "32", *rows = NULL, *told = NULL;
    const struct app_option own[] = {
        {"across", "N", "cells are N x N (default 32)", &across},
        {"rows", NULL, "cells are items of rows, instead of objects", &rows},
        {"told", NULL, "cells weigh as many panels as they had", &told},
        {NULL, NULL, NULL, NULL},
    };
    struct job job = {.app = app_begin("quadrature", 20, 50, own, arguments, argument)};

    job.task = (struct panels_task){.across = (int)app_number(&job.app, "across", across, 1, 1024),
                                    .tolerance = 1e-7,
                                    .narrow = 1.0 / (double)job.app.size};
    job.told = told != NULL;
    if (rows == NULL) {
        make_objects(&job);
        run_objects(&job);
    } else {
        make_rows(&job);
        run_rows(&job);
    }
    bool same = !job.app.verify || same_as_alone(&job);
    if (rows == NULL) {
        job_check(keel_mpi_objects_destroy(&job.objects));
    } else {
        free_rows(&job);
    }
    return app_end(&job.app, same);
}
