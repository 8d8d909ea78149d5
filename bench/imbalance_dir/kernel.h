/* The loops of bench/imbalance: each has a known irregularity, and its iterations may be computed
 * in any order, by any thread, and more than once. program.c runs one of them under
 * one schedule. */
#ifndef BENCH_IMBALANCE_DIR_KERNEL_H
#define BENCH_IMBALANCE_DIR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "bench/support/support.h"

struct kernel {
    const char *name;

    /* Builds the input of the loop, at most once per process, and returns the number of iterations.
     * All iterations together take about 5 ms * scale on one thread of a 2 to 3 GHz core. */
    size_t (*prepare)(double scale);

    /* Computes iteration i and returns its result, each time the same to the last bit. */
    double (*run)(size_t i);

    /* Begins instance `number` >= 1 of the loop: costs, not results, may differ from one to the
     * next. NULL: they don't. */
    void (*begin)(unsigned number);
};

/* All kernels; one without a name ends the list. */
extern const struct kernel kernels[];

/* The kernel of that name, or of "drawn:SEED"; NULL if there is none. */
const struct kernel *kernel_find(const char *name);

/* max(least, count * factor), rounded to the nearest. */
size_t kernel_scaled(size_t count, double factor, size_t least);

/* A number in [0, 1) that depends on `index` and `stream` only, so that every process prepares the
 * same loop. */
static inline double kernel_random_at(uint64_t stream, uint64_t index)
{
    return random_fraction(random_bits((stream << 40) + (index + 1) * RANDOM_STEP));
}

#endif
