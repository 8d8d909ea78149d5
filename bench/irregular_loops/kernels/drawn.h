/* Loops that are drawn at random. */
#ifndef BENCH_IRREGULAR_LOOPS_KERNELS_DRAWN_H
#define BENCH_IRREGULAR_LOOPS_KERNELS_DRAWN_H

#include <stdint.h>

#include "bench/irregular_loops/kernels/kernel.h"

/* A loop that is drawn at random by its seed: one of them in a process. */
const struct kernel *kernel_draw(uint64_t seed);

#endif
