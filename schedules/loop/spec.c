/* Reading and writing schedule specs. */
#include "schedules/loop/spec.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schedules/loop/parameter.h"
#include "schedules/loop/registry.h"
#include "schedules/text/nearest.h"
#include "schedules/text/number.h"
#include "schedules/text/text.h"

struct reader {
    struct keel_text rest;
    struct keel_spec *spec;
    unsigned positions; /* positional values read so far */
    char *problem;
};

static bool is(struct keel_text word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(text, word.start, word.length) == 0;
}

unsigned keel_spec_accepts(const struct keel_schedule *schedule)
{
    unsigned accepted = KEEL_BIT(KEEL_MIN) | KEEL_BIT(KEEL_GRAIN) | schedule->parameters;

    for (unsigned i = 0; i < schedule->positionals; i++) {
        accepted |= KEEL_BIT(schedule->positional[i]);
    }
    return accepted;
}

static bool parse_number(struct keel_text word, enum keel_parameter_kind kind,
                         union keel_value *value)
{
    char digits[40];

    if (word.length >= sizeof digits || memchr(word.start, '\0', word.length) != NULL) {
        return false;
    }
    memcpy(digits, word.start, word.length);
    digits[word.length] = '\0';
    return kind == KEEL_COUNT ? keel_number_whole(digits, 0, UINT64_MAX, &value->count)
                              : keel_number_real(digits, &value->real);
}

static bool in_range(const struct keel_parameter_info *info, union keel_value value)
{
    if (info->kind == KEEL_COUNT) {
        return value.count >= info->lowest.count && value.count <= info->highest.count;
    }
    return value.real >= info->lowest.real && value.real <= info->highest.real;
}

/* What happens when the stated value cannot be used. */
static void describe_standard(const struct keel_spec *spec, enum keel_parameter parameter,
                              char *text, size_t size)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    union keel_value standard = keel_parameter_standard(spec->schedule, parameter);

    if (spec->schedule->measured & KEEL_BIT(parameter)) {
        snprintf(text, size, "measuring it");
    } else if (info->kind == KEEL_COUNT && standard.count == 0) {
        snprintf(text, size, "using the schedule's default");
    } else if (info->kind == KEEL_COUNT) {
        snprintf(text, size, "using %llu", (unsigned long long)standard.count);
    } else {
        snprintf(text, size, "using %g", standard.real);
    }
}

static void complain_value(struct reader *reader, enum keel_parameter parameter,
                           struct keel_text text)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    char instead[64];

    describe_standard(reader->spec, parameter, instead, sizeof instead);
    if (info->kind == KEEL_COUNT) {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s '%.*s' is not a whole number from %llu to %llu; %s", info->name,
                               KEEL_TEXT_SHOWN(text), (unsigned long long)info->lowest.count,
                               (unsigned long long)info->highest.count, instead);
    } else {
        keel_text_note_problem(
            reader->problem, KEEL_PROBLEM_MAX, "%s '%.*s' is not a number from %g to %g; %s",
            info->name, KEEL_TEXT_SHOWN(text), info->lowest.real, info->highest.real, instead);
    }
}

static void set_value(struct reader *reader, enum keel_parameter parameter, struct keel_text text)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    union keel_value value;

    if (reader->spec->given & KEEL_BIT(parameter)) {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s is given twice; the first is used", info->name);
    } else if (!parse_number(text, info->kind, &value) || !in_range(info, value)) {
        complain_value(reader, parameter, text);
    } else {
        reader->spec->value[parameter] = value;
        reader->spec->given |= KEEL_BIT(parameter);
    }
}

static const char *nearest_key(unsigned accepted, struct keel_text key,
                               struct keel_nearest *nearest)
{
    keel_nearest_begin(nearest, key.start, key.length);
    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (accepted & KEEL_BIT(i)) {
            keel_nearest_consider(nearest, keel_parameters[i].name,
                                  strlen(keel_parameters[i].name));
        }
    }
    return keel_nearest_hint(nearest);
}

static void read_keyed(struct reader *reader, struct keel_text key, struct keel_text text)
{
    unsigned accepted = keel_spec_accepts(reader->spec->schedule);
    struct keel_nearest nearest;

    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if ((accepted & KEEL_BIT(i)) && is(key, keel_parameters[i].name)) {
            set_value(reader, (enum keel_parameter)i, text);
            return;
        }
    }
    keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                           "%s has no parameter '%.*s'%s; ignored", reader->spec->schedule->name,
                           KEEL_TEXT_SHOWN(key), nearest_key(accepted, key, &nearest));
}

static void read_positional(struct reader *reader, struct keel_text text)
{
    const struct keel_schedule *schedule = reader->spec->schedule;
    unsigned places = schedule->positionals != 0 ? schedule->positionals : 1;

    if (reader->positions >= places) {
        keel_text_note_problem(reader->problem, KEEL_PROBLEM_MAX,
                               "%s takes at most %u value%s by position; '%.*s' is ignored",
                               schedule->name, places, places == 1 ? "" : "s",
                               KEEL_TEXT_SHOWN(text));
        return;
    }
    set_value(reader, schedule->positional[reader->positions++], text);
}

static void read_parameter(struct reader *reader)
{
    struct keel_text key = keel_text_take(&reader->rest, ",:=");

    if (reader->rest.length > 0 && reader->rest.start[0] == '=') {
        keel_text_skip(&reader->rest);
        read_keyed(reader, key, keel_text_take(&reader->rest, ",:"));
    } else {
        read_positional(reader, key);
    }
}

