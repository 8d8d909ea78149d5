/* Loops for KEEL_EXPLAIN to put in order: loops fine|built
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
    for (int k = 0; k < 10; k++) {
        if (argc > 1 && strcmp(argv[1], "fine") == 0) {
            fine_loop();
        } else {
            built_loop();
        }
    }
    printf("%g\n", sink);
    return 0;
}
