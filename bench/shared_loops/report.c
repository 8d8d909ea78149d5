/* Reads what sampler.c wrote from standard input and prints medians over rounds and instances: a
 * table for each part, or with --csv rows. Bars are what Keel is to stay below. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/give_up.h"
#include "bench/support/names.h"
#include "bench/support/sample.h"
#include "bench/support/samples.h"
#include "bench/support/table.h"

static struct samples samples; /* of struct sample */

/* --- selections --- */

/* Rounds change the order, so that variants are sorted; `what` NULL: of all cases. */
static struct names variants_of(const char *kind, const char *what)
{
    struct names names = samples_variants(&samples, kind, what);

    names_sort_by_text(&names);
    return names;
}

static double value(const void *sample)
{
    return ((const struct sample *)sample)->value;
}

static double first_value(const void *sample)
{
    return ((const struct sample *)sample)->instance == 1 ? value(sample) : NAN;
}

static double later_value(const void *sample)
{
    return ((const struct sample *)sample)->instance >= 2 ? value(sample) : NAN;
}

static double median_of(const char *kind, const char *what, const char *variant)
{
    return samples_quantile(&samples, kind, what, variant, value, 0.5);
}

static struct bars bars;

/* --- unequal --- */

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(name, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

/* NAN: there is none. The bar holds for each policy in its way: `rate` has something to go by from
 * the second instance on. */
static double unequal_bar(const char *what, const char *policy)
{
    static const char *const barred[] = {"af", "rate", "tree", NULL};

    if (!is_one_of(policy, barred)) {
        return NAN;
    }
    return strncmp(what, "400 x 1 ms,", 11) == 0   ? 1.03
           : strncmp(what, "40 x 20 ms,", 11) == 0 ? 1.07
                                                   : NAN;
}

struct unequal {
    double first, first_worst, later, later_worst;
    double judged; /* against the bar */
};

static struct unequal unequal_of(const char *what, const char *policy)
{
    struct unequal result = {
        .first = samples_quantile(&samples, "unequal", what, policy, first_value, 0.5),
        .first_worst = samples_quantile(&samples, "unequal", what, policy, first_value, 1),
        .later = samples_quantile(&samples, "unequal", what, policy, later_value, 0.5),
        .later_worst = samples_quantile(&samples, "unequal", what, policy, later_value, 1),
    };

    result.judged = strcmp(policy, "rate") == 0 ? result.later : fmax(result.first, result.later);
    return result;
}

static void print_unequal_case(const char *what)
{
    struct table table = {.columns = 6};
    struct names policies = variants_of("unequal", what);

    printf("\nTwo ranks on two cores, rank 0 three times slower: %s; time / ideal\n", what);
    table_add_row(&table, (const char *const[]){"policy", "first instance", "worst",
                                                "later instances", "worst", "bar"});
    for (size_t i = 0; i < policies.count; i++) {
        struct unequal result = unequal_of(what, policies.name[i]);
        table_add(&table, "%s", policies.name[i]);
        table_add_value(&table, "%.3f", result.first);
        table_add_value(&table, "%.3f", result.first_worst);
        table_add_value(&table, "%.3f", result.later);
        table_add_value(&table, "%.3f", result.later_worst);
        double bar = unequal_bar(what, policies.name[i]);
        table_add_bar(&table, &bars, result.judged <= bar, result.judged, "%.2f", bar);
    }
    table_print(&table);
}

static void print_unequal(void)
{
    struct names cases = samples_cases(&samples, "unequal");

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
    struct names cases = samples_cases(&samples, "counter");

    if (cases.count == 0) {
        return;
    }
    puts("\nEmpty iterations one at a time (ss, explicit loop); ns per iteration of the whole job");
    table_add_row(&table, (const char *const[]){"ranks", "keel", "worst", "MPI_Fetch_and_op",
                                                "ratio", "bar"});
    for (size_t i = 0; i < cases.count; i++) {
        const char *ranks = cases.name[i];
        double keel = median_of("counter", ranks, "keel");
        double bare = median_of("counter", ranks, "fetch_and_op");
        table_add(&table, "%d", atoi(ranks));
        table_add_value(&table, "%.1f", keel);
        table_add_value(&table, "%.1f",
                        samples_quantile(&samples, "counter", ranks, "keel", value, 1));
        table_add_value(&table, "%.1f", bare);
        table_add_value(&table, "%.3f", keel / bare);
        table_add_bar(&table, &bars, keel <= COUNTER_BAR_NS, keel, "%.0f", COUNTER_BAR_NS);
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
    struct names cases = samples_cases(&samples, "alone");

    if (cases.count == 0) {
        return;
    }
    puts("\nA loop on one rank, two threads, shared and not; ms");
    table_add_row(&table,
                  (const char *const[]){"schedule", "not shared", "shared", "ratio", "bar"});
    for (size_t i = 0; i < cases.count; i++) {
        double unshared = median_of("alone", cases.name[i], "unshared");
        double shared = median_of("alone", cases.name[i], "shared");
        table_add(&table, "%s", cases.name[i]);
        table_add_value(&table, "%.4f", unshared);
        table_add_value(&table, "%.4f", shared);
        double ratio = shared / unshared;
        table_add_value(&table, "%.4f", ratio);
        table_add_bar(&table, &bars, ratio <= ALONE_BAR, ratio, "%.2f", ALONE_BAR);
    }
    table_print(&table);
    puts("Medians of loops that take turns in one process, and their ratio.");
}

/* --- empty --- */

static void print_empty(void)
{
    struct names cases = samples_cases(&samples, "empty"), policies = variants_of("empty", NULL);
    struct table table = {.columns = policies.count + 1};

    if (cases.count == 0) {
        return;
    }
    if (table.columns > TABLE_COLUMNS_MAX) {
        give_up("too many policies for empty loops");
    }
    puts("\nAn empty loop of N iterations on two ranks, from begin to end; us");
    table_add(&table, "loop");
    for (size_t p = 0; p < policies.count; p++) {
        table_add(&table, "%s", policies.name[p]);
    }
    for (size_t i = 0; i < cases.count; i++) {
        table_add(&table, "%s", cases.name[i]);
        for (size_t p = 0; p < policies.count; p++) {
            table_add_value(&table, "%.2f", median_of("empty", cases.name[i], policies.name[p]));
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
    bars_print(&bars);
}

static void print_csv_unequal(const struct sample_key *key, const char *what)
{
    struct unequal result = unequal_of(key->what, key->variant);

    csv_row("shared", what, key->variant, "first instance", result.first, "1");
    csv_row("shared", what, key->variant, "first instance, worst", result.first_worst, "1");
    csv_row("shared", what, key->variant, "later instances", result.later, "1");
    csv_row("shared", what, key->variant, "later instances, worst", result.later_worst, "1");
}

static const char *unit_of(const char *kind)
{
    return strcmp(kind, "counter") == 0 ? "ns" : strcmp(kind, "alone") == 0 ? "ms" : "us";
}

static void print_csv_variant(const struct sample_key *key)
{
    char what[2 * SAMPLE_TEXT_MAX];

    snprintf(what, sizeof what, "%s; %s", key->kind, key->what + strspn(key->what, " "));
    if (strcmp(key->kind, "unequal") == 0) {
        print_csv_unequal(key, what);
    } else {
        csv_row("shared", what, key->variant, "median",
                median_of(key->kind, key->what, key->variant), unit_of(key->kind));
    }
}

static bool is_first_of_its_kind(size_t place)
{
    const struct sample_key *key = samples_key(&samples, place);

    for (size_t i = 0; i < place; i++) {
        if (sample_is(samples_key(&samples, i), key->kind, key->what, key->variant)) {
            return false;
        }
    }
    return true;
}

static void print_csv(void)
{
    csv_heading();
    for (size_t i = 0; i < samples.count; i++) {
        if (is_first_of_its_kind(i)) {
            print_csv_variant(samples_key(&samples, i));
        }
    }
}

int main(int arguments, char **argument)
{
    bool csv = arguments == 2 && strcmp(argument[1], "--csv") == 0;

    samples.size = sizeof(struct sample);
    samples.first = samples_read(stdin, samples.size, sample_read, "shared_loops/sampler writes",
                                 &samples.count);
    if (csv) {
        print_csv();
    } else {
        print_tables();
    }
    return 0;
}
