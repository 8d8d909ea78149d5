/* Tables of policies and their parameters, and the policies of objects. */
#include "schedules/ranks/policies.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schedules/balance/victim.h"
#include "schedules/text/text.h"

struct reading {
    const struct keel_parameters_entry *parameters;
    void *into;
};

static const char *name_of(const void *reading, unsigned parameter)
{
    return ((const struct reading *)reading)->parameters[parameter].name;
}

/* The index of a word in a list such as "ring, mesh or all"; -1 if it is not there. */
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

/* Into a field of any size. */
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

/* --- objects --- */

#define NEIGHBOURS 4
#define THRESHOLD 1
#define SEED 1

const struct keel_policy_entry keel_objects_policies[] = {
    [KEEL_OBJECTS_STEAL] = {"steal", "steal",
                            "an idle rank asks the one that gave last, then random others",
                            "objects of very different cost", "work stealing"},
    [KEEL_OBJECTS_DIFFUSE] = {"diffuse", "diffuse[,neighbours]",
                              "an idle rank looks at a neighbourhood and asks the fullest, then at "
                              "the next neighbourhood",
                              "the default: fewer objects move than with random victims",
                              "Barker & Chrisochoides 2005 (PREMA), Keel"},
    [KEEL_OBJECTS_TREE] = {"tree", "tree",
                           "an idle rank asks along a tree that pairs slow ranks with fast ones",
                           "ranks of different speed, also many", "Kim & Purtilo 1996"},
    [KEEL_OBJECTS_PREMA] = {"prema", "prema[,neighbours][:threshold=...]",
                            "a rank with nothing left looks at a neighbourhood and asks the one "
                            "with most objects for one, then at the next neighbourhood",
                            "comparing with the paper", "Barker & Chrisochoides 2005 (PREMA)"},
    [KEEL_OBJECTS_SHAKE] = {"shake", "shake[:seed=...]",
                            "objects move at random; the result must not change",
                            "testing programs", "Keel"},
    [KEEL_OBJECTS_OFF] = {"off", "off", "objects stay where they are",
                          "measuring what balancing gains", "Keel"},
    {0},
};

static void note_stated(void *policy)
{
    ((struct keel_objects_policy *)policy)->stated = true;
}

/* Policies that look at a neighbourhood before they ask. */
#define LOOKS (KEEL_BIT(KEEL_OBJECTS_DIFFUSE) | KEEL_BIT(KEEL_OBJECTS_PREMA))

#define AT(member) KEEL_FIELD_AT(struct keel_objects_policy, member)

const struct keel_parameters_entry keel_objects_policy_parameters[] = {
    {"neighbours", LOOKS, LOOKS,
     KEEL_WHOLE_FIELD(AT(neighbours), 1, KEEL_VICTIM_NEIGHBOURS_MAX, .then = note_stated),
     "a whole number from 1 to 16", "using 4", "ranks in a neighbourhood"},
    {"threshold", KEEL_BIT(KEEL_OBJECTS_PREMA), 0, KEEL_WHOLE_FIELD(AT(threshold), 1, UINT64_MAX),
     "a whole number from 1 to 18446744073709551615", "using 1",
     "a rank asks when it has fewer objects left, its present ones included"},
    {"seed", KEEL_BIT(KEEL_OBJECTS_SHAKE), 0, KEEL_WHOLE_FIELD(AT(seed), 0, UINT64_MAX),
     "a whole number from 0 to 18446744073709551615", "using 1", "seed of the random numbers"},
    {0},
};

struct keel_objects_policy keel_objects_policy_standard(void)
{
    return (struct keel_objects_policy){
        .kind = KEEL_OBJECTS_DIFFUSE,
        .neighbours = NEIGHBOURS,
        .threshold = THRESHOLD,
        .seed = SEED,
    };
}

bool keel_objects_policy_looks(const struct keel_objects_policy *policy)
{
    return (LOOKS & KEEL_BIT(policy->kind)) != 0;
}

static void begin(void *policy, unsigned kind)
{
    *(struct keel_objects_policy *)policy = keel_objects_policy_standard();
    ((struct keel_objects_policy *)policy)->kind = (enum keel_objects_kind)kind;
}

static const struct keel_policy_tables tables = {keel_objects_policies,
                                                 keel_objects_policy_parameters, begin};

bool keel_objects_policy_read(const char *text, struct keel_objects_policy *policy,
                              char problem[KEEL_PROBLEM_MAX])
{
    return keel_policy_entry_read(text, &tables, policy, problem) >= 0;
}
