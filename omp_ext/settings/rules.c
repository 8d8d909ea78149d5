/* Reading KEEL_SCHEDULE. */
#include "omp_ext/settings/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

#define SHOWN(text) (int)((text).length > 60 ? 60 : (text).length), (text).start

struct reader {
    struct keel_rules *schedules;
    const struct keel_spec_defaults *defaults;
    keel_rules_reporter *report;
    void *context;
};

__attribute__((format(printf, 3, 4))) static void
complain(const struct reader *reader, const char *instead, const char *format, ...)
{
    char problem[KEEL_PROBLEM_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    reader->report(reader->context, problem, instead);
}

/* Length of the place before '='; 0: the choice is a schedule. "fac:mu=3" is one although it holds
 * a '=': its first word names a schedule, and something other than '=' follows. */
static size_t place_length(struct keel_text choice)
{
    const char *equals = memchr(choice.start, '=', choice.length);
    size_t word = keel_spec_modifier(choice.start, choice.length);
    size_t end = word;

    if (equals == NULL) {
        return 0;
    }
    while (end < choice.length && strchr(",:=", choice.start[end]) == NULL) {
        end++;
    }
    if (choice.start + end != equals &&
        keel_registry_find(choice.start + word, end - word) != NULL) {
        return 0;
    }
    return (size_t)(equals - choice.start);
}

/* `instead` tells what happens when it cannot be read. */
static const struct keel_policy *read_policy(const struct reader *reader, struct keel_text text,
                                             const char *instead)
{
    char problem[KEEL_PROBLEM_MAX];
    bool mended;
    const struct keel_policy *policy =
        keel_policy_read(text.start, text.length, reader->defaults, &mended, problem);

    if (policy == NULL || mended) {
        complain(reader, policy == NULL ? instead : NULL, "%s", problem);
    }
    reader->schedules->wants_costs |= policy != NULL && policy->without_costs != NULL;
    return policy;
}

static void read_rule(const struct reader *reader, struct keel_text choice, size_t equals)
{
    struct keel_rules *schedules = reader->schedules;
    struct keel_text place = keel_text_trimmed((struct keel_text){choice.start, equals});
    struct keel_text schedule = {choice.start + equals + 1, choice.length - equals - 1};
    struct keel_rules_entry *rule = &schedules->rule[schedules->rules];

    if (schedules->rules == KEEL_RULES_MAX) {
        complain(reader, "ignored", "'%.*s' is one rule more than %d", SHOWN(choice),
                 KEEL_RULES_MAX);
    } else if (!keel_rule_parse(place.start, place.length, &rule->place)) {
        complain(reader, "ignored", "rule '%.*s' is not FILE:LINE=SCHEDULE or FUNCTION=SCHEDULE",
                 SHOWN(choice));
    } else {
        schedule = keel_text_trimmed(schedule);
        rule->by_word = schedule.length > 0 && schedule.start[schedule.length - 1] == '!';
        schedule.length -= rule->by_word;
        rule->policy = read_policy(reader, schedule, "the rule is ignored");
        schedules->rules += rule->policy != NULL;
    }
}

static void read_part(const struct reader *reader, struct keel_text choice)
{
    size_t equals = place_length(choice);

    if (equals > 0 || choice.start[0] == '=') {
        read_rule(reader, choice, equals);
    } else if (reader->schedules->standard != NULL) {
        complain(reader, "ignored", "'%.*s' is a second schedule for all loops", SHOWN(choice));
    } else {
        reader->schedules->standard = read_policy(reader, choice, "using libgomp's own schedule");
    }
}

void keel_rules_read(struct keel_rules *schedules, const char *text,
                     const struct keel_spec_defaults *defaults, keel_rules_reporter *report,
                     void *context)
{
    const struct reader reader = {schedules, defaults, report, context};

    for (;;) {
        size_t length = strcspn(text, ";");
        struct keel_text choice = keel_text_trimmed((struct keel_text){text, length});
        if (choice.length > 0) {
            read_part(&reader, choice);
        }
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
    }
}

const struct keel_rules_entry *keel_rules_match(const struct keel_rules *schedules,
                                                const struct keel_source *source)
{
    for (unsigned i = 0; i < schedules->rules; i++) {
        if (keel_rule_matches(&schedules->rule[i].place, source)) {
            return &schedules->rule[i];
        }
    }
    return NULL;
}
