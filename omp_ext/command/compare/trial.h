/* One run of the program under a candidate: how long it took, how it ended, and whether its output
 * is that of the reference. */
#ifndef OMP_EXT_COMMAND_COMPARE_TRIAL_H
#define OMP_EXT_COMMAND_COMPARE_TRIAL_H

#include <limits.h>
#include <stdbool.h>

#include "omp_ext/command/compare/candidates.h"
#include "omp_ext/command/compare/launch.h"
#include "omp_ext/command/programs/group_run.h"
#include "omp_ext/command/programs/mark_file.h"
#include "omp_ext/command/programs/results.h"

#define KEEL_TRIAL_TEXT_MAX 400

/* What all runs have in common. */
struct keel_trial_setup {
    struct keel_launch launch;
    const char *input;
    double timeout_s;
    bool shows_errors; /* standard error is this process's; else it is kept for the last message */
    struct keel_results *results;
    char report[PATH_MAX + 16]; /* files in the folder of results */
    struct keel_mark_file seen;
};

/* Decides about files, once the folder of results is there. */
void keel_trial_begin(struct keel_trial_setup *setup);

enum keel_trial_kind {
    KEEL_TRIAL_GOOD,
    KEEL_TRIAL_FAILED,    /* `failure` tells how */
    KEEL_TRIAL_NOT_BEGUN, /* error of what kept it from starting: end.error */
    KEEL_TRIAL_SIGNAL     /* one has come for this process, which has ended the run */
};

struct keel_trial {
    enum keel_trial_kind kind;
    struct keel_group_run_end end;
    char failure[KEEL_TRIAL_TEXT_MAX]; /* "ends with exit code 3: 'no such input'" */
};

/* Runs it. Its output stays where results say, its report, if it leaves any, in `report`, and
 * whether a loop came to a schedule of Keel's in `seen`, until the next run. */
struct keel_trial keel_trial_do(const struct keel_trial_setup *setup,
                                const struct keel_candidate *candidate);

#endif
