/* Raw measurements of bench/dispatch on their way from the programs that measure to the one that
 * reports: one line each on standard output, fields separated by tabs.
 *
 *   kind  threads  variant  detail  chunks  baselines  sweep  value
 *
 * `chunks` is the number of chunks of one loop. `baselines` names the variants of the same kind and
 * number of threads that this one is to be compared with, separated by ';', or is "-". Values of
 * two variants are paired where their sweeps are the same: they were measured shortly after one
 * another. */
#ifndef BENCH_DISPATCH_DIR_TIMING_H
#define BENCH_DISPATCH_DIR_TIMING_H

#include <stdint.h>
#include <stdio.h>

#define TIMING_TEXT_MAX 128
#define TIMING_BASELINES_MAX 4

struct timing {
    char kind[TIMING_TEXT_MAX]; /* what is measured, see report.pl */
    unsigned threads;
    char variant[TIMING_TEXT_MAX];
    char detail[TIMING_TEXT_MAX];
    uint64_t chunks;
    char baselines[4 * TIMING_TEXT_MAX];
    uint64_t sweep;
    double value_ns;
};

static inline void timing_write(const struct timing *timing, FILE *file)
{
    fprintf(file, "%s\t%u\t%s\t%s\t%llu\t%s\t%llu\t%.6g\n", timing->kind, timing->threads,
            timing->variant, timing->detail, (unsigned long long)timing->chunks, timing->baselines,
            (unsigned long long)timing->sweep, timing->value_ns);
}

#endif
