/* C = A B for square matrices.
 *
 *   mpirun -n 2 matmul --size 500 --repeat 10 --verify
 *
 * Rows of A and C are distributed, and can move from any rank to any other; all of B is on every
 * rank. C is computed in strips of columns, --steps of them, with a balance call after each.
 * Products are added up in the order of a serial run, so that the result is the serial one, bit for
 * bit. */
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"

/* An element of factor `factor`. */
static double element(const struct app *app, uint64_t factor, uint64_t i, uint64_t j)
{
    return app_uniform((factor * app->size + i) * app->size + j) - 0.5;
}

static void fill_row(const struct app *app, uint64_t factor, uint64_t i, double *row)
{
    for (uint64_t j = 0; j < app->size; j++) {
        row[j] = element(app, factor, i, j);
    }
}

/* Columns [from, to) of a row of C, from that row of A. */
static void multiply(const double *restrict a, const double *restrict b, double *restrict c,
                     uint64_t n, uint64_t from, uint64_t to)
{
    memset(c + from, 0, (to - from) * sizeof *c);
    for (uint64_t k = 0; k < n; k++) {
        for (uint64_t j = from; j < to; j++) {
            c[j] += a[k] * b[k * n + j];
        }
    }
}

/* The first column of strip `step`. */
static uint64_t strip(const struct app *app, uint64_t step)
{
    return app->size * step / app->steps;
}

static bool same_as_serial(const struct app *app, const double *b, const double *result)
{
    uint64_t n = app->size;
    double *a = memory_new(n, sizeof *a), *c = memory_new(n, sizeof *c);
    bool same = true;

    for (uint64_t i = 0; i < n && same; i++) {
        fill_row(app, 0, i, a);
        multiply(a, b, c, n, 0, n);
        same = memcmp(c, result + i * n, n * sizeof *c) == 0;
    }
    free(a);
    free(c);
    return same;
}

static bool verify(const struct app *app, struct keel_mpi_rows *rows, const double *b,
                   const double *c)
{
    double *result = app->rank == 0 ? memory_new(app->size * app->size, sizeof *result) : NULL;

    job_check(keel_mpi_rows_gather(rows, c, result, 0));
    bool same = app->rank != 0 || same_as_serial(app, b, result);
    free(result);
    return same;
}

int main(int arguments, char **argument)
{
    struct app app = {.name = "matmul", .size = 500, .steps = 10};
    uint64_t times = 1, count;
    const struct app_option options[] = {{"size", .number = &app.size, .least = 1},
                                         {"steps", .number = &app.steps, .least = 1},
                                         {"repeat", .number = &times, .least = 1},
                                         {0}};
    struct keel_mpi_rows *rows;
    const uint64_t *row;

    app_begin(&app, options, arguments, argument);
    uint64_t n = app.size;
    double *a, *b = memory_new(n * n, sizeof *b), *c;
    job_check(keel_mpi_rows_create(MPI_COMM_WORLD, n, KEEL_MPI_ANY, &rows));
    job_check(keel_mpi_rows_array(rows, sizeof *a, n, 0, (void **)&a));
    job_check(keel_mpi_rows_array(rows, sizeof *c, n, 0, (void **)&c));
    job_check(keel_mpi_rows_list(rows, &row, &count));
    for (uint64_t r = 0; r < count; r++) {
        fill_row(&app, 0, row[r], &a[row[r] * n]);
    }
    for (uint64_t i = 0; i < n; i++) {
        fill_row(&app, 1, i, &b[i * n]);
    }
    job_check(keel_mpi_rows_expect(rows, times * app.steps));

    app_start(&app);
    for (uint64_t step = 0; step < times * app.steps; step++) {
        uint64_t from = strip(&app, step % app.steps), to = strip(&app, step % app.steps + 1);
        job_check(keel_mpi_rows_list(rows, &row, &count));
#pragma omp parallel for schedule(runtime)
        for (uint64_t r = 0; r < count; r++) {
            multiply(&a[row[r] * n], b, &c[row[r] * n], n, from, to);
        }
        job_check(keel_mpi_rows_balance(rows, NULL)); /* rows may move here */
    }
    app_stop(&app, rows);

    bool same = !app.verify || verify(&app, rows, b, c);
    job_check(keel_mpi_rows_free(&rows));
    free(b);
    return app_end(&app, same);
}
