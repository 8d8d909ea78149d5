/* Reading KEEL_SCHEDULE. */
#include "omp_ext/choices.h"

#include <ctype.h>
#include <string.h>

#include "omp_ext/message.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define SHOWN(length) ((length) > 60 ? 60 : (int)(length))

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!isspace((unsigned char)text[i])) {
            return false;
        }
    }
    return true;
}

/* Length of the place before '='; 0: the choice is a schedule. "fac:mu=3" is one although it holds
 * a '=': its first word names a schedule, and something other than '=' follows. */
static size_t place_length(const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    size_t word = 0;

    if (equals == NULL) {
        return 0;
    }
    while (word < length && strchr(",:=", text[word]) == NULL) {
        word++;
    }
    if (text + word != equals && keel_registry_find(text, word) != NULL) {
        return 0;
    }
    return (size_t)(equals - text);
}

static const struct keel_policy *read_policy(const char *variable, const char *text, size_t length,
                                             uint64_t minimum)
{
    char problem[KEEL_PROBLEM_MAX];
    bool mended;
    const struct keel_policy *policy = keel_policy_read(text, length, minimum, &mended, problem);

    if (policy == NULL) {
        keel_message("%s: %s; using libgomp's own schedule", variable, problem);
    } else if (mended) {
        keel_message("%s: %s", variable, problem);
    }
    return policy;
}

static void trim(const char **text, size_t *length)
{
    while (*length > 0 && isspace((unsigned char)**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && isspace((unsigned char)(*text)[*length - 1])) {
        (*length)--;
    }
}

static void read_rule(struct keel_choices *choices, const char *variable, const char *text,
                      size_t place, size_t length, uint64_t minimum)
{
    struct keel_choice *rule = &choices->rule[choices->rules];
    const char *schedule = text + place + 1;
    size_t schedule_length = length - place - 1;

    trim(&text, &place);
    if (choices->rules == KEEL_RULES_MAX) {
        keel_message("%s: more than %d rules; '%.*s' is ignored", variable, KEEL_RULES_MAX,
                     SHOWN(place), text);
    } else if (!keel_rule_parse(text, place, &rule->place)) {
        keel_message("%s: rule '%.*s' is not FILE:LINE=SCHEDULE or FUNCTION=SCHEDULE; ignored",
                     variable, SHOWN(length), text);
    } else {
        rule->policy = read_policy(variable, schedule, schedule_length, minimum);
        choices->rules += rule->policy != NULL;
    }
}

static void read_choice(struct keel_choices *choices, const char *variable, const char *text,
                        size_t length, uint64_t minimum)
{
    trim(&text, &length);
    size_t place = place_length(text, length);
    if (place > 0 || (length > 0 && text[0] == '=')) {
        read_rule(choices, variable, text, place, length, minimum);
    } else if (choices->standard != NULL) {
        keel_message("%s: a second schedule for all loops, '%.*s', is ignored", variable,
                     SHOWN(length), text);
    } else {
        choices->standard = read_policy(variable, text, length, minimum);
    }
}

void keel_choices_read(struct keel_choices *choices, const char *variable, const char *text,
                       uint64_t minimum)
{
    for (;;) {
        size_t length = strcspn(text, ";");
        if (!is_blank(text, length)) {
            read_choice(choices, variable, text, length, minimum);
        }
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
    }
}

const struct keel_policy *keel_choices_match(const struct keel_choices *choices,
                                             const struct keel_source *source)
{
    for (unsigned i = 0; i < choices->rules; i++) {
        if (keel_rule_matches(&choices->rule[i].place, source)) {
            return choices->rule[i].policy;
        }
    }
    return NULL;
}
