/* Loops that are found to be too short to schedule, while what is found changes all the time: in
 * regions of several sizes, nested ones, orphaned loops, regions that last while it changes, tasks,
 * threads of the program's own that start teams at once, loops that are cancelled. Each iteration
 * has to be executed once, whoever thinks what of its loop. Built with the plugin and an empty
 * SCHEDULE, its loops are bare, and regions are passed on as they are; WANT_PASSED: says so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/check.h"

#ifndef SCHEDULE
#define SCHEDULE schedule(runtime)
#endif

enum { LOOPS = 6, MOST = 200 };

static const int lengths[] = {34, 1, 130, 0, 7, 200};

/* A site that several regions share. */
static void orphaned(struct marks *marks, int length)
{
#pragma omp for SCHEDULE
    for (int i = 0; i < length; i++) {
        marks_hit(marks, (uint64_t)i);
    }
}

static void orphaned_nowait(struct marks *marks, int length)
{
#pragma omp for SCHEDULE nowait
    for (unsigned long long i = 0; i < (unsigned long long)length; i++) {
        marks_hit(marks, i);
    }
}

static void backwards(struct marks *marks, int length)
{
#pragma omp for SCHEDULE nowait
    for (int i = 3 * length - 1; i >= 0; i -= 3) {
        marks_hit(marks, (uint64_t)(length - 1 - i / 3));
    }
}

static void with_memory(struct marks *marks, int length)
{
    static int last;

#pragma omp single
    last = -1;
#pragma omp for SCHEDULE lastprivate(conditional : last)
    for (int i = 0; i < length; i++) {
        marks_hit(marks, (uint64_t)i);
        last = i;
    }
}

static void begin_all(struct marks *marks)
{
    for (int k = 0; k < LOOPS; k++) {
        marks_begin(&marks[k], (uint64_t)lengths[k]);
    }
}

static void end_all(struct marks *marks, const char *what)
{
    for (int k = 0; k < LOOPS; k++) {
        marks_end(&marks[k], what);
    }
}

static void run_all(struct marks *marks, int shift)
{
    orphaned(&marks[0], lengths[0]);
    orphaned_nowait(&marks[1], lengths[1]);
    backwards(&marks[2], lengths[2]);
    orphaned(&marks[3], lengths[3]);
    with_memory(&marks[4], lengths[4]);
    orphaned_nowait(&marks[5], lengths[5]);
    if (shift % 5 == 0) {
#pragma omp barrier
    }
}

/* caller: of the function that a region has become. */
static void note_passed(const void *caller)
{
    static int passed;
    Dl_info info;

    if (getenv("WANT_PASSED") != NULL && dladdr(caller, &info) != 0 &&
        strstr(info.dli_fname, "libkeel") == NULL && __atomic_exchange_n(&passed, 1, 0) == 0) {
        printf("a region was passed on\n");
    }
}

/* Teams that start anew all the time. */
static void regions(int rounds, int most)
{
    for (int r = 0; r < rounds; r++) {
        struct marks marks[LOOPS];
        begin_all(marks);
#pragma omp parallel num_threads(1 + r % most)
        {
            note_passed(__builtin_return_address(0));
            run_all(marks, r);
        }
        end_all(marks, "a region");
    }
}

static void combined_loops(int rounds)
{
    for (int r = 0; r < rounds; r++) {
        struct marks marks;
        int length = lengths[r % LOOPS], last = -1;
        marks_begin(&marks, (uint64_t)length);
#pragma omp parallel for SCHEDULE num_threads(1 + r % 4) lastprivate(last)
        for (int i = 0; i < length; i++) {
            marks_hit(&marks, (uint64_t)i);
            last = i;
        }
        marks_end(&marks, "a combined loop");
        CHECK(length == 0 || last == length - 1, "lastprivate is %d of %d", last, length);
    }
}

/* One region, in which agreements cover later instances. */
static void long_region(int steps)
{
    struct marks(*marks)[LOOPS] = malloc((size_t)steps * sizeof *marks);

    for (int s = 0; s < steps; s++) {
        begin_all(marks[s]);
    }
#pragma omp parallel num_threads(3)
    for (int s = 0; s < steps; s++) {
        run_all(marks[s], s);
        if (s % 50 == 25) {
#pragma omp single
            regions(3, 3);
        }
    }
    for (int s = 0; s < steps; s++) {
        end_all(marks[s], "a long region");
    }
    free(marks);
}

