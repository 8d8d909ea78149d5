/* What bench/shared and bench/pipeline measure, on its way from their sampler.c to their report.c:
 * one line each, fields separated by tabs.
 *
 *   kind  case  variant  round  instance  value
 *
 *   kind     case                  variant           value
 *   unequal  "400 x 1 ms, window"  a policy          time of a loop over the ideal
 *   counter  ranks, two digits     who counts        ns per iteration of the whole job
 *   alone    a schedule            shared, unshared  ms of a loop
 *   empty    "N = 0, window"       a policy          us of a loop, or of what it is beside
 *   sweep    "2 ranks, chained"    a block's size    ms of a sweep; size 0: the chosen one
 *   block    the same              the same          elements that the block had */
#ifndef BENCH_SUPPORT_SAMPLE_H
#define BENCH_SUPPORT_SAMPLE_H

#include <stdio.h>

#define SHARED_TEXT_MAX 64

struct shared_sample {
    char kind[SHARED_TEXT_MAX];
    char what[SHARED_TEXT_MAX]; /* the case */
    char variant[SHARED_TEXT_MAX];
    int round;    /* from 1; a job of its own */
    int instance; /* from 1; of those that the job runs in a row */
    double value;
};

static inline void shared_sample_write(const struct shared_sample *sample, FILE *file)
{
    fprintf(file, "%s\t%s\t%s\t%d\t%d\t%.6g\n", sample->kind, sample->what, sample->variant,
            sample->round, sample->instance, sample->value);
}

/* Reads one line; 1: done, 0: end of file, -1: not a sample. */
static inline int shared_sample_read(struct shared_sample *sample, FILE *file)
{
    int fields =
        fscanf(file, " %63[^\t]\t%63[^\t]\t%63[^\t]\t%d\t%d\t%lf", sample->kind, sample->what,
               sample->variant, &sample->round, &sample->instance, &sample->value);

    return fields == EOF ? 0 : fields == 6 ? 1 : -1;
}

#endif
