/* Instances of regions to be counted: regions short|growing|initial_threads.
 *
 * short: many of short regions, which are sampled, and some of a long one. growing: one region
 * whose teams grow and shrink: 5 of one thread, 5 of three, and so on, 40 in all, of 2 ms or more
 * each. initial_threads: two threads that the program has made open 30 each, the first ones at the
 * same time. */
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "tests/support/helpers.h"

enum { team = 2, rounds = 20000, inner = 10000, long_ones = 100 };

static int visits[team];

static void often(void)
{
#pragma omp parallel num_threads(team)
    visits[omp_get_thread_num()]++;
}

static void with_loop(void)
{
#pragma omp parallel for num_threads(1) schedule(dynamic, 10)
    for (int i = 0; i < 10; i++) {
        visits[0]++;
    }
}

/* The loop is not outside of all regions, even if no observer sees the region. */
static void alone(void)
{
#pragma omp parallel num_threads(1)
    {
        visits[1]++; /* or it would be a combined loop */
#pragma omp for schedule(dynamic, 10)
        for (int i = 0; i < 10; i++) {
            visits[0]++;
        }
    }
}

/* A loop of `count` iterations. Never inlined, as it might occur twice in its caller, as two
 * regions. */
static __attribute__((noipa)) void lasting(int iterations)
{
#pragma omp parallel for num_threads(team) schedule(dynamic)
    for (int i = 0; i < iterations; i++) {
        nap(1000);
    }
}

static void short_regions(void)
{
    for (int round = 0; round < rounds; round++) {
        often();
        if (round < inner) {
            with_loop();
            alone();
        }
    }
    for (int instance = 1; instance <= long_ones; instance++) {
        lasting(instance <= 80 ? 1 : 5);
    }
}

static void growing(void)
{
    long sum = 0;

    for (int times = 0; times < 40; times++) {
        int threads = times / 5 % 2 == 0 ? 1 : 3;
#pragma omp parallel for schedule(runtime) num_threads(threads) reduction(+ : sum)
        for (int i = 0; i < 12; i++) {
            nap(500);
            sum += i;
        }
    }
    printf("%ld\n", sum);
}

static pthread_barrier_t both_are_there;

static void *open_regions(void *own)
{
    long *sum = own;

    pthread_barrier_wait(&both_are_there);
    for (int times = 0; times < 30; times++) {
        long part = 0;
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : part)
        for (int i = 0; i < 100; i++) {
            part += i;
        }
        *sum += part;
    }
    return NULL;
}

static void initial_threads(void)
{
    long sums[2] = {0};
    pthread_t thread[2];

    pthread_barrier_init(&both_are_there, NULL, 2);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, open_regions, &sums[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    printf("%ld %ld\n", sums[0], sums[1]);
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";

    if (strcmp(what, "growing") == 0) {
        growing();
    } else if (strcmp(what, "initial_threads") == 0) {
        initial_threads();
    } else {
        short_regions();
    }
    return 0;
}
