/* Heat that spreads over a plate, in a job that goes on when ranks end.
 *
 *   mpirun --enable-recovery -n 4 -x KEEL_MPI_COPIES=10 lasting 200 300 1@120 0@250
 *
 * 200 rows and columns, 300 steps. Rank 1 of MPI_COMM_WORLD kills itself at the beginning of step
 * 120, rank 0 at that of step 250. The remaining ranks go back to the last step with a complete set
 * of copies. In the end the first of them compares with the serial result, bit for bit, and prints
 * how many ranks are left, and whether the result is the same. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/support/end_job.h"
#include "mpi_backend/include/keel_mpi.h"

struct job {
    MPI_Comm comm; /* of the remaining ranks */
    struct keel_mpi_rows *rows;
    double *plate[2]; /* after even steps, and after odd ones */
    uint64_t n, step, steps;
};

/* --- the plate --- */

static void heat_up(double *old, double *new, uint64_t n, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < n; j++) { /* hot in the north, cold elsewhere */
            old[i * n + j] = new[i * n + j] = i == 0 ? 1 : (double)((i * 7 + j * 13) % 10) / 20;
        }
    }
}

static void relax(const double *old, double *new, uint64_t n, uint64_t i)
{
    const double *north = old + (i - 1) * n, *here = old + i * n, *south = here + n;

    for (uint64_t j = 1; i > 0 && i + 1 < n && j + 1 < n; j++) {
        new[i * n + j] = 0.25 * (north[j] + south[j] + here[j - 1] + here[j + 1]);
    }
}

/* --- one step, and recovery if ranks are lost --- */

/* Returns KEEL_MPI_RANKS_LOST on all ranks, sooner or later. */
static int step(struct job *job)
{
    double *old = job->plate[job->step % 2], *new = job->plate[1 - job->step % 2];
    uint64_t first, last;
    int code = keel_mpi_rows_exchange(job->rows, old);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    job_check(keel_mpi_rows_bounds(job->rows, &first, &last));
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = first; i < last; i++) {
        relax(old, new, job->n, i);
    }
    return keel_mpi_rows_balance(job->rows, NULL); /* rows may move, and be copied, here */
}

/* Finds the remaining ranks, their rows, and their step; repeats if more ranks end meanwhile. */
static void go_back(struct job *job)
{
    uint64_t first, last;
    int code, before, left;

    MPI_Comm_size(job->comm, &left);
    do {
        before = left;
        job_check(keel_mpi_survivors(job->comm, &job->comm));
        MPI_Comm_size(job->comm, &left);
        code = keel_mpi_rows_recover(&job->rows, job->comm, &job->step);
    } while (code == KEEL_MPI_RANKS_LOST && left < before);
    job_check(code);
    for (size_t i = 0; i < 2; i++) {
        job_check(keel_mpi_rows_address(job->rows, i, (void **)&job->plate[i]));
    }
    if (job->step == 0) {
        job_check(keel_mpi_rows_bounds(job->rows, &first, &last));
        heat_up(job->plate[0], job->plate[1], job->n, first, last);
    }
}

/* --- the result --- */

static bool is_right(const struct job *job, const double *result)
{
    uint64_t n = job->n;
    double *old = malloc(n * n * sizeof *old), *new = malloc(n * n * sizeof *new);

    heat_up(old, new, n, 0, n);
    for (uint64_t k = 0; k < job->steps; k++) {
        for (uint64_t i = 0; i < n; i++) {
            relax(old, new, n, i);
        }
        double *other = old;
        old = new;
        new = other;
    }
    bool same = memcmp(old, result, n * n * sizeof *old) == 0;
    free(old);
    free(new);
    return same;
}

static void report(const struct job *job)
{
    int rank, ranks;

    MPI_Comm_rank(job->comm, &rank);
    MPI_Comm_size(job->comm, &ranks);
    double *result = rank == 0 ? malloc(job->n * job->n * sizeof *result) : NULL;
    job_check(keel_mpi_rows_gather(job->rows, job->plate[job->steps % 2], result, 0));
    if (rank == 0) {
        printf("%d ranks are left, the result is %s\n", ranks,
               is_right(job, result) ? "right" : "wrong");
        fflush(stdout);
    }
    free(result);
}

/* STEP of `RANK@STEP`, if that rank is this one; otherwise one that is never reached. */
static uint64_t death(const char *text, int rank)
{
    char *at;

    return strtol(text, &at, 10) == rank && *at == '@' ? strtoull(at + 1, NULL, 10) : UINT64_MAX;
}

int main(int argc, char **argv)
{
    struct job job = {.comm = MPI_COMM_WORLD};
    uint64_t first, last;
    int level, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    job.n = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    job.steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
    job_check(keel_mpi_rows_create(MPI_COMM_WORLD, job.n, KEEL_MPI_ADJACENT, &job.rows));
    for (int i = 0; i < 2; i++) {
        job_check(keel_mpi_rows_array(job.rows, sizeof(double), job.n, 1, (void **)&job.plate[i]));
    }
    job_check(keel_mpi_rows_bounds(job.rows, &first, &last));
    heat_up(job.plate[0], job.plate[1], job.n, first, last);
    while (job.step < job.steps) {
        for (int i = 3; i < argc; i++) {
            if (death(argv[i], rank) == job.step) {
                kill(getpid(), SIGKILL);
            }
        }
        int code = step(&job);
        if (code == KEEL_MPI_OK) {
            job.step++;
        } else if (code == KEEL_MPI_RANKS_LOST) {
            go_back(&job);
        } else {
            job_check(code);
        }
    }
    report(&job);
    job_check(keel_mpi_rows_free(&job.rows));
    return MPI_Finalize(); /* if ranks were lost, Keel ends the process there */
}
