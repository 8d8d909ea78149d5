/* Raw measurements of bench/dispatch on their way from the programs that measure to the one that
 * reports: one line each on standard output, fields separated by tabs.
 *
 *   kind  threads  variant  detail  chunks  baselines  sweep  value
 *
 * `chunks` is the number of chunks of one loop. `baselines` names the variants of the same kind and
 * number of threads that this one is to be compared with, separated by ';', or is "-". Values of
 * two variants are paired where their sweeps are the same: they were measured shortly after one
 * another. */
#ifndef BENCH_CLAIM_COST_TIMING_H
#define BENCH_CLAIM_COST_TIMING_H

#include <stdint.h>
#include <stdio.h>

#define SAMPLE_TEXT_MAX 128
#define SAMPLE_BASELINES_MAX 4

struct sample {
    char kind[SAMPLE_TEXT_MAX]; /* what is measured, see kinds[] in report.c */
    unsigned threads;
    char variant[SAMPLE_TEXT_MAX];
    char detail[SAMPLE_TEXT_MAX];
    uint64_t chunks;
    char baselines[4 * SAMPLE_TEXT_MAX];
    uint64_t sweep;
    double value_ns;
};

static inline void sample_write(const struct sample *sample, FILE *file)
{
    fprintf(file, "%s\t%u\t%s\t%s\t%llu\t%s\t%llu\t%.6g\n", sample->kind, sample->threads,
            sample->variant, sample->detail, (unsigned long long)sample->chunks, sample->baselines,
            (unsigned long long)sample->sweep, sample->value_ns);
}

/* Reads one line; 1: done, 0: end of file, -1: not a sample. */
static inline int sample_read(struct sample *sample, FILE *file)
{
    unsigned long long chunks, sweep;
    int fields = fscanf(file, " %127[^\t]\t%u\t%127[^\t]\t%127[^\t]\t%llu\t%511[^\t]\t%llu\t%lf",
                        sample->kind, &sample->threads, sample->variant, sample->detail, &chunks,
                        sample->baselines, &sweep, &sample->value_ns);

    if (fields == EOF) {
        return 0;
    }
    sample->chunks = chunks;
    sample->sweep = sweep;
    return fields == 8 ? 1 : -1;
}

#endif
