/* Reads what program.c wrote from standard input, see instance.h, and prints a table for each
 * kernel and condition, then summaries; or with --csv rows.
 *
 *   report [--csv] [--points FILE]
 *
 * FILE gets a line for each kernel, condition and variant, for plot.gp:
 *
 *   condition  variant  number of the kernel, from 0  kernel  time / ideal     separated by tabs
 *
 * Schedules are compared by time / ideal, not by time, so that it does not matter how much of the
 * machine a process happened to get. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/irregular_loops/instance.h"
#include "bench/support/give_up.h"
#include "bench/support/names.h"
#include "bench/support/quantile.h"
#include "bench/support/samples.h"
#include "bench/support/table.h"

#define LEARNED 10 /* instances after which a schedule should know the loop */
#define AUTO "auto"

static struct names kernels, conditions, variants;

/* An instance, and what it is an instance of: numbers of names. */
struct sample {
    struct instance instance;
    size_t kernel, condition, variant;
};

static struct sample *samples;
static size_t sample_count;

/* What is found out about one variant, kernel and condition; NAN where there is nothing. */
struct figures {
    double first_ns, later_ns, learned_ns;          /* medians of times: of the first instance, from
                                                       the second on, and after LEARNED */
    double first_ratio, later_ratio, learned_ratio; /* medians of time / ideal */
    double all_ratio;                               /* sum of times / sum of ideals */
    double settled_ratio, late_ratio; /* means of time / ideal from SETTLED_FROM on, and in the last
                                         quarter, of a process; medians over rounds */
    double imbalance;                 /* median from the second instance on */
};

/* --- reading ---------------------------------------------------------------------------------- */

static int read_sample(void *sample, FILE *file)
{
    return instance_read(&((struct sample *)sample)->instance, file);
}

static void read_all(void)
{
    samples = samples_read(stdin, sizeof *samples, read_sample, "irregular_loops/program writes",
                           &sample_count);
    for (size_t i = 0; i < sample_count; i++) {
        struct sample *sample = &samples[i];
        sample->kernel = names_add(&kernels, sample->instance.kernel);
        sample->condition = names_add(&conditions, sample->instance.condition);
        sample->variant = names_add(&variants, sample->instance.variant);
    }
}

/* --- figures ---------------------------------------------------------------------------------- */

enum value { WALL, RATIO, IMBALANCE };

static double value_of(const struct instance *instance, enum value value)
{
    return value == WALL    ? instance->wall_ns
           : value == RATIO ? instance->wall_ns / instance->ideal_ns
                            : instance->imbalance;
}

/* The instances of one kernel, condition and variant. */
struct selection {
    size_t count;
    const struct instance **instance;
};

/* The median over instances number `from` to `to` of all rounds. */
static double median_of(const struct selection *selection, enum value value, int from, int to)
{
    double *values = malloc((selection->count + 1) * sizeof *values);
    size_t count = 0;

    if (values == NULL) {
        give_up("no memory");
    }
    for (size_t i = 0; i < selection->count; i++) {
        int number = selection->instance[i]->number;
        if (number >= from && number <= to) {
            values[count++] = value_of(selection->instance[i], value);
        }
    }
    double result = median(values, count);
    free(values);
    return result;
}

static double all_ratio(const struct selection *selection)
{
    double wall_ns = 0, ideal_ns = 0;

    for (size_t i = 0; i < selection->count; i++) {
        wall_ns += selection->instance[i]->wall_ns;
        ideal_ns += selection->instance[i]->ideal_ns;
    }
    return ideal_ns > 0 ? wall_ns / ideal_ns : NAN;
}

/* From which instance on: those before it are for learning in any case. */
#define SETTLED_FROM 3

/* The mean time / ideal of the instances of one round, from number `from` on; NAN: there are none.
 */
