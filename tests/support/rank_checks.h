/* What programs of MPI share: codes that are checked, and the main function of those that have a
 * table of checks, and run those that are named to them, on all ranks. */
#ifndef TESTS_SUPPORT_RANK_CHECKS_H
#define TESTS_SUPPORT_RANK_CHECKS_H

#include <mpi.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/helpers.h"

struct rank_check {
    const char *name;
    void (*check)(void);
};

static int rank, ranks;   /* in MPI_COMM_WORLD */
static struct draws same; /* draws alike on all ranks, */
static uint64_t seed;     /* from this */

/* Checks the code that a call returns. */
#define RETURNS(call, wanted)                                                                \
    do {                                                                                     \
        int code = (call);                                                                   \
        CHECK(code == (wanted), "%s returns %d instead of %d, rank %d", #call, code, wanted, \
              rank);                                                                         \
    } while (0)

static inline void rank_checks_run(const struct rank_check *checks, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(checks[i].name, name) == 0) {
            snprintf(check_context, sizeof check_context, " (%s, rank %d of %d)", name, rank,
                     ranks);
            checks[i].check();
            return;
        }
    }
    CHECK(0, "no check is called %s", name);
}

/* wanted: support of threads, as for MPI_Init_thread(). Returns the exit status, on all ranks. */
static inline int rank_checks_main(const struct rank_check *checks, size_t count, int arguments,
                                   char **argument, int wanted)
{
    int level, failed, any;

    MPI_Init_thread(&arguments, &argument, wanted, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    seed = draws_seed();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    same = (struct draws){seed};
    for (int i = 1; i < arguments; i++) {
        rank_checks_run(checks, count, argument[i]);
    }
    failed = check_status();
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}

#endif
