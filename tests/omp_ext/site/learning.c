/* Schedules that learn: a thread that has been slow begins the next instance with less than one
 * that has been quick. The environment names the schedule. Thread 1 sleeps ten times longer per
 * iteration, so that other work on the machine changes little. */
#include <omp.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "tests/support/check.h"

enum { ITERATIONS = 96, INSTANCES = 3 };

extern bool GOMP_loop_runtime_start(long, long, long, long *, long *);
extern bool GOMP_loop_runtime_next(long *, long *);
extern void GOMP_loop_end(void);

static void work(int thread)
{
    struct timespec time = {.tv_nsec = thread == 0 ? 100000 : 1000000};

    nanosleep(&time, NULL);
}

/* Runs one instance and tells how large each thread's first chunk was. */
static void run_instance(long chunk[2])
{
    struct marks marks;

    marks_begin(&marks, ITERATIONS);
#pragma omp parallel num_threads(2)
    {
        int thread = omp_get_thread_num();
        long start, end;
        bool taken = GOMP_loop_runtime_start(0, ITERATIONS, 1, &start, &end);

        CHECK(taken, "thread %d gets nothing", thread);
        chunk[thread] = end - start;
        /* nobody takes a second chunk before everybody has one */
#pragma omp barrier
        while (taken) {
            for (long i = start; i < end; i++) {
                work(thread);
                marks_hit(&marks, (uint64_t)i);
            }
            taken = GOMP_loop_runtime_next(&start, &end);
        }
        GOMP_loop_end();
    }
    marks_end(&marks, "learning loop");
}

int main(void)
{
    bool between = strcmp(getenv("KEEL_SCHEDULE"), "awf") == 0;
    long chunk[2];

    /* a batch has 48 iterations; half of it each, or an eighth of that as a probe */
    run_instance(chunk);
    for (int thread = 0; thread < 2; thread++) {
        CHECK(chunk[thread] == (between ? 24 : 3), "first chunk of thread %d: %ld", thread,
              chunk[thread]);
    }
    for (int i = 1; i < INSTANCES; i++) {
        run_instance(chunk);
    }
    CHECK(chunk[0] >= 2 * chunk[1], "first chunks after %d instances: %ld and %ld", INSTANCES - 1,
          chunk[0], chunk[1]);
    return check_status();
}