static size_t blanks(const char *text, size_t length)
{
    size_t count = 0;

    while (count < length && (text[count] == ' ' || text[count] == '\t')) {
        count++;
    }
    return count;
}

size_t keel_spec_modifier(const char *text, size_t length)
{
    static const char *const modifiers[] = {"monotonic", "nonmonotonic"};
    size_t start = blanks(text, length);

    for (unsigned i = 0; i < 2; i++) {
        size_t end = start + strlen(modifiers[i]);
        if (end >= length || !is((struct keel_text){text + start, end - start}, modifiers[i])) {
            continue;
        }
        end += blanks(text + end, length - end);
        if (end < length && text[end] == ':') {
            return end + 1 + blanks(text + end + 1, length - end - 1);
        }
    }
    return start;
}

/* Whether the modifier, `length` bytes as keel_spec_modifier() says, is "monotonic". */
static bool asks_for_order(const char *text, size_t length)
{
    size_t start = blanks(text, length);

    return start < length && (text[start] == 'm' || text[start] == 'M');
}

struct keel_spec keel_spec_of(const struct keel_schedule *schedule)
{
    struct keel_spec spec = {.schedule = schedule};

    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        spec.value[i] = keel_parameter_standard(schedule, (enum keel_parameter)i);
    }
    return spec;
}

static enum keel_spec_result read_spec(const char *text, size_t length, struct keel_spec *spec,
                                       char *problem)
{
    struct keel_nearest nearest;
    struct reader reader = {.rest = {text, length}, .spec = spec, .problem = problem};

    problem[0] = '\0';
    size_t modifier = keel_spec_modifier(reader.rest.start, reader.rest.length);
    bool monotonic = asks_for_order(reader.rest.start, modifier);
    reader.rest.start += modifier;
    reader.rest.length -= modifier;
    struct keel_text name = keel_text_take(&reader.rest, ",:");
    const struct keel_schedule *schedule = keel_registry_find(name.start, name.length);
    if (schedule == NULL) {
        keel_text_note_problem(reader.problem, KEEL_PROBLEM_MAX, "unknown schedule '%.*s'%s",
                               KEEL_TEXT_SHOWN(name),
                               keel_registry_nearest(name.start, name.length, &nearest));
        return KEEL_SPEC_UNKNOWN;
    }
    *spec = keel_spec_of(schedule);
    spec->in_order = monotonic && schedule->in_order != NULL;
    while (reader.rest.length > 0) {
        keel_text_skip(&reader.rest);
        read_parameter(&reader);
    }
    return problem[0] == '\0' ? KEEL_SPEC_GOOD : KEEL_SPEC_CORRECTED;
}

enum keel_spec_result keel_spec_read(const char *text, size_t length, struct keel_spec *spec,
                                     char *problem)
{
    /* letters, too: elsewhere a Turkish i is no i */
    locale_t previous = keel_c_locale_enter();
    enum keel_spec_result result = read_spec(text, length, spec, problem);

    keel_c_locale_leave(previous);
    return result;
}

static int write_value(char *text, size_t size, enum keel_parameter parameter,
                       union keel_value value)
{
    if (keel_parameters[parameter].kind == KEEL_COUNT) {
        return snprintf(text, size, "%llu", (unsigned long long)value.count);
    }
    return snprintf(text, size, "%.17g", value.real);
}

/* snprintf's contract over several pieces: where to write next, and how much room is left there. */
static char *at(char *text, size_t size, int length)
{
    return (size_t)length < size ? text + length : NULL;
}

static size_t room(size_t size, int length)
{
    return (size_t)length < size ? size - (size_t)length : 0;
}

static int write_spec(const struct keel_spec *spec, char *text, size_t size)
{
    const struct keel_schedule *schedule = spec->schedule;
    unsigned places = schedule->positionals != 0 ? schedule->positionals : 1;
    unsigned left = spec->given;
    int length = snprintf(text, size, "%s%s", spec->in_order ? "monotonic:" : "", schedule->name);

    for (unsigned i = 0; i < places && (left & KEEL_BIT(schedule->positional[i])); i++) {
        enum keel_parameter parameter = schedule->positional[i];
        length += snprintf(at(text, size, length), room(size, length), ",");
        length += write_value(at(text, size, length), room(size, length), parameter,
                              spec->value[parameter]);
        left &= ~KEEL_BIT(parameter);
    }
    const char *separator = ":";
    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (left & KEEL_BIT(i)) {
            length += snprintf(at(text, size, length), room(size, length), "%s%s=", separator,
                               keel_parameters[i].name);
            separator = ",";
            length += write_value(at(text, size, length), room(size, length),
                                  (enum keel_parameter)i, spec->value[i]);
        }
    }
    return length;
}

int keel_spec_write(const struct keel_spec *spec, char *text, size_t size)
{
    locale_t previous = keel_c_locale_enter();
    int length = write_spec(spec, text, size);

    keel_c_locale_leave(previous);
    return length;
}

unsigned keel_spec_unmeasured(const struct keel_spec *spec)
{
    return spec->schedule->measured & ~spec->given;
}

bool keel_spec_equal(const struct keel_spec *a, const struct keel_spec *b)
{
    return a->schedule == b->schedule && a->in_order == b->in_order &&
           a->min_measured == b->min_measured && a->given == b->given &&
           memcmp(a->value, b->value, sizeof a->value) == 0;
}
