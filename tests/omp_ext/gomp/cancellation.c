/* Cancelled loops and regions leave nothing behind: loops after them execute each iteration
 * exactly once. The environment has OMP_CANCELLATION=true. */
#include "tests/support/schedules.h"

enum { REPEATS = 12 };

/* All threads reach every loop, and the ones after a cancelled one are complete. */
static void loop_after(struct marks *after)
{
    MARKED_LOOP("omp for schedule(runtime)", *after, int, 30)
}

static void cancelled_loops(void)
{
    struct marks after[REPEATS];
    unsigned times[100] = {0};

    for (int k = 0; k < REPEATS; k++) {
        marks_begin(&after[k], 30);
    }
#pragma omp parallel
    for (int k = 0; k < REPEATS; k++) {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 100; i++) {
            __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
            if (i == (k * 17) % 100) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
        loop_after(&after[k]);
    }
    for (int k = 0; k < REPEATS; k++) {
        marks_end(&after[k], "after a cancelled loop");
    }
    for (int i = 0; i < 100; i++) {
        CHECK(times[i] <= REPEATS, "iteration %d was executed %u times in %d loops", i, times[i],
              REPEATS);
    }
}

/* A loop of libgomp's comes right after a cancelled one of Keel's, whose chunks it doesn't get. */
static void followed_by_libgomp(void)
{
    for (int k = 0; k < REPEATS; k++) {
        struct marks dynamic = marks_of(40);

#pragma omp parallel
        {
#pragma omp for schedule(runtime)
            for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == k)
            }
            MARKED_LOOP("omp for schedule(dynamic, 3)", dynamic, int, 40)
        }
        marks_end(&dynamic, "schedule(dynamic) after a cancelled loop");
    }
}

/* The compiler takes the loop of a combined construct for one without a barrier, and warns (see
 * the BUILD file). */
static void cancelled_combined(void)
{
    for (int k = 0; k < REPEATS; k++) {
        struct marks after;
        unsigned times[50] = {0};

        marks_begin(&after, 30);
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 50; i++) {
            __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
#pragma omp cancel for if (i % 11 == k % 11)
        }
#pragma omp parallel
        loop_after(&after);
        marks_end(&after, "after a cancelled combined loop");
        for (int i = 0; i < 50; i++) {
            CHECK(times[i] <= 1, "iteration %d was executed %u times", i, times[i]);
        }
    }
}

/* One thread cancels the region while others are in a loop that has no barrier of its own; they
 * leave at the next barrier, which has to be in the region itself. */
static void cancelled_regions(void)
{
    for (int k = 0; k < REPEATS; k++) {
        struct marks before, after;
        unsigned times[60] = {0}, passed = 0;

        marks_begin(&before, 30);
        marks_begin(&after, 30);
#pragma omp parallel
        {
            MARKED_LOOP("omp for schedule(runtime)", before, int, 30)
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 60; i++) {
                __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
            }
#pragma omp cancel parallel if (omp_get_thread_num() == k % omp_get_num_threads())
#pragma omp for schedule(runtime)
            for (int i = 0; i < 30; i++) {
                __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
            }
            __atomic_add_fetch(&passed, 1, __ATOMIC_RELAXED);
        }
        CHECK(passed == 0, "%u threads pass the barrier of a cancelled region", passed);
        for (int i = 0; i < 60; i++) {
            CHECK(times[i] <= (i < 30 ? 2 : 1), "iteration %d was executed %u times", i, times[i]);
        }
#pragma omp parallel
        loop_after(&after);
        marks_end(&before, "before a cancelled region");
        marks_end(&after, "after a cancelled region");
    }
}

/* Only the inner team is cancelled. */
static void cancelled_within(void)
{
    struct marks outer = marks_of(20);

#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(runtime)
            for (int j = 0; j < 40; j++) {
#pragma omp cancel for if (j == i)
            }
#pragma omp for schedule(runtime) nowait
            for (int j = 0; j < 40; j++) {
            }
#pragma omp cancel parallel
        }
        marks_hit(&outer, (uint64_t)i);
    }
    marks_end(&outer, "around cancelled loops");
}

static void every_cancellation(void)
{
    cancelled_loops();
    followed_by_libgomp();
    cancelled_combined();
    cancelled_regions();
    cancelled_within();
}

int main(void)
{
    if (!omp_get_cancellation()) {
        printf("OMP_CANCELLATION is not set\n");
        return 2;
    }
    omp_set_max_active_levels(2);
    each_schedule_and_team(every_cancellation);
    return check_status();
}
