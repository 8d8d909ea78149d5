/* A comparison as it runs: a round for warming up, which also tells candidates that do the same,
 * then rounds in random order, until what matters is told apart or the budget is used up.
 *
 *   candidates -> [session] -> samples -> statistics/ -> findings, tables, files */
#ifndef OMP_EXT_COMMAND_COMPARE_SESSION_H
#define OMP_EXT_COMMAND_COMPARE_SESSION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/command/compare/candidates.h"
#include "omp_ext/command/compare/loop_times.h"
#include "omp_ext/command/compare/progress.h"
#include "omp_ext/command/compare/statistics/ratio.h"
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
    KEEL_SESSION_ALONE,     /* nothing is left beside the reference: all others have failed, or do
                               what it does */
    KEEL_SESSION_REFERENCE, /* it failed: `failure` of candidate 0 */
    KEEL_SESSION_NOT_BEGUN, /* the program can't be run: `error` */
    KEEL_SESSION_MEMORY
};

/* What is known of a candidate beside its times. */
struct keel_session_candidate {
    char failure[KEEL_TRIAL_TEXT_MAX]; /* it is not run any more; "": it never failed */
    bool given_up;                     /* the same, as it is far from the best */
    double expected_s;                 /* what its longest run took */
    bool warm;                         /* it has run well in the round for warming up */
    bool reached;                      /* a loop came to its schedule of Keel's then */
    bool reported;                     /* it has left a report then, with ... */
    uint64_t schedules;                /* ... these, by keel_loop_times_schedules() */
    size_t same_as;                    /* an earlier one that does the same, which is run for
                                                  both; else itself */
    size_t differing;                  /* runs whose output was not the reference's */
    struct keel_results_difference difference; /* of the first of them */
    bool varies;                               /* those runs differ among themselves, too: ... */
    struct keel_results_difference variation;  /* ... the first time */
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
    struct keel_sign_sequence sequence; /* for each pair of those that do not do the same */
    struct keel_samples samples;        /* of the whole program */
    struct keel_loop_times loops;
    struct keel_session_candidate *of;
    size_t runs;
    struct keel_session_run *run;
    size_t rounds; /* finished ones */
    bool unsteady; /* the reference's own output differs from run to run */
    struct keel_results_difference variation; /* the first time */
    bool incomparable;                        /* in too much to leave it out */
    bool hidden;    /* Keel may not be able to see the program's loops: set before the rounds */
    bool elsewhere; /* ranks may run where neither their marks nor their reports come from */
    int error;
    double begin_s; /* by keel_clock_s() */
    double kept_s;  /* of the budget, for trying what is recommended */
    uint64_t chance;
};

/* False: no memory. `request`, `candidates` and `setup` outlive it. */
bool keel_session_begin(struct keel_session *session, const struct keel_session_request *request,
                        struct keel_candidates *candidates, struct keel_trial_setup *setup);

/* The first run of the reference, and another one, by which its output is known. False: there is
 * nothing to go on with; *end tells why. */
bool keel_session_do_reference(struct keel_session *session, enum keel_session_end *end);

/* The others' first run, and rounds. */
enum keel_session_end keel_session_do_rounds(struct keel_session *session);

/* After KEEL_SESSION_BUDGET: uses what was kept of the budget, too. */
enum keel_session_end keel_session_go_on(struct keel_session *session);

/* Two environments beside each other, as a job script would have them. */
struct keel_pair_trial {
    size_t rounds;
    struct keel_ratio ratio; /* of the second one to the first */
    bool pays;               /* the second one is faster, with the same output */
};

#define KEEL_PAIR_NOT_TRIED ((struct keel_pair_trial){.ratio = {.median = NAN, .high = INFINITY}})

/* Runs both in turns, at least once, until they are told apart or the budget is used up. `what`:
 * for the line of progress. After a signal nothing is run. */
struct keel_pair_trial keel_session_try(struct keel_session *session,
                                        const struct keel_candidate *const pair[2],
                                        const char *what);

/* How many are compared: those that do the same count once. */
size_t keel_session_different(const struct keel_session *session);

/* Seconds that warming up takes and as many rounds as can tell the candidates apart: of all of them
 * (the least number of rounds goes to `rounds`), or of `candidates` of them. */
double keel_session_expected_s(const struct keel_session *session, size_t candidates,
                               unsigned *rounds);

/* Seconds of the budget that are left; negative: it is used up. */
double keel_session_left_s(const struct keel_session *session);

/* The next random number, all bits. */
uint64_t keel_session_chance(struct keel_session *session);

/* Whether it is still run: it has neither failed nor been given up, and is not another one's
 * same. */
bool keel_session_runs(const struct keel_session *session, size_t candidate);

void keel_session_end(struct keel_session *session);

#endif
