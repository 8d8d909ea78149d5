/* Two ranks that make each call of MPI that is measured, in a folder for files: calls FOLDER.
 * Rank 0 prints how often it made which: "MPI_Send 1". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS 200

static struct {
    const char *name;
    unsigned times;
} made[KINDS];

static int rank;

static int counted(const char *name)
{
    int i = 0;

    while (made[i].name != NULL && strcmp(made[i].name, name) != 0) {
        i++;
    }
    made[i].name = name;
    made[i].times++;
    return 0;
}

static void check(const char *name, int code)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "%s: %d\n", name, code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define CALL(name, ...)                               \
    do {                                              \
        counted("MPI_" #name);                        \
        check("MPI_" #name, MPI_##name(__VA_ARGS__)); \
    } while (0)

#define WORLD MPI_COMM_WORLD

/* --- from point to point --- */

/* Rank 1 sends, rank 0 receives; both do the calls of the other kind to no process. */
static void exchange(void)
{
    int out = 7, in = 0, none = MPI_PROC_NULL, one = rank == 0 ? 1 : 0;

    CALL(Send, &out, 1, MPI_INT, none, 0, WORLD);
    CALL(Ssend, &out, 1, MPI_INT, none, 0, WORLD);
    CALL(Rsend, &out, 1, MPI_INT, none, 0, WORLD);
    CALL(Recv, &in, 1, MPI_INT, none, 0, WORLD, MPI_STATUS_IGNORE);
    CALL(Sendrecv, &out, 1, MPI_INT, one, 1, &in, 1, MPI_INT, one, 1, WORLD, MPI_STATUS_IGNORE);
    check("Sendrecv: what came", in == 7 ? MPI_SUCCESS : 1);
    CALL(Sendrecv_replace, &out, 1, MPI_INT, one, 2, one, 2, WORLD, MPI_STATUS_IGNORE);

    int size = MPI_BSEND_OVERHEAD + (int)sizeof out;
    void *buffer = malloc((size_t)size), *detached;
    MPI_Buffer_attach(buffer, size);
    CALL(Bsend, &out, 1, MPI_INT, none, 0, WORLD);
    CALL(Buffer_detach, &detached, &size);
    free(buffer);
}

static void probe(void)
{
    int out = 3, in, there = 0, one = rank == 0 ? 1 : 0;
    MPI_Request request;
    MPI_Message message;

    MPI_Isend(&out, 1, MPI_INT, one, 3, WORLD, &request);
    CALL(Probe, one, 3, WORLD, MPI_STATUS_IGNORE);
    CALL(Iprobe, one, 3, WORLD, &there, MPI_STATUS_IGNORE);
    CALL(Mprobe, one, 3, WORLD, &message, MPI_STATUS_IGNORE);
    CALL(Mrecv, &in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    CALL(Improbe, one, 4, WORLD, &there, &message, MPI_STATUS_IGNORE);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
}

static void complete(void)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[2];
    int done, index, indices[2];

    CALL(Waitany, 2, request, &index, MPI_STATUS_IGNORE);
    CALL(Waitall, 2, request, status);
    CALL(Waitsome, 2, request, &index, indices, status);
    CALL(Test, request, &done, MPI_STATUS_IGNORE);
    CALL(Testany, 2, request, &index, &done, MPI_STATUS_IGNORE);
    CALL(Testall, 2, request, &done, status);
    CALL(Testsome, 2, request, &index, indices, status);
}

/* --- collective --- */

