/* A loop whose iterations take some microseconds, and what comes out of it. */
#include <stdio.h>

enum { ITERATIONS = 2000, STEPS = 8 };

static double result[ITERATIONS];

int main(void)
{
    double sum = 0;

    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < ITERATIONS; i++) {
            for (int k = 0; k < 400; k++) {
                result[i] += 1.0 / (i + k + step + 1);
            }
        }
    }
    for (int i = 0; i < ITERATIONS; i++) {
        sum += result[i];
    }
    printf("sum %.6f\n", sum);
    return 0;
}
