/* What Keel keeps is bounded: thousands of different loops, of iteration counts, of teams and of
 * threads leave the heap as large as the first few hundred did. */
#include <pthread.h>

#include "tests/support/counted_memory.h"
#include "tests/support/schedules.h"

static void loop(long count, int threads)
{
    uint64_t sum = 0, wanted = (uint64_t)count * (uint64_t)(count - 1) / 2;

#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(threads)
    for (long i = 0; i < count; i++) {
        sum += (uint64_t)i;
    }
    CHECK(sum == wanted, "%ld iterations sum up to %llu", count, (unsigned long long)sum);
}

static void iteration_counts(void)
{
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        for (long n = 1; n < 1500; n++) {
            loop(n, 2);
        }
        long before = in_use();
        for (long n = 1500; n < 4000; n++) {
            loop(n, 2);
        }
        /* both threads may have filled the last of their 64 places for plans by now */
        long grown = in_use() - before;
        CHECK(grown < 200000, "%s: %ld bytes more after 2500 loops", *schedule, grown);
    }
}

static void *run_loop(void *unused)
{
    (void)unused;
    for (long n = 100; n < 140; n++) {
        loop(n, 2);
    }
    return NULL;
}

static void threads_that_end(void)
{
    long before = 0;

    set_schedule("gss");
    for (int k = 0; k < 120; k++) {
        pthread_t thread;
        if (k == 20) {
            before = in_use();
        }
        pthread_create(&thread, NULL, run_loop, NULL);
        pthread_join(thread, NULL);
    }
    long grown = in_use() - before;
    CHECK(grown < 100000, "%ld bytes more after 100 threads", grown);
}

static void teams(void)
{
    long before = 0;

    set_schedule("fac2");
    for (int k = 0; k < 300; k++) {
        if (k == 100) {
            before = in_use();
        }
        loop(1000, 1 + k % 12);
    }
    long grown = in_use() - before;
    CHECK(grown < 200000, "%ld bytes more after 200 teams", grown);
}

/* A cancelled loop never comes to its end: what it holds goes when the thread's next one begins. */
static void cancelled_loops(void)
{
    long before = 0;

    set_schedule("gss");
    CHECK(omp_get_cancellation(), "OMP_CANCELLATION is not set");
#pragma omp parallel num_threads(2)
    for (int k = 0; k < 2000; k++) {
        if (k == 500) {
#pragma omp barrier
#pragma omp single
            before = in_use();
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < 100 + k; i++) {
#pragma omp cancel for
        }
    }
    long grown = in_use() - before;
    CHECK(grown < 100000, "%ld bytes more after 1500 cancelled loops", grown);
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1);
    iteration_counts();
    threads_that_end();
    teams();
    cancelled_loops();
    return check_status();
}
