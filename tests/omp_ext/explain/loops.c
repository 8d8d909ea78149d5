/* Loops for KEEL_EXPLAIN to put in order: loops [fine|built]
 *
 * fine: one loop of a few ns an iteration. built: one with the static shares of the compiler, whose
 * first half has nearly all of the work. */
#include <stdio.h>
#include <string.h>

static volatile double sink;

static void work(long steps)
{
    double x = 1;

    for (long k = 0; k < steps; k++) {
        x = x * 0.999 + (double)k;
    }
    sink = x;
}

static void long_loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 100; i++) {
        work(60000);
    }
}

static void longest_loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 100; i++) {
        work(200000);
    }
}

static void short_loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 10; i++) {
        work(1);
    }
}

static void shorter_loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 5; i++) {
        work(1);
    }
}

static void shortest_loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 2; i++) {
        work(1);
    }
}

/* Nothing that threads share is written: what makes iterations slow is getting them. */
static void fine_loop(void)
{
    double sum = 0;

#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 200000; i++) {
        sum += i * 0.5;
    }
    sink = sum;
}

static void built_loop(void)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 100; i++) {
        work(i < 50 ? 100000 : 20000);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    for (int k = 0; k < 10; k++) {
        if (strcmp(what, "fine") == 0) {
            fine_loop();
        } else if (strcmp(what, "built") == 0) {
            built_loop();
        } else {
            short_loop();
            long_loop();
            shorter_loop();
            longest_loop();
            shortest_loop();
        }
    }
    printf("%g\n", sink);
    return 0;
}
