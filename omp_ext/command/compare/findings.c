/* What a session has shown, in words. */
#include "omp_ext/command/compare/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/compare/statistics/wording.h"
#include "omp_ext/command/parts/installation.h"
#include "omp_ext/command/programs/unseen.h"
#include "omp_ext/support/message.h"

#define BUDGET_SPARE 1.4 /* times the runs: what is between them, and a fifth is kept for trying */

static const char *name_of(const struct keel_session *session, size_t candidate)
{
    return session->candidates->of[candidate].name;
}

/* --- before the rounds --- */

/* Options of a comparison of the reference and the last candidate. */
static void take_smaller(const struct keel_session *session, char *text, size_t size)
{
    const struct keel_candidate *of = session->candidates->of;
    const struct keel_candidate *last = &of[session->candidates->count - 1];
    const struct {
        const char *option, *first, *last;
    } list[] = {
        {"--libgomp", of->libgomp ? of->omp : NULL, last->libgomp ? last->omp : NULL},
        {"-s", of->libgomp ? NULL : of->schedule, last->libgomp ? NULL : last->schedule},
        {"-m", of->sharing, last->sharing},
        {"-b", of->balance, last->balance},
    };
    size_t length = 0;

    for (size_t i = 0; i < sizeof list / sizeof list[0] && length < size; i++) {
        const char *first = list[i].first != NULL ? list[i].first : list[i].last;
        bool both = first != NULL && list[i].last != NULL && strcmp(first, list[i].last) != 0;
        if (first != NULL) {
            length += (size_t)snprintf(text + length, size - length, "%s%s '%s%s%s'",
                                       length > 0 ? " " : "", list[i].option, first,
                                       both ? " " : "", both ? list[i].last : "");
        }
    }
}

void keel_findings_plan(const struct keel_session *session)
{
    size_t count = session->candidates->count;
    double budget_s = session->request->budget_s;
    unsigned rounds, fewer;
    double whole_s = keel_session_expected_s(session, count, &rounds);
    double two_s = keel_session_expected_s(session, 2, &fewer);
    char smaller[1024] = "";

    keel_message("a run takes about %.2g s: warming up and %u rounds of %zu schedules, the fewest "
                 "that tell them apart, take about %.0f s%s",
                 session->of[0].expected_s, rounds, count, ceil(whole_s),
                 whole_s > budget_s ? ", for which --budget is too small" : "");
    if (count > 2) {
        take_smaller(session, smaller, sizeof smaller);
        keel_message("a smaller comparison, of two: %s: %u rounds, about %.0f s", smaller, fewer,
                     ceil(two_s));
    }
}

/* --- standings --- */

static void tell_best(const struct keel_session *session, const struct keel_standings *standings,
                      const struct keel_recommendation *recommendation)
{
    char text[KEEL_WORDING_MAX];
    size_t best = standings->best, beside = recommendation->beside;

    printf("the fastest in these rounds is %s", name_of(session, best));
    if (keel_ratio_told(&standings->of[best].to_first)) {
        printf(": %s than %s", keel_wording_of(&standings->of[best].to_first, text),
               name_of(session, 0));
    }
    if (beside < session->candidates->count && beside != 0 && beside != best) {
        struct keel_ratio ratio =
            keel_ratio_of(&session->samples, best, beside, &session->sequence);
        if (keel_ratio_told(&ratio)) {
            printf(", %s than %s", keel_wording_of(&ratio, text), name_of(session, beside));
        }
    }
    printf("\n");
}

/* Those of one verdict in one line. */
static void tell_all(const struct keel_session *session, const struct keel_standings *standings,
                     enum keel_standing_verdict verdict, const char *before, const char *after)
{
    size_t told = 0;

    for (size_t i = 0; i < session->candidates->count; i++) {
        char text[KEEL_WORDING_MAX];
        if (standings->of[i].verdict != verdict) {
            continue;
        }
        printf("%s%s", told++ == 0 ? before : ", ", name_of(session, i));
        if (verdict == KEEL_STANDING_SLOWER) {
            printf(" %s", keel_wording_of(&standings->of[i].to_best, text));
        }
    }
    if (told > 0) {
        printf("%s\n", after);
    }
}

/* How long it would take until anything can be told. */
static void tell_missing(const struct keel_session *session)
{
    double round_s = 0;

    for (size_t i = 0; i < session->candidates->count; i++) {
        double known_s = session->of[i].expected_s;
        if (keel_session_runs(session, i)) {
            round_s += known_s > 0 ? known_s : session->of[0].expected_s;
        }
    }
    printf("%zu round%s can't tell schedules apart, %u are wanted: about --budget %.0f\n",
           session->rounds, session->rounds == 1 ? "" : "s", session->sequence.first,
           ceil(BUDGET_SPARE * round_s * (session->sequence.first + 2)));
}

