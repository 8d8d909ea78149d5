/* What shared loops expect of a simulated MPI: requests that are tested, collectives in the
 * background, windows of one rank's memory, attributes with callbacks, and that nothing but work,
 * sleeps and messages takes time. Prints a line for each from rank 0. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, ranks;

static void report(const char *what, bool mine)
{
    int works = mine, all;

    MPI_Allreduce(&works, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s: %s\n", what, all ? "works" : "fails");
    }
}

static void wait_by_tests(MPI_Request *request)
{
    int done = 0;

    while (!done) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
}

/* Each rank tells its number to the next one. */
static bool ring(void)
{
    MPI_Request in, out;
    int got = -1, last = (rank + ranks - 1) % ranks;

    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &in);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &out);
    wait_by_tests(&in);
    wait_by_tests(&out);
    return got == last;
}

static bool allreduce(void)
{
    MPI_Request request;
    long sum = 0, one = 1;

    MPI_Iallreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_by_tests(&request);
    return sum == ranks;
}

static bool allgather(void)
{
    MPI_Request request;
    int *all = calloc((size_t)ranks, sizeof *all);
    bool works = true;

    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
    wait_by_tests(&request);
    for (int i = 0; i < ranks; i++) {
        works = works && all[i] == i;
    }
    free(all);
    return works;
}

/* Every simulated host is a node of its own. */
static bool window(void)
{
    MPI_Comm node;
    MPI_Win shared;
    _Atomic int *word;
    int size;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &size);
    MPI_Win_allocate_shared(sizeof *word, 1, MPI_INFO_NULL, node, &word, &shared);
    atomic_init(word, rank);
    bool works = size == 1 && atomic_fetch_add(word, 1) == rank;
    MPI_Win_free(&shared);
    MPI_Comm_free(&node);
    return works;
}

static int note_deletion(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    *(bool *)value = true;
    return MPI_SUCCESS;
}

static bool attribute(void)
{
    MPI_Comm comm;
    int key, found;
    bool deleted = false;
    void *value;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, &deleted);
    MPI_Comm_get_attr(comm, key, &value, &found);
    bool works = found && value == &deleted && !deleted;
    MPI_Comm_free(&comm);
    return works && deleted;
}

/* Globals are each rank's own. */
static bool globals(void)
{
    static int own;

    own = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    return own == rank;
}

static bool lasts(double began, double seconds)
{
    double took = MPI_Wtime() - began;

    return took >= seconds && took < seconds + 1e-6;
}

static bool sleep_is_simulated(void)
{
    double began = MPI_Wtime();

    nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
    return lasts(began, 1000);
}

/* All hosts make 1e9 operations a second; the host of the last rank makes 2e9. */
static bool work_is_simulated(void)
{
    double began = MPI_Wtime();

    smpi_execute_flops(3e9);
    return lasts(began, rank == ranks - 1 ? 1.5 : 3);
}

/* The last rank tells when it sent, and who has looked for that for 100 ms sees it in time. */
static bool polling_is_cheap(void)
{
    MPI_Request request;
    double sent = 0;

    if (rank == ranks - 1) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        sent = MPI_Wtime();
        MPI_Send(&sent, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Irecv(&sent, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
        wait_by_tests(&request);
        return MPI_Wtime() - sent < 100e-6;
    }
    return true;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    report("ring", ring());
    report("allreduce", allreduce());
    report("allgather", allgather());
    report("window", window());
    report("attribute", attribute());
    report("globals", globals());
    report("sleep", sleep_is_simulated());
    report("work", work_is_simulated());
    report("polling", polling_is_cheap());
    MPI_Finalize();
    return 0;
}
