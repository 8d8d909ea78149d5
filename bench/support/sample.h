/* What bench/shared and bench/pipeline measure, on its way from their sampler.c to their report.pl:
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
 *   block    the same              the same          elements that the block had
 *
 * instance: from 1; of those that the job runs in a row. */
#ifndef BENCH_SUPPORT_SAMPLE_H
#define BENCH_SUPPORT_SAMPLE_H

#include <stdio.h>

#define SAMPLE_TEXT_MAX 64 /* of a case */

static inline void sample_write(const char *kind, const char *what, const char *variant, int round,
                                int instance, double value)
{
    printf("%s\t%s\t%s\t%d\t%d\t%.6g\n", kind, what, variant, round, instance, value);
}

#endif
