/* Successive over-relaxation of Laplace's equation in Gauss-Seidel order, as pipelined sweeps.
 *
 *   mpirun -n 2 sor_pipelined --size 1000 --steps 40 --verify
 *
 * A point depends on the new values above it and to its left, and on the old ones below it and to
 * its right. A sweep goes through the points row by row, so that rank after rank can begin its rows
 * only when the ones above are done; cut into blocks of columns, they work at the same time. With
 * --hooks, rows move within a sweep where ranks' speeds change. The result is the serial one, bit
 * for bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"

/* What a point begins with: at random inside, 1 on one side of the border, 0 on the others. */
static void begin_rows(const struct app *app, double *u, uint64_t first, uint64_t last)
{
    uint64_t n = app->size;

    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < n; j++) {
            bool border = i == 0 || i + 1 == n || j == 0 || j + 1 == n;
            u[i * n + j] = border ? i == 0 : app_uniform(app->seed, i * n + j);
        }
    }
}

static void relax(double *u, uint64_t n, double omega, uint64_t i, uint64_t j)
{
    double *here = u + i * n + j;
    double mean = 0.25 * (here[-(int64_t)n] + here[n] + here[-1] + here[1]);

    *here += omega * (mean - *here);
}

/* Elements [from, to) of rows [first, last), less the border, in the order of the sweep. */
static void relax_block(double *u, uint64_t n, double omega, int direction, uint64_t first,
                        uint64_t last, uint64_t from, uint64_t to)
{
    first = first == 0 ? 1 : first;
    last = last == n ? n - 1 : last;
    from = from == 0 ? 1 : from;
    to = to == n ? n - 1 : to;
    if (direction == KEEL_MPI_FORWARD) {
        for (uint64_t i = first; i < last; i++) {
            for (uint64_t j = from; j < to; j++) {
                relax(u, n, omega, i, j);
            }
        }
    } else {
        for (uint64_t i = last; i-- > first;) {
            for (uint64_t j = to; j-- > from;) {
                relax(u, n, omega, i, j);
            }
        }
    }
}

/* The sum of squares of rows [first, last). */
static double norm(const double *u, uint64_t n, uint64_t first, uint64_t last)
{
    double sum = 0;

    for (uint64_t k = first * n; k < last * n; k++) {
        sum += u[k] * u[k];
    }
    return sum;
}

/* The best factor for a square of n x n points (Young 1954). */
static double best_omega(uint64_t n)
{
    return n < 2 ? 1 : 2 / (1 + sin(M_PI / (double)(n - 1)));
}

static int direction_of(uint64_t step, bool symmetric)
{
    return symmetric && step % 2 == 1 ? KEEL_MPI_BACKWARD : KEEL_MPI_FORWARD;
}

static bool same_as_serial(const struct app *app, bool symmetric, const double *result)
{
    uint64_t n = app->size;
    double *u = app_room(n * n, sizeof *u), omega = best_omega(n);

    begin_rows(app, u, 0, n);
    for (uint64_t step = 0; step < app->steps; step++) {
        relax_block(u, n, omega, direction_of(step, symmetric), 0, n, 0, n);
    }
    bool same = memcmp(u, result, n * n * sizeof *u) == 0;
    free(u);
    return same;
}

static bool verify(const struct app *app, bool symmetric, struct keel_mpi_rows *rows,
                   const double *u)
{
    double *result = app->rank == 0 ? app_room(app->size * app->size, sizeof *result) : NULL;

    app_check(keel_mpi_rows_gather(rows, u, result, 0));
    bool same = app->rank != 0 || same_as_serial(app, symmetric, result);
    free(result);
    return same;
}

static void sweep(const struct app *app, struct keel_mpi_pipeline *pipeline, double *u,
                  int direction)
{
    double omega = best_omega(app->size);
    uint64_t first, last, from, to;

    app_check(keel_mpi_pipeline_begin(pipeline, direction));
    while (keel_mpi_pipeline_next_rows(pipeline, &first, &last, &from, &to)) {
        relax_block(u, app->size, omega, direction, first, last, from, to);
    }
    app_check(keel_mpi_pipeline_end(pipeline));
}

/* All ranks see the norm, and so wait for each other. */
static double sum_up(const struct app *app, const struct keel_mpi_rows *rows, const double *u)
{
    uint64_t first, last;

    app_check(keel_mpi_rows_bounds(rows, &first, &last));
    double sum = norm(u, app->size, first, last);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int arguments, char **argument)
{
    const char *symmetric = NULL, *isolated = NULL, *block = "0", *within = "0";
    const struct app_option own[] = {
        {"symmetric", NULL, "every other sweep goes backward", &symmetric},
        {"isolated", NULL, "all ranks sum up the points after each sweep", &isolated},
        {"block", "N", "columns in a block (default 0: chosen)", &block},
        {"hooks", "N", "rows may move at N places in a sweep (default 0: after it)", &within},
        {0}};
    struct app app = app_begin("sor_pipelined", 1000, 40, own, arguments, argument);
    uint64_t n = app.size, columns = app_number(&app, "block", block, 0, UINT64_MAX), first, last;
    uint64_t hooks = app_number(&app, "hooks", within, 0, 1000000);
    struct keel_mpi_rows *rows;
    struct keel_mpi_pipeline *pipeline;
    double *u, sum = 0;

    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, n, KEEL_MPI_ADJACENT, &rows));
    app_check(keel_mpi_rows_array(rows, sizeof *u, n, 1, (void **)&u));
    app_check(keel_mpi_rows_bounds(rows, &first, &last));
    begin_rows(&app, u, first, last);
    app_check(keel_mpi_pipeline_create(rows, u, columns, &pipeline));
    app_check(keel_mpi_pipeline_hooks(pipeline, hooks));
    app_check(keel_mpi_rows_expect(rows, app.steps * (hooks > 0 ? hooks : 1)));

    app_start(&app);
    for (uint64_t step = 0; step < app.steps; step++) {
        sweep(&app, pipeline, u, direction_of(step, symmetric != NULL));
        sum = isolated != NULL ? sum_up(&app, rows, u) : 0;
        if (hooks == 0) {
            app_check(keel_mpi_rows_balance(rows, NULL)); /* rows may move here */
        }
    }
    app_stop(&app, rows);

    bool same = isfinite(sum) && (!app.verify || verify(&app, symmetric != NULL, rows, u));
    app_check(keel_mpi_pipeline_free(&pipeline));
    app_check(keel_mpi_rows_free(&rows));
    return app_end(&app, same);
}
