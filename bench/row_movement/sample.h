/* What bench/rows measures, on its way from the jobs it runs to report.c: one line each, fields
 * separated by tabs.
 *
 *   kind  case  variant  round  seconds  hooks  movements  rows_moved  decision_s  movement_s
 *   competing_s
 *
 *   kind   case               variant
 *   apps   an application     a policy, or serial: one rank
 *   hook   an application     off, on: without balancing and with it
 *   load   an application     serial, off, on, loaded off, loaded on
 *   trace  an application     serial, off, on: the latter two beside a load that comes and goes
 *
 * Times are of the main loop. competing_s: CPU time that the competing load had in its course. */
#ifndef BENCH_ROW_MOVEMENT_SAMPLE_H
#define BENCH_ROW_MOVEMENT_SAMPLE_H

#include <stdio.h>

#include "bench/support/samples.h"

struct rows_sample {
    struct sample_key key;
    double seconds, hooks, movements, rows_moved, decision_s, movement_s, competing_s;
};

/* Reads one line into a struct rows_sample, as samples_read() wants it. */
static inline int rows_sample_read(void *to, FILE *file)
{
    struct rows_sample *sample = to;
    int fields =
        fscanf(file, SAMPLE_KEY_FORMAT "\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf",
               SAMPLE_KEY_FIELDS(sample->key), &sample->seconds, &sample->hooks, &sample->movements,
               &sample->rows_moved, &sample->decision_s, &sample->movement_s, &sample->competing_s);

    return fields == EOF ? 0 : fields == 11 ? 1 : -1;
}

#endif
