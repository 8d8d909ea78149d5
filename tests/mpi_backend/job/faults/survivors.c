/* Ranks that go on without others: `survivors WHEN VICTIM...`, under an mpirun that goes on. In
 * each round those of the victims, ranks of MPI_COMM_WORLD, that are joined by a comma end; the
 * others run the round again, until it ends well, and say
 *
 *     rank R: round K: code C, S ranks, exact
 *
 * WHEN: loop; rows; objects: a victim ends in the course of these; team: of a repeatable loop of a
 * team that reduces, of which others execute what is left. later: those of the first round end in a
 * loop, those of the second one when they know of it; halt: these are stopped then;
 * making, making-halt: the same where MPI makes the communicator of those that are left; opening,
 * opening-halt: where it makes memory for the next loop. stop: in a
 * loop a victim is stopped. slow: a loop takes some seconds. Where none can be made, others say
 *
 *     rank R: no survivors: code C                               and end the job */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/include/keel_mpi_objects.h"
#include "tests/support/check.h"
#include "tests/support/nap.h"

enum { COUNT_MAX = 120 };

static const char *when;
static int world_rank;
static bool strikes; /* this rank, in the round that runs */
static int times[COUNT_MAX];

/* As their names say. */
static bool is_within_mpi(void)
{
    return strncmp(when, "making", 6) == 0 || strncmp(when, "opening", 7) == 0;
}

static bool is_halt(void)
{
    return strstr(when, "halt") != NULL;
}

static int rounds_with_deaths; /* so far, as this rank knows */

static void strike(void)
{
    if (strikes) {
        bool stops = strcmp(when, "stop") == 0 || (is_halt() && rounds_with_deaths > 0);
        kill(getpid(), stops ? SIGSTOP : SIGKILL);
    }
}

/* Keel's calls come here first. */
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *win)
{
    if (strncmp(when, "opening", 7) == 0) {
        strike();
    }
    return PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    if (strncmp(when, "making", 6) == 0) {
        strike();
    }
    return PMPI_Comm_create_group(comm, group, tag, made);
}

/* Of Open MPI 5: what makes it there. */
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *left)
{
    int (*shrink)(MPI_Comm, MPI_Comm *) =
        (int (*)(MPI_Comm, MPI_Comm *))dlsym(RTLD_DEFAULT, "PMPIX_Comm_shrink");

    if (strncmp(when, "making", 6) == 0) {
        strike();
    }
    return shrink(comm, left);
}

static int run_loop(MPI_Comm comm)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;
    int code = keel_mpi_loop_begin(comm, COUNT_MAX, 0, &loop);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            times[i]++;
            nap(strcmp(when, "slow") == 0 ? 100000 : 100);
        }
        strike();
    }
    strike(); /* others may have executed all of it */
    code = keel_mpi_loop_end(&loop);
    return code == KEEL_MPI_OK ? keel_mpi_allgather(times, 1, MPI_INT, comm) : code;
}

static int run_rows(MPI_Comm comm)
{
    struct keel_mpi_rows *rows;
    uint64_t first, last;
    int *array, code = keel_mpi_rows_create(comm, COUNT_MAX, KEEL_MPI_ADJACENT, &rows);

    if (code != KEEL_MPI_OK ||
        (code = keel_mpi_rows_array(rows, sizeof *array, 1, 1, (void **)&array)) != KEEL_MPI_OK) {
        return code;
    }
    for (int step = 0; step < 3 && code == KEEL_MPI_OK; step++) {
        keel_mpi_rows_bounds(rows, &first, &last);
        for (uint64_t i = first; i < last; i++) {
            array[i] = step == 0 ? 1 : array[i];
        }
        strike();
        code = keel_mpi_rows_balance(rows, NULL);
        code = code == KEEL_MPI_OK ? keel_mpi_rows_exchange(rows, array) : code;
    }
    code = code == KEEL_MPI_OK ? keel_mpi_rows_allgather(rows, array, times) : code;
    return code == KEEL_MPI_OK ? keel_mpi_rows_free(&rows) : code;
}

static void compute(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)data;
    times[index]++;
    nap(100);
    strike();
}

static int run_objects(MPI_Comm comm)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions};
    struct keel_mpi_objects *objects;
    static char data;
    int code = keel_mpi_objects_create(comm, &functions, &objects), rank, ranks;

    if (code != KEEL_MPI_OK) {
        return code;
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = rank; i < COUNT_MAX; i += ranks) {
        keel_mpi_objects_insert(objects, (uint64_t)i, &data);
    }
    code = keel_mpi_objects_each(objects, compute);
    code = code == KEEL_MPI_OK ? keel_mpi_objects_destroy(&objects) : code;
    if (code == KEEL_MPI_OK) {
        MPI_Allreduce(MPI_IN_PLACE, times, COUNT_MAX, MPI_INT, MPI_SUM, comm);
    }
    return code;
}

