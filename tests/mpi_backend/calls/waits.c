/* Two ranks: rank 0 waits for rank 1, which comes half a second later, in several kinds of calls,
 * and prints for each whether it slept meanwhile: "Recv sleeps". A thread that polls never gives
 * its processor up of its own accord. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define SLEEPS 10 /* in half a second; under polling there may be a few, of MPI's own */

static long given_up(void)
{
    struct rusage used;

    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

static int rank, in, out = 1;
static long before;

static void begin(void)
{
    MPI_Barrier(WORLD);
    if (rank == 1) {
        usleep(500000);
    }
    before = given_up();
}

static void end(const char *name)
{
    if (rank == 0) {
        printf("%s %s\n", name, given_up() - before >= SLEEPS ? "sleeps" : "polls");
    }
}

/* What rank 0 does, and what rank 1 does later. */
#define WAIT(name, waits, comes) \
    begin();                     \
    if (rank == 0) {             \
        waits;                   \
    } else {                     \
        comes;                   \
    }                            \
    end(name)

#define COLLECTIVE(name, call) WAIT(name, call, call)

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Comm half;
    MPI_Win window;
    int there = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    WAIT("Recv", MPI_Recv(&in, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE),
         MPI_Send(&out, 1, MPI_INT, 0, 0, WORLD));
    WAIT("Ssend", MPI_Ssend(&out, 1, MPI_INT, 1, 0, WORLD),
         MPI_Recv(&in, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE));
    WAIT("Wait", MPI_Irecv(&in, 1, MPI_INT, 1, 0, WORLD, &request);
         MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_Send(&out, 1, MPI_INT, 0, 0, WORLD));
    WAIT("Probe", MPI_Probe(1, 0, WORLD, MPI_STATUS_IGNORE);
         MPI_Recv(&in, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE),
         MPI_Send(&out, 1, MPI_INT, 0, 0, WORLD));
    COLLECTIVE("Barrier", MPI_Barrier(WORLD));
    COLLECTIVE("Allreduce", MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, WORLD));
    COLLECTIVE("Reduce", MPI_Reduce(&out, &in, 1, MPI_INT, MPI_SUM, 0, WORLD));
    COLLECTIVE("Bcast", MPI_Bcast(&in, 1, MPI_INT, 1, WORLD));
    COLLECTIVE("Comm_split", MPI_Comm_split(WORLD, rank, 0, &half));
    MPI_Win_create(&in, sizeof in, sizeof in, MPI_INFO_NULL, WORLD, &window);
    COLLECTIVE("Win_fence", MPI_Win_fence(0, window));
    MPI_Win_free(&window);
    /* asks, and may do something else meanwhile */
    WAIT(
        "Test", MPI_Irecv(&in, 1, MPI_INT, 1, 0, WORLD, &request);
        while (!there) { MPI_Test(&request, &there, MPI_STATUS_IGNORE); },
        MPI_Send(&out, 1, MPI_INT, 0, 0, WORLD));
    MPI_Finalize();
    return 0;
}
