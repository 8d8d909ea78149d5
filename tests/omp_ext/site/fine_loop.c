/* A loop of a few ns an iteration, for KEEL_EXPLAIN to advise. */
#include <stdio.h>

static volatile double sink;

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

int main(void)
{
    for (int k = 0; k < 10; k++) {
        fine_loop();
    }
    printf("%g\n", sink);
    return 0;
}
