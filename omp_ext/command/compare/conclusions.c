/* What a session has shown, in words and tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/compare.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

/* --- what is recommended --- */

/* One of libgomp's schedules, or the reference if there is none. */
static bool needs_no_keel(const struct keel_session *session, size_t candidate)
{
    return candidate == 0 || session->of[candidate].kind == KEEL_CANDIDATE_LIBGOMP;
}

/* It has an effect: a schedule of Keel's without a loop has none. */
static bool has_effect(const struct keel_session *session, size_t candidate)
{
    return needs_no_keel(session, candidate) || session->of[candidate].reached ||
           session->of[candidate].kind != KEEL_CANDIDATE_SCHEDULE;
}

/* Of those that may be chosen the fastest; the number of candidates: there is none. */
static size_t fastest(const struct keel_session *session, const struct keel_standings *standings,
                      bool plain)
{
    size_t none = session->count, found = none;

    for (size_t i = 0; i < none; i++) {
        if (standings->of[i].verdict == KEEL_STANDING_NONE || session->of[i].differing > 0 ||
            !has_effect(session, i) || (plain && !needs_no_keel(session, i))) {
            continue;
        }
        if (found == none ||
            standings->of[i].to_first.median < standings->of[found].to_first.median) {
            found = i;
        }
    }
    return found;
}

/* Whether the ratio shows a gain: for sure, perhaps, or not. */
static enum keel_recommendation_kind kind_of(const struct keel_ratio *ratio, double matters)
{
    if (ratio->median > 1 - matters || keel_ratio_alike(ratio, matters)) {
        return KEEL_RECOMMENDATION_NOTHING;
    }
    return ratio->high < 1 ? KEEL_RECOMMENDATION_SURE : KEEL_RECOMMENDATION_UNSURE;
}

/* Another one than the reference has times. */
static bool any_beside(const struct keel_standings *standings, const struct keel_session *session)
{
    for (size_t i = 1; i < session->count; i++) {
        if (standings->of[i].verdict != KEEL_STANDING_NONE) {
            return true;
        }
    }
    return false;
}

static struct keel_recommendation recommend(const struct keel_session *session,
                                            const struct keel_standings *standings)
{
    double matters = session->matters;
    size_t best = fastest(session, standings, false), plain = fastest(session, standings, true);
    struct keel_recommendation recommended = {.candidate = best, .other = plain};

    if (best == session->count || !any_beside(standings, session)) {
        return recommended;
    }
    if (best != plain) {
        recommended.ratio = keel_ratio_of(&session->samples, best, plain, &session->sequence);
        recommended.kind = kind_of(&recommended.ratio, matters);
        if (recommended.kind != KEEL_RECOMMENDATION_NOTHING) {
            return recommended;
        }
    }
    /* what needs no Keel does as well */
    recommended = (struct keel_recommendation){.candidate = plain,
                                               .ratio = standings->of[plain].to_first,
                                               .kind = KEEL_RECOMMENDATION_NOTHING};
    if (plain != 0) {
        recommended.kind = kind_of(&recommended.ratio, matters);
    }
    if (recommended.kind == KEEL_RECOMMENDATION_NOTHING) {
        recommended.candidate = 0;
    }
    return recommended;
}

/* --- words --- */

static const char *name_of(const struct keel_session *session, size_t candidate)
{
    return session->of[candidate].name;
}

/* --- before the rounds --- */

void keel_findings_plan(const struct keel_session *session)
{
    double whole_s = keel_session_expected_s(session);

    keel_message("a run takes about %.2g s: warming up and %u rounds of %zu schedules, the fewest "
                 "that tell them apart, take about %.0f s%s",
                 session->of[0].expected_s, session->sequence.first, session->count, ceil(whole_s),
                 whole_s > session->options.budget_s ? ", for which --budget is too small" : "");
}

/* --- standings --- */

static void tell_best(const struct keel_session *session, const struct keel_standings *standings)
{
    const struct keel_ratio *ratio = &standings->of[standings->best].to_first;
    char text[KEEL_WORDING_MAX];

    printf("the fastest in these rounds is %s", name_of(session, standings->best));
    if (keel_ratio_differs(ratio)) {
        printf(": %s than %s", keel_wording_of(ratio, text), name_of(session, 0));
    }
    printf("\n");
}

/* Those of one verdict in one line. */
static void tell_all(const struct keel_session *session, const struct keel_standings *standings,
                     enum keel_standing_verdict verdict, const char *before, const char *after)
{
    size_t printed = 0;

