/* Reads samples of shared_sample.h about pipelined sweeps from standard input, and compares the
 * blocks that were chosen with the best ones of a fixed size.
 *
 *   pipeline_report [--csv | --points]
 *
 * Samples of kind `sweep` are ms of a sweep, those of `block` its size; the variant is the size
 * that was asked for, 0 for the chosen one. Rounds count from 1; round 0 only warms up. --points:
 * lines case, size, ms, 1 for the chosen one, for pipeline_plot.gp. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/quantile.h"
#include "bench/shared_sample.h"
#include "bench/table.h"

#define CASES_MAX 256
#define SIZES_MAX 64
#define BAR 1.05 /* chosen over best */

static struct shared_sample *samples;
static size_t count;

static void __attribute__((noreturn)) give_up(const char *why)
{
    fprintf(stderr, "keel: pipeline_report: %s; no report\n", why);
    exit(1);
}

static void read_all(void)
{
    struct shared_sample sample;
    size_t room = 0;
    int read;

    while ((read = shared_sample_read(&sample, stdin)) == 1) {
        if (count == room) {
            room = 2 * room + 256;
            samples = realloc(samples, room * sizeof *samples);
            if (samples == NULL) {
                give_up("no memory for the samples");
            }
        }
        samples[count++] = sample;
    }
    if (read != 0 || count == 0) {
        give_up("the input is not what pipeline_sampler writes");
    }
}

/* --- selections --- */

static bool is_new(const char *const *names, size_t known, const char *name)
{
    size_t i = 0;

    while (i < known && strcmp(names[i], name) != 0) {
        i++;
    }
    return i == known;
}

/* In the order of their first samples. */
static size_t find_cases(const char *found[CASES_MAX])
{
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        if (known < CASES_MAX && is_new(found, known, samples[i].what)) {
            found[known++] = samples[i].what;
        }
    }
    return known;
}

static int by_number(const void *a, const void *b)
{
    double x = atof(*(const char *const *)a), y = atof(*(const char *const *)b);

    return (x > y) - (x < y);
}

/* The sizes that a case was run with, the chosen one (0) first. */
static size_t find_sizes(const char *what, const char *found[SIZES_MAX])
{
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        if (known < SIZES_MAX && strcmp(samples[i].what, what) == 0 &&
            is_new(found, known, samples[i].variant)) {
            found[known++] = samples[i].variant;
        }
    }
    qsort(found, known, sizeof *found, by_number);
    return known;
}

static double median_of(const char *kind, const char *what, const char *variant)
{
    double *value = malloc(count * sizeof *value);
    size_t found = 0;

    if (value == NULL) {
        give_up("no memory for the samples");
    }
    for (size_t i = 0; i < count; i++) {
        const struct shared_sample *sample = &samples[i];
        if (sample->round > 0 && strcmp(sample->kind, kind) == 0 &&
            strcmp(sample->what, what) == 0 && strcmp(sample->variant, variant) == 0) {
            value[found++] = sample->value;
        }
    }
    double result = median(value, found);
    free(value);
    return result;
}

struct comparison {
    double chosen, chosen_ms, best, best_ms;
};

static struct comparison compare(const char *what)
{
    const char *size[SIZES_MAX];
    size_t sizes = find_sizes(what, size);
    struct comparison result = {.chosen = median_of("block", what, "0"),
                                .chosen_ms = median_of("sweep", what, "0"),
                                .best = NAN,
                                .best_ms = INFINITY};

    for (size_t i = 0; i < sizes; i++) {
        double time_ms = median_of("sweep", what, size[i]);
        if (strcmp(size[i], "0") != 0 && time_ms < result.best_ms) {
            result.best = atof(size[i]);
            result.best_ms = time_ms;
        }
    }
    return result;
}

/* --- what is printed --- */

static void print_table(const char *const *what, size_t cases)
{
    struct table table = {.columns = 7};
    unsigned held = 0;

    for (const char *const *heading =
             (const char *const[]){"sweeps", "chosen block", "ms", "best block", "ms", "ratio",
                                   "bar", NULL};
         *heading != NULL; heading++) {
        table_add(&table, "%s", *heading);
    }
    for (size_t i = 0; i < cases; i++) {
        struct comparison found = compare(what[i]);
        double ratio = found.chosen_ms / found.best_ms;
        table_add(&table, "%s", what[i]);
        table_add(&table, "%.0f", found.chosen);
        table_add(&table, "%.4f", found.chosen_ms);
        table_add(&table, "%.0f", found.best);
        table_add(&table, "%.4f", found.best_ms);
        table_add(&table, "%.3f", ratio);
        table_add(&table, "%.2f %s", BAR, ratio <= BAR ? "held" : "missed");
        held += ratio <= BAR;
    }
    table_print(&table);
    printf("\n%u of %zu bars are held.\n", held, cases);
}

static void print_rows(const char *const *what, size_t cases)
{
    csv_heading();
    for (size_t i = 0; i < cases; i++) {
        const char *size[SIZES_MAX];
        size_t sizes = find_sizes(what[i], size);
        struct comparison found = compare(what[i]);
        for (size_t j = 0; j < sizes; j++) {
            const char *variant = strcmp(size[j], "0") == 0 ? "chosen" : size[j];
            csv_row("pipeline", what[i], variant, "median", median_of("sweep", what[i], size[j]),
                    "ms");
        }
        csv_row("pipeline", what[i], "chosen", "block", found.chosen, "elements");
        csv_row("pipeline", what[i], "chosen", "over best", found.chosen_ms / found.best_ms, "1");
    }
}

static void print_points(const char *const *what, size_t cases)
{
    for (size_t i = 0; i < cases; i++) {
        const char *size[SIZES_MAX];
        size_t sizes = find_sizes(what[i], size);
        for (size_t j = 0; j < sizes; j++) {
            bool chosen = strcmp(size[j], "0") == 0;
            printf("%s\t%g\t%g\t%d\n", what[i],
                   chosen ? median_of("block", what[i], "0") : atof(size[j]),
                   median_of("sweep", what[i], size[j]), chosen);
        }
    }
}

int main(int argc, char **argv)
{
    const char *what[CASES_MAX];

    read_all();
    size_t cases = find_cases(what);
    if (argc > 1 && strcmp(argv[1], "--csv") == 0) {
        print_rows(what, cases);
    } else if (argc > 1 && strcmp(argv[1], "--points") == 0) {
        print_points(what, cases);
    } else {
        print_table(what, cases);
    }
    free(samples);
    return 0;
}
