/* Whom an idle rank asks for objects that move, as a person writes it.
 *
 *   KEEL_MPI_BALANCE, keel_mpi_objects_set_balance() -> [policy] -> schedules/balance/victim.h
 *
 *   policy = "steal" | "tree" | "diffuse" [ ("," | ":") [ "neighbours=" ] number ] |
 *            "prema" [ ("," | ":") [ "neighbours=" ] number ] [ (":" | ",") "threshold=" number ] |
 *            "shake" [ (":" | ",") "seed=" number ] | "off"
 *
 * KEEL_MPI_BALANCE also says how rows are balanced (rows_policy.h): names that only rows have stand
 * for the default here. Pure; any thread. */
#ifndef SCHEDULES_RANKS_OBJECTS_POLICY_H
#define SCHEDULES_RANKS_OBJECTS_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/ranks/policy_parameters.h"

enum keel_objects_kind {
    KEEL_OBJECTS_STEAL,
    KEEL_OBJECTS_DIFFUSE,
    KEEL_OBJECTS_TREE,
    KEEL_OBJECTS_PREMA,
    KEEL_OBJECTS_SHAKE,
    KEEL_OBJECTS_OFF
};

struct keel_objects_policy {
    enum keel_objects_kind kind;
    uint32_t neighbours; /* diffuse, prema: in a neighbourhood, */
    bool stated;         /* by who chose the policy; else those at first */
    uint64_t threshold;  /* prema: who has fewer objects, those in work included, asks; >= 1 */
    uint64_t seed;       /* shake */
};

/* Ended by an entry whose name is NULL. */
extern const struct keel_policy_entry keel_objects_policies[];

/* Their parameters; bits are places in keel_objects_policies. The same end. */
extern const struct keel_parameters_entry keel_objects_policy_parameters[];

/* The default. */
struct keel_objects_policy keel_objects_policy_standard(void);

/* Whether an idle rank looks at a neighbourhood before it asks. */
bool keel_objects_policy_looks(const struct keel_objects_policy *policy);

/* Reads one. False: it is not a policy of objects, and nothing is written; no problem then, as it
 * may be one of rows. A parameter that cannot be used is left out: true, and `problem` says so. */
bool keel_objects_policy_read(const char *text, struct keel_objects_policy *policy,
                              char problem[KEEL_PROBLEM_MAX]);

#endif
