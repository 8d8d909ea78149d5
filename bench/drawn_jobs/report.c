/* Reads what bench/follow has simulated from standard input, see runs.h, and prints how one policy
 * compares with the others: report JUDGED [--csv]; tables, or with --csv rows. Exit status: 0: all
 * bars are met; 1: one is missed, or a run failed or was wrong; 2: input that is not understood. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/drawn_jobs/runs.h"
#include "bench/support/quantile.h"
#include "bench/support/table.h"

#define PAPER "paper"
#define STAY "stay"
#define LOCK_OUT_MOST 1.03 /* named cases: over the paper's method */
#define WORST_SHOWN 8

/* A comparison of all drawn cases: the judged policy's time over another's. */
struct ratios {
    const char *over; /* a policy; BEST: the best of all others, case by case */
    size_t count;
    double *ratio; /* sorted with their cases, the worst one first */
    const struct runs_case **of;
};

#define BEST "the best of the others, per case"

/* Bars: which comparison, which quantile (2: the mean), at most. */
static const struct {
    const char *over;
    double quantile, most;
} bar[] = {
    {BEST, 2, 1.00}, {BEST, 0.95, 1.03}, {BEST, 1, 1.06},  {STAY, 0.99, 1.02},
    {STAY, 1, 1.04}, {PAPER, 2, 0.97},   {PAPER, 1, 1.04},
};
#define BARS (sizeof bar / sizeof *bar)
#define MEAN 2

static void *room(size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);

    if (memory == NULL) {
        fputs("keel: no memory for a report\n", stderr);
        exit(2);
    }
    return memory;
}

/* --- comparisons --- */

/* Of all policies but the judged one; -1: one of them has no time. */
static int best_other(const struct runs *runs, const struct runs_case *one)
{
    int best = -1;

    for (int i = 0; i < (int)runs->policies; i++) {
        if (i != runs->judged && isnan(one->time_s[i])) {
            return -1;
        }
        if (i != runs->judged && (best < 0 || one->time_s[i] < one->time_s[best])) {
            best = i;
        }
    }
    return best;
}

/* NAN: there is no such figure. */
static double ratio_of(const struct runs *runs, const struct runs_case *one, const char *over)
{
    int other = strcmp(over, BEST) == 0 ? best_other(runs, one) : runs_policy(runs, over);

    return runs->judged < 0 || other < 0 ? NAN : one->time_s[runs->judged] / one->time_s[other];
}

static struct ratios compare(const struct runs *runs, const char *over)
{
    struct ratios ratios = {.over = over,
                            .ratio = room(runs->cases * sizeof *ratios.ratio),
                            .of = room(runs->cases * sizeof *ratios.of)};

    for (size_t i = 0; i < runs->cases; i++) {
        const struct runs_case *one = &runs->the_case[i];
        double ratio = ratio_of(runs, one, over);
        if (isnan(ratio) || !runs_case_is_drawn(one)) {
            continue;
        }
        size_t place = ratios.count++;
        for (; place > 0 && ratios.ratio[place - 1] < ratio; place--) {
            ratios.ratio[place] = ratios.ratio[place - 1];
            ratios.of[place] = ratios.of[place - 1];
        }
        ratios.ratio[place] = ratio;
        ratios.of[place] = one;
    }
    return ratios;
}

static void ratios_free(struct ratios *ratios)
{
    free(ratios->ratio);
    free(ratios->of);
}

static double statistic(const struct ratios *ratios, double which)
{
    double sum = 0;

    if (which != MEAN) {
        return quantile(ratios->ratio, ratios->count, which);
    }
    for (size_t i = 0; i < ratios->count; i++) {
        sum += ratios->ratio[i];
    }
    return sum / (double)ratios->count;
}

/* --- distributions --- */

static const double shown[] = {MEAN, 0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1};
static const char *const shown_name[] = {"mean", "least", "5 %",  "25 %", "50 %",
                                         "75 %", "95 %",  "99 %", "worst"};
#define SHOWN (sizeof shown / sizeof *shown)

