/* A job that is drawn, whose ranks go on without those that are lost: `going_on plan SEED JOB
 * FAULT` prints how it is to be run, as words for env; `going_on run SEED JOB FAULT` is one rank of
 * it, under an mpirun that goes on, on one machine.
 *
 * Loops are repeatable: those that are left finish the one in which a rank was lost. FAULT: kill;
 * stop, for good, until others end the rank. One rank or two meet it, each in the course of a loop,
 * the second one maybe in that which the first one has left. What an iteration comes to is gathered
 * and has to be right; no rank may execute anything twice, and all together each iteration once,
 * unless some had come to the next loop already. Each rank but the victims says
 *
 *     rank R: goes on T s after         the last fault, by then
 *     rank R: CODE after LOOPS loops, fault: how many have met it */
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/draws.h"
#include "tests/support/nap.h"
#include "tests/support/schedules.h"
#include "tests/support/shared_memory.h"

enum { LOOPS = 12, MOST = 400, RANKS_MAX = 6, VICTIMS = 2 };

static const char *const rank_schedules[] = {"rate", "tree",   "steal", "diffuse", "gss",
                                             "ss",   "static", "fac2",  "af"};

static struct shared {
    atomic_int hit;        /* how many have met the fault, */
    double hit_s[VICTIMS]; /* and when, by the machine's clock; written before the victim's hit */
} * shared;

static struct {
    int rank, loop;
    int iteration; /* of the victim's, in that loop */
} victim[VICTIMS];

static const char *fault;
static int rank, ranks; /* of MPI_COMM_WORLD */
static int loop;        /* number */
static atomic_int executed;
static struct {
    long iterations;
    const char *schedule;
    uint64_t kind;
    atomic_int times[MOST]; /* that this rank has executed it */
    int result[MOST];
} job[LOOPS];

/* --- the fault --- */

static double clock_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void strike(void)
{
    for (int i = 0; i < VICTIMS; i++) {
        int before = i;
        if (rank == victim[i].rank && loop >= victim[i].loop && executed >= victim[i].iteration &&
            shared->hit == i) {
            shared->hit_s[i] = clock_s();
            if (!atomic_compare_exchange_strong(&shared->hit, &before, i + 1)) {
                continue;
            }
            kill(getpid(), strcmp(fault, "kill") == 0 ? SIGKILL : SIGSTOP);
        }
    }
}

/* --- a loop --- */

static int right_result(long iteration)
{
    return (int)(iteration * 31 + loop);
}

static void execute(long iteration)
{
    CHECK(iteration < job[loop].iterations, "loop %d: iteration %ld", loop, iteration);
    atomic_fetch_add(&job[loop].times[iteration], 1);
    job[loop].result[iteration] = right_result(iteration);
    if (iteration % 16 == 0) {
        nap(50);
    }
    executed++;
    strike();
}

static int run_openmp(MPI_Comm comm)
{
    int code = keel_mpi_share(comm);

    if (code != KEEL_MPI_OK) {
        return code;
    }
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < job[loop].iterations; i++) {
        execute(i);
    }
    return keel_mpi_wait(comm);
}

static int run_explicit(MPI_Comm comm)
{
    struct keel_mpi_loop *handle;
    uint64_t first, last;
    int code = keel_mpi_loop_begin(comm, (uint64_t)job[loop].iterations, 0, &handle);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    while (keel_mpi_loop_next(handle, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            execute((long)i);
        }
    }
    return keel_mpi_loop_end(&handle);
}

static int again_until = -1; /* loops up to this one may be executed again */

/* Those that are left have executed each iteration once in all, what they had executed before ranks
 * were lost included. */
static int check_all_times(MPI_Comm comm)
{
    int times[MOST];
    long iterations = job[loop].iterations;

    memcpy(times, job[loop].times, sizeof times);
    int code = keel_mpi_allreduce(times, (int)iterations, MPI_INT, MPI_SUM, comm);
    for (long i = 0; code == KEEL_MPI_OK && i < iterations && loop > again_until; i++) {
        CHECK(times[i] == 1, "loop %d: iteration %ld was executed %d times in all", loop, i,
              times[i]);
    }
    return code;
}

/* What it has come to; with what ranks have executed of it in all, from its report. */
static int bring_together(MPI_Comm comm)
{
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    int last_rank, code;
    long iterations = job[loop].iterations;

    code = keel_mpi_allgather(job[loop].result, 1, MPI_INT, comm);
    for (long i = 0; code == KEEL_MPI_OK && i < iterations; i++) {
        CHECK(job[loop].result[i] == right_result(i), "loop %d: %d is gathered for iteration %ld",
              loop, job[loop].result[i], i);
    }
    code = code == KEEL_MPI_OK ? check_all_times(comm) : code;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_loop_report(comm, &report);
    long all = (long)report.executed;
    code = keel_mpi_allreduce(&all, 1, MPI_LONG, MPI_SUM, comm);
    CHECK(code != KEEL_MPI_OK || all == iterations, "loop %d of %ld: %ld were executed", loop,
          iterations, all);
    if (code == KEEL_MPI_OK) {
        code = keel_mpi_loop_last_rank(comm, &last_rank);
        CHECK(code != KEEL_MPI_OK || (iterations == 0) == (last_rank < 0), "loop %d: last rank %d",
              loop, last_rank);
    }
    return code;
}

