/* Reads samples of support/sample.h about pipelined sweeps from standard input, and compares the
 * blocks that were chosen with the best ones of a fixed size.
 *
 *   report [--csv | --points]
 *
 * Samples of kind `sweep` are ms of a sweep, those of `block` its size; the variant is the size
 * that was asked for, 0 for the chosen one. Rounds count from 1; round 0 only warms up. --points:
 * lines case, size, ms, 1 for the chosen one, for plot.gp. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/names.h"
#include "bench/support/quantile.h"
#include "bench/support/samples.h"
#include "bench/support/sample.h"
#include "bench/support/table.h"

#define BAR 1.05 /* chosen over best */

static struct shared_sample *samples;
static size_t count;

static int read_sample(void *sample, FILE *file)
{
    return shared_sample_read(sample, file);
}

/* --- selections --- */

static struct names all_cases(void)
{
    struct names names = {0};

    for (size_t i = 0; i < count; i++) {
        names_add(&names, samples[i].what);
    }
    return names;
}

/* The sizes that a case was run with, the chosen one (0) first. */
static struct names sizes_of(const char *what)
{
    struct names names = {0};

    for (size_t i = 0; i < count; i++) {
        if (strcmp(samples[i].what, what) == 0) {
            names_add(&names, samples[i].variant);
        }
    }
    names_sort_by_number(&names);
    return names;
}

static double median_of(const char *kind, const char *what, const char *variant)
{
    double *value = malloc(count * sizeof *value);
    size_t found = 0;

    if (value == NULL) {
        samples_give_up("no memory for the samples");
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
    struct names sizes = sizes_of(what);
    struct comparison result = {.chosen = median_of("block", what, "0"),
                                .chosen_ms = median_of("sweep", what, "0"),
                                .best = NAN,
                                .best_ms = INFINITY};

    for (size_t i = 0; i < sizes.count; i++) {
        double time_ms = median_of("sweep", what, sizes.name[i]);
        if (strcmp(sizes.name[i], "0") != 0 && time_ms < result.best_ms) {
            result.best = atof(sizes.name[i]);
            result.best_ms = time_ms;
        }
    }
    return result;
}

/* --- what is printed --- */

static void print_table(const struct names *cases)
{
    struct table table = {.columns = 7};
    unsigned held = 0;

    for (const char *const *heading =
             (const char *const[]){"sweeps", "chosen block", "ms", "best block", "ms", "ratio",
                                   "bar", NULL};
         *heading != NULL; heading++) {
        table_add(&table, "%s", *heading);
    }
    for (size_t i = 0; i < cases->count; i++) {
        struct comparison found = compare(cases->name[i]);
        double ratio = found.chosen_ms / found.best_ms;
        table_add(&table, "%s", cases->name[i]);
        table_add(&table, "%.0f", found.chosen);
        table_add(&table, "%.4f", found.chosen_ms);
        table_add(&table, "%.0f", found.best);
        table_add(&table, "%.4f", found.best_ms);
        table_add(&table, "%.3f", ratio);
        table_add(&table, "%.2f %s", BAR, ratio <= BAR ? "held" : "missed");
        held += ratio <= BAR;
    }
    table_print(&table);
    printf("\n%u of %zu bars are held.\n", held, cases->count);
}

static void print_rows(const struct names *cases)
{
    csv_heading();
    for (size_t i = 0; i < cases->count; i++) {
        const char *what = cases->name[i];
        struct names sizes = sizes_of(what);
        struct comparison found = compare(what);
        for (size_t j = 0; j < sizes.count; j++) {
            const char *variant = strcmp(sizes.name[j], "0") == 0 ? "chosen" : sizes.name[j];
            csv_row("pipeline", what, variant, "median", median_of("sweep", what, sizes.name[j]),
                    "ms");
        }
        csv_row("pipeline", what, "chosen", "block", found.chosen, "elements");
        csv_row("pipeline", what, "chosen", "over best", found.chosen_ms / found.best_ms, "1");
    }
}

static void print_points(const struct names *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        const char *what = cases->name[i];
        struct names sizes = sizes_of(what);
        for (size_t j = 0; j < sizes.count; j++) {
            bool chosen = strcmp(sizes.name[j], "0") == 0;
            printf("%s\t%g\t%g\t%d\n", what,
                   chosen ? median_of("block", what, "0") : atof(sizes.name[j]),
                   median_of("sweep", what, sizes.name[j]), chosen);
        }
    }
}

int main(int argc, char **argv)
{
    samples = samples_read(stdin, sizeof *samples, read_sample, "pipelined_sweeps/sampler writes",
                           &count);
    struct names cases = all_cases();
    if (argc > 1 && strcmp(argv[1], "--csv") == 0) {
        print_rows(&cases);
    } else if (argc > 1 && strcmp(argv[1], "--points") == 0) {
        print_points(&cases);
    } else {
        print_table(&cases);
    }
    free(samples);
    return 0;
}
