/* Ranks that are stopped, left out by the others, and come back: returns HOW VICTIM[,VICTIM...]...
 *
 * A shared loop in each step, whose results all ranks get. The first victims stop themselves in the
 * course of step 2, the next ones once all have come back and ten steps on, and so forth. HOW:
 * wake, soon after the others have gone on without them; sleep, for good; quit, they wake and call
 * MPI_Finalize(); silent, they call nothing at all. What a rank writes in a loop after it has woken
 * is wrong, so that nothing of it may count. Ends some steps after all victims have come back, or,
 * where they never do, at step 20. */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/nap.h"
#include "tests/support/shared_memory.h"
#include "tests/support/waker.h"

enum { ROWS = 240, STEPS = 4000, APART = 10, LAST = 20 };

static long result[STEPS][ROWS];
static int rank, ranks, woken = -1; /* woken: in which step */
static enum { WAKE, SLEEP, SILENT, QUIT } how;
static struct shared {
    atomic_int gone_on; /* how often ranks have, without others */
    atomic_int begun;   /* ranks that have come to the first step in which some may stop */
} * shared;

static long right(int step, int i)
{
    return 1000L * step + i;
}

static void stop(int step)
{
    if (how != SLEEP) {
        waker_start(&shared->gone_on, 200000);
    }
    printf("rank %d: stops in step %d\n", rank, step);
    fflush(stdout);
    raise(SIGSTOP);
    woken = step;
    while (how == SILENT) {
        nap(1000000);
    }
    if (how == QUIT) {
        MPI_Finalize();
        exit(0);
    }
}

/* Whether this rank is to stop in the step: it is among the victims of the round. */
static bool is_victim(const char *victims)
{
    char list[64], *place, *word;

    snprintf(list, sizeof list, "%s", victims);
    for (word = strtok_r(list, ",", &place); word != NULL; word = strtok_r(NULL, ",", &place)) {
        if (atoi(word) == rank) {
            return true;
        }
    }
    return false;
}

static int run(MPI_Comm comm, int step, bool stops)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;
    int code = keel_mpi_repeatable(comm, (uint64_t)step);

    code = code == KEEL_MPI_OK ? keel_mpi_loop_begin(comm, ROWS, 0, &loop) : code;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            nap(200);
            result[step][i] = woken == step ? -1 : right(step, (int)i);
        }
        if (stops) {
            stops = false;
            stop(step);
        }
    }
    if (stops) {
        stop(step); /* others have executed everything */
    }
    code = keel_mpi_loop_end(&loop);
    return code == KEEL_MPI_OK ? keel_mpi_allgather(result[step], 1, MPI_LONG, comm) : code;
}

/* Who has come farthest tells the others all that it has. Returns the step to go on with. */
static int catch_up(MPI_Comm comm, int step)
{
    struct {
        int step, rank;
    } own = {step, 0}, most;

    MPI_Comm_rank(comm, &own.rank);
    MPI_Allreduce(&own, &most, 1, MPI_2INT, MPI_MAXLOC, comm);
    MPI_Bcast(result, most.step * ROWS, MPI_LONG, most.rank, comm);
    return most.step;
}

static int size_of(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size;
}

static bool is_exact(int steps)
{
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < ROWS; i++) {
            if (result[step][i] != right(step, i)) {
                printf("rank %d: step %d, row %d is %ld\n", rank, step, i, result[step][i]);
                return false;
            }
        }
    }
    return true;
}

/* Goes on with those that are left. */
static int go_on(MPI_Comm *comm, int *step)
{
    int code = keel_mpi_survivors(*comm, comm);

    if (code == KEEL_MPI_OK) {
        shared->gone_on++;
        *step = catch_up(*comm, *step);
    }
    return code;
}

/* Lets those in that have come back. */
static int let_in(MPI_Comm *comm, int *step)
{
    MPI_Comm before = *comm;
    int code = keel_mpi_let_in(*comm, comm);

    if (code == KEEL_MPI_OK && *comm != before) {
        *step = catch_up(*comm, *step);
    }
    return code;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int level, code = KEEL_MPI_OK, step = 0, next = 2, round = 1;
    bool out = false; /* some are */

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    how = strcmp(argv[1], "wake") == 0    ? WAKE
          : strcmp(argv[1], "sleep") == 0 ? SLEEP
          : strcmp(argv[1], "quit") == 0  ? QUIT
                                          : SILENT;
    int last = how == WAKE ? STEPS : LAST;
    shared = shared_memory_open(sizeof *shared);
    while (step < last && code == KEEL_MPI_OK) {
        nap(how == SILENT || how == QUIT ? 200000
                                         : 0); /* others are there for longer than it is silent */
        shared->begun += step == 2;
        code =
            run(comm, step, step == next && round + 1 < argc && !out && is_victim(argv[round + 1]));
        step += code == KEEL_MPI_OK;
        code = code == KEEL_MPI_OK ? let_in(&comm, &step) : code;
        while (code == KEEL_MPI_RANKS_LOST) {
            code = go_on(&comm, &step);
            out = true; /* others are, or this one was */
        }
        if (code == KEEL_MPI_OK && out && size_of(comm) == ranks) { /* the same on all of them */
            round++;
            next = step + APART;
            last = round + 1 == argc ? step + APART : last;
        }
        out = code == KEEL_MPI_OK && size_of(comm) < ranks;
    }
    printf("rank %d: code %d, %d of %d ranks, %d rounds, %s\n", rank, code,
           comm != MPI_COMM_NULL ? size_of(comm) : 0, ranks, round - 1,
           is_exact(step) ? "exact" : "wrong");
    fflush(stdout);
    return code == KEEL_MPI_OK ? MPI_Finalize() : code;
}
