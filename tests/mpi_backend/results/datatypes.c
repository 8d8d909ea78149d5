/* Calls of MPI that are counted, or fail. */
#include "tests/mpi_backend/results/datatypes.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *failing; /* NULL: none */
static int before_that, left;

int datatypes_left(void)
{
    int result = left;

    left = 0;
    return result;
}

void datatypes_fail(const char *call, int good)
{
    failing = call;
    before_that = good;
}

/* Messages that one rank sends and no other receives would never go away. */
static bool fails(const char *call)
{
    bool meant =
        failing != NULL && (strcmp(call, failing) == 0 ||
                            (strcmp(failing, "MPI_Irecv") == 0 && strcmp(call, "MPI_Isend") == 0));

    return meant && before_that-- <= 0;
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *result)
{
    left++;
    return PMPI_Type_contiguous(count, type, result);
}

int MPI_Type_create_hindexed(int count, const int *length, const MPI_Aint *displacement,
                             MPI_Datatype type, MPI_Datatype *result)
{
    left++;
    return PMPI_Type_create_hindexed(count, length, displacement, type, result);
}

int MPI_Type_free(MPI_Datatype *type)
{
    left--;
    return PMPI_Type_free(type);
}

int MPI_Type_commit(MPI_Datatype *type)
{
    return fails("MPI_Type_commit") ? MPI_ERR_OTHER : PMPI_Type_commit(type);
}

int MPI_Iallgatherv(const void *sent, int count, MPI_Datatype type, void *received,
                    const int *counts, const int *places, MPI_Datatype received_type, MPI_Comm comm,
                    MPI_Request *request)
{
    return fails("MPI_Iallgatherv") ? MPI_ERR_OTHER
                                    : PMPI_Iallgatherv(sent, count, type, received, counts, places,
                                                       received_type, comm, request);
}

int MPI_Igatherv(const void *sent, int count, MPI_Datatype type, void *received, const int *counts,
                 const int *places, MPI_Datatype received_type, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    return fails("MPI_Igatherv") ? MPI_ERR_OTHER
                                 : PMPI_Igatherv(sent, count, type, received, counts, places,
                                                 received_type, root, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return fails("MPI_Irecv") ? MPI_ERR_OTHER
                              : PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return fails("MPI_Isend") ? MPI_ERR_OTHER
                              : PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
