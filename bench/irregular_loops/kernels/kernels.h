/* The list of the kernels. */
#ifndef BENCH_IRREGULAR_LOOPS_KERNELS_KERNELS_H
#define BENCH_IRREGULAR_LOOPS_KERNELS_KERNELS_H

#include "bench/irregular_loops/kernels/kernel.h"

/* All of them; NULL ends the list. */
extern const struct kernel *const kernels[];

/* The kernel of that name, or of "drawn:SEED"; NULL: there is none. */
const struct kernel *kernel_find(const char *name);

#endif
