/* `auto` at a loop site: what the next instance runs, and what is learned from how long it took.
 *
 *   record -> choice -> shared_state->run -> instance -> time -> choice
 *                ^                        |
 *                +-- forecasts <-- profile, speeds (of instances that measure)
 *
 * Under the record's lock, all of it. */
#ifndef OMP_EXT_SITE_AUTO_H
#define OMP_EXT_SITE_AUTO_H

#include "omp_ext/loop/shared_state.h"
#include "schedules/forecast/selection.h"

#define KEEL_CANDIDATES_MAX KEEL_SELECTION_MAX

/* The policies that `auto` chooses from at one site. */
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
    uint64_t measured;   /* instances since the last forecasts that ran all along the loop */
    uint64_t iterations; /* of the instance that was taken in last */
    double total_ns;     /* of all instances so far */
    double forecast_ns;  /* what the last forecasts took; 0: none yet */
};

/* The state that knows nothing. */
void keel_auto_state_begin(struct keel_auto_state *auto_state);

/* Makes the candidates of the site of `automatic`, whose memory and shared states they share. */
void keel_auto_begin(struct keel_candidates *candidates, const struct keel_policy *automatic);

/* The number of the candidate of that schedule's name; -1: none is. */
int keel_auto_find(const struct keel_candidates *candidates, const char *name);

/* Sets shared_state->run and shared_state->candidate for the next instance. */
void keel_auto_run(struct keel_shared_state *shared_state);

/* Takes in that the instance took `time_ns`, after record->blocks has learned. */
void keel_auto_learn(struct keel_shared_state *shared_state, double time_ns);

#endif
