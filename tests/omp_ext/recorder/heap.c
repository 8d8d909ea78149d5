/* Allocates in a program's first region, and prints the distance to an earlier block. Then, after
 * some loops, prints whether the heap returns freed memory, and whether a block of 256 KiB is
 * mapped.
 *
 *   heap */
#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *before = malloc(100), *within = NULL;

#pragma omp parallel num_threads(2) shared(within)
    {
        if (omp_get_thread_num() == 0) {
            within = malloc(100);
        }
    }
    printf("%td\n", (intptr_t)within - (intptr_t)before);
    free(within);
    free(before);

    enum { BLOCKS = 50 };
    char *volatile block[BLOCKS];
    static double sum[2000];

    for (int i = 0; i < BLOCKS; i++) {
        block[i] = malloc(100000);
    }
    for (int instance = 0; instance < 100; instance++) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int i = 0; i < 2000; i++) {
            for (int j = 0; j < 20; j++) {
                sum[i] += j;
            }
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        free(block[i]);
    }
    puts(mallinfo2().arena < 1000000 ? "given back" : "kept");

    size_t mapped = mallinfo2().hblks;
    block[0] = malloc(1 << 18);
    puts(mallinfo2().hblks > mapped ? "mapped" : "in the heap");
    free(block[0]);
    return 0;
}
