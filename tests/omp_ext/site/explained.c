/* A loop for KEEL_EXPLAIN and KEEL_MEMORY:
 *
 *   explained INSTANCES ITERATIONS[,...] THREADS [child|first-child]
 *
 * Several ITERATIONS: an instance of each in turn, as over the levels of a grid. child: a child of
 * fork runs the loop once more and ends by exit(), then the parent by _exit(3); first-child: the
 * parent itself runs no loop. VARIANT makes another program of it.
 * `explained fine` runs a loop that is to be advised. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef VARIANT
#define VARIANT 1
#endif

static volatile double sink;

static void work(long i)
{
    double x = VARIANT;

    for (long k = 0; k < 100 + 2 * i; k++) {
        x = x * 0.999 + (double)k;
    }
    sink = x;
}

static long explained_loop(long iterations, int threads)
{
    long sum = 0;

#pragma omp parallel for schedule(runtime) num_threads(threads) reduction(+ : sum)
    for (long i = 0; i < iterations; i++) {
        work(i);
        sum += i;
    }
    return sum;
}

static long all_lengths(const char *iterations, int threads)
{
    long sum = 0;
    char *rest;

    for (;; iterations = rest + 1) {
        sum += explained_loop(strtol(iterations, &rest, 10), threads);
        if (*rest != ',') {
            return sum;
        }
    }
}

static void run_child(const char *iterations)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        all_lengths(iterations, 1);
        exit(0);
    }
    waitpid(pid, &status, 0);
    _exit(status == 0 ? 3 : 1);
}

/* A loop of a few ns an iteration. Nothing that threads share is written: what makes iterations
 * slow is getting them. */
static void fine_loop(void)
{
    double sum = 0;

#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 200000; i++) {
        sum += i * 0.5;
    }
    sink = sum;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "fine") == 0) {
        for (int k = 0; k < 10; k++) {
            fine_loop();
        }
        printf("%g\n", sink);
        return 0;
    }
    if (argc < 4) {
        return 2;
    }
    int instances = atoi(argv[1]), threads = atoi(argv[3]);
    long sum = 0;
    const char *iterations = argv[2], *child = argc > 4 ? argv[4] : "";

    if (strcmp(child, "first-child") == 0) {
        run_child(iterations);
    }
    for (int k = 0; k < instances; k++) {
        sum += all_lengths(iterations, threads);
    }
    if (strcmp(child, "child") == 0) {
        run_child(iterations);
    }
    printf("%ld\n", sum);
    return 0;
}
