/* Which policy a loop of this thread runs under. */
#include "omp_ext/loop/loop.h"

#include <link.h>

#include "omp_ext/check/check.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/machine/team_places.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/observe/observers.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/known_costs.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

_Atomic int keel_activity;

enum keel_activity keel_loop_find_activity(void)
{
    const struct keel_settings *settings = keel_settings();
    const struct keel_policy *standard = settings->schedules.standard;
    bool on = (standard != NULL && standard != &keel_policy_libgomp) ||
              settings->schedules.rules > 0 || settings->fallback != NULL || settings->check.on ||
              keel_loan_may_come();
    int unknown = KEEL_UNKNOWN;
    bool observes = keel_observers_begin();

    if (on || (observes && !keel_observe_may_skip())) { /* otherwise names are looked up later */
        keel_site_ready();
    }
    if (on) {
        keel_team_places_begin();
    }
    /* keel_loop_activate() may have switched it on meanwhile */
    atomic_compare_exchange_strong(&keel_activity, &unknown,
                                   on         ? KEEL_ON
                                   : observes ? KEEL_OBSERVES
                                              : KEEL_OFF);
    return (enum keel_activity)atomic_load(&keel_activity);
}

void keel_loop_activate(void)
{
    keel_site_ready();
    keel_observers_begin();
    keel_team_places_begin();
    atomic_store(&keel_activity, KEEL_ON);
}

/* KEEL_SCHEDULE rules over the program's own calls, and these over OMP_SCHEDULE, as OpenMP says. */
const struct keel_policy *keel_loop_default_policy(void)
{
    const struct keel_settings *settings = keel_settings();

    if (settings->schedules.standard != NULL) {
        return settings->schedules.standard;
    }
    return keel_thread.set_policy != NULL ? keel_thread.set_policy : settings->fallback;
}

/* costless: costs are missing now; they may have been when the region began. */
static const struct keel_policy *policy_of(const struct keel_libgomp *libgomp,
                                           const struct keel_construct *construct, bool costless)
{
    const struct keel_settings *settings = keel_settings();
    const struct keel_policy *policy = keel_loop_default_policy();

    if (!libgomp->schedules) {
        return NULL;
    }
    if (__builtin_expect(settings->check.on, 0)) {
        return keel_check_policy(&keel_thread.check, construct);
    }
    if (settings->schedules.rules > 0 || settings->explain ||
        (policy != NULL && (policy->incomplete || policy->without_costs != NULL))) {
        const struct keel_loop *loop = keel_thread.loop;
        policy = keel_site_policy(&construct->place, policy, construct->grain,
                                  loop != NULL && loop->recheck,
                                  costless || (loop != NULL && loop->costless));
    } else {
        policy = keel_policy_grained(policy, construct->grain);
    }
    if (policy == NULL || policy == &keel_policy_libgomp) {
        return NULL;
    }
    return (construct->in_order || policy->spec.in_order) && policy->in_order != NULL
               ? policy->in_order
               : policy;
}

/* Once, by one rank of a node. */
static void tell_old(const struct keel_libgomp *libgomp)
{
    static atomic_bool said;

    /* relaxed: no other data is read by it */
    if (!atomic_load_explicit(&said, memory_order_relaxed) && !atomic_exchange(&said, true) &&
        keel_launch_role(keel_environment_value) != KEEL_LAUNCH_OTHER) {
        keel_message("'%s' is older than that of GCC 9: of its loops, Keel schedules those that "
                     "are combined with their region, as in `parallel for`; others are left to it",
                     libgomp->object->l_name);
    }
}

const struct keel_policy *keel_loop_policy(const struct keel_libgomp *libgomp,
                                           const struct keel_construct *construct)
{
    const struct keel_policy *policy = policy_of(libgomp, construct, false);

    if (policy != NULL && !libgomp->shares) {
        tell_old(libgomp);
        return NULL;
    }
    return policy;
}

const struct keel_policy *keel_loop_combined_policy(const struct keel_libgomp *libgomp,
                                                    const struct keel_construct *construct,
                                                    const struct keel_space *space)
{
    const struct keel_policy *own = policy_of(libgomp, construct, keel_known_costs_missing());

    if (__builtin_expect(keel_loan_is_pending(), 0) && libgomp->schedules) {
        own = keel_loan_take(&(struct keel_lent_loop){.own = own, .construct = *construct},
                             space->iterations);
    }
    if (own == NULL || own->settled_site == NULL) {
        return own;
    }
    return keel_settled_propose_combined(own, space->iterations, keel_loop_take_recheck());
}

bool keel_loop_recheck_is_next(void)
{
    return keel_worthwhile_recheck(keel_thread.regions + 1);
}

bool keel_loop_take_recheck(void)
{
    return keel_worthwhile_recheck(++keel_thread.regions);
}
