/* Parameters of policies. */
#include "schedules/ranks/policy_parameters.h"

#include <string.h>
#include <strings.h>

#include "schedules/text/nearest.h"

bool keel_reading_is(struct keel_text word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(text, word.start, word.length) == 0;
}

static void set(struct keel_reading *reading, size_t number, struct keel_text text)
{
    const struct keel_reading_parameter *parameter = &reading->parameters[number];
    char word[40] = "";

    if (text.length < sizeof word) {
        memcpy(word, text.start, text.length);
    }
    if (reading->given & KEEL_BIT(number)) {
        keel_text_complain(reading->problem, KEEL_PROBLEM_MAX,
                           "%s is given twice; the first is used", parameter->name);
    } else if (!parameter->set(reading->into, word)) {
        keel_text_complain(reading->problem, KEEL_PROBLEM_MAX, "%s '%.*s' is not %s; %s",
                           parameter->name, KEEL_TEXT_SHOWN(text), parameter->holds,
                           parameter->instead);
    } else {
        reading->given |= KEEL_BIT(number);
    }
}

static void report_unknown(struct keel_reading *reading, struct keel_text key,
                           struct keel_nearest *nearest)
{
    if (nearest->best[0] == '\0') {
        keel_text_complain(reading->problem, KEEL_PROBLEM_MAX,
                           "%s has no parameters; '%.*s' is ignored", reading->policy,
                           KEEL_TEXT_SHOWN(key));
    } else {
        keel_text_complain(reading->problem, KEEL_PROBLEM_MAX,
                           "%s has no parameter '%.*s'%s; ignored", reading->policy,
                           KEEL_TEXT_SHOWN(key), keel_nearest_hint(nearest));
    }
}

static void read_keyed(struct keel_reading *reading, struct keel_text key, struct keel_text text)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, key.start, key.length);
    for (size_t i = 0; reading->parameters[i].name != NULL; i++) {
        const struct keel_reading_parameter *parameter = &reading->parameters[i];
        if (!(parameter->policies & reading->bit)) {
            continue;
        }
        if (keel_reading_is(key, parameter->name)) {
            set(reading, i, text);
            return;
        }
        keel_nearest_offer(&nearest, parameter->name, strlen(parameter->name));
    }
    report_unknown(reading, key, &nearest);
}

static void read_positional(struct keel_reading *reading, struct keel_text text)
{
    bool known = false;

    for (size_t i = 0; reading->parameters[i].name != NULL && !reading->positional; i++) {
        if (reading->parameters[i].first & reading->bit) {
            set(reading, i, text);
            known = true;
        }
    }
    if (reading->positional) {
        keel_text_complain(reading->problem, KEEL_PROBLEM_MAX,
                           "%s takes at most 1 value by position; '%.*s' is ignored",
                           reading->policy, KEEL_TEXT_SHOWN(text));
    } else if (!known) {
        keel_text_complain(reading->problem, KEEL_PROBLEM_MAX,
                           "%s takes no values by position; '%.*s' is ignored", reading->policy,
                           KEEL_TEXT_SHOWN(text));
    }
    reading->positional = known || reading->positional;
}

void keel_reading_parameters(struct keel_reading *reading)
{
    while (reading->rest.length > 0) {
        keel_text_skip(&reading->rest);
        struct keel_text word = keel_text_take(&reading->rest, ",:=");
        if (reading->rest.length > 0 && reading->rest.start[0] == '=') {
            keel_text_skip(&reading->rest);
            read_keyed(reading, word, keel_text_take(&reading->rest, ",:"));
        } else {
            read_positional(reading, word);
        }
    }
}