static double round_mean(const struct selection *selection, int round, int from)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < selection->count; i++) {
        const struct instance *instance = selection->instance[i];
        if (instance->round == round && instance->number >= from) {
            sum += value_of(instance, RATIO);
            count++;
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

static int last_of(const struct selection *selection, bool round)
{
    int last = 0;

    for (size_t i = 0; i < selection->count; i++) {
        int number = round ? selection->instance[i]->round : selection->instance[i]->number;
        last = number > last ? number : last;
    }
    return last;
}

/* The median over rounds. late: of the last quarter of the instances. */
static double settled_ratio(const struct selection *selection, bool late)
{
    int rounds = last_of(selection, true), last = last_of(selection, false), count = 0;
    double *means = malloc(((size_t)rounds + 1) * sizeof *means);

    if (means == NULL) {
        give_up("no memory");
    }
    for (int round = 1; round <= rounds; round++) {
        double mean = round_mean(selection, round, late ? last * 3 / 4 + 1 : SETTLED_FROM);
        if (!isnan(mean)) {
            means[count++] = mean;
        }
    }
    double result = median(means, (size_t)count);
    free(means);
    return result;
}

static struct selection select_instances(size_t kernel, size_t condition, size_t variant)
{
    struct selection selection = {.instance = malloc(sample_count * sizeof(void *))};

    if (selection.instance == NULL) {
        give_up("no memory");
    }
    for (size_t i = 0; i < sample_count; i++) {
        const struct sample *sample = &samples[i];
        if (sample->variant == variant && sample->kernel == kernel &&
            sample->condition == condition) {
            selection.instance[selection.count++] = &sample->instance;
        }
    }
    return selection;
}

static struct figures figures_of(size_t kernel, size_t condition, size_t variant)
{
    struct selection from = select_instances(kernel, condition, variant);
    const int last = 1 << 30;
    struct figures figures = {
        .first_ns = median_of(&from, WALL, 1, 1),
        .later_ns = median_of(&from, WALL, 2, last),
        .learned_ns = median_of(&from, WALL, LEARNED + 1, last),
        .first_ratio = median_of(&from, RATIO, 1, 1),
        .later_ratio = median_of(&from, RATIO, 2, last),
        .learned_ratio = median_of(&from, RATIO, LEARNED + 1, last),
        .all_ratio = all_ratio(&from),
        .settled_ratio = settled_ratio(&from, false),
        .late_ratio = settled_ratio(&from, true),
        .imbalance = median_of(&from, IMBALANCE, 2, last),
    };

    free(from.instance);
    return figures;
}

/* One kernel under one condition: the figures of each variant, and the best fixed schedules. */
struct result {
    const char *kernel, *condition;
    struct figures figures[NAMES_MAX];
    size_t best_learned, best_all; /* numbers of variants; NAMES_MAX if there is none */
};

static bool is_auto(size_t variant)
{
    return strcmp(variants.name[variant], AUTO) == 0;
}

/* The fixed schedule for which the number at `offset` of its figures is the least. */
static size_t best_of(const struct result *result, size_t offset)
{
    size_t best = NAMES_MAX;
    double least = INFINITY;

    for (size_t v = 0; v < variants.count; v++) {
        double value = *(const double *)((const char *)&result->figures[v] + offset);
        if (!is_auto(v) && value < least) {
            least = value;
            best = v;
        }
    }
    return best;
}

static struct result *result_of(size_t kernel, size_t condition)
{
    struct result *result = malloc(sizeof *result);

    if (result == NULL) {
        give_up("no memory");
    }
    result->kernel = kernels.name[kernel];
    result->condition = conditions.name[condition];
    for (size_t v = 0; v < variants.count; v++) {
        result->figures[v] = figures_of(kernel, condition, v);
    }
    result->best_learned = best_of(result, offsetof(struct figures, learned_ratio));
    result->best_all = best_of(result, offsetof(struct figures, all_ratio));
    return result;
}

static double to_best_learned(const struct result *result, size_t variant)
{
    size_t best = result->best_learned;

    return best == NAMES_MAX
               ? NAN
               : result->figures[variant].learned_ratio / result->figures[best].learned_ratio;
}

static double to_best_all(const struct result *result, size_t variant)
{
    size_t best = result->best_all;

    return best == NAMES_MAX ? NAN
                             : result->figures[variant].all_ratio / result->figures[best].all_ratio;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void print_result(const struct result *result)
{
    static const char *const heading[] = {"variant",   "1 [ms]",   "2.. [ms]",
                                          "11.. [ms]", "1 /ideal", "2../ideal",
                                          "11../best", "imb. %",   "all/best"};
    struct table table = {.columns = sizeof heading / sizeof *heading};

    printf("%s, %s\n", result->kernel, result->condition);
    table_add_row(&table, heading);
    for (size_t v = 0; v < variants.count; v++) {
        const struct figures *figures = &result->figures[v];
        if (isnan(figures->first_ns)) {
            continue;
        }
        table_add(&table, "%s", variants.name[v]);
        table_add_value(&table, "%.3f", figures->first_ns / 1e6);
        table_add_value(&table, "%.3f", figures->later_ns / 1e6);
        table_add_value(&table, "%.3f", figures->learned_ns / 1e6);
        table_add_value(&table, "%.3f", figures->first_ratio);
        table_add_value(&table, "%.3f", figures->later_ratio);
        table_add_value(&table, "%.3f", to_best_learned(result, v));
        table_add_value(&table, "%.1f", figures->imbalance);
        table_add_value(&table, "%.3f", to_best_all(result, v));
    }
    table_print(&table);
    putchar('\n');
}

/* Geometric mean over the kernels of time / ideal from the second instance on. */
static double mean_ratio(struct result *const *results, size_t condition, size_t variant)
{
    double sum = 0;

    for (size_t k = 0; k < kernels.count; k++) {
        sum += log(results[k * conditions.count + condition]->figures[variant].later_ratio);
    }
    return exp(sum / (double)kernels.count);
}

static void print_overview(struct result *const *results)
{
    struct table table = {.columns = 1 + conditions.count};

    puts("All kernels: geometric mean of time / ideal, from the second instance on");
    table_add(&table, "variant");
    for (size_t c = 0; c < conditions.count; c++) {
        table_add(&table, "%s", conditions.name[c]);
    }
    for (size_t v = 0; v < variants.count; v++) {
        table_add(&table, "%s", variants.name[v]);
        for (size_t c = 0; c < conditions.count; c++) {
            table_add_value(&table, "%.3f", mean_ratio(results, c, v));
        }
    }
    table_print(&table);
    putchar('\n');
}

static void print_legend(void)
{
    puts(
        "1 is the first instance, 2.. those from the second and 11.. those after the tenth:\n"
        "medians over all rounds. Ideal is total work over total rate. Best is the fixed schedule\n"
        "with the least time / ideal, of instances 11.. or of the sum over all instances; auto is\n"
        "not among them. Imbalance is (max / mean - 1) x 100 of the times that threads spent in\n"
        "iterations.");
}

/* --- regret ----------------------------------------------------------------------------------- */

/* Over the fixed schedule that is the best under that kernel and condition, in hindsight. */
struct regret {
    double mean, worst;         /* over kernels and conditions */
    const struct result *where; /* the worst one; NULL: nothing is known */
};

static double figure_at(const struct result *result, size_t variant, size_t offset)
{
    return *(const double *)((const char *)&result->figures[variant] + offset);
}

static struct regret regret_of(struct result *const *results, size_t variant, size_t offset)
{
    struct regret regret = {0, NAN, NULL};
    size_t count = 0;

    for (size_t r = 0; r < kernels.count * conditions.count; r++) {
        size_t best = best_of(results[r], offset);
        double over = best < NAMES_MAX ? figure_at(results[r], variant, offset) /
                                             figure_at(results[r], best, offset)
                                       : NAN;
        if (isnan(over)) {
            continue;
        }
        regret.mean += over;
        count++;
        if (regret.where == NULL || over > regret.worst) {
            regret.worst = over;
            regret.where = results[r];
        }
    }
    regret.mean /= (double)count;
    return regret;
}

static void add_regret(struct table *table, const struct regret *regret)
{
    table_add_value(table, "%.3f", regret->mean);
    table_add_value(table, "%.3f", regret->worst);
    table_add(table, "%s", regret->where == NULL ? "-" : regret->where->kernel);
}

/* The fixed schedule whose worst case is the least bad. */
static void print_minimax(struct result *const *results, size_t offset, const char *when)
{
    size_t least = NAMES_MAX;
    double worst = INFINITY;

    for (size_t v = 0; v < variants.count; v++) {
        struct regret regret = regret_of(results, v, offset);
        if (!is_auto(v) && regret.worst < worst) {
            worst = regret.worst;
            least = v;
        }
    }
    if (least < NAMES_MAX) {
        printf("least worst regret %s: %s, %.3f\n", when, variants.name[least], worst);
    }
}

static void print_regret(struct result *const *results)
{
    static const char *const heading[] = {"variant",      "3.. mean",   "worst", "under",
                                          "last quarter", "worst late", "under"};
    struct table table = {.columns = sizeof heading / sizeof *heading};

    puts("Regret: mean time / ideal over that of the best fixed schedule of each loop and "
         "condition,\n"
         "from the third instance on, and in the last quarter of the instances");
    table_add_row(&table, heading);
    for (size_t v = 0; v < variants.count; v++) {
        struct regret settled = regret_of(results, v, offsetof(struct figures, settled_ratio));
        struct regret late = regret_of(results, v, offsetof(struct figures, late_ratio));
        table_add(&table, "%s", variants.name[v]);
        add_regret(&table, &settled);
        add_regret(&table, &late);
    }
    table_print(&table);
    print_minimax(results, offsetof(struct figures, settled_ratio), "from the third on");
    print_minimax(results, offsetof(struct figures, late_ratio), "in the last quarter");
    putchar('\n');
}

/* --- auto ------------------------------------------------------------------------------------- */

static size_t auto_variant(void)
{
    size_t v = 0;

    while (v < variants.count && !is_auto(v)) {
        v++;
    }
    return v;
}

/* The kernel under which auto is furthest from the best; NULL if nothing is known. */
static const struct result *worst_of(struct result *const *results, size_t condition,
                                     double (*ratio)(const struct result *, size_t))
{
    const struct result *worst = NULL;
    size_t v = auto_variant();

    for (size_t k = 0; k < kernels.count; k++) {
        const struct result *result = results[k * conditions.count + condition];
        double value = ratio(result, v);
        if (!isnan(value) && (worst == NULL || value > ratio(worst, v))) {
            worst = result;
        }
    }
    return worst;
}

static void add_worst(struct table *table, const struct result *worst, double value, size_t best)
{
    table_add_value(table, "%.3f", value);
    table_add(table, "%s", worst == NULL ? "-" : worst->kernel);
    table_add(table, "%s", worst == NULL ? "-" : variants.name[best]);
}

static void print_auto(struct result *const *results)
{
    static const char *const heading[] = {"condition", "11../best", "under",     "best there",
                                          "all/best",  "under",     "best there"};
    struct table table = {.columns = sizeof heading / sizeof *heading};
    size_t v = auto_variant();

    puts("auto: the worst kernel of each condition");
    table_add_row(&table, heading);
    for (size_t c = 0; c < conditions.count; c++) {
        const struct result *learned = worst_of(results, c, to_best_learned);
        const struct result *all = worst_of(results, c, to_best_all);
        table_add(&table, "%s", conditions.name[c]);
        add_worst(&table, learned, learned == NULL ? NAN : to_best_learned(learned, v),
                  learned == NULL ? 0 : learned->best_learned);
        add_worst(&table, all, all == NULL ? NAN : to_best_all(all, v),
                  all == NULL ? 0 : all->best_all);
    }
    table_print(&table);
    putchar('\n');
}

/* --- rows and points -------------------------------------------------------------------------- */

static void print_rows(const struct result *result)
{
    char what[3 * INSTANCE_TEXT_MAX];

    snprintf(what, sizeof what, "%s; %s", result->kernel, result->condition);
    for (size_t v = 0; v < variants.count; v++) {
        const struct figures *figures = &result->figures[v];
        const struct {
            const char *metric;
            double value;
            const char *unit;
        } row[] = {
            {"first instance", figures->first_ns / 1e6, "ms"},
            {"instances 2..", figures->later_ns / 1e6, "ms"},
            {"instances 11..", figures->learned_ns / 1e6, "ms"},
            {"first instance to ideal", figures->first_ratio, "1"},
            {"instances 2.. to ideal", figures->later_ratio, "1"},
            {"instances 11.. to ideal", figures->learned_ratio, "1"},
            {"all instances to ideal", figures->all_ratio, "1"},
            {"instances 11.. to best fixed", to_best_learned(result, v), "1"},
            {"all instances to best fixed", to_best_all(result, v), "1"},
            {"instances 3.. mean to ideal", figures->settled_ratio, "1"},
            {"last quarter mean to ideal", figures->late_ratio, "1"},
            {"imbalance", figures->imbalance, "%"},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            csv_row("imbalance", what, variants.name[v], row[i].metric, row[i].value, row[i].unit);
        }
    }
}

static void write_points(struct result *const *results, const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        give_up("the file for the points cannot be written");
    }
    for (size_t r = 0; r < kernels.count * conditions.count; r++) {
        for (size_t v = 0; v < variants.count; v++) {
            double ratio = results[r]->figures[v].later_ratio;
            if (!isnan(ratio)) {
                fprintf(file, "%s\t%s\t%zu\t%s\t%.6g\n", results[r]->condition, variants.name[v],
                        r / conditions.count, results[r]->kernel, ratio);
            }
        }
    }
    if (fclose(file) != 0) {
        give_up("the file for the points cannot be written");
    }
}

/* By kernel, then condition. */
static struct result **all_results(void)
{
    struct result **results = malloc(kernels.count * conditions.count * sizeof *results);

    if (results == NULL) {
        give_up("no memory");
    }
    for (size_t k = 0; k < kernels.count; k++) {
        for (size_t c = 0; c < conditions.count; c++) {
            results[k * conditions.count + c] = result_of(k, c);
        }
    }
    return results;
}

static void print_all(struct result *const *results, bool csv)
{
    if (csv) {
        csv_heading();
    }
    for (size_t r = 0; r < kernels.count * conditions.count; r++) {
        (csv ? print_rows : print_result)(results[r]);
    }
    if (csv) {
        return;
    }
    print_overview(results);
    print_regret(results);
    if (auto_variant() < variants.count) {
        print_auto(results);
    }
    print_legend();
}

int main(int arguments, char **argument)
{
    const char *points = NULL;
    bool csv = false;

    for (int i = 1; i < arguments; i++) {
        if (strcmp(argument[i], "--csv") == 0) {
            csv = true;
        } else if (strcmp(argument[i], "--points") == 0 && i + 1 < arguments) {
            points = argument[++i];
        } else {
            fputs("usage: report [--csv] [--points FILE]\n", stderr);
            return 2;
        }
    }
    read_all();
    struct result **results = all_results();
    print_all(results, csv);
    if (points != NULL) {
        write_points(results, points);
    }
    return 0;
}
