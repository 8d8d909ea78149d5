/* Reads what bench/rows has collected from standard input and prints medians over rounds: a table
 * for each part, or with --csv rows. Bars are what Keel is to keep.
 *
 * Efficiency is S1 of PAPERS.md, t_sequential / (P t - competing CPU time), with P = 2 ranks
 * on two cores and t_sequential of the same round. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row_movement/sample.h"
#include "bench/support/give_up.h"
#include "bench/support/names.h"
#include "bench/support/quantile.h"
#include "bench/support/samples.h"
#include "bench/support/table.h"

#define RANKS 2

static struct samples samples; /* of struct rows_sample */

/* --- selections --- */

static const struct rows_sample *sample_at(size_t i)
{
    return (const struct rows_sample *)samples.first + i;
}

/* All but the serial runs. */
static struct names variants_of(const char *kind, const char *what)
{
    struct names all = samples_variants(&samples, kind, what), names = {0};

    for (size_t i = 0; i < all.count; i++) {
        if (strcmp(all.name[i], "serial") != 0) {
            names_add(&names, all.name[i]);
        }
    }
    return names;
}

/* --- what samples tell --- */

static double seconds(const void *sample)
{
    return ((const struct rows_sample *)sample)->seconds;
}

/* S1; NAN if the round has no serial run. */
static double efficiency(const void *of)
{
    const struct rows_sample *sample = of;

    for (size_t i = 0; i < samples.count; i++) {
        if (sample_at(i)->key.round == sample->key.round &&
            sample_is(&sample_at(i)->key, sample->key.kind, sample->key.what, "serial")) {
            return sample_at(i)->seconds / (RANKS * sample->seconds - sample->competing_s);
        }
    }
    return NAN;
}

static double movements(const void *sample)
{
    return ((const struct rows_sample *)sample)->movements;
}

static double rows_moved(const void *sample)
{
    return ((const struct rows_sample *)sample)->rows_moved;
}

static double competing(const void *sample)
{
    return ((const struct rows_sample *)sample)->competing_s;
}

/* Parts of the time that the hook takes by its own account, for deciding and for moving. */
static double decision(const void *sample)
{
    return 100 * ((const struct rows_sample *)sample)->decision_s / seconds(sample);
}

static double movement(const void *sample)
{
    return 100 * ((const struct rows_sample *)sample)->movement_s / seconds(sample);
}

static const struct metric {
    sample_value *value;
    const char *name, *unit, *format;
} metrics[] = {
    {seconds, "time", "s", "%.3f"},        {efficiency, "efficiency", "1", "%.3f"},
    {movements, "movements", "1", "%.1f"}, {rows_moved, "rows moved", "1", "%.0f"},
    {decision, "deciding", "%", "%.3f"},   {movement, "moving", "%", "%.3f"},
    {competing, "competing", "s", "%.3f"},
};

#define METRICS (sizeof metrics / sizeof *metrics)

static double median_of(const char *kind, const char *what, const char *variant,
                        sample_value *value)
{
    return samples_quantile(&samples, kind, what, variant, value, 0.5);
}

/* Quantile q of the time with balancing over that without, of runs that followed each other. */
static double ratio_of(const char *what, double q)
{
    double *ratios = malloc(samples.count * sizeof *ratios);
    const struct rows_sample *off = NULL, *on = NULL;
    size_t found = 0;

    if (ratios == NULL) {
        give_up("no memory for the samples");
    }
    for (size_t i = 0; i < samples.count; i++) {
        const struct rows_sample *sample = sample_at(i);
        off = sample_is(&sample->key, "hook", what, "off") ? sample : off;
        on = sample_is(&sample->key, "hook", what, "on") ? sample : on;
        if (off != NULL && on != NULL) {
            ratios[found++] = on->seconds / off->seconds;
            off = on = NULL;
        }
    }
    double result = quantile(ratios, found, q);
    free(ratios);
    return result;
}

/* --- cells --- */

static struct bars bars;

/* A row for each variant, with the first `shown` metrics. */
static void add_variants(struct table *table, const char *kind, const char *what, size_t shown)
{
    struct names variants = variants_of(kind, what);

    for (size_t v = 0; v < variants.count; v++) {
        table_add(table, "%s", variants.name[v]);
        for (size_t m = 0; m < shown; m++) {
            table_add_value(table, metrics[m].format,
                            median_of(kind, what, variants.name[v], metrics[m].value));
        }
    }
}

static void add_heading(struct table *table, const char *first, size_t shown)
{
    table_add(table, "%s", first);
    for (size_t m = 0; m < shown; m++) {
        bool plain = strcmp(metrics[m].unit, "1") == 0;
        table_add(table, "%s%s%s", metrics[m].name, plain ? "" : ", ",
                  plain ? "" : metrics[m].unit);
    }
}

/* --- parts --- */

static void print_apps(void)
{
    struct names cases = samples_cases(&samples, "apps");

    for (size_t i = 0; i < cases.count; i++) {
        struct table table = {.columns = METRICS};
        printf("\n%s, two ranks on two cores; one rank alone: %.3f s\n", cases.name[i],
               median_of("apps", cases.name[i], "serial", seconds));
        add_heading(&table, "policy", METRICS - 1);
        add_variants(&table, "apps", cases.name[i], METRICS - 1);
        table_print(&table);
    }
    if (cases.count > 0) {
        puts("Medians over rounds. Efficiency: time of one rank alone over that of both. Deciding "
             "and moving:\nwhat the hook takes by its own account.");
    }
}