/* What this rank has executed of the loop so far, and what the loop has come to here. */
static int own_times[COUNT_MAX];
static int own_sum;

/* Others have executed something, too, before this rank ends. */
static void compute_own(int i)
{
    own_times[i]++;
    nap(strikes ? 50000 : 1000);
    strike();
}

static int run_team(MPI_Comm comm)
{
    static uint64_t number; /* of the loop */
    int code = keel_mpi_repeatable(comm, number), sum;

    code = code == KEEL_MPI_OK ? keel_mpi_share(comm) : code;
    if (code != KEEL_MPI_OK) {
        return code;
    }
#pragma omp parallel for schedule(runtime) reduction(+ : own_sum)
    for (int i = 0; i < COUNT_MAX; i++) {
        compute_own(i);
        own_sum += i;
    }
    strike();
    code = keel_mpi_wait(comm);
    memcpy(times, own_times, sizeof times);
    sum = own_sum;
    code =
        code == KEEL_MPI_OK ? keel_mpi_allreduce(times, COUNT_MAX, MPI_INT, MPI_SUM, comm) : code;
    code = code == KEEL_MPI_OK ? keel_mpi_allreduce(&sum, 1, MPI_INT, MPI_SUM, comm) : code;
    if (code == KEEL_MPI_OK) {
        CHECK(sum == COUNT_MAX * (COUNT_MAX - 1) / 2, "loop %d: %d, expected %d", (int)number, sum,
              COUNT_MAX * (COUNT_MAX - 1) / 2);
        number++;
        own_sum = 0;
        memset(own_times, 0, sizeof own_times);
    }
    return code;
}

static int run(MPI_Comm comm)
{
    memset(times, 0, sizeof times);
    return strcmp(when, "rows") == 0      ? run_rows(comm)
           : strcmp(when, "team") == 0    ? run_team(comm)
           : strcmp(when, "objects") == 0 ? run_objects(comm)
                                          : run_loop(comm);
}

static bool is_among(const char *victims)
{
    char *end = (char *)victims;

    do {
        if (strtol(end, &end, 10) == world_rank) {
            return true;
        }
    } while (*end++ == ',');
    return false;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    bool later;
    int code, level;

    when = argc > 1 ? argv[1] : "loop";
    later = strcmp(when, "later") == 0 || is_within_mpi() || is_halt();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    code = run(comm);
    CHECK(code == KEEL_MPI_OK, "rank %d: code %d before any has ended", world_rank, code);
    for (int round = 2; round < argc; round++) {
        int ranks = 0, wrong = 0;

        strikes = is_among(argv[round]);
        while ((code = run(comm)) == KEEL_MPI_RANKS_LOST) {
            strikes = later && round + 1 < argc && is_among(argv[round + 1]);
            rounds_with_deaths++;
            if (!is_within_mpi()) {
                strike();
            }
            code = keel_mpi_survivors(comm, &comm);
            if (code == KEEL_MPI_LATE) {
                printf("rank %d: no survivors: code %d\n", world_rank, code);
                fflush(stdout);
                nap(2000000); /* all others say so, too */
                MPI_Abort(MPI_COMM_WORLD, code);
            }
            CHECK(code == KEEL_MPI_OK, "rank %d: survivors: code %d", world_rank, code);
            if (code != KEEL_MPI_OK) {
                break;
            }
        }
        MPI_Comm_size(comm, &ranks);
        for (int i = 0; i < COUNT_MAX; i++) {
            wrong += times[i] != 1;
        }
        printf("rank %d: round %d: code %d, %d ranks, %s\n", world_rank, round - 1, code, ranks,
               wrong == 0 ? "exact" : "wrong");
        fflush(stdout);
        if (later) {
            break;
        }
    }
    const int *lost;
    int count;
    keel_mpi_lost_ranks(MPI_COMM_WORLD, &lost, &count);
    printf("rank %d: lost", world_rank);
    for (int i = 0; i < count; i++) {
        printf(" %d", lost[i]);
    }
    printf("\n");
    fflush(stdout);
    nap(1000000); /* mpirun may not pass on what it has not read before ranks end */
    MPI_Finalize();
    printf("rank %d: MPI_Finalize() has returned\n", world_rank);
    return check_status();
}
