/* A comparison as it runs: a round for warming up, then rounds in random order, until what matters
 * is told apart or the budget is used up.
 *
 *   candidates -> [session] -> samples -> statistics/ -> findings, tables, files */
#ifndef OMP_EXT_COMMAND_COMPARE_SESSION_H
#define OMP_EXT_COMMAND_COMPARE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/command/compare/candidates.h"
#include "omp_ext/command/compare/loop_times.h"
#include "omp_ext/command/compare/progress.h"
#include "omp_ext/command/compare/statistics/samples.h"
#include "omp_ext/command/compare/statistics/sign_sequence.h"
#include "omp_ext/command/compare/trial.h"

#define KEEL_SESSION_LEVEL 0.05 /* how often any statement about a program may be wrong */

/* What the command line asks for. */
struct keel_session_request {
    double budget_s;
    double timeout_s; /* 0: by the runs so far */
    size_t rounds_min, rounds_max;
    uint64_t seed;  /* of the orders */
    double matters; /* part of the time that a difference has to be to matter */
};

enum keel_session_end {
    KEEL_SESSION_SETTLED,
    KEEL_SESSION_BUDGET,
    KEEL_SESSION_ROUNDS,    /* as many as were asked for */
    KEEL_SESSION_SIGNAL,    /* one has come */
    KEEL_SESSION_ALONE,     /* no candidate but the reference has run well */
    KEEL_SESSION_REFERENCE, /* it failed: `failure` of candidate 0 */
    KEEL_SESSION_NOT_BEGUN, /* the program can't be run: `error` */
    KEEL_SESSION_MEMORY
};

/* What is known of a candidate beside its times. */
struct keel_session_candidate {
    char failure[KEEL_TRIAL_TEXT_MAX];         /* it is not run any more; "": it never failed */
    bool given_up;                             /* the same, as it is far from the best */
    double expected_s;                         /* what its longest run took */
    double warm_s;                             /* its run in the round for warming up; 0: none */
    size_t differing;                          /* runs whose output was not the reference's */
    struct keel_results_difference difference; /* of the first of them */
};

/* One run, for files. */
struct keel_session_run {
    size_t round; /* from 1; 0: warming up */
    size_t order; /* in its round, from 1 */
    size_t candidate;
    struct keel_group_run_end end;
};

struct keel_session {
    const struct keel_session_request *request;
    struct keel_candidates *candidates;
    struct keel_trial_setup *setup;
    struct keel_progress progress;
    struct keel_sign_sequence sequence; /* for each pair */
    struct keel_samples samples;        /* of the whole program */
    struct keel_loop_times loops;
    struct keel_session_candidate *of;
    size_t runs;
    struct keel_session_run *run;
    size_t rounds;     /* finished ones */
    bool warm_alone;   /* no round was finished: samples are from warming up */
    bool unsteady;     /* the reference's own output differs from run to run */
    bool incomparable; /* in too much to leave it out */
    int error;
    double begin_s; /* by keel_clock_s() */
    double kept_s;  /* of the budget, for trying a schedule for each loop */
    uint64_t chance;
};

/* False: no memory. `request`, `candidates` and `setup` outlive it. */
bool keel_session_begin(struct keel_session *session, const struct keel_session_request *request,
                        struct keel_candidates *candidates, struct keel_trial_setup *setup);

enum keel_session_end keel_session_do(struct keel_session *session);

/* After KEEL_SESSION_BUDGET: uses what was kept of the budget, too. */
enum keel_session_end keel_session_go_on(struct keel_session *session);

/* Seconds of the budget that are left; negative: it is used up. */
double keel_session_left_s(const struct keel_session *session);

/* The next random number, all bits. */
uint64_t keel_session_chance(struct keel_session *session);

/* Whether it is still run: it has neither failed nor been given up. */
bool keel_session_runs(const struct keel_session *session, size_t candidate);

void keel_session_end(struct keel_session *session);

#endif
