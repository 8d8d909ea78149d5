/* What programs of MPI share: codes that are checked, and the main function of those that have
 * checks by name, and run those that are named to them, on all ranks:
 *
 *   RANK_CHECK(sums)
 *   {
 *       CHECK(1 + 1 == 2, "a sum is wrong");
 *   }
 *
 * is the function check_sums(). */
#ifndef TESTS_SUPPORT_RANK_CHECKS_H
#define TESTS_SUPPORT_RANK_CHECKS_H

#include <mpi.h>
#include <string.h>

#include "tests/support/checks.h"
#include "tests/support/helpers.h"

struct rank_check {
    const char *name;
    void (*check)(void);
    struct rank_check *next;
};

static struct rank_check *rank_checks;

#define RANK_CHECK(name_)                                                          \
    static void check_##name_(void);                                               \
    __attribute__((constructor)) static void add_##name_(void)                     \
    {                                                                              \
        static struct rank_check check = {.name = #name_, .check = check_##name_}; \
        check.next = rank_checks;                                                  \
        rank_checks = &check;                                                      \
    }                                                                              \
    static void check_##name_(void)

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

static inline void rank_checks_run(const char *name)
{
    for (const struct rank_check *check = rank_checks; check != NULL; check = check->next) {
        if (strcmp(check->name, name) == 0) {
            snprintf(check_context, sizeof check_context, " (%s, rank %d of %d)", name, rank,
                     ranks);
            check->check();
            return;
        }
    }
    CHECK(0, "no check is called %s", name);
}

/* wanted: support of threads, as for MPI_Init_thread(). Returns the exit status, on all ranks. */
static inline int rank_checks_main(int arguments, char **argument, int wanted)
{
    int level, failed, any;

    MPI_Init_thread(&arguments, &argument, wanted, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    seed = draws_seed();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    same = (struct draws){seed};
    for (int i = 1; i < arguments; i++) {
        rank_checks_run(argument[i]);
    }
    failed = check_status();
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}

/* Of a program that does nothing else. */
#define RANK_CHECKS_MAIN(wanted_)                              \
    int main(int arguments, char **argument)                   \
    {                                                          \
        return rank_checks_main(arguments, argument, wanted_); \
    }

#endif
