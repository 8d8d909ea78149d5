/* Loop sites: places in the program that start loops, and what Keel keeps for each.
 *
 * A site is known by the return address of the libgomp call, and for a combined parallel loop also
 * by its outlined function, and by the file that is loaded there. Sites are looked up only where
 * something depends on them: a rule for single loops, a schedule that has to be measured, or a
 * trace. */
#ifndef OMP_EXT_SITE_SITE_H
#define OMP_EXT_SITE_SITE_H

#include "omp_ext/settings/policy.h"
#include "omp_ext/settings/rules.h"
#include "omp_ext/site/call_site.h"
#include "omp_ext/site/measurement.h"

#define KEEL_SITES_MAX 4096

/* Loads the libraries that sites need by what the environment asks for; false: another thread is at
 * it right now. Called before a program's first team starts, so that its threads do not meet that.
 * Without locks. */
bool keel_site_ready(void);

/* What a loop's region says of its policy: bits. */
enum {
    KEEL_SITE_RECHECK = 1, /* it is time to measure again */
    KEEL_SITE_COSTLESS = 2 /* costs are missing, see known_costs.h */
};

/* The policy that this loop runs under: a rule's if one means it, else the default, `standard`
 * (NULL: none), with the grain of the loop's clause, made complete by the site's own measurement
 * where it has parameters to measure. asks: KEEL_SITE_... Any thread; takes keel_slow_lock on the
 * first visits only. */
const struct keel_policy *keel_site_policy(const struct keel_call_site *place,
                                           const struct keel_policy *standard, uint64_t grain,
                                           unsigned asks);

/* The rule that means the loop at that place; NULL: none does, or its source is not known. Call
 * with keel_slow_lock held, when ready. */
const struct keel_rules_entry *keel_site_rule(const struct keel_call_site *place);

struct keel_site;

/* The loop's site, for its name. NULL: there is no room for another one, or another thread is
 * making sites ready. Any thread; takes keel_slow_lock on the first visits only. */
struct keel_site *keel_site_to_name(const struct keel_call_site *place);

/* Where such a site stands. */
const struct keel_call_site *keel_site_place(const struct keel_site *site);

/* The name of such a site, as keel_site_name() writes it. Call with keel_slow_lock held. */
const char *keel_site_name_of(struct keel_site *site);

/* Where the trace keeps what it calls such a site; NULL at first. */
_Atomic(const void *) *keel_site_shown_name(struct keel_site *site);

/* Visits all that sites know, in no particular order. Call with keel_slow_lock held. */
void keel_site_each(keel_measurement_visitor *visit, void *context);

#endif
