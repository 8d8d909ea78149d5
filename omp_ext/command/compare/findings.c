/* What a session has shown, in words. */
#include "omp_ext/command/compare/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/compare/statistics/wording.h"
#include "omp_ext/command/parts/installation.h"

static const char *name_of(const struct keel_session *session, size_t candidate)
{
    return session->candidates->of[candidate].name;
}

/* --- standings --- */

static void tell_best(const struct keel_session *session, const struct keel_standings *standings,
                      const struct keel_recommendation *recommendation)
{
    char text[KEEL_WORDING_MAX];
    size_t best = standings->best, beside = recommendation->beside;

    printf("%s has the shortest time", name_of(session, best));
    if (keel_ratio_told(&standings->of[best].to_first)) {
        printf(": it is %s than %s", keel_wording_of(&standings->of[best].to_first, text),
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
    if (session->warm_alone) {
        printf("no round was finished: the figures are those of single runs, for warming up\n");
    }
    printf("%zu round%s can't tell schedules apart, %u are wanted: about --budget %.0f\n",
           session->warm_alone ? 0 : session->rounds, session->rounds == 1 ? "" : "s",
           session->sequence.first, ceil(1.1 * round_s * (session->sequence.first + 2)));
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

    printf("output differs under %s (%zu run%s): %s line %llu: '%s' instead of '%s'\n",
           name_of(session, candidate), of->differing, of->differing == 1 ? "" : "s",
           keel_results_name(session->setup->results, of->difference.file),
           (unsigned long long)of->difference.difference.line, of->difference.difference.got,
           of->difference.difference.wanted);
}

static void tell_unsteady(const struct keel_session *session)
{
    const struct keel_results *results = session->setup->results;

    if (!session->unsteady) {
        return;
    }
    printf("the program prints otherwise in each run under %s%s\n", name_of(session, 0),
           session->incomparable ? ", in too many lines to compare any" : "");
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
    for (size_t i = 0; i < session->candidates->count; i++) {
        const struct keel_candidate *candidate = &session->candidates->of[i];
        if (candidate->schedule != NULL && !candidate->libgomp && session->of[i].warm_s > 0 &&
            !keel_mark_file_set(&session->setup->seen)) {
            printf("no loop of '%s' came to Keel, so that its schedules change nothing: compile it "
                   "with schedule(runtime) clauses or with the flags of `keel cflags`, or try "
                   "KEEL_OVERRIDE=dynamic,guided\n",
                   session->setup->launch.program[0]);
            return;
        }
    }
}

void keel_findings_troubles(const struct keel_session *session)
{
    bool differs = false;

    tell_unseen(session);
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
               "rounded otherwise, --tolerance 1e-9; none of these is advised below\n");
    }
}

/* --- advice --- */

/* One setting of a shell line; nothing without a value. */
static void print_setting(const char *name, const char *value)
{
    if (value != NULL) {
        bool plain =
            strpbrk(value, " ;=:()$\"'\\`") == NULL || strpbrk(value, " ;()$\"'\\`") == NULL;
        printf(plain ? " %s=%s" : " %s=\"%s\"", name, value);
    }
}

/* Behind a line that leads there. */
static void say_if_it_goes_away(void)
{
    struct keel_installed library;

    if (keel_installation_has(KEEL_PART_LIBRARY, "", &library)) {
        fflush(stdout);
        keel_installation_say_if_bazels(&library);
    }
}

static void print_line(const struct keel_session *session, const struct keel_candidate *candidate,
                       const char *schedule)
{
    const struct keel_launch *launch = &session->setup->launch;
    bool keel = schedule != NULL && strcmp(schedule, "libgomp") != 0;

    printf("export");
    if (keel) {
        print_setting("LD_LIBRARY_PATH", launch->preloading->library_path);
        print_setting("LD_PRELOAD", launch->preloading->preload);
    }
    print_setting("OMP_SCHEDULE", candidate->omp);
    print_setting("KEEL_SCHEDULE", keel ? schedule : NULL);
    print_setting("KEEL_MPI_SCHEDULE", candidate->sharing);
    print_setting("KEEL_MPI_BALANCE", candidate->balance);
    printf("\n");
    if (keel_launch_is_mpirun(launch)) {
        printf("  (mpirun passes them on with -x NAME for each)\n");
    }
    if (keel && launch->preloading->preload != NULL) {
        say_if_it_goes_away();
    }
}

/* What a schedule for each loop has shown. */
static void tell_combination(const struct keel_combination *combination, const char *name)
{
    char text[KEEL_WORDING_MAX];

    if (combination->loops == 0) {
        return;
    }
    printf("a schedule of its own for %zu loop%s should bring %.3g s more: '%s'\n",
           combination->loops, combination->loops == 1 ? "" : "s", combination->gain_s,
           combination->schedule);
    if (combination->runs == 0) {
        printf("  the budget has left no time to try that\n");
    } else {
        printf("  tried in %zu round%s beside %s alone: %s%s\n", combination->runs,
               combination->runs == 1 ? "" : "s", name, keel_wording_of(&combination->ratio, text),
               combination->pays ? "" : "; that is not enough");
    }
}

void keel_findings_advice(const struct keel_session *session,
                          const struct keel_recommendation *recommendation,
                          const struct keel_combination *combination)
{
    const struct keel_candidate *candidate = &session->candidates->of[recommendation->candidate];
    char text[KEEL_WORDING_MAX];

    if (recommendation->kind == KEEL_RECOMMENDATION_NONE) {
        return;
    }
    printf("\n");
    tell_combination(combination, candidate->name);
    if (combination->pays) {
        print_line(session, candidate, combination->schedule);
    } else if (recommendation->kind == KEEL_RECOMMENDATION_NOTHING) {
        printf("nothing is to gain over %s\n", candidate->name);
    } else {
        if (recommendation->kind == KEEL_RECOMMENDATION_UNSURE) {
            printf("not certain (%s is %s than %s so far):\n", candidate->name,
                   keel_wording_of(&recommendation->ratio, text),
                   name_of(session, recommendation->candidate == recommendation->beside
                                        ? 0
                                        : recommendation->beside));
        }
        if (candidate->libgomp) {
            printf("no schedule of Keel's is told apart from %s, which needs no Keel:\n",
                   candidate->name);
        }
        print_line(session, candidate, candidate->schedule);
    }
}
