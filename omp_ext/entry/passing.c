/* Short regions that Keel passes on to libgomp as they are. */
#include "omp_ext/entry/passing.h"

#include "omp_ext/instance/trace.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop_time.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/observe/watched_loop.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/settled.h"

/* Whether nobody but the schedule of the environment has a say in what the region's loops do, and
 * nobody wants to see them. */
static bool may_pass(void)
{
    const struct keel_settings *settings = keel_settings();

    return keel_loop_active() && settings->schedules.standard != NULL && !settings->check.on &&
           !keel_observing() && !keel_trace_wanted() && !keel_watched_loop_wanted() &&
           !keel_loop_time_counts() && !keel_loan_may_come() && keel_thread.costs == NULL &&
           keel_libgomp_known() != NULL;
}

/* The other threads of the team have no loop state, as they are in no region that Keel has seen,
 * and do not know whose libgomp it is: there has to be one only. So this one has none either. */
static void run(struct keel_met_loops *met, void (*outlined)(void *), void *data, unsigned threads,
                unsigned flags)
{
    struct keel_loop *loop = keel_thread.loop;
    struct keel_met_loops *outer = keel_thread.met;
    const struct keel_policy *set_policy = keel_thread.set_policy;

    keel_thread.loop = NULL;
    keel_thread.met = met;
    keel_libgomp_known()->GOMP_parallel(outlined, data, threads, flags);
    keel_known_costs_release(keel_thread.costs);
    keel_thread.costs = NULL;
    keel_thread.loop = loop;
    keel_thread.met = outer;
    keel_thread.set_policy = set_policy;
}

/* Nothing has been met yet in the region that the calling thread starts. Its loops are left as they
 * are, as there are many. */
static void begin(struct keel_met_loops *met, const struct keel_passing *passing)
{
    met->starter = &keel_thread;
    met->passing = passing;
    met->needs_keel = false;
    met->count = 0;
}

/* The loops of the region that the calling thread starts now, if it is to be passed on; or NULL. */
static const struct keel_passing *passing_of(const struct keel_known_region *known)
{
    const struct keel_passing *passing =
        known != NULL ? keel_known_region_passing(known, keel_settled_current_epoch()) : NULL;

    return passing != NULL && !keel_loop_recheck_is_next() ? passing : NULL;
}

bool keel_passing_run(void (*outlined)(void *), void *data, unsigned threads, unsigned flags)
{
    struct keel_known_region *known = may_pass() ? keel_known_region(outlined) : NULL;
    const struct keel_passing *passing = passing_of(known);
    struct keel_met_loops met;

    if (passing == NULL) {
        return false;
    }
    begin(&met, passing);
    keel_thread.regions++;
    run(&met, outlined, data, threads, flags);
    if (met.needs_keel) {
        keel_known_region_return(known);
    }
    return true;
}

void keel_passing_fork(struct keel_passing_watch *watch, struct keel_region *region)
{
    struct keel_known_region *known =
        may_pass() && !region->recheck ? keel_known_region(region->outlined) : NULL;

    watch->known = known != NULL && keel_known_region_is_learned(known) ? known : NULL;
    if (watch->known != NULL) {
        begin(&watch->met, NULL);
        watch->began = keel_clock_ticks();
        region->met = &watch->met;
    }
}

void keel_passing_join(const struct keel_passing_watch *watch, const struct keel_region *region)
{
    if (watch->known == NULL) {
        return;
    }
    double region_ns =
        watch->met.needs_keel ? 0 : keel_clock_span_ns(watch->began, keel_clock_ticks());
    keel_known_region_learn(watch->known, &watch->met, region->epoch, region_ns);
}
