/* Samples on their way into a report:
 *
 *   lines on standard input -> [samples_read(), with a function such as that of sample.h]
 *   -> an array -> [samples_cases(), samples_variants()] -> rows and columns of tables
 *               -> [samples_quantile()] -> their cells */
#ifndef BENCH_SUPPORT_SAMPLES_H
#define BENCH_SUPPORT_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/support/names.h"

#define SAMPLE_TEXT_MAX 64

/* What a sample is of: the first member of samples that the functions below select from. */
struct sample_key {
    char kind[SAMPLE_TEXT_MAX]; /* a part of the benchmark */
    char what[SAMPLE_TEXT_MAX]; /* the case */
    char variant[SAMPLE_TEXT_MAX];
    int round; /* from 1; samples of a round are compared with each other; 0 only warms up */
};

/* A key as the first four fields of a line, for fscanf(). */
#define SAMPLE_KEY_FORMAT " %63[^\t]\t%63[^\t]\t%63[^\t]\t%d"
#define SAMPLE_KEY_FIELDS(key) (key).kind, (key).what, (key).variant, &(key).round

struct samples {
    const void *first;
    size_t count, size; /* samples, bytes of each */
};

/* Reads all samples of `file`, of `size` bytes each. read(): one sample; 1: done, 0: end of file,
 * -1: not a sample. Returns an array of `*count` samples, to be freed by the caller.
 *
 * Gives up, see give_up.h, without samples, and where one can't be read: the input is then not what
 * `origin`, for example "bench/rows collects", says. */
void *samples_read(FILE *file, size_t size, int (*read)(void *sample, FILE *file),
                   const char *origin, size_t *count);

/* The i-th sample's key. */
const struct sample_key *samples_key(const struct samples *samples, size_t i);

/* Whether a sample is of these; NULL: of any. */
bool sample_is(const struct sample_key *key, const char *kind, const char *what,
               const char *variant);

/* The cases of a kind, and the variants of a case, in the order of their first samples; NULL: of
 * all. */
struct names samples_cases(const struct samples *samples, const char *kind);
struct names samples_variants(const struct samples *samples, const char *kind, const char *what);

/* A number that a sample has; NAN: it is left out. */
typedef double sample_value(const void *sample);

/* The q-quantile of value() over the samples of a variant; NAN: there are none. Gives up without
 * memory. */
double samples_quantile(const struct samples *samples, const char *kind, const char *what,
                        const char *variant, sample_value *value, double q);

#endif
