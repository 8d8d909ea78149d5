/* Reads what program.c wrote from standard input and prints, for each label, medians over its
 * pictures: a table, or with --csv rows. Labels "libgomp static" and "libgomp dynamic" are what the
 * others are compared with. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/give_up.h"
#include "bench/support/quantile.h"
#include "bench/support/samples.h"
#include "bench/support/table.h"

#define LABELS_MAX 256
#define PICTURES_MAX 4096

struct result {
    char label[128];
    size_t count;
    double time_s[PICTURES_MAX], imbalance[PICTURES_MAX], chunks[PICTURES_MAX];
};

static struct result *results[LABELS_MAX];
static size_t count;

static struct result *result_of(const char *label)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(results[i]->label, label) == 0) {
            return results[i];
        }
    }
    return NULL;
}

static struct result *add_result(const char *label)
{
    struct result *result = calloc(1, sizeof *result);

    if (result == NULL || count == LABELS_MAX) {
        give_up("too many schedules");
    }
    snprintf(result->label, sizeof result->label, "%s", label);
    results[count++] = result;
    return result;
}

static int read_all(void)
{
    char label[128];
    int picture, threads = 0, fields;
    double time_s, imbalance, chunks;

    while ((fields = scanf(" %127[^\t]\t%d\t%d\t%lf\t%lf\t%lf", label, &picture, &threads, &time_s,
                           &imbalance, &chunks)) == 6) {
        struct result *result = result_of(label);
        if (result == NULL) {
            result = add_result(label);
        }
        if (result->count == PICTURES_MAX) {
            give_up("too many pictures");
        }
        result->time_s[result->count] = time_s;
        result->imbalance[result->count] = imbalance;
        result->chunks[result->count++] = chunks;
    }
    if (fields != EOF || count == 0) {
        give_up("the input is not what mandelbrot/program writes");
    }
    return threads;
}

/* How long `result` takes in comparison with `label`, picture by picture; NAN if it was not run. */
static double ratio(const struct result *result, const char *label)
{
    const struct result *other = result_of(label);

    return other == NULL || other->count != result->count
               ? NAN
               : median_ratio(result->time_s, other->time_s, result->count);
}

static void print_table(void)
{
    struct table table = {.columns = 6};

    table_add_row(&table, (const char *const[]){"schedule", "time [ms]", "/ libgomp static",
                                                "/ libgomp dynamic", "imbalance [%]", "chunks"});
    for (size_t i = 0; i < count; i++) {
        struct result *result = results[i];
        table_add(&table, "%s", result->label);
        table_add(&table, "%.2f", 1e3 * median(result->time_s, result->count));
        table_add_value(&table, "%.3f", ratio(result, "libgomp static"));
        table_add_value(&table, "%.3f", ratio(result, "libgomp dynamic"));
        table_add(&table, "%.2f", median(result->imbalance, result->count));
        table_add(&table, "%.0f", median(result->chunks, result->count));
    }
    table_print(&table);
    puts(
        "\nMedians of all pictures but the first of each process, in which Keel measures the loop "
        "for\n"
        "schedules that want it. Ratios are medians of the ratios in the same round. Imbalance is\n"
        "(max / mean - 1) x 100 of the times that the threads were busy with rows.");
}

/* What the table and the picture show, in a sentence. */
static void print_sentence(void)
{
    const struct result *divided = result_of("libgomp static"), *other = result_of("fac2");

    if (divided != NULL && other != NULL) {
        printf(
            "\nDivided equally (libgomp static), rows keep the busiest thread busy %.0f %% longer "
            "than the mean;\nunder fac2 it is %.0f %%, and a picture takes %.2f of the time.\n",
            median(divided->imbalance, divided->count), median(other->imbalance, other->count),
            ratio(other, "libgomp static"));
    }
}

static void print_csv(int threads)
{
    char what[64];

    snprintf(what, sizeof what, "mandelbrot; threads=%d", threads);
    csv_heading();
    for (size_t i = 0; i < count; i++) {
        struct result *result = results[i];
        const char *label = result->label;
        csv_row("demo", what, label, "time", 1e3 * median(result->time_s, result->count), "ms");
        csv_row("demo", what, label, "ratio to libgomp static", ratio(result, "libgomp static"),
                "1");
        csv_row("demo", what, label, "ratio to libgomp dynamic", ratio(result, "libgomp dynamic"),
                "1");
        csv_row("demo", what, label, "imbalance", median(result->imbalance, result->count), "%");
        csv_row("demo", what, label, "chunks", median(result->chunks, result->count), "1");
    }
}

int main(int arguments, char **argument)
{
    bool csv = arguments == 2 && strcmp(argument[1], "--csv") == 0;
    int threads = read_all();

    if (csv) {
        print_csv(threads);
    } else {
        print_table();
        print_sentence();
    }
    return 0;
}
