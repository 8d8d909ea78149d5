/* Loops that are declared monotonic give each thread increasing iterations, under every schedule;
 * those that are not get the schedule that was asked for, which may take from other blocks. */
#include <omp.h>

#include "tests/support/schedules.h"

#define ITERATIONS 2000

/* Blocks of very unequal times, so that threads that are done take from others. */
static void run(struct marks *marks, long i)
{
    for (volatile int k = 0; k < (i < ITERATIONS / 4 ? 2000 : 10); k++) {
    }
    marks_hit(marks, (uint64_t)i);
}

static void monotonic_loops(void)
{
    struct marks marks[4];

    check_any_order = false;
    for (unsigned i = 0; i < COUNT(marks); i++) {
        marks_begin(&marks[i], ITERATIONS);
    }
#pragma omp parallel for schedule(monotonic : runtime)
    for (long i = 0; i < ITERATIONS; i++) {
        run(&marks[0], i);
    }
#pragma omp parallel
    {
#pragma omp for schedule(monotonic : runtime)
        for (long i = 0; i < ITERATIONS; i++) {
            run(&marks[1], i);
        }
#pragma omp for schedule(monotonic : runtime) nowait
        for (unsigned long long i = 0; i < ITERATIONS; i++) {
            run(&marks[2], (long)i);
        }
    }
#pragma omp parallel for schedule(monotonic : dynamic)
    for (long i = 0; i < ITERATIONS; i++) {
        run(&marks[3], i);
    }
    for (unsigned i = 0; i < COUNT(marks); i++) {
        marks_end(&marks[i], "monotonic");
    }
}

/* How often a thread's iterations do not increase in a loop that promises nothing. */
static unsigned steps_back(void)
{
    unsigned back = 0;

#pragma omp parallel reduction(+ : back)
    {
        long previous = -1;
#pragma omp for schedule(runtime)
        for (long i = 0; i < ITERATIONS; i++) {
            for (volatile int k = 0; k < (i < ITERATIONS / 4 ? 20000 : 10); k++) {
            }
            back += i < previous;
            previous = i;
        }
    }
    return back;
}

/* Without this the test would not notice if monotonic loops had nothing to ask for. */
static void others_may_step_back(void)
{
    unsigned back = 0;

    omp_set_num_threads(4);
    set_schedule("steal,1");
    for (int k = 0; k < 1000 && back == 0; k++) {
        back = steps_back();
    }
    CHECK(back > 0, "steal never took from a block before the thread's own");
    set_schedule("monotonic:steal,1");
    for (int k = 0; k < 20; k++) {
        CHECK(steps_back() == 0, "monotonic:steal takes from a block before the thread's own");
    }
}

int main(void)
{
    each_schedule_and_team(monotonic_loops);
    others_may_step_back();
    return check_status();
}
