/* Reads the samples of bench/dispatch from standard input, see timing.h, and prints medians,
 * quartiles and ratios: tables, or with --csv rows. A ratio is the median of the ratios within
 * sweeps. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/claim_cost/timing.h"
#include "bench/support/give_up.h"
#include "bench/support/quantile.h"
#include "bench/support/samples.h"
#include "bench/support/table.h"

#define VARIANTS_MAX 1024

/* All samples of one variant. */
struct series {
    struct timing head;
    size_t count, room;
    uint64_t *sweep;
    double *value_ns;
};

static struct series series[VARIANTS_MAX];
static size_t series_count;

/* --- reading ---------------------------------------------------------------------------------- */

static bool same_case(const struct timing *a, const struct timing *b)
{
    return a->threads == b->threads && strcmp(a->kind, b->kind) == 0;
}

static struct series *find(const struct timing *like, const char *variant)
{
    for (size_t i = 0; i < series_count; i++) {
        if (same_case(&series[i].head, like) && strcmp(series[i].head.variant, variant) == 0) {
            return &series[i];
        }
    }
    return NULL;
}

static void append(struct series *to, const struct timing *sample)
{
    if (to->count == to->room) {
        to->room = to->room == 0 ? 64 : 2 * to->room;
        to->sweep = realloc(to->sweep, to->room * sizeof *to->sweep);
        to->value_ns = realloc(to->value_ns, to->room * sizeof *to->value_ns);
        if (to->sweep == NULL || to->value_ns == NULL) {
            give_up("no memory");
        }
    }
    to->sweep[to->count] = sample->sweep;
    to->value_ns[to->count++] = sample->value_ns;
}

static void read_all(void)
{
    struct timing sample;
    int result;

    while ((result = timing_read(&sample, stdin)) == 1) {
        struct series *to = find(&sample, sample.variant);
        if (to == NULL) {
            if (series_count == VARIANTS_MAX) {
                give_up("too many variants");
            }
            to = &series[series_count++];
            to->head = sample;
        }
        append(to, &sample);
    }
    if (result < 0) {
        give_up("a line of the input is not a sample");
    }
    if (series_count == 0) {
        give_up("there are no samples");
    }
}

/* --- statistics ------------------------------------------------------------------------------- */

/* Sweeps come in increasing order. */
static double ratio(const struct series *of, const struct series *to)
{
    double *a = malloc(of->count * sizeof *a), *b = malloc(of->count * sizeof *b);
    size_t pairs = 0;

    if (a == NULL || b == NULL) {
        give_up("no memory");
    }
    for (size_t i = 0, j = 0; i < of->count && j < to->count;) {
        if (of->sweep[i] == to->sweep[j]) {
            a[pairs] = of->value_ns[i++];
            b[pairs++] = to->value_ns[j++];
        } else if (of->sweep[i] < to->sweep[j]) {
            i++;
        } else {
            j++;
        }
    }
    double value = median_ratio(a, b, pairs);
    free(a);
    free(b);
    return value;
}

/* The ratio to the baseline labelled `label`; NAN if this variant is not compared with one. */
static double ratio_to(const struct series *of, const char *label)
{
    char baselines[sizeof of->head.baselines], *rest;

    strcpy(baselines, of->head.baselines);
    for (char *one = strtok_r(baselines, ";", &rest); one != NULL;
         one = strtok_r(NULL, ";", &rest)) {
        char *name = strchr(one, '=');
        if (name == NULL) {
            return NAN;
        }
        *name++ = '\0';
        const struct series *to = find(&of->head, name);
        if (strcmp(one, label) == 0 && to != NULL) {
            return ratio(of, to);
        }
    }
    return NAN;
}

/* --- printing --------------------------------------------------------------------------------- */

