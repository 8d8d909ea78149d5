/* Parameters of policies. */
#include "schedules/ranks/policy_parameters.h"

#include <string.h>
#include <strings.h>

#include "schedules/text/nearest.h"

bool keel_text_is(struct keel_text word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(text, word.start, word.length) == 0;
}

static void set(struct keel_parameters_reader *reader, size_t number, struct keel_text text)
{
    const struct keel_parameters_entry *parameter = &reader->parameters[number];
    char word[40] = "";

    if (text.length < sizeof word) {
        memcpy(word, text.start, text.length);
    }
    if (reader->given & KEEL_BIT(number)) {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s is given twice; the first is used", parameter->name);
    } else if (!parameter->set(reader->into, word)) {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX, "%s '%.*s' is not %s; %s",
                               parameter->name, KEEL_TEXT_SHOWN(text), parameter->holds,
                               parameter->instead);
    } else {
        reader->given |= KEEL_BIT(number);
    }
}

static void report_unknown(struct keel_parameters_reader *reader, struct keel_text key,
                           struct keel_nearest *nearest)
{
    if (nearest->best[0] == '\0') {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s has no parameters; '%.*s' is ignored", reader->policy,
                               KEEL_TEXT_SHOWN(key));
    } else {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s has no parameter '%.*s'%s; ignored", reader->policy,
                               KEEL_TEXT_SHOWN(key), keel_nearest_hint(nearest));
    }
}

static void read_keyed(struct keel_parameters_reader *reader, struct keel_text key,
                       struct keel_text text)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, key.start, key.length);
    for (size_t i = 0; reader->parameters[i].name != NULL; i++) {
        const struct keel_parameters_entry *parameter = &reader->parameters[i];
        if (!(parameter->policies & reader->bit)) {
            continue;
        }
        if (keel_text_is(key, parameter->name)) {
            set(reader, i, text);
            return;
        }
        keel_nearest_consider(&nearest, parameter->name, strlen(parameter->name));
    }
    report_unknown(reader, key, &nearest);
}

static void read_positional(struct keel_parameters_reader *reader, struct keel_text text)
{
    bool known = false;

    for (size_t i = 0; reader->parameters[i].name != NULL && !reader->positional; i++) {
        if (reader->parameters[i].first & reader->bit) {
            set(reader, i, text);
            known = true;
        }
    }
    if (reader->positional) {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s takes at most 1 value by position; '%.*s' is ignored",
                               reader->policy, KEEL_TEXT_SHOWN(text));
    } else if (!known) {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s takes no values by position; '%.*s' is ignored", reader->policy,
                               KEEL_TEXT_SHOWN(text));
    }
    reader->positional = known || reader->positional;
}

void keel_parameters_read(struct keel_parameters_reader *reader)
{
    while (reader->rest.length > 0) {
        keel_text_skip(&reader->rest);
        struct keel_text word = keel_text_take(&reader->rest, ",:=");
        if (reader->rest.length > 0 && reader->rest.start[0] == '=') {
            keel_text_skip(&reader->rest);
            read_keyed(reader, word, keel_text_take(&reader->rest, ",:"));
        } else {
            read_positional(reader, word);
        }
    }
}
