/* Whom an idle rank asks for objects that move. */
#include "schedules/ranks/objects_policy.h"

#include "schedules/balance/victim.h"

#define NEIGHBOURS 4
#define THRESHOLD 1
#define SEED 1

const struct keel_policy_entry keel_objects_policies[] = {
    [KEEL_OBJECTS_STEAL] = {"steal", "steal",
                            "an idle rank asks the one that gave last, then others by chance",
                            "objects of very different cost", "work stealing"},
    [KEEL_OBJECTS_DIFFUSE] = {"diffuse", "diffuse[,neighbours]",
                              "an idle rank looks at a neighbourhood and asks the fullest, then at "
                              "the next neighbourhood",
                              "the default: fewer objects move than by chance",
                              "Barker & Chrisochoides 2005 (PREMA), Keel"},
    [KEEL_OBJECTS_TREE] = {"tree", "tree",
                           "an idle rank asks along a tree that pairs slow ranks with fast ones",
                           "ranks of different speed, also many", "Kim & Purtilo 1996"},
    [KEEL_OBJECTS_PREMA] = {"prema", "prema[,neighbours][:threshold=...]",
                            "a rank with nothing left looks at a neighbourhood and asks the one "
                            "with most objects for one, then at the next neighbourhood",
                            "comparing with what was published",
                            "Barker & Chrisochoides 2005 (PREMA)"},
    [KEEL_OBJECTS_SHAKE] = {"shake", "shake[:seed=...]",
                            "objects move by chance; the result must not change",
                            "testing programs", "Keel"},
    [KEEL_OBJECTS_OFF] = {"off", "off", "objects stay where they are",
                          "measuring what balancing gains", "Keel"},
    {0},
};

static void note_stated(void *policy)
{
    ((struct keel_objects_policy *)policy)->stated = true;
}

/* Who looks at a neighbourhood before it asks. */
#define LOOKS (KEEL_BIT(KEEL_OBJECTS_DIFFUSE) | KEEL_BIT(KEEL_OBJECTS_PREMA))

#define AT(member) KEEL_FIELD_AT(struct keel_objects_policy, member)

const struct keel_parameters_entry keel_objects_policy_parameters[] = {
    {"neighbours", LOOKS, LOOKS,
     KEEL_WHOLE_FIELD(AT(neighbours), 1, KEEL_VICTIM_NEIGHBOURS_MAX, .then = note_stated),
     "a whole number from 1 to 16", "using 4", "ranks in a neighbourhood"},
    {"threshold", KEEL_BIT(KEEL_OBJECTS_PREMA), 0, KEEL_WHOLE_FIELD(AT(threshold), 1, UINT64_MAX),
     "a whole number from 1 to 18446744073709551615", "using 1",
     "a rank asks when it has fewer objects left, those in work included"},
    {"seed", KEEL_BIT(KEEL_OBJECTS_SHAKE), 0, KEEL_WHOLE_FIELD(AT(seed), 0, UINT64_MAX),
     "a whole number from 0 to 18446744073709551615", "using 1",
     "begins the numbers that are drawn"},
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
