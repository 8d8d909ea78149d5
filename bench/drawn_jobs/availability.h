/* A competing load as SimGrid wants it: a file with what part of a machine is available, over
 * time. */
#ifndef BENCH_DRAWN_JOBS_AVAILABILITY_H
#define BENCH_DRAWN_JOBS_AVAILABILITY_H

#include <stdio.h>

#include "bench/drawn_jobs/draw.h"

/* Writes lines TIME PART, after PERIODICITY where it repeats; until horizon_s where it is drawn. */
void availability_write(FILE *file, const struct drawn_load *load, double horizon_s);

#endif
