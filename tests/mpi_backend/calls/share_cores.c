/* Ranks of a node that share its cores: share_cores WHAT. Each rank prints what it sees.
 *
 *   teams   how large teams are, from the first line of main() on: "2 threads, 2 cores, right"
 *   one     the same for a program that sets one thread, while the other rank has nothing to do
 *   stops   rank 1 is stopped for a second while the others wait for it
 *   early   rank 1 ends while the others go on
 *   joins   rank 1 waits; rank 0 says when its teams have come to two threads: -DBLIND
 *   dies    rank 1 is killed while the others wait for it
 *   begins  prints the threads, and ends before MPI is there
 *
 * -DBLIND: a program that cannot tell how many threads its teams have, and does not say it; regions
 * in regions have to have one. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REGIONS 100

static int rank, threads_at_begin;

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
    if (strcmp(what, "joins") == 0) {
        MPI_Finalize();
        return 0;
    }
    if (rank != 1 || strcmp(what, "early") != 0) {
        compute(what);
    }
    MPI_Finalize();
    return 0;
}
