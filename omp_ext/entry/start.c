/* How loops of a region start and end. */
#include "omp_ext/entry/start.h"

#include "omp_ext/entry/region.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/settings/settings.h"
#include "schedules/loop/registry.h"

/* Whether a thread may take its static share of the loop without an agreement of the team. Lent
 * iterations need a loop that the team shares. All threads of the team get the same answer. */
static bool may_be_static(const struct keel_start *start)
{
    return start->memory == NULL && start->reductions == NULL && start->chunk == 0 &&
           !keel_loop_may_be_lent();
}

/* All threads of the team get the same answer: it follows from the schedule that the environment
 * names, and from the loop's mode. */
bool keel_start_is_static(const struct keel_libgomp *libgomp, const struct keel_start *start,
                          const struct keel_policy *policy)
{
    const struct keel_spec *spec = &policy->spec;

    if (keel_settings()->schedules.standard == NULL || !may_be_static(start)) {
        return false;
    }
    if (policy->settled_site == NULL) {
        return spec->schedule == &keel_schedule_static && spec->given == 0 && policy->grain <= 1 &&
               spec->value[KEEL_MIN].count <= 1;
    }
    struct keel_mode *mode = keel_start_mode(start, policy);
    bool divides = keel_mode_divides(mode, start->space.iterations);
    if (!divides && keel_thread.in_team && keel_loop_of_team(libgomp)->threads == 1) {
        return keel_region_allows_modes(); /* a region of one thread, with nothing to share */
    }
    if (divides && start->mode == NULL && !keel_settings()->schedules.wants_costs) {
        keel_mode_tell(mode, start->construct.place.caller);
    }
    return divides;
}

/* The schedule of such a loop does not change, and what is agreed on needs a team that is known. */
bool keel_start_is_told_static(const struct keel_libgomp *libgomp, const struct keel_start *start)
{
    const struct keel_mode *mode = keel_mode_told(start->construct.place.caller);

    return mode != NULL && keel_mode_divides(mode, start->space.iterations) &&
           may_be_static(start) && keel_loop_team_known(libgomp);
}

const struct keel_policy *keel_start_policy(keel_opener *open, const struct keel_libgomp *libgomp,
                                            const struct keel_start *start)
{
    const struct keel_policy *policy = keel_loop_policy(libgomp, &start->construct);

    if (policy == NULL && open == keel_loop_open && libgomp->shares &&
        (keel_settings()->schedules.standard == NULL || keel_loop_may_be_lent())) {
        policy = &keel_policy_libgomp;
    }
    if (policy != NULL && !keel_loop_team_known(libgomp)) {
        keel_loop_needs_keel();
        policy = NULL;
    }
    return policy;
}

/* All threads have come to the end of the loop, and wait for the initial one. */
void keel_start_change_modes(const struct keel_libgomp *libgomp)
{
    struct keel_loop *loop = keel_thread.loop;

    loop->change_after *= 2;
    if (libgomp->omp_get_thread_num() == 0) {
        keel_mode_change_within(keel_region_allows_modes());
    }
    libgomp->GOMP_barrier();
}

void keel_start_observed_end(const struct keel_libgomp *libgomp, const void *caller)
{
    keel_observed_loop_arrive(KEEL_OBSERVED_LOOP_END, caller);
    keel_start_unobserved_end(libgomp);
    keel_observed_loop_leave(KEEL_OBSERVED_LOOP_END, caller);
}

bool keel_start_observed_end_cancel(const struct keel_libgomp *libgomp, const void *caller)
{
    keel_observed_loop_arrive(KEEL_OBSERVED_LOOP_END, caller);
    bool cancelled = keel_start_unobserved_end_cancel(libgomp);
    keel_observed_loop_leave(KEEL_OBSERVED_LOOP_END, caller);
    return cancelled;
}
