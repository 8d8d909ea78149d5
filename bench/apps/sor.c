/* Successive over-relaxation of Laplace's equation, in red-black order, or with --pipelined in
 * Gauss-Seidel order.
 *
 *   mpirun -n 2 sor --size 1000 --steps 40 --verify
 *
 * Points are coloured like a chess board. A half sweep updates those of one colour, which depend
 * only on those of the other: rows can be computed in any order, with borders exchanged in between,
 * and the result is the serial one, bit for bit.
 *
 * In Gauss-Seidel order a point depends on the new values above it and to its left, and on the old
 * ones below it and to its right. A sweep goes through the points row by row, so that rank after
 * rank can begin its rows only when the ones above are done; cut into blocks of columns, they work
 * at the same time. With --calls, rows move within a sweep if ranks' speeds change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"

/* Initial values: random inside, 1 on one side of the border, 0 on the others. */
static void begin_rows(const struct app *app, double *u, uint64_t first, uint64_t last)
{
    uint64_t n = app->size;

    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < n; j++) {
            bool border = i == 0 || i + 1 == n || j == 0 || j + 1 == n;
            u[i * n + j] = border ? i == 0 : app_uniform(i * n + j);
        }
    }
}

static void relax_point(double *u, uint64_t n, double omega, uint64_t i, uint64_t j)
{
    double *here = u + i * n + j;
    double mean = 0.25 * (here[-(int64_t)n] + here[n] + here[-1] + here[1]);

    *here += omega * (mean - *here);
}

/* The points of one colour, 0 or 1, in row i. */
static void relax_row(double *u, uint64_t n, double omega, uint64_t i, uint64_t colour)
{
    if (i == 0 || i + 1 == n) {
        return;
    }
    for (uint64_t j = 2 - (i + colour) % 2; j + 1 < n; j += 2) {
        relax_point(u, n, omega, i, j);
    }
}

/* Elements [from, to) of rows [first, last), without the border, in the order of the sweep. */
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
                relax_point(u, n, omega, i, j);
            }
        }
    } else {
        for (uint64_t i = last; i-- > first;) {
            for (uint64_t j = to; j-- > from;) {
                relax_point(u, n, omega, i, j);
            }
        }
    }
}

/* The best factor for a square of n x n points (Young 1954). */
static double best_omega(uint64_t n)
{
    return n < 2 ? 1 : 2 / (1 + sin(M_PI / (double)(n - 1)));
}

/* Each of these is an option. */
struct job {
    struct app app;
    bool whole;     /* rows may move after whole sweeps only */
    bool pipelined; /* in Gauss-Seidel order */
    bool symmetric; /* pipelined; every other sweep goes backward */
    uint64_t block; /* pipelined; columns in a block, 0: chosen */
    uint64_t calls; /* --calls; pipelined; balance calls in a sweep, 0: after it */
    double omega;
    struct keel_mpi_rows *rows;
    double *u;
};

static int direction_of(const struct job *job, uint64_t step)
{
    return job->symmetric && step % 2 == 1 ? KEEL_MPI_BACKWARD : KEEL_MPI_FORWARD;
}

static bool same_as_serial(const struct job *job, const double *result)
{
    uint64_t n = job->app.size;
    double *u = memory_new(n * n, sizeof *u);

    begin_rows(&job->app, u, 0, n);
    for (uint64_t step = 0; step < job->app.steps; step++) {
        if (job->pipelined) {
            relax_block(u, n, job->omega, direction_of(job, step), 0, n, 0, n);
        }
        for (uint64_t i = 0; !job->pipelined && i < 2 * n; i++) {
            relax_row(u, n, job->omega, i % n, i / n);
        }
    }
    bool same = memcmp(u, result, n * n * sizeof *u) == 0;
    free(u);
    return same;
}

static bool verify(const struct job *job)
{
    uint64_t n = job->app.size;
    double *result = job->app.rank == 0 ? memory_new(n * n, sizeof *result) : NULL;

    job_check(keel_mpi_rows_gather(job->rows, job->u, result, 0));
    bool same = job->app.rank != 0 || same_as_serial(job, result);
    free(result);
    return same;
}

static void run(struct job *job)
{
    uint64_t halves = 2 * job->app.steps, first, last;

    job_check(keel_mpi_rows_expect(job->rows, job->whole ? job->app.steps : halves));
    app_start(&job->app);
    for (uint64_t half = 0; half < halves; half++) {
        job_check(keel_mpi_rows_exchange(job->rows, job->u));
        job_check(keel_mpi_rows_bounds(job->rows, &first, &last));
#pragma omp parallel for schedule(runtime)
        for (uint64_t i = first; i < last; i++) {
            relax_row(job->u, job->app.size, job->omega, i, half % 2);
        }
        if (!job->whole || half % 2 == 1) {
            job_check(keel_mpi_rows_balance(job->rows, NULL)); /* rows may move here */
        }
    }
    app_stop(&job->app, job->rows);
}

static void run_pipelined(struct job *job)
{
    struct keel_mpi_pipeline *pipeline;
    uint64_t first, last, from, to;

    job_check(keel_mpi_pipeline_create(job->rows, job->u, job->block, &pipeline));
    job_check(keel_mpi_pipeline_hooks(pipeline, job->calls));
    job_check(keel_mpi_rows_expect(job->rows, job->app.steps * (job->calls > 0 ? job->calls : 1)));
    app_start(&job->app);
    for (uint64_t step = 0; step < job->app.steps; step++) {
        int direction = direction_of(job, step);
        job_check(keel_mpi_pipeline_begin(pipeline, direction));
        while (keel_mpi_pipeline_next_rows(pipeline, &first, &last, &from, &to)) {
            relax_block(job->u, job->app.size, job->omega, direction, first, last, from, to);
        }
        job_check(keel_mpi_pipeline_end(pipeline));
        if (job->calls == 0) {
            job_check(keel_mpi_rows_balance(job->rows, NULL)); /* rows may move here */
        }
    }
    app_stop(&job->app, job->rows);
    job_check(keel_mpi_pipeline_free(&pipeline));
}

int main(int arguments, char **argument)
{
    struct job job = {.app = {.name = "sor", .size = 1000, .steps = 40}};
    const struct app_option options[] = {{"size", .number = &job.app.size, .least = 1},
                                         {"steps", .number = &job.app.steps},
                                         {"whole", .flag = &job.whole},
                                         {"pipelined", .flag = &job.pipelined},
                                         {"symmetric", .flag = &job.symmetric},
                                         {"block", .number = &job.block},
                                         {"calls", .number = &job.calls},
                                         {0}};
    uint64_t first, last;

    app_begin(&job.app, options, arguments, argument);
    uint64_t n = job.app.size;
    job.omega = best_omega(n);
    job_check(keel_mpi_rows_create(MPI_COMM_WORLD, n, KEEL_MPI_ADJACENT, &job.rows));
    job_check(keel_mpi_rows_array(job.rows, sizeof *job.u, n, 1, (void **)&job.u));
    job_check(keel_mpi_rows_bounds(job.rows, &first, &last));
    begin_rows(&job.app, job.u, first, last);
    if (job.pipelined) {
        run_pipelined(&job);
    } else {
        run(&job);
    }
    bool same = !job.app.verify || verify(&job);
    job_check(keel_mpi_rows_free(&job.rows));
    return app_end(&job.app, same);
}