static void collect(void)
{
    int out[2] = {rank + 1, rank + 1}, in[2] = {0, 0}, ones[2] = {1, 1}, places[2] = {0, 1};
    int bytes[2] = {0, (int)sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};

    CALL(Barrier, WORLD);
    CALL(Bcast, out, 1, MPI_INT, 1, WORLD);
    CALL(Gather, out, 1, MPI_INT, in, 1, MPI_INT, 0, WORLD);
    CALL(Gatherv, out, 1, MPI_INT, in, ones, places, MPI_INT, 0, WORLD);
    CALL(Scatter, out, 1, MPI_INT, in, 1, MPI_INT, 0, WORLD);
    CALL(Scatterv, out, ones, places, MPI_INT, in, 1, MPI_INT, 0, WORLD);
    CALL(Allgather, out, 1, MPI_INT, in, 1, MPI_INT, WORLD);
    CALL(Allgatherv, out, 1, MPI_INT, in, ones, places, MPI_INT, WORLD);
    CALL(Alltoall, out, 1, MPI_INT, in, 1, MPI_INT, WORLD);
    CALL(Alltoallv, out, ones, places, MPI_INT, in, ones, places, MPI_INT, WORLD);
    CALL(Alltoallw, out, ones, bytes, types, in, ones, bytes, types, WORLD);
    CALL(Reduce, out, in, 1, MPI_INT, MPI_SUM, 0, WORLD);
    out[0] = rank + 1;
    CALL(Allreduce, out, in, 1, MPI_INT, MPI_SUM, WORLD);
    check("Allreduce: the sum", in[0] == 3 ? MPI_SUCCESS : 1);
    CALL(Reduce_scatter, out, in, ones, MPI_INT, MPI_SUM, WORLD);
    CALL(Reduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, WORLD);
    CALL(Scan, out, in, 1, MPI_INT, MPI_SUM, WORLD);
    CALL(Exscan, out, in, 1, MPI_INT, MPI_SUM, WORLD);
}

static void collect_from_neighbours(MPI_Comm ring)
{
    int out[2] = {1, 2}, in[2], ones[2] = {1, 1}, places[2] = {0, 1};
    MPI_Aint bytes[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};

    CALL(Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, ring);
    CALL(Neighbor_allgatherv, out, 1, MPI_INT, in, ones, places, MPI_INT, ring);
    CALL(Neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, ring);
    CALL(Neighbor_alltoallv, out, ones, places, MPI_INT, in, ones, places, MPI_INT, ring);
    CALL(Neighbor_alltoallw, out, ones, bytes, types, in, ones, bytes, types, ring);
}

/* --- communicators --- */