    for (size_t i = 0; i < session->count; i++) {
        char text[KEEL_WORDING_MAX];
        if (standings->of[i].verdict != verdict) {
            continue;
        }
        printf("%s%s", printed++ == 0 ? before : ", ", name_of(session, i));
        if (verdict == KEEL_STANDING_SLOWER) {
            printf(" %s", keel_wording_of(&standings->of[i].to_best, text));
        }
    }
    if (printed > 0) {
        printf("%s\n", after);
    }
}

/* How long it would take until a difference can be shown. */
static void tell_missing(const struct keel_session *session)
{
    printf("%zu round%s can't tell schedules apart, %u are wanted: about --budget %.0f\n",
           session->rounds, keel_text_plural(session->rounds), session->sequence.first,
           ceil(keel_session_expected_s(session)));
}

static void tell_nothing(const struct keel_session *session, const char *why)
{
    const char *program = session->options.program[0];

    printf("'%s': %s before a round of %zu schedules was over; nothing can be said of them\n",
           program, why, session->count);
    if (session->of[0].expected_s > 0) {
        tell_missing(session);
    }
}

static void tell_standings(const struct keel_session *session,
                           const struct keel_standings *standings)
{
    char after[64], alike[96];

    if (standings->best == session->count) {
        return;
    }
    if (session->rounds < session->sequence.first) {
        tell_missing(session);
    }
    tell_best(session, standings);
    snprintf(after, sizeof after, " cannot be told apart from %s",
             name_of(session, standings->best));
    snprintf(alike, sizeof alike, " differ from %s by less than %g %%",
             name_of(session, standings->best), 100 * session->matters);
    tell_all(session, standings, KEEL_STANDING_OPEN, "", after);
    tell_all(session, standings, KEEL_STANDING_ALIKE, "", alike);
    snprintf(after, sizeof after, "than %s: ", name_of(session, standings->best));
    tell_all(session, standings, KEEL_STANDING_SLOWER, after, "");
}

/* --- troubles --- */

static void tell_difference(const struct keel_session *session, size_t candidate)
{
    const struct keel_candidate *of = &session->of[candidate];
    const struct keel_difference *first = &of->difference.difference;

    printf("output differs under %s (%zu run%s): %s line %llu: '%s' instead of '%s'\n",
           name_of(session, candidate), of->differing, keel_text_plural(of->differing),
           keel_results_name(&session->options.results, of->difference.file),
           (unsigned long long)first->line, first->got, first->wanted);
}

static void tell_unsteady(const struct keel_session *session)
{
    const struct keel_results *results = &session->options.results;
    const struct keel_difference *first = &session->variation.difference;

    if (!session->unsteady) {
        return;
    }
    printf("numbers that vary by themselves, from run to run of %s%s, as in %s line %llu: '%s' and "
           "'%s'\n",
           name_of(session, 0), session->incomparable ? ", in too many lines to compare any" : "",
           keel_results_name(results, session->variation.file), (unsigned long long)first->line,
           first->wanted, first->got);
    if (!session->incomparable) {
        keel_results_print_left_out(results);
    }
}

static void tell_unseen(const struct keel_session *session)
{
    const char *program = session->options.program[0];

    if (!keel_unseen_explain(program, 0, "")) {
        printf("no loop of '%s' came to Keel, so that its schedules change nothing: %s\n", program,
               keel_unseen_remedy(program));
    }
}

static void tell_troubles(const struct keel_session *session)
{
    bool differs = false;

    tell_unsteady(session);
    for (size_t i = 0; i < session->count; i++) {
        const struct keel_candidate *of = &session->of[i];
        if (of->failure[0] != '\0') {
            printf("'%s' %s under %s\n", session->options.program[0], of->failure,
                   name_of(session, i));
        }
        if (of->differing > 0) {
            tell_difference(session, i);
            differs = true;
        }
    }
    if (differs) {
        printf("  a loop may rely on who runs what: `keel check` names it; where sums are only "
               "rounded otherwise, --tolerance 1e-9; for times, --ignore REGEX; none of these is "
               "advised below\n");
    }
}

/* --- advice --- */

/* Quoted for a shell where it has to be. */
static void print_setting(const char *name, const char *value)
{
    if (value == NULL) {
        return;
    }
    printf(" %s=", name);
    if (strpbrk(value, " \t\n;&|<>()$\"'\\`*?[#~!") == NULL) {
        printf("%s", value);
        return;
    }
    putchar('\'');
    for (; *value != '\0'; value++) {
        printf(*value == '\'' ? "'\\''" : "%c", *value);
    }
    putchar('\'');
}

