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

#define WRAP(name, parameters, arguments)                              \
    int MPI_##name parameters;                                         \
    int MPI_##name parameters                                          \
    {                                                                  \
        if (!has_to_fail("MPI_" #name, __builtin_return_address(0))) { \
            return PMPI_##name arguments;                              \
        }                                                              \
        if (getenv("INJECT_AFTER") != NULL) {                          \
            PMPI_##name arguments;                                     \
        }                                                              \
        return MPI_ERR_OTHER;                                          \
    }

WRAP(Comm_create_keyval,
     (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *drop, int *key,
      void *extra),
     (copy, drop, key, extra))
WRAP(Comm_free, (MPI_Comm * comm), (comm))
WRAP(Comm_get_attr, (MPI_Comm comm, int key, void *value, int *found), (comm, key, value, found))
WRAP(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *handler), (comm, handler))
WRAP(Comm_idup, (MPI_Comm comm, MPI_Comm *copy, MPI_Request *request), (comm, copy, request))
WRAP(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
WRAP(Comm_set_attr, (MPI_Comm comm, int key, void *value), (comm, key, value))
WRAP(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
WRAP(Comm_size, (MPI_Comm comm, int *size), (comm, size))
WRAP(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
WRAP(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
     (comm, type, key, info, made))
WRAP(Comm_test_inter, (MPI_Comm comm, int *flag), (comm, flag))
WRAP(Finalized, (int *flag), (flag))
WRAP(Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count))
WRAP(Iallgather,
     (const void *send, int sends, MPI_Datatype sent, void *receive, int receives,
      MPI_Datatype received, MPI_Comm comm, MPI_Request *request),
     (send, sends, sent, receive, receives, received, comm, request))
WRAP(Iallgatherv,
     (const void *send, int sends, MPI_Datatype sent, void *receive, const int receives[],
      const int places[], MPI_Datatype received, MPI_Comm comm, MPI_Request *request),
     (send, sends, sent, receive, receives, places, received, comm, request))
WRAP(Iallreduce,
     (const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
      MPI_Request *request),
     (send, receive, count, type, op, comm, request))
WRAP(Ialltoallv,
     (const void *send, const int sends[], const int from[], MPI_Datatype sent, void *receive,
      const int receives[], const int to[], MPI_Datatype received, MPI_Comm comm,
      MPI_Request *request),
     (send, sends, from, sent, receive, receives, to, received, comm, request))
WRAP(Ibcast,
     (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
     (buffer, count, type, root, comm, request))
WRAP(Igather,
     (const void *send, int sends, MPI_Datatype sent, void *receive, int receives,
      MPI_Datatype received, int root, MPI_Comm comm, MPI_Request *request),
     (send, sends, sent, receive, receives, received, root, comm, request))
WRAP(Igatherv,
     (const void *send, int sends, MPI_Datatype sent, void *receive, const int receives[],
      const int places[], MPI_Datatype received, int root, MPI_Comm comm, MPI_Request *request),
     (send, sends, sent, receive, receives, places, received, root, comm, request))
WRAP(Initialized, (int *flag), (flag))
WRAP(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (source, tag, comm, flag, status))
WRAP(Irecv,
     (void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, source, tag, comm, request))
WRAP(Ireduce,
     (const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root,
      MPI_Comm comm, MPI_Request *request),
     (send, receive, count, type, op, root, comm, request))
WRAP(Is_thread_main, (int *flag), (flag))
WRAP(Isend,
     (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, to, tag, comm, request))
WRAP(Query_thread, (int *level), (level))
WRAP(Recv,
     (void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buffer, count, type, source, tag, comm, status))
WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
WRAP(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
     (count, requests, flag, statuses))
WRAP(Type_commit, (MPI_Datatype * type), (type))
WRAP(Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype *made), (count, type, made))
WRAP(Type_create_hindexed,
     (int count, const int lengths[], const MPI_Aint places[], MPI_Datatype type,
      MPI_Datatype *made),
     (count, lengths, places, type, made))
WRAP(Type_create_hvector,
     (int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *made),
     (count, length, stride, type, made))
WRAP(Type_free, (MPI_Datatype * type), (type))
WRAP(Type_get_extent, (MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent), (type, lower, extent))
WRAP(Type_get_extent_x, (MPI_Datatype type, MPI_Count *lower, MPI_Count *extent),
     (type, lower, extent))
WRAP(Type_size, (MPI_Datatype type, int *size), (type, size))
WRAP(Type_size_x, (MPI_Datatype type, MPI_Count *size), (type, size))
WRAP(Wait, (MPI_Request * request, MPI_Status *status), (request, status))
WRAP(Win_allocate_shared,
     (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
     (size, unit, info, comm, base, window))
WRAP(Win_free, (MPI_Win * window), (window))
WRAP(Win_lock_all, (int assertion, MPI_Win window), (assertion, window))
WRAP(Win_shared_query, (MPI_Win window, int rank, MPI_Aint *size, int *unit, void *base),
     (window, rank, size, unit, base))
WRAP(Win_unlock_all, (MPI_Win window), (window))
