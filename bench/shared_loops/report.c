/* Reads what sampler.c wrote from standard input and prints medians over rounds and instances: a
 * table for each part, or with --csv rows. Bars are what Keel is to stay below. */
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

static struct shared_sample *samples;
static size_t count;

static int read_sample(void *sample, FILE *file)
{
    return shared_sample_read(sample, file);
}

/* --- selections --- */

static struct names cases_of(const char *kind)
{
    struct names names = {0};

    for (size_t i = 0; i < count; i++) {
        if (strcmp(samples[i].kind, kind) == 0) {
            names_add(&names, samples[i].what);
        }
    }
    return names;
}

/* Rounds change the order, so that variants are sorted; `what` NULL: of all cases. */
static struct names variants_of(const char *kind, const char *what)
{
    struct names names = {0};

    for (size_t i = 0; i < count; i++) {
        if (strcmp(samples[i].kind, kind) == 0 &&
            (what == NULL || strcmp(samples[i].what, what) == 0)) {
            names_add(&names, samples[i].variant);
        }
    }
    names_sort_by_text(&names);
    return names;
}

#define LAST_INSTANCE 1000000000

/* Values of a variant from one instance to another: their quantile q. NAN: there are none. */
static double value_of(const char *kind, const char *what, const char *variant, int from, int to,
                       double q)
{
    double *value = malloc(count * sizeof *value);
    size_t found = 0;

    if (value == NULL) {
        samples_give_up("no memory for the samples");
    }
    for (size_t i = 0; i < count; i++) {
        const struct shared_sample *sample = &samples[i];
        if (strcmp(sample->kind, kind) == 0 && strcmp(sample->what, what) == 0 &&
            strcmp(sample->variant, variant) == 0 && sample->instance >= from &&
            sample->instance <= to) {
            value[found++] = sample->value;
        }
    }
    double result = quantile(value, found, q);
    free(value);
    return result;
}

static double median_of(const char *kind, const char *what, const char *variant)
{
    return value_of(kind, what, variant, 1, LAST_INSTANCE, 0.5);
}

/* --- bars --- */

static unsigned bars, held;

/* One cell; a bar of 0 is none, and so is a value that was not measured. */
static void add_bar(struct table *table, double value, double bar, const char *format)
{
    char text[32];

    if (bar == 0 || isnan(value)) {
        table_add(table, "-");
        return;
    }
    snprintf(text, sizeof text, format, bar);
    table_add(table, "%s %s", text, value <= bar ? "held" : "missed");
    bars++;
    held += value <= bar;
}

static void add_value(struct table *table, const char *format, double value)
{
    char text[32];

    snprintf(text, sizeof text, format, value);
    table_add(table, "%s", isnan(value) ? "-" : text);
}