void keel_findings_nothing(const struct keel_session *session, const char *why)
{
    const char *program = session->setup->launch.program[0];

    if (keel_session_different(session) == 1) {
        printf("'%s': nothing that is compared here changes anything: all of it is %s over again\n",
               program, name_of(session, 0));
        return;
    }
    printf("'%s': %s before a round of %zu schedules was over; nothing can be said of them\n",
           program, why, keel_session_different(session));
    if (session->of[0].expected_s > 0) {
        tell_missing(session);
    }
}

void keel_findings_standings(const struct keel_session *session,
                             const struct keel_standings *standings)
{
    struct keel_recommendation recommendation = keel_recommendation_of(session, standings);
    char after[64], alike[96];

    if (standings->best == session->candidates->count) {
        return;
    }
    if (session->rounds < session->sequence.first) {
        tell_missing(session);
    }
    tell_best(session, standings, &recommendation);
    snprintf(after, sizeof after, " cannot be told apart from %s",
             name_of(session, standings->best));
    snprintf(alike, sizeof alike, " differ from %s by less than %g %%",
             name_of(session, standings->best), 100 * session->request->matters);
    tell_all(session, standings, KEEL_STANDING_OPEN, "", after);
    tell_all(session, standings, KEEL_STANDING_ALIKE, "", alike);
    snprintf(after, sizeof after, "than %s: ", name_of(session, standings->best));
    tell_all(session, standings, KEEL_STANDING_SLOWER, after, "");
}

/* --- troubles --- */

static void tell_difference(const struct keel_session *session, size_t candidate)
{
    const struct keel_session_candidate *of = &session->of[candidate];
    const struct keel_results_difference *difference =
        of->varies ? &of->variation : &of->difference;

    printf("output %s under %s (%zu run%s): %s line %llu: '%s' %s '%s'%s%s\n",
           of->varies ? "differs from run to run" : "differs", name_of(session, candidate),
           of->differing, of->differing == 1 ? "" : "s",
           keel_results_name(session->setup->results, difference->file),
           (unsigned long long)difference->difference.line, difference->difference.got,
           of->varies ? "and" : "instead of", difference->difference.wanted,
           of->varies ? ", not under " : "", of->varies ? name_of(session, 0) : "");
}

static void tell_unsteady(const struct keel_session *session)
{
    const struct keel_results *results = session->setup->results;
    const struct keel_difference *first = &session->variation.difference;

    if (!session->unsteady) {
        return;
    }
    printf("numbers that vary by themselves, from run to run of %s%s, as in %s line %llu: '%s' and "
           "'%s'\n",
           name_of(session, 0), session->incomparable ? ", in too many lines to compare any" : "",
           keel_results_name(results, session->variation.file), (unsigned long long)first->line,
           first->wanted, first->got);
    for (size_t i = 0; !session->incomparable && i <= results->outputs; i++) {
        const struct keel_left_out *left_out = &results->left_out[i];
        for (size_t j = 0; j < left_out->count && j < 10; j++) {
            printf("%s%llu", j == 0 ? "  not compared: line " : ", ",
                   (unsigned long long)left_out->line[j]);
        }
        if (left_out->count > 0) {
            printf("%s of %s\n", left_out->count > 10 ? ", ..." : "",
                   keel_results_name(results, i));
        }
    }
}

/* Where no loop came to Keel, its schedules change nothing. */
static void tell_unseen(const struct keel_session *session)
{
    const struct keel_launch *launch = &session->setup->launch;
    const char *program = launch->program[0];
    bool any = false, reached = false;

    for (size_t i = 0; i < session->candidates->count; i++) {
        const struct keel_candidate *candidate = &session->candidates->of[i];
        any |= candidate->schedule != NULL && !candidate->libgomp && session->of[i].warm;
        reached |= session->of[i].reached;
    }
    if (any && !reached && (launch->ranks > 0 || !keel_launch_is_mpirun(launch))) {
        if (!keel_unseen_explain(program, 0, "")) {
            const char *runtime = keel_unseen_runtime(program);
            printf("no loop of '%s' came to Keel, so that its schedules change nothing: %s\n",
                   program, runtime[0] != '\0' ? runtime : keel_unseen_remedy(program));
        }
    } else if (any && !reached) {
        printf(
            "no loop came to Keel in ranks of this machine, so that its schedules change "
            "nothing there; compile it with schedule(runtime) clauses or with the flags of `keel "
            "cflags`\n");
    }
}

/* Candidates that stand for others. */
static void tell_same(const struct keel_session *session)
{
    for (size_t i = 0; i < session->candidates->count; i++) {
        size_t same = 0;
        for (size_t k = i + 1; k < session->candidates->count; k++) {
            if (session->of[k].same_as == i) {
                printf("%s%s", same++ > 0 ? ", " : "", name_of(session, k));
            }
        }
        if (same > 0) {
            printf(" %s what %s does: no loop runs otherwise; %s run once for all\n",
                   same == 1 ? "does" : "do", name_of(session, i),
                   same == 1 ? "both are" : "they are");
        }
    }
}

