/* Heat that spreads over a plate: Jacobi's method for Laplace's equation.
 *
 *   mpirun -n 2 heat --size 1000 --steps 100 --verify
 *
 * A point becomes the mean of its four neighbours; the border of the plate keeps its temperature.
 * While the border rows of neighbouring ranks are on their way, rows further inside are computed.
 * Each point is computed by the same additions wherever it is: the result is the serial one, bit
 * for bit. */
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"

/* The temperature that a point begins with: at random inside, hot in the north, cold elsewhere. */
static double beginning(const struct app *app, uint64_t i, uint64_t j)
{
    uint64_t n = app->size;

    if (i == 0) {
        return 1;
    }
    return i + 1 == n || j == 0 || j + 1 == n ? 0 : app_uniform(app->seed, i * n + j);
}

static void heat_up(const struct app *app, double *old, double *new, uint64_t first, uint64_t last)
{
    uint64_t n = app->size;

    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < n; j++) {
            old[i * n + j] = new[i * n + j] = beginning(app, i, j);
        }
    }
}

/* Row i of the plate; the rows above and below are there. */
static void relax(const double *restrict old, double *restrict new, uint64_t n, uint64_t i)
{
    const double *north = old + (i - 1) * n, *here = north + n, *south = here + n;

    if (i == 0 || i + 1 == n) {
        return;
    }
    for (uint64_t j = 1; j + 1 < n; j++) {
        new[i * n + j] = 0.25 * (north[j] + south[j] + here[j - 1] + here[j + 1]);
    }
}

static void swap(double **a, double **b)
{
    double *other = *a;

    *a = *b;
    *b = other;
}

static bool same_as_serial(const struct app *app, const double *plate)
{
    uint64_t n = app->size;
    double *old = app_room(n * n, sizeof *old), *new = app_room(n * n, sizeof *new);

    heat_up(app, old, new, 0, n);
    for (uint64_t step = 0; step < app->steps; step++) {
        for (uint64_t i = 0; i < n; i++) {
            relax(old, new, n, i);
        }
        swap(&old, &new);
    }
    bool same = memcmp(old, plate, n * n * sizeof *old) == 0;
    free(old);
    free(new);
    return same;
}

static bool verify(const struct app *app, struct keel_mpi_rows *rows, const double *old)
{
    double *plate = app->rank == 0 ? app_room(app->size * app->size, sizeof *plate) : NULL;

    app_check(keel_mpi_rows_gather(rows, old, plate, 0));
    bool same = app->rank != 0 || same_as_serial(app, plate);
    free(plate);
    return same;
}

int main(int arguments, char **argument)
{
    struct app app = app_begin("heat", 1000, 100, NULL, arguments, argument);
    uint64_t n = app.size, first, last;
    struct keel_mpi_rows *rows;
    double *old, *new;

    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, n, KEEL_MPI_ADJACENT, &rows));
    app_check(keel_mpi_rows_array(rows, sizeof *old, n, 1, (void **)&old));
    app_check(keel_mpi_rows_array(rows, sizeof *new, n, 1, (void **)&new));
    app_check(keel_mpi_rows_bounds(rows, &first, &last));
    heat_up(&app, old, new, first, last);
    app_check(keel_mpi_rows_expect(rows, app.steps));

    app_start(&app);
    for (uint64_t step = 0; step < app.steps; step++) {
        app_check(keel_mpi_rows_bounds(rows, &first, &last));
        app_check(keel_mpi_rows_exchange_begin(rows, old));
#pragma omp parallel for schedule(runtime)
        for (uint64_t i = first + 1; i < last - (last > first); i++) {
            relax(old, new, n, i);
        }
        app_check(keel_mpi_rows_exchange_end(rows, old));
        /* The first and the last own row, which may be one. */
        uint64_t edges = last - first < 2 ? last - first : 2;
#pragma omp parallel for schedule(runtime)
        for (uint64_t edge = 0; edge < edges; edge++) {
            relax(old, new, n, edge == 0 ? first : last - 1);
        }
        swap(&old, &new);
        app_check(keel_mpi_rows_balance(rows, NULL)); /* rows may move here */
        app_note(&app, rows);
    }
    app_stop(&app, rows);

    bool same = !app.verify || verify(&app, rows, old);
    app_check(keel_mpi_rows_free(&rows));
    return app_end(&app, same);
}
