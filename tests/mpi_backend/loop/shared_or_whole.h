/* For programs that share loops among ranks where something goes wrong: loops of teams and explicit
 * ones, and whether each iteration was executed as it should be. */
#ifndef TESTS_MPI_BACKEND_LOOP_SHARED_OR_WHOLE_H
#define TESTS_MPI_BACKEND_LOOP_SHARED_OR_WHOLE_H

#include <mpi.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/rank_checks.h"
#include "tests/support/schedules.h"

#define MOST 4000
static unsigned char times[MOST];

static void forget(void)
{
    memset(times, 0, sizeof times);
}

static void run_team(uint64_t iterations)
{
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = 0; i < iterations; i++) {
        times[i]++;
    }
}

/* All of a loop begun already, and its end's code. */
static int run_begun(struct keel_mpi_loop *loop)
{
    uint64_t first, last;

    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last && i < MOST; i++) {
            times[i]++;
        }
    }
    return keel_mpi_loop_end(&loop);
}

static int run_explicit(uint64_t iterations, unsigned flags)
{
    struct keel_mpi_loop *loop;

    keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, flags, &loop);
    return run_begun(loop);
}

/* This rank has executed all iterations of its loop once. */
static void check_whole(uint64_t iterations)
{
    for (uint64_t i = 0; i < MOST; i++) {
        CHECK(times[i] == (i < iterations), "iteration %llu executed %d times on rank %d",
              (unsigned long long)i, times[i], rank);
    }
    forget();
}

/* The ranks together have executed each iteration, once; at_most: or not at all. */
static void check_shared(uint64_t iterations, bool at_most)
{
    unsigned char sum[MOST];

    MPI_Allreduce(times, sum, MOST, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (uint64_t i = 0; i < MOST; i++) {
        CHECK(sum[i] == (i < iterations) || (at_most && sum[i] == 0),
              "iteration %llu executed %d times", (unsigned long long)i, sum[i]);
    }
    forget();
}

/* Sharing works, whatever came before. */
static void check_recovery(void)
{
    static const char *const schedule[] = {"tree", "gss", "rate"};

    for (unsigned i = 0; i < 3; i++) {
        keel_mpi_set_schedule(schedule[i]);
        RETURNS(run_explicit(700, i % 2 ? KEEL_MPI_NOWAIT : 0), KEEL_MPI_OK);
        RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
        check_shared(700, false);
    }
    keel_mpi_set_schedule(NULL);
}

static void check_recovery_of_teams(void)
{
    for (unsigned i = 0; i < 3; i++) {
        RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
        run_team(900);
        RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
        check_shared(900, false);
    }
    check_recovery();
}

#endif
