/* The policies that `auto` chooses from at a loop site, and what it knows of them for teams of one
 * size. */
#ifndef OMP_EXT_SITE_AUTO_CANDIDATES_H
#define OMP_EXT_SITE_AUTO_CANDIDATES_H

#include "omp_ext/settings/policy.h"
#include "schedules/forecast/selection.h"

#define KEEL_CANDIDATES_MAX KEEL_SELECTION_MAX

/* The last one, `rate`, serves while Keel measures. */
struct keel_candidates {
    unsigned count;
    struct keel_policy policy[KEEL_CANDIDATES_MAX];
    struct keel_policy in_order[KEEL_CANDIDATES_MAX];
};

/* What `auto` knows of a site and team size. */
struct keel_auto_state {
    struct keel_selection choice;
    struct keel_forecast forecast[KEEL_CANDIDATES_MAX]; /* the last ones */
    struct keel_workload workload;                      /* that they rest on */
    uint64_t measured;   /* instances, since the last forecasts, that ran in the order of the loop
                            or as `rate` does, to be measured */
    uint64_t iterations; /* of the last instance that was counted */
    double total_ns;     /* of all instances so far */
    double forecast_ns;  /* what the last forecasts took; 0: none yet */
};

/* Makes the candidates of the site of `automatic`. They keep what they learn in its records. */
void keel_candidates_begin(struct keel_candidates *candidates, const struct keel_policy *automatic);

/* The number of the candidate of that schedule's name; -1: none is. */
int keel_candidates_find(const struct keel_candidates *candidates, const char *name);

/* The state that knows nothing. */
void keel_candidates_begin_state(struct keel_auto_state *auto_state);

/* The time of the loop's instances, all together, from which on forecasts take a small part of it.
 */
double keel_candidates_forecasts_due_ns(const struct keel_auto_state *auto_state);

#endif
