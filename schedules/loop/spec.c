/* Parameters of schedules; reading and writing schedule specs. */
#include "schedules/loop/spec.h"

#include <stdio.h>
#include <string.h>

#include "schedules/loop/registry.h"
#include "schedules/text/text.h"

#define COUNT(low, high, value) \
    .kind = KEEL_COUNT, .lowest.count = (low), .highest.count = (high), .standard.count = (value)
#define REAL(low, high, value) \
    .kind = KEEL_REAL, .lowest.real = (low), .highest.real = (high), .standard.real = (value)
#define ITERATIONS_MAX 9223372036854775807u /* 2^63 - 1: every chunk fits a long */
#define TIME_MAX_NS 1e18                    /* 31 years */

const struct keel_parameter_info keel_parameters[KEEL_PARAMETERS] = {
    [KEEL_MIN] = {"min", COUNT(1, ITERATIONS_MAX, 1), "smallest chunk, iterations"},
    [KEEL_GRAIN] = {"grain", COUNT(1, UINT64_MAX, 1), "iterations that are never separated"},
    [KEEL_CHUNK] = {"chunk", COUNT(1, ITERATIONS_MAX, 0), "size of every chunk, iterations"},
    [KEEL_FIRST] = {"first", COUNT(1, ITERATIONS_MAX, 0), "size of the first chunk, iterations"},
    [KEEL_LAST] = {"last", COUNT(1, ITERATIONS_MAX, 1), "size of the last chunk, iterations"},
    [KEEL_STAGES] = {"stages", COUNT(2, 1000000, 0), "number of stages"},
    [KEEL_SEED] = {"seed", COUNT(0, UINT64_MAX, 1), "seed of the sequence"},
    [KEEL_MU] = {"mu", REAL(1e-3, TIME_MAX_NS, 0), "mean time of an iteration, ns"},
    [KEEL_SIGMA] = {"sigma", REAL(0, TIME_MAX_NS, 0), "standard deviation of that time, ns"},
    [KEEL_OVERHEAD] = {"overhead", REAL(0, TIME_MAX_NS, 0), "time to schedule one chunk, ns"},
    [KEEL_ALPHA] = {"alpha", REAL(0, 1e6, 1.3), "deviations guarded against"},
    [KEEL_RATIO] = {"ratio", REAL(0, 1, 0.5), "share of the loop divided at first"},
    [KEEL_CHUNKS] = {"chunks", COUNT(1, 1048576, 0), "largest number of chunks"},
};

union keel_value keel_parameter_standard(const struct keel_schedule *schedule,
                                         enum keel_parameter parameter)
{
    if (parameter == KEEL_RATIO && schedule->ratio > 0) {
        return (union keel_value){.real = schedule->ratio};
    }
    return keel_parameters[parameter].standard;
}

/* --- reading and writing specs --- */

unsigned keel_spec_accepts(const struct keel_schedule *schedule)
{
    unsigned accepted = KEEL_BIT(KEEL_MIN) | KEEL_BIT(KEEL_GRAIN) | schedule->parameters;

    for (unsigned i = 0; i < schedule->positionals; i++) {
        accepted |= KEEL_BIT(schedule->positional[i]);
    }
    return accepted;
}

static bool in_range(const struct keel_parameter_info *info, union keel_value value)
{
    if (info->kind == KEEL_COUNT) {
        return value.count >= info->lowest.count && value.count <= info->highest.count;
    }
    return value.real >= info->lowest.real && value.real <= info->highest.real;
}

static const char *name_of(const void *spec, unsigned parameter)
{
    (void)spec;
    return keel_parameters[parameter].name;
}

static bool set_value(void *into, unsigned parameter, const char *word)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    struct keel_spec *spec = into;
    union keel_value value;
    bool is_number = info->kind == KEEL_COUNT ? keel_number_whole(word, 0, UINT64_MAX, &value.count)
                                              : keel_number_real(word, &value.real);

    if (!is_number || !in_range(info, value)) {
        return false;
    }
    spec->value[parameter] = value;
    return true;
}

/* What is used instead of a value that is not valid. */
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

static void expect(const void *spec, unsigned parameter, char *text, size_t size)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    char instead[64];

    describe_standard(spec, (enum keel_parameter)parameter, instead, sizeof instead);
    if (info->kind == KEEL_COUNT) {
        snprintf(text, size, "a whole number from %llu to %llu; %s",
                 (unsigned long long)info->lowest.count, (unsigned long long)info->highest.count,
                 instead);
    } else {
        snprintf(text, size, "a number from %g to %g; %s", info->lowest.real, info->highest.real,
                 instead);
    }
}

static void read_parameters(struct keel_text list, struct keel_spec *spec, char *problem)
{
    const struct keel_schedule *schedule = spec->schedule;

    keel_parameters_read(list,
                         &(struct keel_parameters_known){
                             .owner = schedule->name,
                             .count = KEEL_PARAMETERS,
                             .accepted = keel_spec_accepts(schedule),
                             .positional = {schedule->positional[0], schedule->positional[1]},
                             .positionals = schedule->positionals != 0 ? schedule->positionals : 1,
                             .name = name_of,
                             .set = set_value,
                             .expect = expect,
                             .into = spec,
                         },
                         &spec->given, problem, KEEL_PROBLEM_MAX);
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
        if (end >= length ||
            !keel_text_is((struct keel_text){text + start, end - start}, modifiers[i])) {
            continue;
        }
        end += blanks(text + end, length - end);
        if (end < length && text[end] == ':') {
            return end + 1 + blanks(text + end + 1, length - end - 1);
        }
    }
    return start;
}

/* Whether the modifier, the first `length` bytes by keel_spec_modifier(), is "monotonic". */
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
    size_t modifier = keel_spec_modifier(text, length);
    bool monotonic = asks_for_order(text, modifier);
    struct keel_text rest = {text + modifier, length - modifier};

    problem[0] = '\0';
    struct keel_text name = keel_text_take(&rest, ",:");
    const struct keel_schedule *schedule = keel_registry_find(name.start, name.length);
    if (schedule == NULL) {
        keel_text_note_problem(problem, KEEL_PROBLEM_MAX, "unknown schedule '%.*s'%s",
                               KEEL_TEXT_SHOWN(name),
                               keel_registry_nearest(name.start, name.length, &nearest));
        return KEEL_SPEC_UNKNOWN;
    }
    *spec = keel_spec_of(schedule);
    spec->in_order = monotonic && schedule->in_order != NULL;
    read_parameters(rest, spec, problem);
    return problem[0] == '\0' ? KEEL_SPEC_GOOD : KEEL_SPEC_CORRECTED;
}

enum keel_spec_result keel_spec_read(const char *text, size_t length, struct keel_spec *spec,
                                     char *problem)
{
    /* for letters, too: in a Turkish locale, i is not the lower case of I */
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