/* A program with shared loops or rows has Keel's libraries already; libgomp's schedules need
 * none. */
static void print_line(const struct keel_session *session, const struct keel_candidate *candidate)
{
    bool preloads = candidate->kind == KEEL_CANDIDATE_SCHEDULE;
    bool off = candidate->kind == KEEL_CANDIDATE_LIBGOMP && getenv("KEEL_SCHEDULE") != NULL;
    struct keel_installed library;

    printf("export");
    print_setting("LD_PRELOAD", preloads ? session->preload : NULL);
    print_setting("OMP_NUM_THREADS", session->options.threads);
    print_setting("KEEL_SCHEDULE", off ? "libgomp" : NULL);
    print_setting(candidate->variable, candidate->value);
    printf("\n");
    if (keel_session_is_mpirun(session)) {
        printf("  (mpirun passes them on with -x NAME for each)\n");
    }
    if (preloads && keel_installation_has(KEEL_PART_LIBRARY, "", &library)) {
        fflush(stdout);
        keel_installation_say_if_bazels(&library);
    }
}

/* No candidate is better than the reference. */
static void tell_no_gain(const struct keel_session *session, const struct keel_standings *standings)
{
    if (keel_standings_settled(standings, &session->samples)) {
        printf("nothing is to gain over %s\n", name_of(session, 0));
    } else {
        printf("no gain over %s was seen in %zu round%s\n", name_of(session, 0), session->rounds,
               keel_text_plural(session->rounds));
    }
}

static void tell_advice(const struct keel_session *session, const struct keel_standings *standings,
                        const struct keel_recommendation *recommendation)
{
    const struct keel_candidate *candidate = &session->of[recommendation->candidate];
    char text[KEEL_WORDING_MAX];

    if (recommendation->kind == KEEL_RECOMMENDATION_NONE) {
        return;
    }
    printf("\n");
    if (recommendation->kind == KEEL_RECOMMENDATION_NOTHING) {
        tell_no_gain(session, standings);
        return;
    }
    if (candidate->kind == KEEL_CANDIDATE_LIBGOMP) {
        printf("no schedule of Keel's is %g %% faster than %s, which needs no Keel\n",
               100 * session->matters, candidate->name);
    }
    keel_wording_of(&recommendation->ratio, text);
    if (recommendation->kind == KEEL_RECOMMENDATION_UNSURE) {
        printf("not certain: %s is %s than %s so far\n", candidate->name, text,
               name_of(session, recommendation->other));
    } else {
        printf("%s is %s than %s:\n", candidate->name, text,
               name_of(session, recommendation->other));
        print_line(session, candidate);
    }
}

/* --- tables --- */

#define SHARE_LEAST 0.01 /* of loops that are shown */
#define LOOPS_MOST 12
#define RATIO_WIDTH 24

