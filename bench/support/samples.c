/* Reads all samples of a report, and selects among them. */
#define _GNU_SOURCE
#include "bench/support/samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/give_up.h"
#include "bench/support/quantile.h"

static void __attribute__((noreturn)) give_up_input(const char *origin)
{
    char why[128];

    snprintf(why, sizeof why, "the input is not what %s", origin);
    give_up(why);
}

void *samples_read(FILE *file, size_t size, int (*read)(void *sample, FILE *file),
                   const char *origin, size_t *count)
{
    char *samples = NULL;
    size_t room = 0;
    int result;

    *count = 0;
    for (;;) {
        if (*count == room) {
            room = 2 * room + 256;
            samples = realloc(samples, room * size);
            if (samples == NULL) {
                give_up("no memory for the samples");
            }
        }
        result = read(samples + *count * size, file);
        if (result != 1) {
            break;
        }
        ++*count;
    }
    if (result != 0 || *count == 0) {
        free(samples);
        give_up_input(origin);
    }
    return samples;
}

/* --- selecting --- */

static const void *sample_at(const struct samples *samples, size_t i)
{
    return (const char *)samples->first + i * samples->size;
}

const struct sample_key *samples_key(const struct samples *samples, size_t i)
{
    return sample_at(samples, i);
}

static bool is_text(const char *text, const char *wanted)
{
    return wanted == NULL || strcmp(text, wanted) == 0;
}

bool sample_is(const struct sample_key *key, const char *kind, const char *what,
               const char *variant)
{
    return is_text(key->kind, kind) && is_text(key->what, what) && is_text(key->variant, variant);
}

struct names samples_cases(const struct samples *samples, const char *kind)
{
    struct names names = {0};

    for (size_t i = 0; i < samples->count; i++) {
        if (sample_is(samples_key(samples, i), kind, NULL, NULL)) {
            names_add(&names, samples_key(samples, i)->what);
        }
    }
    return names;
}

struct names samples_variants(const struct samples *samples, const char *kind, const char *what)
{
    struct names names = {0};

    for (size_t i = 0; i < samples->count; i++) {
        if (sample_is(samples_key(samples, i), kind, what, NULL)) {
            names_add(&names, samples_key(samples, i)->variant);
        }
    }
    return names;
}

double samples_quantile(const struct samples *samples, const char *kind, const char *what,
                        const char *variant, sample_value *value, double q)
{
    double *values = malloc((samples->count + 1) * sizeof *values);
    size_t found = 0;

    if (values == NULL) {
        give_up("no memory for the samples");
    }
    for (size_t i = 0; i < samples->count; i++) {
        if (sample_is(samples_key(samples, i), kind, what, variant)) {
            double next = value(sample_at(samples, i));
            values[found] = next;
            found += !isnan(next);
        }
    }
    double result = quantile(values, found, q);
    free(values);
    return result;
}
