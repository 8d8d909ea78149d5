/* Short regions that Keel passes on to libgomp as they are. */
#include "omp_ext/entry/passing.h"

#include "omp_ext/loop/loop_policy.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/site/mode.h"

static bool may_pass(void)
{
    return keel_region_allows_modes() && keel_thread.costs == NULL && keel_libgomp_known() != NULL;
}

/* The other threads of the team have no loop state, as they are in no region that Keel has seen,
 * and do not know whose libgomp it is: there has to be one only. So this one has none either.
 * Returns whether the region has needed Keel. */
static bool run(void (*outlined)(void *), void *data, unsigned threads, unsigned flags)
{
    const struct keel_thread outer = keel_thread;
    unsigned begun = outer.in_team ? 0 : keel_mode_begin_team(outlined, true, false);
    bool needs_keel = false;

    keel_thread.loop = NULL;
    keel_thread.needs_keel = &needs_keel;
    keel_thread.in_team = true;
    keel_thread.passed_on++;
    keel_libgomp_known()->GOMP_parallel(outlined, data, threads, flags);
    keel_known_costs_release(keel_thread.costs);
    keel_thread.costs = NULL;
    keel_thread.loop = outer.loop;
    keel_thread.needs_keel = outer.needs_keel;
    keel_thread.in_team = outer.in_team;
    keel_thread.passed_on--;
    keel_thread.set_policy = outer.set_policy;
    if (begun != 0) {
        keel_mode_end_team(begun);
    }
    return needs_keel;
}

bool keel_passing_run(struct keel_passing_watch *watch, void (*outlined)(void *), void *data,
                      unsigned threads, unsigned flags)
{
    struct keel_known_region *known = may_pass() ? keel_known_region(outlined) : NULL;

    watch->known = known;
    if (known == NULL || !keel_known_region_is_passed(known) || keel_loop_recheck_is_next()) {
        return false;
    }
    keel_thread.regions++;
    if (run(outlined, data, threads, flags)) {
        keel_known_region_return(known);
    }
    return true;
}

void keel_passing_fork(struct keel_passing_watch *watch, struct keel_region *region)
{
    watch->needs_keel = false;
    if (watch->known != NULL) {
        watch->began = keel_clock_ticks();
        region->needs_keel = &watch->needs_keel;
    }
}

void keel_passing_join(const struct keel_passing_watch *watch)
{
    if (watch->known != NULL) {
        double region_ns =
            watch->needs_keel ? 0 : keel_clock_span_ns(watch->began, keel_clock_ticks());
        keel_known_region_learn(watch->known, watch->needs_keel, region_ns);
    }
}
