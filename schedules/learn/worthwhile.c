/* Whether a loop is long enough to be scheduled at all. */
#include "schedules/learn/learn.h"

#define SHORT_COSTS 32.0 /* a loop that lasts longer than this many times its scheduling is long */
#define STAYING 2.0      /* a settled answer stays within this factor */
#define LOOK_EACH 251    /* regions */
#define PASSED_NS 100e3  /* in longer regions the cost of running under Keel is invisible */
#define PASSED_AFTER 8   /* instances; twice as many after each return */
#define RETURNS_MAX 8

bool keel_worthwhile_static(const struct keel_scheduling_cost *scheduling,
                            const struct keel_trials *trials, bool settled)
{
    double most_ns = (settled ? STAYING : 1) * keel_scheduling_cost_ns(scheduling);

    return keel_trials_length_ns(trials) <= SHORT_COSTS * most_ns &&
           keel_trials_gain_ns(trials) <= most_ns;
}

bool keel_worthwhile_recheck(unsigned long region)
{
    return region % LOOK_EACH == 0;
}

bool keel_worthwhile_pass(double region_ns, unsigned instances, unsigned returns)
{
    return region_ns <= PASSED_NS && returns < RETURNS_MAX &&
           instances >= (unsigned)PASSED_AFTER << returns;
}
