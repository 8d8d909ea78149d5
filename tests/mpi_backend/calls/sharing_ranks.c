/* Ranks of a node that share its cores: share_cores WHAT. Each rank prints what it sees.
 *
 *   teams   how large teams are, from the first line of main() on: "2 threads, 2 cores, right"
 *   one     the same for a program that sets one thread, while the other rank has nothing to do
 *   stops   rank 1 is stopped for a second while the others wait for it
 *   early   rank 1 ends while the others go on
 *   joins   rank 1 waits; rank 0 says when its teams have two threads: -DBLIND
 *   guest   rank 0 begins to wait while rank 1 is in a loop; rank 1 says when a second thread has
 *           come into one after a while, and was sent home as rank 0 went on: -DBLIND
 *   dies    rank 1 is killed while the others wait for it
 *   begins  prints the threads, and ends before MPI is there
 *
 * -DBLIND: a program that does not ask how many threads its teams have, and does not say it;
 * regions in regions have to have one. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REGIONS 100
#define PATIENCE_S 10

static int rank, threads_at_begin;
static const char *main_stack;

static double work(int i)
{
    double sum = 0;

    for (int k = 0; k < 5000; k++) {
        sum += 1.0 / (i + k + 1);
    }
    return sum;
}

/* A thread that runs alone loses nothing. */
static int count_in_turn(void)
{
    int volatile count = 0;

#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 100; i++) {
        int before = count;
        if (work(i) > 0) {
            count = before + 1;
        }
    }
    return count;
}

#ifndef BLIND
static int kept;
#pragma omp threadprivate(kept)

/* Numbers are 0, 1, ..., each once, and what a thread keeps is there in the next region. */
static bool numbers_are_right(int region)
{
    int most = omp_get_max_threads(), team = 0, wrong = 0;
    int *times = calloc((size_t)most, sizeof *times);

#pragma omp parallel reduction(+ : wrong)
    {
        int number = omp_get_thread_num();
        wrong += region > 0 && kept != region * 1000 + number;
        kept = (region + 1) * 1000 + number;
        if (number < most) {
            times[number]++;
        }
#pragma omp single
        team = omp_get_num_threads();
    }
    for (int i = 0; i < most; i++) {
        wrong += times[i] != 1;
    }
    free(times);
    return wrong == 0 && team == most;
}
#else
static bool numbers_are_right(int region)
{
    int team = 0, inner = 0;

    (void)region;
#pragma omp parallel
    {
#pragma omp atomic
        team++;
#pragma omp parallel
#pragma omp atomic
        inner++;
    }
    return team >= 1 && team <= omp_get_max_threads() && inner == team;
}
#endif

/* Teams of rank 0 begin with its own core. */
static void wait_for_larger_team(void)
{
    int there, team = 0;

    while (team < 2) {
        team = 0;
#pragma omp parallel
        {
#pragma omp atomic
            team++;
            work(team);
        }
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
    }
    puts("joined");
}

#define STEPS 100 /* of a loop */
#define ALONE 10  /* of them by one thread at first */

static void work_for(int times)
{
    for (int k = 0; k < times; k++) {
        double volatile done = work(k);
        (void)done;
    }
}

static unsigned core_of_thread(void)
{
    unsigned core = 0;

    getcpu(&core, NULL);
    return core;
}

/* Of a guest: until it runs on another core, and may run on all as before. */
static bool is_sent_home(void)
{
    unsigned away = core_of_thread();
    cpu_set_t cores;

    for (double until_s = MPI_Wtime() + PATIENCE_S;
         core_of_thread() == away && MPI_Wtime() < until_s;) {
        work_for(1);
    }
    usleep(1000);
    sched_getaffinity(0, sizeof cores, &cores);
    return core_of_thread() != away && CPU_COUNT(&cores) == 2;
}

/* By its stack: a program that asks for a thread's number can tell how many there are. */
static bool is_main_thread(void)
{
    char here;

    return llabs((intptr_t)main_stack - (intptr_t)&here) < 100000;
}

/* Whether one thread takes the first iterations, and another one comes later, and is sent home when
 * this one has let rank 0 go on. */
static bool has_guest(void)
{
    int begun = 0, alone = 0, is_guest = 0;
    atomic_bool came = false;
    bool sent = false;

#pragma omp parallel for schedule(runtime) reduction(+ : alone, is_guest)
    for (int i = 0; i < STEPS; i++) {
        int order;
#pragma omp atomic capture
        order = begun++;
        alone += order < ALONE && is_main_thread();
        if (!is_main_thread() && !atomic_exchange(&came, true) && order >= ALONE) {
            is_guest += is_sent_home(); /* one that came at once may be at home again */
        }
        work_for(40);
        if (is_main_thread() && !sent && (came || i == STEPS - 1)) {
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
            sent = true;
        }
    }
    if (!sent) {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    return alone == ALONE && is_guest == 1;
}

static void wait_for_guest(void)
{
    int found = 0;

    while (!found) {
        if (rank == 1) {
            found = has_guest();
        } else {
            work_for(800);
            MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            work_for(800);
        }
        MPI_Bcast(&found, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        puts("guest");
    }
}

/* Many regions, with a call of MPI after each: those are where teams may change. */
static void compute(const char *what)
{
    bool right = omp_get_max_threads() == threads_at_begin;
    cpu_set_t cores;
    int there;

    sched_getaffinity(0, sizeof cores, &cores);
#ifndef BLIND
    if (strcmp(what, "one") == 0) {
        omp_set_num_threads(1);
    }
#endif
    for (int region = 0; region < REGIONS && (rank == 0 || strcmp(what, "one") != 0); region++) {
        right &= numbers_are_right(region);
        int count = count_in_turn();
        right &= strcmp(what, "one") == 0 ? count == 100 : count > 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
    }
    printf("%d threads, %d cores, %s\n", threads_at_begin, CPU_COUNT(&cores),
           right ? "right" : "wrong");
    fflush(stdout);
}

/* A child lets this process go on a second later. */
static void stop(void)
{
    pid_t process = getpid();

    if (fork() == 0) {
        sleep(1);
        kill(process, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

int main(int argc, char **argv)
{
    char here = 0;
    main_stack = &here;
    threads_at_begin = omp_get_max_threads();
    const char *what = argc > 1 ? argv[1] : "teams";

    if (strcmp(what, "begins") == 0) {
        printf("%d threads\n", threads_at_begin);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && strcmp(what, "stops") == 0) {
        stop();
    }
    if (rank == 1 && strcmp(what, "dies") == 0) {
        kill(getpid(), SIGKILL);
    }
    if (strcmp(what, "joins") == 0 && rank == 0) {
        wait_for_larger_team();
    }
    if (strcmp(what, "early") != 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(what, "guest") == 0) {
        wait_for_guest();
    }
    if (strcmp(what, "joins") == 0 || strcmp(what, "guest") == 0) {
        MPI_Finalize();
        return 0;
    }
    if (rank != 1 || strcmp(what, "early") != 0) {
        compute(what);
    }
    MPI_Finalize();
    return 0;
}