static int width_of_names(const struct keel_session *session)
{
    size_t width = strlen("schedule");

    for (size_t i = 0; i < session->count; i++) {
        size_t length = strlen(session->of[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_row(const struct keel_standing *standing)
{
    char text[KEEL_WORDING_MAX];

    if (standing->verdict == KEEL_STANDING_NONE) {
        printf("     0           -           -  %-*s           -\n", RATIO_WIDTH, "-");
        return;
    }
    printf("  %4zu  %10.4g  %10.1f  %-*s  %10.1f\n", standing->runs, standing->median_s,
           100 * (standing->three_s - standing->quarter_s) / standing->median_s, RATIO_WIDTH,
           keel_wording_ratio(&standing->to_first, text), 100 * standing->regret);
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

    for (size_t i = 0; i < session->count; i++) {
        size_t place = count++;
        for (; place > 0 && ratio_of(standings, i) < ratio_of(standings, row[place - 1]); place--) {
            row[place] = row[place - 1];
        }
        row[place] = i;
    }
    return count;
}

static void print_table(const struct keel_session *session, const struct keel_standings *standings)
{
    int width = width_of_names(session);
    size_t row[KEEL_CANDIDATES_MAX], rows = sort_rows(session, standings, row);
    char title[KEEL_WORDING_MAX];

    snprintf(title, sizeof title, "/ %s", name_of(session, 0));
    printf("%-*s  runs  median [s]  spread [%%]  %-*s  regret [%%]\n", width, "schedule",
           RATIO_WIDTH, title);
    for (size_t i = 0; i < rows; i++) {
        printf("%-*s", width, name_of(session, row[i]));
        print_row(&standings->of[row[i]]);
    }
}

/* --- loops --- */

static void print_loop(const struct keel_session *session, const struct keel_loop_standings *own,
                       size_t candidate)
{
    const struct keel_loop_time *loop = own->loop;
    size_t best = own->standings.best;
    char text[KEEL_WORDING_MAX];

    printf("%s%s%s%s: %.1f %% of the time", loop->place, loop->function[0] != '\0' ? " (" : "",
           loop->function, loop->function[0] != '\0' ? ")" : "", 100 * own->share);
    if (best < session->count) {
        printf("; best %s, %.4g s", session->of[best].name, own->standings.of[best].median_s);
    }
    if (best < session->count && best != candidate) {
        struct keel_ratio ratio =
            keel_ratio_of(&loop->samples, best, candidate, &session->sequence);
        printf(keel_ratio_differs(&ratio) ? ", %s than %s" : ", not told apart from%.0s %s",
               keel_wording_of(&ratio, text), session->of[candidate].name);
    }
    printf("\n");
}

static void tell_loops(const struct keel_session *session, const struct keel_standings *standings,
                       size_t candidate)
{
    struct keel_loop_standings *list;
    size_t count = keel_loop_standings_make(&list, session, standings, SHARE_LEAST);

    for (size_t i = 0; i < count && i < LOOPS_MOST; i++) {
        fputs(i == 0 ? "\n" : "", stdout);
        print_loop(session, &list[i], candidate);
    }
    if (count > LOOPS_MOST) {
        printf("... and %zu more loops\n", count - LOOPS_MOST);
    }
}

/* --- the whole --- */

static const char *why(enum keel_session_end end)
{
    static const char *const reason[] = {
        [KEEL_SESSION_SETTLED] = "all differences that matter are told apart",
        [KEEL_SESSION_BUDGET] = "the budget is used up",
        [KEEL_SESSION_ROUNDS] = "the last round is over",
        [KEEL_SESSION_SIGNAL] = "interrupted",
        [KEEL_SESSION_ALONE] = "there is nothing left to compare with",
        [KEEL_SESSION_UNSEEN] = "no loop came to Keel",
        [KEEL_SESSION_REFERENCE] = "the reference has failed",
        [KEEL_SESSION_NOT_BEGUN] = "it cannot be run any more",
    };

    return reason[end];
}

static void print_first_line(const struct keel_session *session, enum keel_session_end end)
{
    printf("'%s': %zu round%s of %zu schedules in random order, seed %llu; %s\n\n",
           session->options.program[0], session->rounds, keel_text_plural(session->rounds),
           session->count, (unsigned long long)session->options.seed, why(end));
}

static void print_all(const struct keel_session *session, const struct keel_standings *standings,
                      const struct keel_recommendation *recommendation, enum keel_session_end end)
{
    bool any = recommendation->kind != KEEL_RECOMMENDATION_NONE;

    if (end == KEEL_SESSION_UNSEEN) {
        tell_unseen(session);
    } else if (session->rounds == 0) {
        tell_nothing(session, why(end));
    }
    if (session->rounds == 0) {
        tell_troubles(session);
        return;
    }
    print_first_line(session, end);
    print_table(session, standings);
    printf("\n");
    tell_standings(session, standings);
    tell_troubles(session);
    if (any) {
        tell_loops(session, standings, recommendation->candidate);
    }
    tell_advice(session, standings, recommendation);
}

int keel_comparison_print(const struct keel_session *session, enum keel_session_end end,
                          const char *json)
{
    struct keel_standings standings;
    struct keel_recommendation recommendation = {.kind = KEEL_RECOMMENDATION_NONE};

    keel_standings_make(&standings, &session->samples, &session->sequence, session->matters);
    if (session->rounds > 0) {
        recommendation = recommend(session, &standings);
    }
    print_all(session, &standings, &recommendation, end);
    bool written =
        json == NULL || keel_compare_json_write(json, session, &standings, &recommendation);
    return !written                                          ? KEEL_EXIT_MISSING
           : end == KEEL_SESSION_REFERENCE                   ? KEEL_COMPARE_UNKNOWN
           : recommendation.kind != KEEL_RECOMMENDATION_NONE ? 0
           : end == KEEL_SESSION_BUDGET                      ? KEEL_COMPARE_NO_ROUND
                                                             : KEEL_COMPARE_UNKNOWN;
}
