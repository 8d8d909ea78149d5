/* Runs of the program, each compared with the reference: what it printed, how it ended, the files
 * that it wrote. */
#ifndef OMP_EXT_COMMAND_CHECK_RUNS_H
#define OMP_EXT_COMMAND_CHECK_RUNS_H

#include <stdint.h>

#include "omp_ext/command/check/checked_run.h"
#include "omp_ext/command/check/loops.h"
#include "omp_ext/command/programs/results.h"

#define KEEL_RUNS_TEXT_MAX 512
#define KEEL_ROUNDING_MAX 1e-6

/* Fields without a note are set by who begins, and don't change. */
struct keel_runs {
    struct keel_checked_run checked_run; /* but for what a setting says */
    struct keel_results results;
    int status;       /* of the reference; changes */
    double end_s;     /* when no other run is to begin, by keel_clock_s() */
    double longest_s; /* of the runs that ended by themselves; changes */
};

/* What a run is like. */
struct keel_run_setting {
    bool shows_errors;   /* standard error of the program is this process's; else nobody sees it */
    const char *threads; /* NULL: as the environment says */
    bool checked;        /* under Keel; else what follows does not count */
    uint64_t seed;
    bool others_serial;
    const struct keel_loops *loops; /* NULL: all are active */
    const size_t *active;           /* numbers of the active loops and regions */
    size_t active_count;
    const size_t *barrier; /* the number of a loop that gets a barrier at its end; NULL: none */
};

enum keel_outcome_kind {
    KEEL_OUTCOME_SAME,
    KEEL_OUTCOME_OUTPUT,    /* other output */
    KEEL_OUTCOME_STATUS,    /* another exit code, or a signal */
    KEEL_OUTCOME_TIMEOUT,   /* it did not end */
    KEEL_OUTCOME_NOT_BEGUN, /* could not be run, or a signal has come for this process */
};

struct keel_outcome {
    enum keel_outcome_kind kind;
    int error;                             /* NOT_BEGUN: errno; 0: a signal */
    int status;                            /* STATUS: as waitpid gives it */
    struct keel_results_difference output; /* OUTPUT */
    double
        rounding; /* OUTPUT: a tolerance under which nothing differs, as numbers do that are added
                        up in another order: a power of ten up to KEEL_ROUNDING_MAX; 0: none */
};

/* Makes the folder for files in TMPDIR or /tmp, and room for what is left out. False: a message has
 * said why. */
bool keel_runs_begin(struct keel_runs *runs);

void keel_runs_end(struct keel_runs *runs);

/* One run, compared with the reference. */
struct keel_outcome keel_runs_do(struct keel_runs *runs, const struct keel_run_setting *setting);

/* One run whose results become the reference; .kind is SAME or tells why there is none. */
struct keel_outcome keel_runs_set_reference(struct keel_runs *runs,
                                            const struct keel_run_setting *setting);

/* Leaves out of comparisons what the last run has otherwise than the reference. False: too much
 * differs, or it ended otherwise. */
bool keel_runs_leave_out(struct keel_runs *runs);

/* The file of what libkeel.so reports. */
const char *keel_runs_report(const struct keel_runs *runs);

/* Whether no other run should begin. */
bool keel_runs_over(const struct keel_runs *runs);

/* What an outcome other than SAME is like, in text[KEEL_RUNS_TEXT_MAX]: "stdout line 3: ...". */
void keel_runs_describe(const struct keel_runs *runs, const struct keel_outcome *outcome,
                        char *text);

#endif
