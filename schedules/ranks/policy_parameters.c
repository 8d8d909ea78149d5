/* Parameters of policies. */
#include "schedules/ranks/policy_parameters.h"

#include <stdio.h>

struct reading {
    const struct keel_parameters_entry *parameters;
    void *into;
};

static const char *name_of(const void *reading, unsigned parameter)
{
    return ((const struct reading *)reading)->parameters[parameter].name;
}

static bool set(void *into, unsigned parameter, const char *word)
{
    struct reading *reading = into;

    return reading->parameters[parameter].set(reading->into, word);
}

static void expect(const void *reading, unsigned parameter, char *text, size_t size)
{
    const struct keel_parameters_entry *entry =
        &((const struct reading *)reading)->parameters[parameter];

    snprintf(text, size, "%s; %s", entry->holds, entry->instead);
}

void keel_policy_parameters_read(struct keel_text list, const char *policy, unsigned bit,
                                 const struct keel_parameters_entry *parameters, void *into,
                                 char *problem)
{
    struct reading reading = {parameters, into};
    struct keel_parameters_known known = {
        .owner = policy, .name = name_of, .set = set, .expect = expect, .into = &reading};
    unsigned given = 0;

    for (; parameters[known.count].name != NULL; known.count++) {
        const struct keel_parameters_entry *entry = &parameters[known.count];
        known.accepted |= entry->policies & bit ? KEEL_BIT(known.count) : 0;
        if (entry->first & bit) {
            known.positional[known.positionals++] = known.count;
        }
    }
    keel_parameters_read(list, &known, &given, problem, KEEL_PROBLEM_MAX);
}
