/* Makes calls of MPI fail: a library to preload, which is between Keel and MPI.
 *
 *   INJECT_CALL=MPI_Isend  the function; INJECT_NUMBER=2: its second call by Keel on rank
 *   INJECT_RANK=1          of MPI_COMM_WORLD; INJECT_AFTER=1: does what it should, and says that it
 *                          has not; else it does nothing
 *
 *   INJECT_DELAY=MPI_Irecv where the other ranks come late to, at first, by 0.1 s
 *   INJECT_HALF_MADE=2     rank 0 pauses at its second look at its first communicator in the making
 *
 * Only calls from libkeel_mpi.so count. At exit it says whether a call has failed, in INJECT_LOG.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_of_keel(const void *caller)
{
    Dl_info module;

    return dladdr(caller, &module) != 0 && strstr(module.dli_fname, "libkeel_mpi") != NULL;
}

static void note(const char *name)
{
    const char *path = getenv("INJECT_LOG");
    FILE *log = path != NULL ? fopen(path, "a") : NULL;

    if (log != NULL) {
        fprintf(log, "%s\n", name);
        fclose(log);
    }
}

/* So that the rank whose call fails waits for the others there. */
static void come_late(const char *name, int rank)
{
    static int times;
    const char *where = getenv("INJECT_DELAY"), *besides = getenv("INJECT_RANK");

    if (where != NULL && strcmp(where, name) == 0 && besides != NULL && rank != atoi(besides) &&
        times++ < 4) {
        usleep(100000);
    }
}

/* So that the others give up a communicator that is half made. */
static void pause_half_made(const char *name, int rank)
{
    static bool begun;
    static int looks;
    const char *number = getenv("INJECT_HALF_MADE");

    begun = begun || strcmp(name, "MPI_Comm_idup") == 0;
    if (number != NULL && rank == 0 && begun && strcmp(name, "MPI_Testall") == 0 &&
        ++looks == atoi(number)) {
        usleep(1500000);
    }
}

static bool has_to_fail(const char *name, const void *caller)
{
    static unsigned long calls;
    const char *wanted = getenv("INJECT_CALL"), *number = getenv("INJECT_NUMBER");
    const char *where = getenv("INJECT_RANK");
    int initialised = 0, finalised = 0, rank = 0;

    PMPI_Initialized(&initialised);
    PMPI_Finalized(&finalised);
    if (!initialised || finalised || !is_of_keel(caller)) {
        return false;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    come_late(name, rank);
    pause_half_made(name, rank);
    if (wanted == NULL || strcmp(wanted, name) != 0 || (where != NULL && rank != atoi(where)) ||
        ++calls != strtoul(number != NULL ? number : "1", NULL, 10)) {
        return false;
    }
    note(name);
    return true;
}

/* Arguments are handed on as the words in which they came, as many as any of these has. */
#define PARAMETERS                                                                      \
    intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, \
        intptr_t h, intptr_t i, intptr_t j
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j

#define WRAP(name)                                                     \
    int own_##name(PARAMETERS) __asm__("MPI_" #name);                  \
    int mpi_##name(PARAMETERS) __asm__("PMPI_" #name);                 \
    int own_##name(PARAMETERS)                                         \
    {                                                                  \
        if (!has_to_fail("MPI_" #name, __builtin_return_address(0))) { \
            return mpi_##name(ARGUMENTS);                              \
        }                                                              \
        if (getenv("INJECT_AFTER") != NULL) {                          \
            mpi_##name(ARGUMENTS);                                     \
        }                                                              \
        return MPI_ERR_OTHER;                                          \
    }

WRAP(Comm_create_keyval)
WRAP(Comm_free)
WRAP(Comm_get_attr)
WRAP(Comm_get_errhandler)
WRAP(Comm_idup)
WRAP(Comm_rank)
WRAP(Comm_set_attr)
WRAP(Comm_set_errhandler)
WRAP(Comm_size)
WRAP(Comm_split)
WRAP(Comm_split_type)
WRAP(Comm_test_inter)
WRAP(Finalized)
WRAP(Get_count)
WRAP(Iallgather)
WRAP(Iallgatherv)
WRAP(Iallreduce)
WRAP(Ialltoallv)
WRAP(Ibcast)
WRAP(Igather)
WRAP(Igatherv)
WRAP(Initialized)
WRAP(Iprobe)
WRAP(Irecv)
WRAP(Ireduce)
WRAP(Is_thread_main)
WRAP(Isend)
WRAP(Query_thread)
WRAP(Recv)
WRAP(Test)
WRAP(Testall)
WRAP(Type_commit)
WRAP(Type_contiguous)
WRAP(Type_create_hindexed)
WRAP(Type_create_hvector)
WRAP(Type_free)
WRAP(Type_get_extent)
WRAP(Type_get_extent_x)
WRAP(Type_size)
WRAP(Type_size_x)
WRAP(Wait)
WRAP(Win_allocate_shared)
WRAP(Win_free)
WRAP(Win_lock_all)
WRAP(Win_shared_query)
WRAP(Win_unlock_all)
