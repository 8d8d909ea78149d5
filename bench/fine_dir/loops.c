/* Eight loops of 4,000 iterations, a few microseconds each, in one parallel region after the other.
 * Prints the time of one round of eight, and a sum for comparison.
 *
 *   OMP_NUM_THREADS=2 fine_loops [ROUNDS] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 4000 };

static double a[length], b[length], c[length], d[length];

#define LOOP(target, value)                             \
    _Pragma("omp for") for (int i = 0; i < length; i++) \
    {                                                   \
        target[i] = (value);                            \
    }

static void eight_loops(void)
{
#pragma omp parallel
    {
        LOOP(a, 1 / (1 + b[i]))
        LOOP(b, a[i] / (2 + c[i]))
        LOOP(c, b[length - 1 - i] / (1 + d[i]))
        LOOP(d, (a[i] + 1) / (b[i] + 2))
        LOOP(a, a[i] / (1 + c[length - 1 - i]))
        LOOP(b, b[i] / (1 + d[i]) + 1)
        LOOP(c, c[i] / (3 + a[length - 1 - i]))
        LOOP(d, d[i] / (1 + b[length - 1 - i]))
    }
}

int main(int count, char **argument)
{
    long rounds = count > 1 ? strtol(argument[1], NULL, 10) : 20000;
    double sum = 0;

    for (int i = 0; i < 100; i++) {
        eight_loops();
    }
    double start_s = omp_get_wtime();
    for (long round = 0; round < rounds; round++) {
        eight_loops();
    }
    double time_s = omp_get_wtime() - start_s;
    for (int i = 0; i < length; i++) {
        sum += a[i] + b[i] + c[i] + d[i];
    }
    printf("%.3f us a round\n%.17g\n", time_s / (double)rounds * 1e6, sum);
    return 0;
}