static void nested(int rounds)
{
    omp_set_max_active_levels(2);
    for (int r = 0; r < rounds; r++) {
#pragma omp parallel num_threads(2)
        {
            struct marks inner[LOOPS];
            begin_all(inner);
#pragma omp parallel num_threads(1 + r % 3)
            run_all(inner, r);
            end_all(inner, "a nested region");
        }
    }
    omp_set_max_active_levels(1);
}

/* A loop whose body starts a region with the same loop in it. */
static void within(int rounds)
{
    omp_set_max_active_levels(2);
    for (int r = 0; r < rounds; r++) {
        struct marks marks = marks_of(9);

#pragma omp parallel num_threads(2)
#pragma omp for SCHEDULE
        for (int i = 0; i < 9; i++) {
            regions(1, 2);
            marks_hit(&marks, (uint64_t)i);
        }
        marks_end(&marks, "a loop around regions");
    }
    omp_set_max_active_levels(1);
}

/* Tasks that start regions, and run at the barriers of the team's loops. */
static void tasks(int rounds)
{
    omp_set_max_active_levels(2);
    for (int r = 0; r < rounds; r++) {
        struct marks marks[LOOPS];
        begin_all(marks);
#pragma omp parallel num_threads(2 + r % 2)
        {
#pragma omp single nowait
            for (int t = 0; t < 4; t++) {
#pragma omp task
                regions(1 + t % 2, 2);
            }
            run_all(marks, r);
        }
        end_all(marks, "loops among tasks");
    }
    omp_set_max_active_levels(1);
}

/* One region whose loops are delayed at random, so that its threads come to them far apart. */
static void delayed_region(int steps)
{
    struct marks(*marks)[LOOPS] = malloc((size_t)steps * sizeof *marks);

    for (int s = 0; s < steps; s++) {
        begin_all(marks[s]);
    }
#pragma omp parallel num_threads(3)
    {
        unsigned draw = 7919u * (unsigned)omp_get_thread_num();
        for (int s = 0; s < steps; s++) {
            draw = draw * 1664525 + 1013904223;
            if (draw >> 28 == 0) {
                usleep(draw >> 16 & 255);
            }
            run_all(marks[s], 1);
        }
    }
    for (int s = 0; s < steps; s++) {
        end_all(marks[s], "a delayed region");
    }
    free(marks);
}

/* Iterations of a cancelled loop run at most once, and the loop behind it whole. */
static void cancelled(int rounds)
{
    for (int r = 0; r < rounds; r++) {
        struct marks after;
        unsigned char times[40] = {0};
        marks_begin(&after, 34);
#pragma omp parallel num_threads(2 + r % 2)
        {
#pragma omp for SCHEDULE
            for (int i = 0; i < 40; i++) {
                __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
                if (r % 3 == 0 && i == 20) {
#pragma omp cancel for
                }
#pragma omp cancellation point for
            }
            orphaned(&after, 34);
        }
        for (int i = 0; i < 40; i++) {
            CHECK(times[i] <= 1 && (r % 3 == 0 || times[i] == 1),
                  "iteration %d was executed %d times", i, times[i]);
        }
        marks_end(&after, "behind a cancelled loop");
    }
}

static void *host(void *rounds)
{
    regions(*(int *)rounds, 3);
    combined_loops(*(int *)rounds);
    return NULL;
}

static void several_hosts(int rounds)
{
    pthread_t threads[3];

    for (int t = 0; t < 3; t++) {
        pthread_create(&threads[t], NULL, host, &rounds);
    }
    for (int t = 0; t < 3; t++) {
        pthread_join(threads[t], NULL);
    }
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 100;

    check_any_order = true;
    regions(2 * rounds, 4);
    combined_loops(2 * rounds);
    long_region(3 * rounds);
    nested(rounds / 2);
    within(rounds / 4);
    tasks(rounds / 2);
    delayed_region(2 * rounds);
    cancelled(rounds);
    several_hosts(rounds / 2);
    return check_status();
}