static int run_loop(MPI_Comm comm)
{
    int code = keel_mpi_repeatable(comm, (uint64_t)loop);

    snprintf(check_context, sizeof check_context, ", loop %d, kind %d, %s", loop,
             (int)job[loop].kind, job[loop].schedule);
    set_schedule(job[loop].schedule);
    executed = 0;
    if (loop + 1 == LOOPS) {
        executed = MOST; /* so that nobody ends who has not met what was drawn */
        strike();
    }
    if (code == KEEL_MPI_OK) {
        code = job[loop].kind == 0 ? run_openmp(comm) : run_explicit(comm);
    }
    return code == KEEL_MPI_OK ? bring_together(comm) : code;
}

/* --- going on --- */

static void tell_time(void)
{
    int hit = shared->hit;

    if (hit > 0) {
        printf("rank %d: goes on %.3f s after\n", rank, clock_s() - shared->hit_s[hit - 1]);
    }
}

/* The loop that all go on with, to which all come back. */
static void agree_on_loop(MPI_Comm comm)
{
    int least = loop, most = loop;

    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
    again_until = least < most && most > again_until ? most : again_until;
    loop = least;
}

static void check_times(void)
{
    for (long i = 0; i < job[loop].iterations; i++) {
        CHECK(job[loop].times[i] <= 1 || loop <= again_until,
              "loop %d: iteration %ld was executed %d times here", loop, i, job[loop].times[i]);
    }
}

/* Without the ranks that are lost. */
static int go_on(MPI_Comm *comm)
{
    int code = keel_mpi_survivors(*comm, comm);

    if (code == KEEL_MPI_OK) {
        tell_time();
        agree_on_loop(*comm);
    }
    return code;
}

static int run_job(MPI_Comm *comm)
{
    int code = KEEL_MPI_OK;

    for (loop = 0; code == KEEL_MPI_OK && loop < LOOPS;) {
        code = run_loop(*comm);
        if (code == KEEL_MPI_OK) {
            check_times();
            loop++;
        }
        while (code == KEEL_MPI_RANKS_LOST) {
            code = go_on(comm);
        }
    }
    return code;
}

/* --- the job --- */

static void draw_job(struct draws *draws)
{
    for (int i = 0; i < VICTIMS; i++) {
        victim[i].rank = (int)draws_below(draws, (uint64_t)ranks);
        victim[i].loop = i == 0                       ? (int)draws_below(draws, LOOPS - 2)
                         : draws_below(draws, 2) == 0 ? victim[0].loop
                                                      : LOOPS - 1;
        victim[i].iteration = (int)draws_below(draws, MOST / 8);
    }
    if (ranks < 3 || victim[1].rank == victim[0].rank) {
        victim[1].rank = -1;
    }
    for (int k = 0; k < LOOPS; k++) {
        job[k].iterations =
            (long)(draws_below(draws, 8) == 0 ? draws_below(draws, 4) : draws_below(draws, MOST));
        job[k].schedule = every_schedule[draws_below(draws, COUNT(every_schedule))];
        job[k].kind = draws_below(draws, 2);
    }
}

static void plan(struct draws *draws)
{
    int count = 2 + (int)draws_below(draws, RANKS_MAX - 1),
        threads = 1 + (int)draws_below(draws, 4);

    printf("-n %d env OMP_NUM_THREADS=%d KEEL_MPI_DEADLINE=%d KEEL_MPI_ON_LATE=end"
           " KEEL_MPI_SCHEDULE=%s KEEL_MPI_NODE_RANKS=%d\n",
           count, threads, strcmp(fault, "kill") == 0 ? 120 : 3,
           rank_schedules[draws_below(draws, COUNT(rank_schedules))],
           1 + (int)draws_below(draws, 3));
}

int main(int argc, char **argv)
{
    struct draws draws = {0};
    MPI_Comm comm = MPI_COMM_WORLD;
    int level;

    if (argc != 5) {
        return 3;
    }
    draws.state = strtoull(argv[2], NULL, 10) * 1000003 + strtoull(argv[3], NULL, 10);
    fault = argv[4];
    if (strcmp(argv[1], "plan") == 0) {
        plan(&draws);
        return 0;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    draw_job(&draws);
    shared = shared_memory_open(sizeof *shared);
    int code = run_job(&comm);
    printf("rank %d: %d after %d loops, fault: %d\n", rank, code, loop, shared->hit);
    fflush(stdout);
    nap(1000000); /* what they have written is on its way */
    MPI_Finalize();
    return check_status();
}
