/* A loop whose iterations take alike for EVEN instances, and then those of its first half twice as
 * long as the others. Prints the time of an uneven instance, and a sum for comparison.
 *
 *   OMP_NUM_THREADS=2 late EVEN UNEVEN */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 1200, LINKS = 40 };

static double row[ITERATIONS];
static volatile int links_of_half[2] = {LINKS, LINKS};

static void run(long instances)
{
    for (long n = 0; n < instances; n++) {
#pragma omp parallel for
        for (int i = 0; i < ITERATIONS; i++) {
            double x = row[i];
            int links = links_of_half[i >= ITERATIONS / 2];
            for (int k = 0; k < links; k++) {
                x = x * 0.999 + 0.001;
            }
            row[i] = x;
        }
    }
}

int main(int count, char **argument)
{
    long even = count > 1 ? atol(argument[1]) : 10000,
         uneven = count > 2 ? atol(argument[2]) : 40000;
    double sum = 0;

    run(even);
    links_of_half[0] = 2 * LINKS;
    double start_s = omp_get_wtime();
    run(uneven);
    double time_s = omp_get_wtime() - start_s;
    for (int i = 0; i < ITERATIONS; i++) {
        sum += row[i];
    }
    printf("%.3f us a loop\n%.17g\n", time_s / (double)uneven * 1e6, sum);
    return 0;
}