void keel_findings_troubles(const struct keel_session *session)
{
    bool differs = false;

    tell_unseen(session);
    tell_same(session);
    tell_unsteady(session);
    for (size_t i = 0; i < session->candidates->count; i++) {
        const struct keel_session_candidate *of = &session->of[i];
        if (of->failure[0] != '\0') {
            printf("'%s' %s under %s\n", session->setup->launch.program[0], of->failure,
                   name_of(session, i));
        } else if (of->given_up) {
            printf("%s is far behind in each round; it was not run to the end\n",
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

/* Behind a line that leads there. */
static void say_if_it_goes_away(void)
{
    struct keel_installed library;

    if (keel_installation_has(KEEL_PART_LIBRARY, "", &library)) {
        fflush(stdout);
        keel_installation_say_if_bazels(&library);
    }
}

/* The very settings that it was tried with. */
static void print_line(const struct keel_session *session, const struct keel_candidate *candidate)
{
    struct keel_launch launch = session->setup->launch;
    struct keel_launch_settings settings;
    bool leads_to_keel = false;

    launch.as_printed = true;
    if (keel_launch_settings(&settings, &launch, candidate)) {
        printf("export");
        for (size_t i = 0; i < settings.count; i++) {
            char *value = strchr(settings.of[i], '=') + 1;
            bool plain = strpbrk(value, " ;()$\"'\\`") == NULL;
            printf(plain ? " %.*s%s" : " %.*s\"%s\"", (int)(value - settings.of[i]), settings.of[i],
                   value);
            leads_to_keel |= strncmp(settings.of[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) == 0;
        }
        printf("\n");
    }
    keel_launch_settings_free(&settings);
    if (keel_launch_is_mpirun(&launch)) {
        printf("  (mpirun passes them on with -x NAME for each)\n");
    }
    if (leads_to_keel) {
        say_if_it_goes_away();
    }
}

/* What a schedule for each loop has shown. */
static void tell_combination(const struct keel_combination *combination, const char *name)
{
    const struct keel_pair_trial *tried = &combination->tried;
    char text[KEEL_WORDING_MAX];

    if (combination->loops == 0) {
        return;
    }
    printf("a schedule of its own for %zu loop%s should bring %.3g s more: '%s'\n",
           combination->loops, combination->loops == 1 ? "" : "s", combination->gain_s,
           combination->schedule);
    if (tried->rounds == 0) {
        printf("  there was no time to try that\n");
    } else {
        printf("  tried in %zu round%s beside %s alone: %s%s\n", tried->rounds,
               tried->rounds == 1 ? "" : "s", name, keel_wording_of(&tried->ratio, text),
               tried->pays ? "" : "; that is not enough");
    }
}

/* No candidate is better than the reference. */
static void tell_no_gain(const struct keel_session *session, const struct keel_standings *standings)
{
    if (keel_standings_settled(standings, &session->samples)) {
        printf("nothing is to gain over %s\n", name_of(session, 0));
    } else {
        printf("no gain over %s was seen in %zu round%s\n", name_of(session, 0), session->rounds,
               session->rounds == 1 ? "" : "s");
    }
}

/* Why the candidate, and what has come of running it as a job script would; whether it is
 * advised. */
static bool tell_trial(const struct keel_session *session,
                       const struct keel_recommendation *recommendation,
                       const struct keel_pair_trial *tried)
{
    const char *name = name_of(session, recommendation->candidate);
    const char *other = name_of(session, keel_recommendation_other(recommendation));
    char text[KEEL_WORDING_MAX];

    if (recommendation->kind == KEEL_RECOMMENDATION_UNSURE) {
        printf("not certain: %s is %s than %s so far\n", name,
               keel_wording_of(&recommendation->ratio, text), other);
    }
    if (session->candidates->of[recommendation->candidate].libgomp) {
        printf("no schedule of Keel's is %g %% faster than %s, which needs no Keel\n",
               100 * session->request->matters, name);
    }
    if (tried->rounds == 0) {
        printf("%s was not run as a job script would run it, so that none is advised\n", name);
    } else {
        printf("%s as a job script would run it, in %zu round%s beside %s: %s%s\n", name,
               tried->rounds, tried->rounds == 1 ? "" : "s", other,
               keel_wording_of(&tried->ratio, text),
               tried->pays ? ":" : "; that is not enough to advise it");
    }
    return tried->pays;
}

void keel_findings_advice(const struct keel_session *session,
                          const struct keel_standings *standings,
                          const struct keel_recommendation *recommendation,
                          const struct keel_pair_trial *tried,
                          const struct keel_combination *combination)
{
    struct keel_candidate advised = session->candidates->of[recommendation->candidate];

    if (recommendation->kind == KEEL_RECOMMENDATION_NONE) {
        return;
    }
    printf("\n");
    bool pays = combination->tried.pays;
    if (recommendation->kind != KEEL_RECOMMENDATION_NOTHING) {
        pays = tell_trial(session, recommendation, tried) || pays;
    } else if (!pays) {
        tell_no_gain(session, standings);
    }
    tell_combination(combination, advised.name);
    if (combination->tried.pays) {
        advised.schedule = combination->schedule;
        advised.libgomp = false;
    }
    if (pays) {
        print_line(session, &advised);
    }
}
