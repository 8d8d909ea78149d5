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

#define ROWS_TEXT_MAX 64

struct rows_sample {
    char kind[ROWS_TEXT_MAX];
    char what[ROWS_TEXT_MAX]; /* the case */
    char variant[ROWS_TEXT_MAX];
    int round; /* from 1; samples of a round are compared with each other */
    double seconds, hooks, movements, rows_moved, decision_s, movement_s, competing_s;
};

/* Reads one line; 1: done, 0: end of file, -1: not a sample. */
static inline int rows_sample_read(struct rows_sample *sample, FILE *file)
{
    int fields =
        fscanf(file, " %63[^\t]\t%63[^\t]\t%63[^\t]\t%d\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf",
               sample->kind, sample->what, sample->variant, &sample->round, &sample->seconds,
               &sample->hooks, &sample->movements, &sample->rows_moved, &sample->decision_s,
               &sample->movement_s, &sample->competing_s);

    return fields == EOF ? 0 : fields == 11 ? 1 : -1;
}

#endif