static void communicate(void)
{
    MPI_Comm comm, own, between, merged, ring;
    MPI_Group group;
    int two = 2, yes = 1, other = rank == 0 ? 1 : 0, ends[2] = {1, 2}, edges[2] = {1, 0};

    CALL(Comm_dup, WORLD, &comm);
    CALL(Comm_disconnect, &comm);
    CALL(Comm_dup_with_info, WORLD, MPI_INFO_NULL, &comm);
    CALL(Comm_free, &comm);
    MPI_Comm_group(WORLD, &group);
    CALL(Comm_create, WORLD, group, &comm);
    CALL(Comm_free, &comm);
    CALL(Comm_create_group, WORLD, group, 5, &comm);
    CALL(Comm_free, &comm);
    MPI_Group_free(&group);
    CALL(Comm_split_type, WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    CALL(Comm_free, &comm);
    CALL(Comm_split, WORLD, rank, 0, &own);
    CALL(Intercomm_create, own, 0, WORLD, other, 6, &between);
    CALL(Intercomm_merge, between, rank, &merged);
    CALL(Comm_free, &merged);
    CALL(Comm_free, &between);
    CALL(Comm_free, &own);
    CALL(Graph_create, WORLD, 2, ends, edges, 0, &comm);
    CALL(Comm_free, &comm);
    CALL(Dist_graph_create, WORLD, 1, &rank, &yes, &other, &yes, MPI_INFO_NULL, 0, &comm);
    CALL(Comm_free, &comm);
    CALL(Dist_graph_create_adjacent, WORLD, 1, &other, &yes, 1, &other, &yes, MPI_INFO_NULL, 0,
         &comm);
    CALL(Comm_free, &comm);
    CALL(Cart_create, WORLD, 1, &two, &yes, 0, &ring);
    CALL(Cart_sub, ring, &yes, &comm);
    CALL(Comm_free, &comm);
    collect_from_neighbours(ring);
    CALL(Comm_free, &ring);
}

/* Rank 0 opens a port, rank 1 comes to it. Debian's MPICH cannot. */
#ifndef MPICH_VERSION
static void connect_ranks(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm between;

    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    CALL(Bcast, port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, WORLD);
    if (rank == 0) {
        CALL(Comm_accept, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
        MPI_Close_port(port);
    } else {
        CALL(Comm_connect, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
    }
    CALL(Comm_disconnect, &between);
}
#endif

/* --- one-sided --- */

static void synchronise(MPI_Win window)
{
    MPI_Group all, group;
    int other = rank == 0 ? 1 : 0, done = 0;

    CALL(Win_fence, 0, window);
    CALL(Win_fence, MPI_MODE_NOSUCCEED, window);
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    CALL(Win_post, group, 0, window);
    CALL(Win_start, group, 0, window);
    CALL(Win_complete, window);
    CALL(Win_wait, window);
    CALL(Win_post, group, 0, window);
    CALL(Win_start, group, 0, window);
    CALL(Win_complete, window);
    while (!done) {
        CALL(Win_test, window, &done);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    CALL(Win_lock, MPI_LOCK_SHARED, other, 0, window);
    CALL(Win_flush, other, window);
    CALL(Win_flush_local, other, window);
    CALL(Win_unlock, other, window);
    CALL(Win_lock_all, 0, window);
    CALL(Win_flush_all, window);
    CALL(Win_flush_local_all, window);
    CALL(Win_unlock_all, window);
}

static void open_windows(void)
{
    int memory = 0, *allocated;
    MPI_Win window;

    CALL(Win_create, &memory, sizeof memory, 1, MPI_INFO_NULL, WORLD, &window);
    synchronise(window);
    CALL(Win_free, &window);
    CALL(Win_create_dynamic, MPI_INFO_NULL, WORLD, &window);
    CALL(Win_free, &window);
    CALL(Win_allocate, sizeof memory, 1, MPI_INFO_NULL, WORLD, &allocated, &window);
    CALL(Win_free, &window);
    CALL(Win_allocate_shared, sizeof memory, 1, MPI_INFO_NULL, WORLD, &allocated, &window);
    CALL(Win_free, &window);
}

/* --- files --- */

#define ALL(what) file, what, 1, MPI_INT, MPI_STATUS_IGNORE
#define AT(what) file, 0, what, 1, MPI_INT, MPI_STATUS_IGNORE

static void use_file(const char *folder)
{
    char path[4096];
    int out[1] = {5}, in[1];
    MPI_File file;

    snprintf(path, sizeof path, "%s/file", folder);
    CALL(File_open, WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    CALL(File_set_size, file, 0);
    CALL(File_preallocate, file, 4096);
    CALL(File_set_view, file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CALL(File_write, ALL(out));
    CALL(File_write_all, ALL(out));
    CALL(File_write_at, AT(out));
    CALL(File_write_at_all, AT(out));
    CALL(File_write_shared, ALL(out));
    CALL(File_write_ordered, ALL(out));
    CALL(File_sync, file);
    CALL(File_read, ALL(in));
    CALL(File_read_all, ALL(in));
    CALL(File_read_at, AT(in));
    CALL(File_read_at_all, AT(in));
    CALL(File_seek_shared, file, 0, MPI_SEEK_SET);
    CALL(File_read_shared, ALL(in));
    CALL(File_read_ordered, ALL(in));
    MPI_File_write_all_begin(file, out, 1, MPI_INT);
    CALL(File_write_all_end, file, out, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, 0, out, 1, MPI_INT);
    CALL(File_write_at_all_end, file, out, MPI_STATUS_IGNORE);
    MPI_File_write_ordered_begin(file, out, 1, MPI_INT);
    CALL(File_write_ordered_end, file, out, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, 0, in, 1, MPI_INT);
    CALL(File_read_at_all_end, file, in, MPI_STATUS_IGNORE);
    check("File_read_at_all: what was written", in[0] == 5 ? MPI_SUCCESS : 1);
    MPI_File_read_all_begin(file, in, 1, MPI_INT);
    CALL(File_read_all_end, file, in, MPI_STATUS_IGNORE);
    MPI_File_read_ordered_begin(file, in, 1, MPI_INT);
    CALL(File_read_ordered_end, file, in, MPI_STATUS_IGNORE);
    CALL(File_close, &file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    exchange();
    probe();
    complete();
    collect();
    communicate();
#ifndef MPICH_VERSION
    connect_ranks();
#endif
    open_windows();
    use_file(argv[1]);
    for (int i = 0; rank == 0 && made[i].name != NULL; i++) {
        printf("%s %u\n", made[i].name, made[i].times);
    }
    counted("MPI_Finalize");
    return MPI_Finalize();
}