/* --- unequal --- */

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(name, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

/* The bar holds for each policy in its way: `rate` has something to go by from the second
 * instance on. */
static double unequal_bar(const char *what, const char *policy)
{
    static const char *const barred[] = {"af", "rate", "tree", NULL};

    if (!is_one_of(policy, barred)) {
        return 0;
    }
    return strncmp(what, "400 x 1 ms,", 11) == 0   ? 1.03
           : strncmp(what, "40 x 20 ms,", 11) == 0 ? 1.07
                                                   : 0;
}

struct unequal {
    double first, first_worst, later, later_worst;
    double judged; /* against the bar */
};

static struct unequal unequal_of(const char *what, const char *policy)
{
    struct unequal result = {
        .first = value_of("unequal", what, policy, 1, 1, 0.5),
        .first_worst = value_of("unequal", what, policy, 1, 1, 1),
        .later = value_of("unequal", what, policy, 2, LAST_INSTANCE, 0.5),
        .later_worst = value_of("unequal", what, policy, 2, LAST_INSTANCE, 1),
    };

    result.judged = strcmp(policy, "rate") == 0 ? result.later : fmax(result.first, result.later);
    return result;
}

static void print_unequal_case(const char *what)
{
    struct table table = {.columns = 6};
    struct names policies = variants_of("unequal", what);

    printf("\nTwo ranks on two cores, rank 0 three times slower: %s; time / ideal\n", what);
    table_add(&table, "policy");
    table_add(&table, "first instance");
    table_add(&table, "worst");
    table_add(&table, "later instances");
    table_add(&table, "worst");
    table_add(&table, "bar");
    for (size_t i = 0; i < policies.count; i++) {
        struct unequal result = unequal_of(what, policies.name[i]);
        table_add(&table, "%s", policies.name[i]);
        add_value(&table, "%.3f", result.first);
        add_value(&table, "%.3f", result.first_worst);
        add_value(&table, "%.3f", result.later);
        add_value(&table, "%.3f", result.later_worst);
        add_bar(&table, result.judged, unequal_bar(what, policies.name[i]), "%.2f");
    }
    table_print(&table);
}

static void print_unequal(void)
{
    struct names cases = cases_of("unequal");

    for (size_t i = 0; i < cases.count; i++) {
        print_unequal_case(cases.name[i]);
    }
    if (cases.count > 0) {
        puts(
            "Medians, and the worst, over all rounds. Ideal: both ranks end at the same time. The "
            "bar is for\nboth medians, for rate for that of the later instances. Window: the ranks "
            "share memory; letters:\nthey are treated as two nodes, which speak by messages.");
    }
}

/* --- counter --- */

#define COUNTER_BAR_NS 300.0

static void print_counter(void)
{
    struct table table = {.columns = 6};
    struct names cases = cases_of("counter");

    if (cases.count == 0) {
        return;
    }
    puts("\nEmpty iterations one at a time (ss, explicit loop); ns per iteration of the whole job");
    table_add(&table, "ranks");
    table_add(&table, "keel");
    table_add(&table, "worst");
    table_add(&table, "MPI_Fetch_and_op");
    table_add(&table, "ratio");
    table_add(&table, "bar");
    for (size_t i = 0; i < cases.count; i++) {
        const char *ranks = cases.name[i];
        double keel = median_of("counter", ranks, "keel");
        double bare = median_of("counter", ranks, "fetch_and_op");
        table_add(&table, "%d", atoi(ranks));
        add_value(&table, "%.1f", keel);
        add_value(&table, "%.1f", value_of("counter", ranks, "keel", 1, LAST_INSTANCE, 1));
        add_value(&table, "%.1f", bare);
        add_value(&table, "%.3f", keel / bare);
        add_bar(&table, keel, COUNTER_BAR_NS, "%.0f");
    }
    table_print(&table);
    puts("Medians of loops that take turns in one job, from the first rank's start to the last "
         "one's end;\nkeel's are whole shared loops. MPI_Fetch_and_op: a bare loop over a counter "
         "in a window of\nMPI_Win_allocate_shared, as Keel's is.");
}

/* --- alone --- */

#define ALONE_BAR 1.01

static void print_alone(void)
{
    struct table table = {.columns = 5};
    struct names cases = cases_of("alone");

    if (cases.count == 0) {
        return;
    }
    puts("\nA loop on one rank, two threads, shared and not; ms");
    table_add(&table, "schedule");
    table_add(&table, "not shared");
    table_add(&table, "shared");
    table_add(&table, "ratio");
    table_add(&table, "bar");
    for (size_t i = 0; i < cases.count; i++) {
        double unshared = median_of("alone", cases.name[i], "unshared");
        double shared = median_of("alone", cases.name[i], "shared");
        table_add(&table, "%s", cases.name[i]);
        add_value(&table, "%.4f", unshared);
        add_value(&table, "%.4f", shared);
        add_value(&table, "%.4f", shared / unshared);
        add_bar(&table, shared / unshared, ALONE_BAR, "%.2f");
    }
    table_print(&table);
    puts("Medians of loops that take turns in one process, and their ratio.");
}

/* --- empty --- */

static void print_empty(void)
{
    struct names cases = cases_of("empty"), policies = variants_of("empty", NULL);
    struct table table = {.columns = policies.count + 1};

    if (cases.count == 0) {
        return;
    }
    if (table.columns > TABLE_COLUMNS_MAX) {
        samples_give_up("too many policies for empty loops");
    }
    puts("\nAn empty loop of N iterations on two ranks, from begin to end; us");
    table_add(&table, "loop");
    for (size_t p = 0; p < policies.count; p++) {
        table_add(&table, "%s", policies.name[p]);
    }
    for (size_t i = 0; i < cases.count; i++) {
        table_add(&table, "%s", cases.name[i]);
        for (size_t p = 0; p < policies.count; p++) {
            add_value(&table, "%.2f", median_of("empty", cases.name[i], policies.name[p]));
        }
    }
    table_print(&table);
    puts("Medians of many loops in a row. Their ends wait for all ranks, as MPI_Barrier does.");
}

/* --- all of them --- */

static void print_tables(void)
{
    print_unequal();
    print_counter();
    print_alone();
    print_empty();
    if (bars > 0) {
        printf("\n%u of %u bars are held.\n", held, bars);
    }
}

static void print_csv_unequal(const struct shared_sample *sample, const char *what)
{
    struct unequal result = unequal_of(sample->what, sample->variant);

    csv_row("shared", what, sample->variant, "first instance", result.first, "1");
    csv_row("shared", what, sample->variant, "first instance, worst", result.first_worst, "1");
    csv_row("shared", what, sample->variant, "later instances", result.later, "1");
    csv_row("shared", what, sample->variant, "later instances, worst", result.later_worst, "1");
}

static const char *unit_of(const char *kind)
{
    return strcmp(kind, "counter") == 0 ? "ns" : strcmp(kind, "alone") == 0 ? "ms" : "us";
}

static void print_csv_variant(const struct shared_sample *sample)
{
    char what[2 * SHARED_TEXT_MAX];

    snprintf(what, sizeof what, "%s; %s", sample->kind, sample->what + strspn(sample->what, " "));
    if (strcmp(sample->kind, "unequal") == 0) {
        print_csv_unequal(sample, what);
    } else {
        csv_row("shared", what, sample->variant, "median",
                median_of(sample->kind, sample->what, sample->variant), unit_of(sample->kind));
    }
}

static bool is_first_of_its_kind(size_t place)
{
    for (size_t i = 0; i < place; i++) {
        if (strcmp(samples[i].kind, samples[place].kind) == 0 &&
            strcmp(samples[i].what, samples[place].what) == 0 &&
            strcmp(samples[i].variant, samples[place].variant) == 0) {
            return false;
        }
    }
    return true;
}

static void print_csv(void)
{
    csv_heading();
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_its_kind(i)) {
            print_csv_variant(&samples[i]);
        }
    }
}

int main(int arguments, char **argument)
{
    bool csv = arguments == 2 && strcmp(argument[1], "--csv") == 0;

    samples =
        samples_read(stdin, sizeof *samples, read_sample, "shared_loops/sampler writes", &count);
    if (csv) {
        print_csv();
    } else {
        print_tables();
    }
    return 0;
}
