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
#include "bench/support/sample.h"
#include "bench/support/samples.h"
#include "bench/support/table.h"

#define BAR 1.05 /* chosen over best */

static struct samples samples; /* of struct sample */

/* The sizes that a case was run with, the chosen one (0) first. */
static struct names sizes_of(const char *what)
{
    struct names names = samples_variants(&samples, NULL, what);

    names_sort_by_number(&names);
    return names;
}

static double value(const void *of)
{
    const struct sample *sample = of;

    return sample->key.round > 0 ? sample->value : NAN;
}

static double median_of(const char *kind, const char *what, const char *variant)
{
    return samples_quantile(&samples, kind, what, variant, value, 0.5);
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
    struct bars bars = {0};

    table_add_row(&table, (const char *const[]){"sweeps", "chosen block", "ms", "best block", "ms",
                                                "ratio", "bar"});
    for (size_t i = 0; i < cases->count; i++) {
        struct comparison found = compare(cases->name[i]);
        double ratio = found.chosen_ms / found.best_ms;
        table_add(&table, "%s", cases->name[i]);
        table_add(&table, "%.0f", found.chosen);
        table_add(&table, "%.4f", found.chosen_ms);
        table_add(&table, "%.0f", found.best);
        table_add(&table, "%.4f", found.best_ms);
        table_add(&table, "%.3f", ratio);
        table_add_bar(&table, &bars, ratio <= BAR, ratio, "%.2f", BAR);
    }
    table_print(&table);
    bars_print(&bars);
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
    samples.size = sizeof(struct sample);
    samples.first = samples_read(stdin, samples.size, sample_read,
                                 "pipelined_sweeps/sampler writes", &samples.count);
    struct names cases = samples_cases(&samples, NULL);
    if (argc > 1 && strcmp(argv[1], "--csv") == 0) {
        print_rows(&cases);
    } else if (argc > 1 && strcmp(argv[1], "--points") == 0) {
        print_points(&cases);
    } else {
        print_table(&cases);
    }
    return 0;
}
