/* Loops that measure themselves, where measuring them is hard: sizes and teams that change at one
 * place, teams that meet there, threads that get nothing, loops that end early, and forks. The
 * environment names the schedule, and has OMP_CANCELLATION=true. */
#include <pthread.h>

#define COUNTED_MEMORY
#include "tests/support/schedules.h"

enum { LONG_LOOP = 100000, COSTS_MAX = 1000 };

/* --- one place each --- */

/* Costs for the loops that the calling thread starts next; long ones do without. */
static void tell_costs(long iterations)
{
    double costs[COSTS_MAX];

    for (long i = 0; i < iterations && i < COSTS_MAX; i++) {
        costs[i] = (double)(1 + i % 7);
    }
    if (iterations > 0 && iterations <= COSTS_MAX) {
        set_costs(costs, (size_t)iterations);
    }
}

static void combined_loop(long iterations, int threads)
{
    struct marks marks = marks_of((uint64_t)iterations);
    long sum = 0, last = -1;

#pragma omp parallel for schedule(runtime) num_threads(threads) reduction(+ : sum) lastprivate(last)
    for (long i = 0; i < iterations; i++) {
        marks_hit(&marks, (uint64_t)i);
        sum += i;
        last = i;
    }
    marks_end(&marks, "combined");
    CHECK(sum == iterations * (iterations - 1) / 2, "sum %ld of %ld iterations, %d threads", sum,
          iterations, threads);
    CHECK(iterations == 0 || last == iterations - 1, "last %ld of %ld iterations, %d threads", last,
          iterations, threads);
}

/* Loops without barriers between them: threads are in several at once. */
static void loops_in_a_row(long iterations, int threads)
{
    enum { LOOPS = 12 };
    struct marks marks[LOOPS];

    for (int k = 0; k < LOOPS; k++) {
        marks_begin(&marks[k], (uint64_t)iterations);
    }
#pragma omp parallel num_threads(threads)
    for (int k = 0; k < LOOPS; k++) {
        MARKED_LOOP("omp for schedule(runtime) nowait", marks[k], long, iterations)
    }
    for (int k = 0; k < LOOPS; k++) {
        marks_end(&marks[k], "in a row");
    }
}

/* --- what changes at a place --- */

static void sizes(void)
{
    for (int threads = 2; threads <= 7; threads += 5) {
        const long few[] = {0, 1, 2, threads - 1, threads, threads + 1, 1000};
        for (unsigned k = 0; k < 2 * COUNT(few); k++) {
            long iterations = few[k % COUNT(few)];
            tell_costs(iterations);
            combined_loop(iterations, threads);
            loops_in_a_row(iterations, threads);
            combined_loop(LONG_LOOP, threads);
        }
    }
}

/* How often a thing is done that takes long: argument `few` is for a quarter of it, and for no look
 * at memory. */
static bool few;

static int often(int times)
{
    return few ? (times + 3) / 4 : times;
}

static void teams(void)
{
    tell_costs(600);
    for (int round = 0; round < often(3); round++) {
        for (int threads = 1; threads < 18; threads++) {
            combined_loop(600, threads < 10 ? threads : 18 - threads);
        }
    }
    /* more than a place keeps records of */
    for (int round = 0; round < 2; round++) {
        for (int threads = 1; threads <= 40; threads++) {
            combined_loop(600, threads);
        }
    }
}

static void idle_threads(void)
{
    tell_costs(1);
    for (int k = 0; k < often(200); k++) {
        combined_loop(1, 7);
    }
}

/* --- teams that meet --- */

static void *host(void *threads)
{
    tell_costs(500);
    for (int k = 0; k < often(150); k++) {
        combined_loop(500, *(const int *)threads);
        loops_in_a_row(50, *(const int *)threads);
    }
    return NULL;
}

static void hosts(void)
{
    static const int threads[] = {3, 3, 2};
    pthread_t thread[COUNT(threads)];

    for (unsigned i = 0; i < COUNT(threads); i++) {
        pthread_create(&thread[i], NULL, host, (void *)&threads[i]);
    }
    for (unsigned i = 0; i < COUNT(threads); i++) {
        pthread_join(thread[i], NULL);
    }
}

/* --- loops that end early --- */

static void cancelled_loop(int at)
{
    unsigned times[300] = {0};

#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 300; i++) {
            __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
            if (i == at) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
    for (int i = 0; i < 300; i++) {
        CHECK(times[i] <= 1, "iteration %d of a cancelled loop was executed %u times", i, times[i]);
    }
}

static void cancelled(void)
{
    long before = 0;

    tell_costs(300);
    for (int k = 0; k < often(2200); k++) {
        if (k == 200) {
            before = in_use();
        }
        cancelled_loop(k % 300);
        if (k % 100 == 0) {
            combined_loop(300, 3);
        }
    }
    long grown = in_use() - before;
    /* 2000 blocks of malloc's smallest size are 64000 bytes; an arena that is first wanted after
     * the start takes 20000 */
    CHECK(few || grown < 50000, "%ld bytes more after 2000 cancelled loops", grown);
}

/* --- forks --- */

static int stop;

static void *run_on(void *unused)
{
    tell_costs(500);
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        combined_loop(500, 3);
        combined_loop(20, 2);
    }
    return unused;
}

static void child(void)
{
    tell_costs(500);
    for (int k = 0; k < 10; k++) {
        combined_loop(500, 3);
        combined_loop(20, 2);
        combined_loop(200, 4);
    }
}

/* libgomp lets children have teams only where the thread that forks had none. */
static void forks(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run_on, NULL);
    for (int k = 0; k < often(30); k++) {
        usleep(500);
        fork_and(child);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

static void *forks_elsewhere(void *unused)
{
    forks();
    return unused;
}

int main(int count, char **argument)
{
    pthread_t thread;

    few = count > 1 && strcmp(argument[1], "few") == 0;
    check_any_order = true;
    find_set_schedule();
    CHECK(omp_get_cancellation(), "OMP_CANCELLATION is not true");
    forks();
    sizes();
    teams();
    idle_threads();
    hosts();
    cancelled();
    /* once more, at places that have learned */
    stop = 0;
    pthread_create(&thread, NULL, forks_elsewhere, NULL);
    pthread_join(thread, NULL);
    return check_status();
}
