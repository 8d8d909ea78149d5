/* Measures what needs no other rank: copying rows, changing threads, getting chunks of loops.
 *
 *   clocks of omp_ext/machine/clock.h -> [here] -> measuring.h */
#ifndef OMP_EXT_MACHINE_LOCAL_COSTS_H
#define OMP_EXT_MACHINE_LOCAL_COSTS_H

#include "omp_ext/machine/measuring.h"

/* Takes some hundredths of a second, on all processors that the process may use. What cannot be
 * measured (no memory, no threads) is left out. Not for several threads at once. */
void keel_local_costs_measure(struct keel_measurements *measurements);

#endif