#define HOOK_BAR 1.005

static void print_hook(void)
{
    struct table table = {.columns = 8};
    struct names cases = samples_cases(&samples, "hook");

    if (cases.count == 0) {
        return;
    }
    puts("\nThe hook on a dedicated machine: time with balancing over time without");
    table_add_row(&table,
                  (const char *const[]){"application", "off, s", "on, s", "ratio", "lower quartile",
                                        "upper quartile", "deciding, %", "bar"});
    for (size_t i = 0; i < cases.count; i++) {
        const char *what = cases.name[i];
        double ratio = ratio_of(what, 0.5);
        table_add(&table, "%s", what);
        table_add_value(&table, "%.3f", median_of("hook", what, "off", seconds));
        table_add_value(&table, "%.3f", median_of("hook", what, "on", seconds));
        table_add_value(&table, "%.4f", ratio);
        table_add_value(&table, "%.4f", ratio_of(what, 0.25));
        table_add_value(&table, "%.4f", ratio_of(what, 0.75));
        table_add_value(&table, "%.3f", median_of("hook", what, "on", decision));
        table_add_bar(&table, &bars, ratio <= HOOK_BAR, ratio, "%.3f", HOOK_BAR);
    }
    table_print(&table);
    puts("Median and quartiles of the ratios of runs that followed each other. Deciding: by the "
         "hook's own\naccount.");
}

#define LOAD_POINTS 0.03

static void print_load(void)
{
    struct table table = {.columns = 7};
    struct names cases = samples_cases(&samples, "load");

    if (cases.count == 0) {
        return;
    }
    puts("\nA constant competing load on one of two cores");
    table_add_row(&table, (const char *const[]){"application", "dedicated, off", "dedicated",
                                                "loaded, off", "loaded", "movements", "bar"});
    for (size_t i = 0; i < cases.count; i++) {
        const char *what = cases.name[i];
        double dedicated = median_of("load", what, "on", efficiency);
        double loaded = median_of("load", what, "loaded on", efficiency);
        table_add(&table, "%s", what);
        table_add_value(&table, "%.3f", median_of("load", what, "off", efficiency));
        table_add_value(&table, "%.3f", dedicated);
        table_add_value(&table, "%.3f", median_of("load", what, "loaded off", efficiency));
        table_add_value(&table, "%.3f", loaded);
        table_add_value(&table, "%.1f", median_of("load", what, "loaded on", movements));
        double bar = dedicated - LOAD_POINTS;
        table_add_bar(&table, &bars, loaded >= bar, loaded, "%.3f", bar);
    }
    table_print(&table);
    puts("Efficiency: time of one rank alone over what the two cores had left for the job. Off: "
         "without\nbalancing. The bar is three points below the dedicated run.");
}

static void print_trace(void)
{
    struct names cases = samples_cases(&samples, "trace");

    for (size_t i = 0; i < cases.count; i++) {
        struct table table = {.columns = METRICS + 1};
        printf("\n%s beside a load that comes and goes on one of two cores\n", cases.name[i]);
        add_heading(&table, "balancing", METRICS);
        add_variants(&table, "trace", cases.name[i], METRICS);
        table_print(&table);
    }
}

static void print_tables(void)
{
    print_apps();
    print_hook();
    print_load();
    print_trace();
    bars_print(&bars);
}

/* --- CSV --- */

static void print_csv_case(const char *kind, const char *what)
{
    char name[2 * SAMPLE_TEXT_MAX];
    struct names variants = variants_of(kind, what);

    snprintf(name, sizeof name, "%s; %s", kind, what);
    csv_row("rows", name, "serial", "time", median_of(kind, what, "serial", seconds), "s");
    for (size_t v = 0; v < variants.count; v++) {
        for (size_t m = 0; m < METRICS; m++) {
            csv_row("rows", name, variants.name[v], metrics[m].name,
                    median_of(kind, what, variants.name[v], metrics[m].value), metrics[m].unit);
        }
    }
    if (strcmp(kind, "hook") == 0) {
        csv_row("rows", name, "on to off", "lower quartile", ratio_of(what, 0.25), "1");
        csv_row("rows", name, "on to off", "median", ratio_of(what, 0.5), "1");
        csv_row("rows", name, "on to off", "upper quartile", ratio_of(what, 0.75), "1");
    }
}

static void print_csv(void)
{
    static const char *const kinds[] = {"apps", "hook", "load", "trace"};

    csv_heading();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct names cases = samples_cases(&samples, kinds[k]);
        for (size_t i = 0; i < cases.count; i++) {
            print_csv_case(kinds[k], cases.name[i]);
        }
    }
}

int main(int arguments, char **argument)
{
    samples.size = sizeof(struct rows_sample);
    samples.first =
        samples_read(stdin, samples.size, rows_sample_read, "bench/rows collects", &samples.count);
    if (arguments == 2 && strcmp(argument[1], "--csv") == 0) {
        print_csv();
    } else {
        print_tables();
    }
    return 0;
}
