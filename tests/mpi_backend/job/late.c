/* Ranks that do not come where others wait for them: `late PLACE SECONDS CODE`, under mpirun. The
 * last rank comes to `PLACE` so much later; the others get CODE. Says what is wrong. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/include/keel_mpi_objects.h"
#include "tests/support/check.h"

static int rank, ranks, wanted;
static double delay_s;

/* On the last rank. */
static void stay_away(void)
{
    double end_s = MPI_Wtime() + delay_s;

    while (rank == ranks - 1 && MPI_Wtime() < end_s) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

/* The last rank may have found everything ready when it came. */
static void expect(const char *what, int code)
{
    CHECK(code == wanted || (rank == ranks - 1 && code == KEEL_MPI_OK),
          "%s returns %d instead of %d on rank %d", what, code, wanted, rank);
}

#define N 300
static unsigned char times[N];

static int run_loop(MPI_Comm comm, unsigned flags)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;

    memset(times, 0, sizeof times);
    keel_mpi_loop_begin(comm, N, flags, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            times[i]++;
        }
    }
    return keel_mpi_loop_end(&loop);
}

/* Each iteration has been executed on this rank, or on some rank. */
static void check_times(int code)
{
    for (int i = 0; code != KEEL_MPI_OK && i < N; i++) {
        CHECK(times[i] == 1, "iteration %d executed %d times on rank %d", i, times[i], rank);
    }
}

static void run_first_call(void)
{
    stay_away();
    int code = run_loop(MPI_COMM_WORLD, 0);
    expect("the first loop", code);
    check_times(code);
    code = run_loop(MPI_COMM_WORLD, 0);
    expect("the loop after it", code);
    check_times(code);
}

/* All have made their communicators before. */
static void run_later_loop(void)
{
    int code = run_loop(MPI_COMM_WORLD, 0);
    CHECK(code == KEEL_MPI_OK, "loop in time: %d", code);
    stay_away();
    code = run_loop(MPI_COMM_WORLD, 0);
    expect("the loop", code);
    check_times(code);
    expect("waiting", keel_mpi_wait(MPI_COMM_WORLD));
}

static void run_wait(void)
{
    run_loop(MPI_COMM_WORLD, KEEL_MPI_NOWAIT);
    stay_away();
    run_loop(MPI_COMM_WORLD, KEEL_MPI_NOWAIT);
    expect("waiting", keel_mpi_wait(MPI_COMM_WORLD));
}

static void run_gather(void)
{
    static int data[N];

    CHECK(run_loop(MPI_COMM_WORLD, 0) == KEEL_MPI_OK, "loop in time");
    stay_away();
    expect("gathering", keel_mpi_allgather(data, 1, MPI_INT, MPI_COMM_WORLD));
}

static void run_reduce(void)
{
    int sum = 1;

    CHECK(run_loop(MPI_COMM_WORLD, 0) == KEEL_MPI_OK, "loop in time");
    stay_away();
    expect("reducing", keel_mpi_allreduce(&sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

static void run_create(void)
{
    struct keel_mpi_rows *rows;

    stay_away();
    int code = keel_mpi_rows_create(MPI_COMM_WORLD, 40, KEEL_MPI_ADJACENT, &rows);
    expect("creating rows", code);
    if (code == KEEL_MPI_OK) {
        keel_mpi_rows_free(&rows);
    }
}

static void run_exchange(void)
{
    struct keel_mpi_rows *rows;
    double *array;

    keel_mpi_rows_create(MPI_COMM_WORLD, 40, KEEL_MPI_ADJACENT, &rows);
    keel_mpi_rows_array(rows, sizeof(double), 8, 1, (void **)&array);
    stay_away();
    int code = keel_mpi_rows_exchange(rows, array);
    CHECK(code == wanted || rank != ranks - 2, "exchanging: %d", code); /* beside the last one */
    if (wanted == KEEL_MPI_OK) {
        keel_mpi_rows_free(&rows);
    }
}

static void handle(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    (void)context, (void)index, (void)data, (void)message, (void)bytes;
}

static keel_mpi_objects_handler *const handlers[] = {handle};
static const struct keel_mpi_objects_functions functions = {
    .struct_size = sizeof functions, .handler = handlers, .handlers = 1};

static void run_objects_create(void)
{
    struct keel_mpi_objects *objects;

    stay_away();
    expect("creating objects", keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &objects));
}

/* On a machine that is very busy ranks may be late before; once more, then. */
static struct keel_mpi_objects *create_in_time(void)
{
    struct keel_mpi_objects *objects = NULL;

    for (int attempt = 0, most = 1; attempt < 20 && most != KEEL_MPI_OK; attempt++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        int code = keel_mpi_objects_create(comm, &functions, &objects);
        MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    return objects;
}

static void run_objects_phase(void)
{
    struct keel_mpi_objects *objects = create_in_time();

    stay_away();
    expect("a phase", keel_mpi_objects_wait(objects));
}

/* What the program does on its communicator meanwhile is none of Keel's. */
static void run_barrier(void)
{
    int sum = 1;

    if (rank == ranks - 1) {
        MPI_Send(&sum, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        stay_away();
    }
    int code = run_loop(MPI_COMM_WORLD, 0);
    expect("the first loop", code);
    if (rank == 0) {
        MPI_Status status;
        MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_SOURCE == ranks - 1 && status.MPI_TAG == 5, "a message from %d",
              status.MPI_SOURCE);
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == ranks, "the program's own sum is %d", sum);
}

static const struct {
    const char *name;
    void (*run)(void);
} places[] = {
    {"first_call", run_first_call},
    {"later_loop", run_later_loop},
    {"wait", run_wait},
    {"gather", run_gather},
    {"reduce", run_reduce},
    {"create", run_create},
    {"exchange", run_exchange},
    {"barrier", run_barrier},
    {"objects_create", run_objects_create},
    {"objects", run_objects_phase},
};

int main(int argc, char **argv)
{
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(argc == 4, "expected a place, seconds and a code");
    delay_s = argc == 4 ? atof(argv[2]) : 0;
    wanted = argc == 4 ? atoi(argv[3]) : 0;
    for (size_t i = 0; argc == 4 && i < sizeof places / sizeof places[0]; i++) {
        if (strcmp(places[i].name, argv[1]) == 0) {
            places[i].run();
        }
    }
    MPI_Finalize();
    return check_status();
}