static void add_distribution(struct table *table, const struct ratios *ratios)
{
    table_add(table, "%s", ratios->over);
    for (size_t i = 0; i < SHOWN; i++) {
        table_add_value(table, "%.3f", statistic(ratios, shown[i]));
    }
    table_add(table, "%s", ratios->of[0]->name);
}

static void csv_distribution(const struct ratios *ratios)
{
    for (size_t i = 0; i < SHOWN; i++) {
        csv_row("follow", "drawn", ratios->over, shown_name[i], statistic(ratios, shown[i]), "1");
    }
}

static void print_distributions(const struct runs *runs, bool csv)
{
    struct table table = {.columns = SHOWN + 2};
    size_t count = 0;

    table_add(&table, "time of %s over that of", runs->policy[runs->judged]);
    for (size_t i = 0; i < SHOWN; i++) {
        table_add(&table, "%s", shown_name[i]);
    }
    table_add(&table, "case");
    for (int i = -1; i < (int)runs->policies; i++) {
        struct ratios ratios = compare(runs, i < 0 ? BEST : runs->policy[i]);
        if (ratios.count > 0 && i != runs->judged) {
            csv ? csv_distribution(&ratios) : add_distribution(&table, &ratios);
            count = ratios.count > count ? ratios.count : count;
        }
        ratios_free(&ratios);
    }
    if (!csv && count > 0) {
        printf("\n%zu cases drawn\n", count);
        table_print(&table);
    }
    table_empty(&table);
}

/* How often each of the others was the best. */
static void print_best(const struct runs *runs)
{
    size_t times[RUNS_POLICIES_MAX] = {0};

    for (size_t i = 0; i < runs->cases; i++) {
        int best = best_other(runs, &runs->the_case[i]);
        if (best >= 0 && runs_case_is_drawn(&runs->the_case[i])) {
            times[best]++;
        }
    }
    printf("best of the others:");
    for (size_t i = 0; i < runs->policies; i++) {
        if ((int)i != runs->judged) {
            printf(" %s %zu", runs->policy[i], times[i]);
        }
    }
    puts("");
}

static void print_worst(const struct runs *runs)
{
    struct ratios ratios = compare(runs, BEST);

    if (ratios.count > 0) {
        print_best(runs);
        puts("\nfarthest behind the best of the others:");
    }
    for (size_t i = 0; i < ratios.count && i < WORST_SHOWN; i++) {
        const struct runs_case *one = ratios.of[i];
        int best = best_other(runs, one);
        printf("%.3f of %s  --case %s: %s\n", ratios.ratio[i], runs->policy[best], one->name,
               one->text);
    }
    ratios_free(&ratios);
}

/* --- bars --- */

/* "met", or by how much it is missed. */
static void add_bar(struct table *table, struct bars *bars, const char *what, double value,
                    double limit, bool at_most)
{
    bool held = at_most ? value <= limit : value >= limit;

    table_add(table, "%s", what);
    table_add(table, "%s %.2f", at_most ? "at most" : "at least", limit);
    table_add(table, "%.3f", value);
    table_add(table, held ? "met" : "missed by %.3f", fabs(value - limit));
    bars->count++;
    bars->held += held;
}

static void add_drawn_bars(struct table *table, struct bars *bars, const struct runs *runs)
{
    for (size_t i = 0; i < BARS; i++) {
        struct ratios ratios = compare(runs, bar[i].over);
        char what[128], quantile_name[16];
        snprintf(quantile_name, sizeof quantile_name, "%.0f %%", 100 * bar[i].quantile);
        snprintf(what, sizeof what, "over %s: %s", bar[i].over,
                 bar[i].quantile == MEAN ? "mean"
                 : bar[i].quantile == 1  ? "worst"
                                         : quantile_name);
        if (ratios.count > 0) {
            add_bar(table, bars, what, statistic(&ratios, bar[i].quantile), bar[i].most, true);
        }
        ratios_free(&ratios);
    }
}

