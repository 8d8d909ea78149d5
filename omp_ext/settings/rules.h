/* Which loop runs under which schedule, as KEEL_SCHEDULE says it.
 *
 *   schedules = part { ";" part }
 *   part      = schedule               for every loop that no rule means
 *             | place "=" schedule ["!"]    a rule: place is FILE:LINE or FUNCTION, see
 *                                           source/rule.h; "!": the author's word that a static
 *                                           loop may be run by shares
 *
 * Example: "gss; mandel.c:42=fac2,8; render=libgomp". The first rule that means a loop decides. */
#ifndef OMP_EXT_SETTINGS_RULES_H
#define OMP_EXT_SETTINGS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "omp_ext/settings/policy.h"
#include "omp_ext/source/rule.h"

#define KEEL_RULES_MAX 64

struct keel_rules_entry {
    struct keel_rule place;
    const struct keel_policy *policy;
    bool by_word; /* the loop may be run by shares though its code does not show it */
};

struct keel_rules {
    const struct keel_policy *standard; /* NULL: none stated */
    bool wants_costs; /* some schedule runs where the program tells costs, and another one where it
                         does not */
    unsigned rules;
    struct keel_rules_entry rule[KEEL_RULES_MAX];
};

/* Told about each part of the text that is wrong: what, and what happens instead; NULL: the part is
 * used all the same, as `problem` says. */
typedef void keel_rules_reporter(void *context, const char *problem, const char *instead);

/* Reads `text` into `schedules`, which are {0} before. `defaults` as in keel_policy_read. */
void keel_rules_read(struct keel_rules *schedules, const char *text,
                     const struct keel_spec_defaults *defaults, keel_rules_reporter *report,
                     void *context);

/* The rule that means the loop at `source`; NULL: none does. */
const struct keel_rules_entry *keel_rules_match(const struct keel_rules *schedules,
                                                const struct keel_source *source);

#endif
