/* A comparison as JSON. */
#include "omp_ext/command/compare/compare.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"

/* What is not known or not finite is null. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The program may have been called with any bytes. */
static json_t *text(const char *value)
{
    return value != NULL ? keel_command_json(value) : json_null();
}

static json_t *ratio_of(const struct keel_ratio *ratio)
{
    bool known = isfinite(ratio->high);

    return json_pack("{s:o, s:o, s:o, s:I}", "median", number(ratio->median), "low",
                     number(known ? ratio->low : NAN), "high", number(ratio->high), "rounds",
                     (json_int_t)ratio->rounds);
}

static json_t *times_of(const struct keel_samples *samples, size_t candidate)
{
    json_t *list = json_array();

    for (size_t round = 0; round < samples->rounds; round++) {
        json_array_append_new(list, number(keel_samples_at(samples, round, candidate)));
    }
    return list;
}

static const char *verdict_of(enum keel_standing_verdict verdict)
{
    static const char *const names[] = {[KEEL_STANDING_BEST] = "best",
                                        [KEEL_STANDING_SLOWER] = "slower",
                                        [KEEL_STANDING_ALIKE] = "alike",
                                        [KEEL_STANDING_OPEN] = "not told apart",
                                        [KEEL_STANDING_NONE] = "not run"};

    return names[verdict];
}

static json_t *standing_of(const struct keel_session *session, const struct keel_samples *samples,
                           const struct keel_standing *standing, size_t candidate)
{
    return json_pack("{s:o, s:o, s:[o, o], s:o, s:o, s:o, s:s, s:o}", "name",
                     text(session->of[candidate].name), "median_s", number(standing->median_s),
                     "quartiles_s", number(standing->quarter_s), number(standing->three_s), "ratio",
                     ratio_of(&standing->to_first), "ratio_to_best", ratio_of(&standing->to_best),
                     "regret", number(standing->regret), "verdict", verdict_of(standing->verdict),
                     "times_s", times_of(samples, candidate));
}

static json_t *standings_of(const struct keel_session *session, const struct keel_samples *samples,
                            const struct keel_standings *standings)
{
    json_t *list = json_array();

    for (size_t i = 0; i < session->count; i++) {
        json_array_append_new(list, standing_of(session, samples, &standings->of[i], i));
    }
    return list;
}

static json_t *environment_of(const struct keel_candidate *candidate)
{
    return json_pack("{s:o}", candidate->variable, text(candidate->value));
}

/* What is known of candidates beside their times in the whole program. */
static void add_conduct(json_t *list, const struct keel_session *session)
{
    for (size_t i = 0; i < session->count; i++) {
        const struct keel_candidate *of = &session->of[i];
        json_t *object = json_array_get(list, i);
        json_object_set_new(object, "environment", environment_of(of));
        json_object_set_new(object, "output",
                            json_string(session->incomparable ? "not compared"
                                        : of->differing > 0   ? "differs"
                                                              : "same"));
        json_object_set_new(object, "failure",
                            of->failure[0] != '\0' ? text(of->failure) : json_null());
    }
}

static json_t *loops_of(const struct keel_session *session, const struct keel_standings *standings)
{
    struct keel_loop_standings *of;
    size_t count = keel_loop_standings_make(&of, session, standings, 0);
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        const struct keel_loop_time *loop = of[i].loop;
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "place", text(loop->place), "function",
                            text(loop->function), "instances", number(loop->instances), "share",
                            number(of[i].share), "schedules",
                            standings_of(session, &loop->samples, &of[i].standings)));
    }
    return list;
}

static json_t *advice_of(const struct keel_session *session,
                         const struct keel_recommendation *recommendation)
{
    static const char *const kinds[] = {[KEEL_RECOMMENDATION_NONE] = "nothing is known",
                                        [KEEL_RECOMMENDATION_NOTHING] = "nothing to gain",
                                        [KEEL_RECOMMENDATION_SURE] = "told apart",
                                        [KEEL_RECOMMENDATION_UNSURE] = "not certain"};
    bool any = recommendation->kind != KEEL_RECOMMENDATION_NONE;
    const struct keel_candidate *candidate = &session->of[any ? recommendation->candidate : 0];

    return json_pack("{s:s, s:o, s:o}", "kind", kinds[recommendation->kind], "schedule",
                     any ? text(candidate->name) : json_null(), "environment",
                     any ? environment_of(candidate) : json_null());
}

static json_t *words_of(char **word)
{
    json_t *list = json_array();

    for (; *word != NULL; word++) {
        json_array_append_new(list, text(*word));
    }
    return list;
}

bool keel_compare_json_write(const char *path, const struct keel_session *session,
                             const struct keel_standings *standings,
                             const struct keel_recommendation *recommendation)
{
    json_t *schedules = standings_of(session, &session->samples, standings);

    add_conduct(schedules, session);
    json_t *document = json_pack(
        "{s:i, s:o, s:I, s:I, s:f, s:f, s:f, s:b, s:o, s:o, s:o}", "keel_compare", 1, "program",
        words_of(session->options.program), "rounds", (json_int_t)session->rounds, "seed",
        (json_int_t)session->options.seed, "level", KEEL_SESSION_LEVEL, "matters", session->matters,
        "budget_s", session->options.budget_s, "settled",
        keel_standings_settled(standings, &session->samples), "schedules", schedules, "loops",
        loops_of(session, standings), "advice", advice_of(session, recommendation));
    bool written = document != NULL && json_dump_file(document, path, JSON_INDENT(1)) == 0;
    if (!written) {
        keel_message("'%s' cannot be written: %s", path,
                     document == NULL ? "no memory" : strerror(errno));
    }
    json_decref(document);
    return written;
}