static const struct kind {
    const char *prefix; /* of sample.kind */
    const char *heading;
    const char *unit;
    const char *labels[TIMING_BASELINES_MAX + 1];
} kinds[] = {
    {"chunk",
     "Time to hand out one chunk, all threads together (loops of under 200 chunks: their start "
     "included; their dynamic,1 has as many)",
     "ns/chunk",
     {"dynamic,1", "guided", "fetch-add"}},
    {"parallel for",
     "parallel for with one iteration per thread",
     "ns/loop",
     {"dynamic", "static"}},
    {"for nowait", "for nowait with one iteration per thread", "ns/loop", {"dynamic", "static"}},
    {"for", "for and its barrier with one iteration per thread", "ns/loop", {"dynamic", "static"}},
    {"idle chunk",
     "libkeel.so loaded, but not asked for anything: a chunk",
     "ns/chunk",
     {"not loaded"}},
    {"idle", "libkeel.so loaded, but not asked for anything: a loop", "ns/loop", {"not loaded"}},
};

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i].prefix);
        if (strncmp(kinds[i].prefix, name, length) == 0 &&
            (name[length] == '\0' || strncmp(name, "idle", 4) == 0)) {
            return &kinds[i];
        }
    }
    give_up("a line of the input is of no known kind");
}

static void print_heading(struct table *table, const struct kind *kind, const struct timing *head)
{
    printf("\n%s, %u thread%s", kind->heading, head->threads, head->threads == 1 ? "" : "s");
    printf(strncmp(head->kind, "idle", 4) == 0 ? " (%s)\n" : "\n", head->kind + 5);
    table->columns = 6;
    table_add_row(table, (const char *const[]){"variant", "as", "chunks", kind->unit,
                                               "1st quartile", "3rd quartile"});
    for (size_t i = 0; kind->labels[i] != NULL; i++) {
        table_add(table, "/ %s", kind->labels[i]);
        table->columns++;
    }
}

static void print_row(struct table *table, const struct kind *kind, const struct series *of)
{
    table_add(table, "%s", of->head.variant);
    table_add(table, "%s", of->head.detail);
    if (of->head.chunks > 0) {
        table_add(table, "%llu", (unsigned long long)of->head.chunks);
    } else {
        table_add(table, "-");
    }
    table_add(table, "%.2f", quantile(of->value_ns, of->count, 0.5));
    table_add(table, "%.2f", quantile(of->value_ns, of->count, 0.25));
    table_add(table, "%.2f", quantile(of->value_ns, of->count, 0.75));
    for (size_t i = 0; kind->labels[i] != NULL; i++) {
        table_add_value(table, "%.3f", ratio_to(of, kind->labels[i]));
    }
}

static bool first_of_its_case(size_t place)
{
    for (size_t i = 0; i < place; i++) {
        if (same_case(&series[i].head, &series[place].head)) {
            return false;
        }
    }
    return true;
}

static void print_tables(void)
{
    for (size_t i = 0; i < series_count; i++) {
        if (!first_of_its_case(i)) {
            continue;
        }
        struct table table = {0};
        const struct kind *kind = kind_of(series[i].head.kind);
        print_heading(&table, kind, &series[i].head);
        for (size_t j = i; j < series_count; j++) {
            if (same_case(&series[i].head, &series[j].head)) {
                print_row(&table, kind, &series[j]);
            }
        }
        table_print(&table);
    }
}

static void print_csv_rows(const struct series *of)
{
    const struct kind *kind = kind_of(of->head.kind);
    char what[TIMING_TEXT_MAX + 32], metric[TIMING_TEXT_MAX];
    const char *variant = of->head.variant;

    snprintf(what, sizeof what, "%s; threads=%u", of->head.kind, of->head.threads);
    csv_row("dispatch", what, variant, "median", quantile(of->value_ns, of->count, 0.5),
            kind->unit);
    csv_row("dispatch", what, variant, "first quartile", quantile(of->value_ns, of->count, 0.25),
            kind->unit);
    csv_row("dispatch", what, variant, "third quartile", quantile(of->value_ns, of->count, 0.75),
            kind->unit);
    if (of->head.chunks > 0) {
        csv_row("dispatch", what, variant, "chunks", (double)of->head.chunks, "1");
    }
    for (size_t i = 0; kind->labels[i] != NULL; i++) {
        snprintf(metric, sizeof metric, "ratio to %s", kind->labels[i]);
        csv_row("dispatch", what, variant, metric, ratio_to(of, kind->labels[i]), "1");
    }
}

int main(int arguments, char **argument)
{
    bool csv = arguments == 2 && strcmp(argument[1], "--csv") == 0;

    read_all();
    if (!csv) {
        print_tables();
        return 0;
    }
    csv_heading();
    for (size_t i = 0; i < series_count; i++) {
        print_csv_rows(&series[i]);
    }
    return 0;
}
