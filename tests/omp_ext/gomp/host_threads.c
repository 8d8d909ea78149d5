/* Threads of the program's own, each with a team of its own in the same source loop at the same
 * time, under different schedules. */
#include <pthread.h>

#include "tests/support/schedules.h"

enum { THREADS = 3, LOOPS = 40, ITERATIONS = 200 };

static void one_loop(int team)
{
    struct marks combined = marks_of(ITERATIONS), separate = marks_of(ITERATIONS);

    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(team)", combined, int, ITERATIONS)
#pragma omp parallel num_threads(team)
    MARKED_LOOP("omp for schedule(runtime) ordered", separate, int, ITERATIONS)
    marks_end(&combined, "combined");
    marks_end(&separate, "ordered");
}

static pthread_barrier_t start;

static void *host(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;

    pthread_barrier_wait(&start);
    for (unsigned k = 0; k < LOOPS; k++) {
        set_schedule(every_schedule[(k * THREADS + number) % COUNT(every_schedule)]);
        one_loop(1 + (int)(k + number) % 4);
    }
    return NULL;
}

static void run_hosts(void)
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&start, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, host, (void *)i);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

int main(void)
{
    for (int round = 0; round < 5; round++) {
        run_hosts();
    }
    return check_status();
}
