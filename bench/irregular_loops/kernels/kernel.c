/* The list of the kernels, and what they share. */
#include "bench/irregular_loops/kernels/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct kernel *const kernels[] = {
    &kernel_uniform,
    &kernel_increasing,
    &kernel_decreasing,
    &kernel_random,
    &kernel_tail,
    &kernel_mandelbrot,
    &kernel_triangular,
    &kernel_spmv,
    &kernel_barnes_hut,
    &kernel_quadrature,
    NULL,
};

const struct kernel *kernel_find(const char *name)
{
    for (const struct kernel *const *kernel = kernels; *kernel != NULL; kernel++) {
        if (strcmp((*kernel)->name, name) == 0) {
            return *kernel;
        }
    }
    return NULL;
}

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
