/* The list of the kernels, and what they share. */
#include "bench/imbalance_dir/kernels/kernel.h"

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

#define DRAWN "drawn:"

static const struct kernel *drawn_of(const char *name)
{
    const char *number = name + strlen(DRAWN);
    char *end;
    uint64_t seed = strtoull(number, &end, 10);

    return *number >= '0' && *number <= '9' && *end == '\0' ? kernel_draw(seed) : NULL;
}

const struct kernel *kernel_find(const char *name)
{
    if (strncmp(name, DRAWN, strlen(DRAWN)) == 0) {
        return drawn_of(name);
    }
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
        fputs("keel: imbalance_dir/program: no memory for the kernel\n", stderr);
        exit(1);
    }
    return memory;
}

size_t kernel_scaled(size_t count, double factor, size_t least)
{
    double scaled = round((double)count * factor);

    return scaled < (double)least ? least : (size_t)scaled;
}
