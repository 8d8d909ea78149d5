/* Two ranks that make calls of MPI with every number of arguments, five times, in a folder for
 * files: calls FOLDER. It is compiled only where each call of the table has as many as are
 * there. */
#include <mpi.h>
#include <stdio.h>

#include "mpi_backend/calls/calls_table.h"

#define Z1 0
#define Z2 Z1, 0
#define Z3 Z2, 0
#define Z4 Z3, 0
#define Z5 Z4, 0
#define Z6 Z5, 0
#define Z7 Z6, 0
#define Z8 Z7, 0
#define Z9 Z8, 0
#define Z10 Z9, 0
#define Z12 Z10, 0, 0

#define HAS_SO_MANY(Name, lower, count) \
    _Static_assert(sizeof MPI_##Name(Z##count) == sizeof(int), #Name);
KEEL_MPI_CALLS(HAS_SO_MANY, HAS_SO_MANY)

#define WORLD MPI_COMM_WORLD

static int rank, other;

/* What comes by a call has to be right. */
static void check(int right, int line)
{
    if (!right) {
        fprintf(stderr, "line %d: something else has come\n", line);
        MPI_Abort(WORLD, 1);
    }
}

static void exchange(void)
{
    int out = 7 + rank, in = 0, there;
    MPI_Request request;

    MPI_Sendrecv(&out, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, WORLD, MPI_STATUS_IGNORE);
    check(in == 7 + other, __LINE__);
    MPI_Isend(&out, 1, MPI_INT, other, 3, WORLD, &request);
    MPI_Probe(other, 3, WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_INT, other, 3, WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
}

static void collect(void)
{
    int out[2] = {rank + 1, rank + 1}, in[2] = {0, 0}, ones[2] = {1, 1}, yes = 1;
    int bytes[2] = {0, (int)sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Comm comm;

    MPI_Barrier(WORLD);
    MPI_Bcast(in, 1, MPI_INT, 1, WORLD);
    MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, 0, WORLD);
    check(rank == 1 || in[1] == 2, __LINE__);
    MPI_Alltoallw(out, ones, bytes, types, in, ones, bytes, types, WORLD);
    check(in[0] == 1 && in[1] == 2, __LINE__);
    MPI_Dist_graph_create_adjacent(WORLD, 1, &other, &yes, 1, &other, &yes, MPI_INFO_NULL, 0,
                                   &comm);
    MPI_Comm_free(&comm);
}

static void use_file(const char *folder)
{
    char path[4096];
    int out = 5, in = 0;
    MPI_File file;

    snprintf(path, sizeof path, "%s/file", folder);
    MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, rank, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, rank, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
    check(in == 5, __LINE__);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    other = 1 - rank;
    for (int round = 0; round < 5; round++) {
        exchange();
        collect();
        use_file(argv[1]);
    }
    return MPI_Finalize();
}
