/* One loop over the levels of a grid: levels ROUNDS SIZE... */
#include <stdio.h>
#include <stdlib.h>

static long sum_of(long size)
{
    long sum = 0;

#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
    for (long i = 0; i < size; i++) {
        volatile double x = 1;
        for (int k = 0; k < 4000; k++) {
            x = x * 0.999 + (double)i;
        }
        sum += i;
    }
    return sum;
}

int main(int arguments, char **argument)
{
    for (long round = arguments > 1 ? atol(argument[1]) : 0; round > 0; round--) {
        for (int level = 2; level < arguments; level++) {
            long size = atol(argument[level]);
            if (sum_of(size) != size * (size - 1) / 2) {
                return 1;
            }
        }
    }
    puts("each iteration once");
    return 0;
}
