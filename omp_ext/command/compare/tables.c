/* What a session has measured, as tables. */
#include "omp_ext/command/compare/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/compare/combination.h"
#include "omp_ext/command/compare/loop_regret.h"
#include "omp_ext/command/compare/statistics/wording.h"

#define SHARE_LEAST 0.01 /* of loops that are shown */
#define LOOPS_MOST 12
#define RATIO_WIDTH 24

static int width_of_names(const struct keel_session *session)
{
    size_t width = strlen("schedule");

    for (size_t i = 0; i < session->candidates->count; i++) {
        size_t length = strlen(session->candidates->of[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* --- the program --- */

static double spread_percent(const struct keel_standing *standing)
{
    return 100 * (standing->three_s - standing->quarter_s) / standing->median_s;
}

static void print_head(const struct keel_session *session, int width, size_t beside)
{
    char text[KEEL_WORDING_MAX];

    printf("%-*s  runs  median [s]  spread [%%]", width, "schedule");
    snprintf(text, sizeof text, "/ %s", session->candidates->of[0].name);
    printf("  %-*s", RATIO_WIDTH, text);
    if (beside > 0) {
        snprintf(text, sizeof text, "/ %s", session->candidates->of[beside].name);
        printf("  %-*s", RATIO_WIDTH, text);
    }
    printf("  regret [%%]\n");
}

static void print_row(const struct keel_session *session, const struct keel_standing *standing,
                      size_t candidate, size_t beside)
{
    char text[KEEL_WORDING_MAX];

    if (standing->verdict == KEEL_STANDING_NONE) {
        printf("     0           -           -  %-*s", RATIO_WIDTH, "-");
        if (beside > 0) {
            printf("  %-*s", RATIO_WIDTH, "-");
        }
        printf("           -\n");
        return;
    }
    printf("  %4zu  %10.4g  %10.1f", standing->runs, standing->median_s, spread_percent(standing));
    printf("  %-*s", RATIO_WIDTH, keel_wording_ratio(&standing->to_first, text));
    if (beside > 0) {
        struct keel_ratio ratio =
            keel_ratio_of(&session->samples, candidate, beside, &session->sequence);
        printf("  %-*s", RATIO_WIDTH, keel_wording_ratio(&ratio, text));
    }
    printf("  %10.1f\n", 100 * standing->regret);
}

static double ratio_of(const struct keel_standings *standings, size_t candidate)
{
    double ratio = standings->of[candidate].to_first.median;

    return isnan(ratio) ? INFINITY : ratio;
}

/* Candidates in the order of the ratios that are printed, those without one last; how many. */
static size_t sort_rows(const struct keel_session *session, const struct keel_standings *standings,
                        size_t row[KEEL_CANDIDATES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < session->candidates->count; i++) {
        size_t place = session->of[i].same_as == i ? count++ : KEEL_CANDIDATES_MAX;
        for (; place > 0 && place < count &&
               ratio_of(standings, i) < ratio_of(standings, row[place - 1]);
             place--) {
            row[place] = row[place - 1];
        }
        if (place < count) {
            row[place] = i;
        }
    }
    return count;
}

void keel_tables_program(const struct keel_session *session, const struct keel_standings *standings,
                         size_t beside)
{
    int width = width_of_names(session);
    size_t row[KEEL_CANDIDATES_MAX], rows = sort_rows(session, standings, row);

    print_head(session, width, beside);
    for (size_t i = 0; i < rows; i++) {
        printf("%-*s", width, session->candidates->of[row[i]].name);
        print_row(session, &standings->of[row[i]], row[i], beside);
    }
}

/* --- loops --- */

static void print_loop(const struct keel_session *session, const struct keel_loop_regret *regret,
                       size_t candidate)
{
    const struct keel_loop_time *loop = regret->loop;
    size_t best = regret->standings.best, better;
    double gain_s = keel_combination_gain(session, loop, candidate, &better);
    char text[KEEL_WORDING_MAX];

    printf("%s%s%s%s: %.1f %% of the time", loop->place, loop->function[0] != '\0' ? " (" : "",
           loop->function, loop->function[0] != '\0' ? ")" : "", 100 * regret->share);
    if (best == session->candidates->count) {
        printf("\n");
        return;
    }
    printf("; best %s, %.4g s", session->candidates->of[best].name,
           regret->standings.of[best].median_s);
    if (best != candidate) {
        struct keel_ratio ratio =
            keel_ratio_of(&loop->samples, best, candidate, &session->sequence);
        printf(keel_ratio_told(&ratio) ? ", %s than %s" : ", not told apart from%.0s %s",
               keel_wording_of(&ratio, text), session->candidates->of[candidate].name);
    }
    if (gain_s > 0) {
        printf("; %s there would bring %.3g s", session->candidates->of[better].name, gain_s);
    }
    printf("\n");
}

static void print_regrets(const struct keel_session *session,
                          const struct keel_loop_regrets *regrets)
{
    int width = width_of_names(session);
    size_t count = session->candidates->count;
    size_t minimax = keel_loop_regrets_minimax(regrets, count), loop = 0;

    printf("\n%-*s  largest regret over loops [%%]\n", width, "schedule");
    for (size_t i = 0; i < count; i++) {
        double largest = keel_loop_regrets_largest(regrets, i, &loop);
        if (!isnan(largest)) {
            printf("%-*s  %10.1f  at %s%s\n", width, session->candidates->of[i].name, 100 * largest,
                   regrets->of[loop].loop->place, i == minimax ? "  (the smallest)" : "");
        }
    }
}

void keel_tables_loops(const struct keel_session *session, const struct keel_standings *standings,
                       size_t candidate)
{
    struct keel_loop_regrets regrets;

    if (keel_loop_regrets_make(&regrets, session, standings, SHARE_LEAST) && regrets.count > 0) {
        printf("\n");
        for (size_t i = 0; i < regrets.count && i < LOOPS_MOST; i++) {
            print_loop(session, &regrets.of[i], candidate);
        }
        if (regrets.count > LOOPS_MOST) {
            printf("... and %zu more loops\n", regrets.count - LOOPS_MOST);
        }
        if (regrets.count > 1) {
            print_regrets(session, &regrets);
        }
    }
    keel_loop_regrets_free(&regrets);
}
