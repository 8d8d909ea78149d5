/* A region whose teams grow and shrink: 5 of one thread, 5 of three, and so on, 40 in all, of 2 ms
 * or more each. */
#include <stdio.h>

#include "tests/support/nap.h"

int main(void)
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
    return 0;
}
