/* Successive over-relaxation of Laplace's equation, in red-black order.
 *
 *   mpirun -n 2 sor --size 1000 --steps 40 --verify
 *
 * Points are coloured like a chess board. A half sweep renews those of one colour, which only
 * depend on those of the other: rows can be computed in any order, with borders brought up to date
 * in between, and the result is the serial one, bit for bit. */
#include <math.h>
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

/* The points of one colour, 0 or 1, in row i. */
static void relax(double *u, uint64_t n, double omega, uint64_t i, uint64_t colour)
{
    double *here = u + i * n;

    if (i == 0 || i + 1 == n) {
        return;
    }
    for (uint64_t j = 2 - (i + colour) % 2; j + 1 < n; j += 2) {
        double mean = 0.25 * (here[j - n] + here[j + n] + here[j - 1] + here[j + 1]);
        here[j] += omega * (mean - here[j]);
    }
}

/* The best factor for a square of n x n points (Young 1954). */
static double best_omega(uint64_t n)
{
    return n < 2 ? 1 : 2 / (1 + sin(M_PI / (double)(n - 1)));
}

static bool same_as_serial(const struct app *app, const double *result)
{
    uint64_t n = app->size;
    double *u = app_room(n * n, sizeof *u), omega = best_omega(n);

    begin_rows(app, u, 0, n);
    for (uint64_t half = 0; half < 2 * app->steps; half++) {
        for (uint64_t i = 0; i < n; i++) {
            relax(u, n, omega, i, half % 2);
        }
    }
    bool same = memcmp(u, result, n * n * sizeof *u) == 0;
    free(u);
    return same;
}

static bool verify(const struct app *app, struct keel_mpi_rows *rows, const double *u)
{
    double *result = app->rank == 0 ? app_room(app->size * app->size, sizeof *result) : NULL;

    app_check(keel_mpi_rows_gather(rows, u, result, 0));
    bool same = app->rank != 0 || same_as_serial(app, result);
    free(result);
    return same;
}

int main(int arguments, char **argument)
{
    const char *whole = NULL;
    const struct app_option own[] = {
        {"whole", NULL, "rows may move after whole sweeps only", &whole}, {0}};
    struct app app = app_begin("sor", 1000, 40, own, arguments, argument);
    uint64_t n = app.size, halves = 2 * app.steps, first, last;
    double omega = best_omega(n);
    struct keel_mpi_rows *rows;
    double *u;

    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, n, KEEL_MPI_ADJACENT, &rows));
    app_check(keel_mpi_rows_array(rows, sizeof *u, n, 1, (void **)&u));
    app_check(keel_mpi_rows_bounds(rows, &first, &last));
    begin_rows(&app, u, first, last);
    app_check(keel_mpi_rows_expect(rows, whole != NULL ? app.steps : halves));

    app_start(&app);
    for (uint64_t half = 0; half < halves; half++) {
        app_check(keel_mpi_rows_exchange(rows, u));
        app_check(keel_mpi_rows_bounds(rows, &first, &last));
#pragma omp parallel for schedule(runtime)
        for (uint64_t i = first; i < last; i++) {
            relax(u, n, omega, i, half % 2);
        }
        if (whole == NULL || half % 2 == 1) {
            app_check(keel_mpi_rows_balance(rows, NULL)); /* rows may move here */
        }
    }
    app_stop(&app, rows);

    bool same = !app.verify || verify(&app, rows, u);
    app_check(keel_mpi_rows_free(&rows));
    return app_end(&app, same);
}