static void add_named_bars(struct table *table, struct bars *bars, const struct runs *runs)
{
    char what[128];

    for (size_t i = 0; i < runs->cases; i++) {
        const struct runs_case *one = &runs->the_case[i];
        double ratio = ratio_of(runs, one, PAPER);
        if (!runs_case_is_drawn(one) && !isnan(ratio)) {
            snprintf(what, sizeof what, "%s: over paper", one->name);
            add_bar(table, bars, what, ratio, LOCK_OUT_MOST, true);
        }
    }
    for (size_t i = 0; i < runs->bars; i++) {
        const struct runs_bar *one = &runs->bar[i];
        if (strcmp(one->policy, runs->policy[runs->judged]) == 0) {
            snprintf(what, sizeof what, "%s: efficiency", one->name);
            add_bar(table, bars, what, one->efficiency, one->limit, false);
        }
    }
}

static struct bars judge(const struct runs *runs, bool csv)
{
    struct table table = {.columns = 4};
    struct bars bars = {0};

    table_add(&table, "bar");
    table_add(&table, "limit");
    table_add(&table, "is");
    table_add(&table, "met?");
    add_drawn_bars(&table, &bars, runs);
    add_named_bars(&table, &bars, runs);
    for (size_t i = 4; csv && i < table.cells; i += 4) {
        csv_row("follow", "bar", table.cell[i], table.cell[i + 1], atof(table.cell[i + 2]), "1");
    }
    if (csv || bars.count == 0) {
        table_empty(&table);
        return bars;
    }
    puts("");
    table_print(&table);
    printf("\n%u of %u bars are met.\n", bars.held, bars.count);
    return bars;
}

/* --- single cases --- */

static void print_named(const struct runs *runs)
{
    struct table table = {.columns = runs->policies + 1};
    size_t count = 0;

    table_add(&table, "simulated time, s");
    for (size_t i = 0; i < runs->policies; i++) {
        table_add(&table, "%s", runs->policy[i]);
    }
    for (size_t i = 0; i < runs->cases; i++) {
        const struct runs_case *one = &runs->the_case[i];
        if (runs_case_is_drawn(one) && runs->cases > 1) {
            continue;
        }
        count++;
        table_add(&table, "%s", one->name);
        for (size_t policy = 0; policy < runs->policies; policy++) {
            table_add_value(&table, "%.2f", one->time_s[policy]);
        }
    }
    if (count > 0) {
        puts("");
        table_print(&table);
    }
}

static void csv_times(const struct runs *runs)
{
    for (size_t i = 0; i < runs->cases; i++) {
        for (size_t policy = 0; policy < runs->policies; policy++) {
            csv_row("follow", runs->the_case[i].name, runs->policy[policy], "time",
                    runs->the_case[i].time_s[policy], "s");
        }
    }
}

static void print_effort(const struct runs *runs)
{
    printf("\n%zu runs, %.2f s of processor time each, %.0f s in all.\n", runs->runs,
           runs->runs > 0 ? runs->seconds / (double)runs->runs : 0, runs->seconds);
    if (runs->failed > 0) {
        printf("%zu runs FAILED.\n", runs->failed);
    }
    if (runs->wrong > 0) {
        printf("%zu runs computed rows MORE OR LESS OFTEN than they had to.\n", runs->wrong);
    }
}

/* Whether all bars are met and no run was wrong. */
static bool report(const struct runs *runs, bool csv)
{
    if (csv) {
        csv_heading();
        csv_times(runs);
        print_distributions(runs, true);
    } else {
        print_named(runs);
        print_distributions(runs, false);
        print_worst(runs);
    }
    struct bars bars = judge(runs, csv);
    if (!csv) {
        print_effort(runs);
    }
    return bars.held == bars.count && runs->failed == 0 && runs->wrong == 0;
}

int main(int argc, char **argv)
{
    bool csv = argc == 3 && strcmp(argv[2], "--csv") == 0;
    struct runs runs;
    int status = 2;

    if (argc != 2 + csv) {
        return status;
    }
    if (runs_read(&runs, stdin)) {
        runs.judged = runs_policy(&runs, argv[1]);
        if (runs.judged < 0) {
            fprintf(stderr, "keel: bench/follow: nothing was simulated under %s\n", argv[1]);
        } else {
            status = report(&runs, csv) ? 0 : 1;
        }
    }
    runs_free(&runs);
    return status;
}
