/* The policies that `auto` chooses from. */
#include "omp_ext/site/auto_candidates.h"

#include <string.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define FORECASTS_NS 200e3  /* what forecasts may take, until that has been seen */
#define FORECASTS_PART 0.02 /* of a loop's time so far that they may take */

/* Of each kind one: what differs little is not worth its trial. */
static const struct keel_schedule *const candidates_of_all[] = {
    &keel_schedule_static, &keel_schedule_mfsc, &keel_schedule_gss,
    &keel_schedule_tss,    &keel_schedule_fac2, &keel_schedule_ss,
    &keel_schedule_steal,  &keel_schedule_af,   &keel_schedule_rate,
};

#define CANDIDATES (sizeof candidates_of_all / sizeof *candidates_of_all)

void keel_candidates_begin(struct keel_candidates *candidates, const struct keel_policy *automatic)
{
    candidates->count = CANDIDATES;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        struct keel_policy *policy = &candidates->policy[i], *in_order = &candidates->in_order[i];
        struct keel_spec stated = keel_spec_of(candidates_of_all[i]);
        keel_policy_copy_common(&stated, &automatic->stated);
        *policy = keel_policy_of(&stated);
        policy->records = automatic->records;
        if (stated.schedule->in_order != NULL) {
            *in_order = keel_policy_in_order(&stated);
            policy->in_order = in_order;
        }
    }
}

void keel_candidates_begin_state(struct keel_auto_state *auto_state)
{
    *auto_state = (struct keel_auto_state){0};
    keel_selection_begin(&auto_state->choice, CANDIDATES, CANDIDATES - 1);
}

int keel_candidates_find(const struct keel_candidates *candidates, const char *name)
{
    for (unsigned i = 0; i < candidates->count; i++) {
        if (strcmp(candidates->policy[i].spec.schedule->name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

double keel_candidates_forecasts_due_ns(const struct keel_auto_state *auto_state)
{
    return (auto_state->forecast_ns > 0 ? auto_state->forecast_ns : FORECASTS_NS) / FORECASTS_PART;
}
