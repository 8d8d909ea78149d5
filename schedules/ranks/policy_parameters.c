/* Reading policies with their parameters. */
#include "schedules/ranks/policy_parameters.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schedules/text/number.h"
#include "schedules/text/text.h"

struct reading {
    const struct keel_parameters_entry *parameters;
    void *into;
};

static const char *name_of(const void *reading, unsigned parameter)
{
    return ((const struct reading *)reading)->parameters[parameter].name;
}

/* The number of a word in a list such as "ring, mesh or all"; -1: it is not there. */
static int place_of(const char *word, const char *list)
{
    for (int place = 0; *list != '\0'; list += strspn(list, ", ")) {
        size_t length = strcspn(list, ", ");
        bool joins = length == 2 && strncmp(list, "or", 2) == 0;
        if (!joins && strlen(word) == length && strncasecmp(word, list, length) == 0) {
            return place;
        }
        place += !joins;
        list += length;
    }
    return -1;
}

static bool read_value(const struct keel_parameters_field *field, const char *holds,
                       const char *word, union keel_value *value)
{
    int place;

    switch (field->kind) {
    case KEEL_FIELD_WHOLE:
        return keel_number_whole(word, field->lowest.count, field->highest.count, &value->count);
    case KEEL_FIELD_REAL:
        return keel_number_real(word, &value->real) && value->real >= field->lowest.real &&
               value->real <= field->highest.real;
    default:
        place = place_of(word, holds);
        value->count = field->kind == KEEL_FIELD_WORD ? (uint64_t)place : place == 0;
        return place >= 0;
    }
}

/* Into a field of whatever size. */
static void store(void *field, size_t size, union keel_value value)
{
    if (size == sizeof(bool)) {
        *(bool *)field = value.count != 0;
    } else if (size == sizeof(uint32_t)) {
        *(uint32_t *)field = (uint32_t)value.count;
    } else {
        memcpy(field, &value, size);
    }
}

bool keel_parameters_field_set(const struct keel_parameters_field *field, const char *holds,
                               const char *word, void *into)
{
    union keel_value value = field->value;

    if ((field->word == NULL || strcasecmp(word, field->word) != 0) &&
        !read_value(field, holds, word, &value)) {
        return false;
    }
    store((char *)into + field->offset, field->size, value);
    if (field->then != NULL) {
        field->then(into);
    }
    return true;
}

static bool set(void *into, unsigned parameter, const char *word)
{
    struct reading *reading = into;
    const struct keel_parameters_entry *entry = &reading->parameters[parameter];

    return keel_parameters_field_set(&entry->field, entry->holds, word, reading->into);
}

static void expect(const void *reading, unsigned parameter, char *text, size_t size)
{
    const struct keel_parameters_entry *entry =
        &((const struct reading *)reading)->parameters[parameter];

    snprintf(text, size, "%s; %s", entry->holds, entry->instead);
}

static void read_parameters(struct keel_text list, const struct keel_policy_tables *tables,
                            unsigned policy, void *into, char *problem)
{
    const struct keel_parameters_entry *parameters = tables->parameters;
    struct reading reading = {parameters, into};
    struct keel_parameters_known known = {.owner = tables->policies[policy].name,
                                          .name = name_of,
                                          .set = set,
                                          .expect = expect,
                                          .into = &reading};
    unsigned given = 0, bit = KEEL_BIT(policy);

    for (; parameters[known.count].name != NULL; known.count++) {
        const struct keel_parameters_entry *entry = &parameters[known.count];
        known.accepted |= entry->policies & bit ? KEEL_BIT(known.count) : 0;
        if (entry->first & bit) {
            known.positional[known.positionals++] = known.count;
        }
    }
    keel_parameters_read(list, &known, &given, problem, KEEL_PROBLEM_MAX);
}

static int find(const struct keel_policy_entry *policies, struct keel_text name)
{
    for (int i = 0; policies[i].name != NULL; i++) {
        if (keel_text_is(name, policies[i].name)) {
            return i;
        }
    }
    return -1;
}

int keel_policy_entry_read(const char *text, const struct keel_policy_tables *tables, void *into,
                           char *problem)
{
    struct keel_text rest = {text, strlen(text)};
    locale_t previous = keel_c_locale_enter();
    int policy = find(tables->policies, keel_text_take(&rest, ",:"));

    problem[0] = '\0';
    if (policy >= 0) {
        tables->begin(into, (unsigned)policy);
        read_parameters(rest, tables, (unsigned)policy, into, problem);
    }
    keel_c_locale_leave(previous);
    return policy;
}

void keel_policies_consider_all(const struct keel_policy_entry *policies,
                                struct keel_nearest *nearest)
{
    for (; policies->name != NULL; policies++) {
        keel_nearest_consider(nearest, policies->name, strlen(policies->name));
    }
}
