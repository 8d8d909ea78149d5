/* Loops and waits of known lengths, by the program's own clock, for comparison with the trace.
 * Prints "NAME SECONDS", a line each; see the parts. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEPS 4

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

/* More chunks than a trace holds. */
static void many(void)
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

static volatile double sink;

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

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";

    if (strcmp(part, "asleep") == 0) {
        asleep();
    } else if (strcmp(part, "late") == 0) {
        late();
    } else if (strcmp(part, "many") == 0) {
        many();
    } else if (strcmp(part, "learning") == 0) {
        learning();
    } else {
        return 2;
    }
    return 0;
}
