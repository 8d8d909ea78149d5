/* What the kernels share. */
#include "bench/irregular_loops/kernels/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *kernel_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        fputs("keel: irregular_loops/program: no memory for the kernel\n", stderr);
        exit(1);
    }
    return memory;
}

size_t kernel_scaled(size_t count, double factor, size_t least)
{
    double scaled = round((double)count * factor);

    return scaled < (double)least ? least : (size_t)scaled;
}
