/* Loops of every form, a few instances each, for tests of what KEEL_TRACE notes of them. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPEATS 3
#define STEPS 4
#define MANY 1100000 /* more chunks of one iteration than a trace has room for */

static volatile double sink;

static void work(long amount)
{
    double sum = 0;

    for (long i = 0; i < amount * 10; i++) {
        sum += (double)i;
    }
    sink = sum;
}

static void combined(long iterations)
{
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < iterations; i++) {
        work(i);
    }
}

static void in_region(void)
{
#pragma omp parallel
    for (int k = 0; k < REPEATS; k++) {
#pragma omp for schedule(runtime) nowait
        for (int i = 90; i > 0; i -= 3) { /* 30 iterations */
            work(i);
        }
#pragma omp for schedule(runtime)
        for (unsigned long long i = 5; i < 55; i++) { /* 50 */
            work((long)i);
        }
    }
}

static void nested(void)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 4; i++) { /* once */
        combined(25);             /* four times, at the same time */
    }
}

static void *run_combined(void *unused)
{
    for (int k = 0; k < REPEATS; k++) {
        combined(100);
    }
    return unused;
}

static void from_two_threads(void)
{
    pthread_t other;

    pthread_create(&other, NULL, run_combined, NULL);
    run_combined(NULL);
    pthread_join(other, NULL);
}

static void cancelled(void)
{
    for (int k = 0; k < REPEATS; k++) {
#pragma omp parallel
#pragma omp for schedule(runtime)
        for (int i = 0; i < 1000; i++) {
            work(100);
            if (i > 20) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
    combined(100);
}

/* The child comes to the first loop. */
static void forking_first(void)
{
    pid_t child = fork();
    if (child == 0) {
        combined(7);
        exit(0);
    }
    waitpid(child, NULL, 0);
    if (access(getenv("KEEL_TRACE"), F_OK) == 0) {
        printf("the child has written a trace\n");
    }
    combined(100);
}

/* Output that is in the buffer of stdio until the end. */
static void printing(void)
{
    printf("first\n");
    combined(100);
    printf("last\n");
}

static void many(void)
{
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < MANY; i++) {
    }
    combined(100);
}

/* --- of known lengths, by the program's own clock: prints "NAME SECONDS", a line each --- */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What was slept in all iterations, as the program measured it. */
static void asleep(void)
{
    double slept = 0, began = now();

    for (int k = 0; k < STEPS; k++) {
#pragma omp parallel for schedule(runtime) reduction(+ : slept)
        for (int i = 0; i < 8; i++) {
            double start = now();
            usleep(2000);
            slept += now() - start;
        }
    }
    printf("slept %.9f\nelapsed %.9f\nbegan %.9f\nended %.9f\n", slept, now() - began, began,
           now());
}

/* One thread is late at a barrier, at a loop's end and at the region's end. */
static void late(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            usleep(20000);
        }
#pragma omp barrier
#pragma omp for schedule(runtime)
        for (int i = 0; i < 2; i++) {
            usleep(i == 1 ? 20000 : 0);
        }
        if (omp_get_thread_num() == 1) {
            usleep(20000);
        }
    }
}

/* More chunks than a trace in JSON holds; prints the most memory that the process has had. */
static void memory(void)
{
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < 3000000; i++) {
    }
    FILE *status = fopen("/proc/self/status", "r");
    char line[200];
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) {
            printf("%s", line);
        }
    }
}

/* One loop of equal iterations many times, for schedules that learn. */
static void learning(void)
{
    for (int k = 0; k < 60; k++) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 2000; i++) {
            double sum = 0;
            for (int j = 0; j < 500; j++) {
                sum += j;
            }
            sink = sum;
        }
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"in_region", in_region},
    {"nested", nested},
    {"from_two_threads", from_two_threads},
    {"cancelled", cancelled},
    {"forking_first", forking_first},
    {"many", many},
    {"printing", printing},
    {"asleep", asleep},
    {"late", late},
    {"memory", memory},
    {"learning", learning},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (argc > 1 && strcmp(parts[i].name, argv[1]) == 0) {
            parts[i].run();
            return 0;
        }
    }
    fprintf(stderr, "no such part\n");
    return 2;
}
