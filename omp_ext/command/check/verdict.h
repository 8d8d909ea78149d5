/* What `keel check` does, step by step: runs without Keel, runs under adversarial schedules, and
 * what follows from them. */
#ifndef OMP_EXT_COMMAND_CHECK_VERDICT_H
#define OMP_EXT_COMMAND_CHECK_VERDICT_H

#include "omp_ext/command/check/runs.h"

/* Exit codes beside those of the command line. */
enum {
    KEEL_CHECK_SAME = 0,
    KEEL_CHECK_DIFFERS = 1, /* results depend on the schedule */
    KEEL_CHECK_UNKNOWN = 3, /* nothing can be said: the program fails without Keel, differs by which
                               of its threads comes first, or no loop came to Keel */
};

struct keel_check_request {
    struct keel_runs *runs;
    unsigned plain_runs;  /* without Keel, >= 1 */
    unsigned random_runs; /* under adversarial schedules, >= 1 */
    uint64_t seed;        /* of the first of these; others follow */
    double timeout_s;     /* 0: from the first run */
    double budget_s;
};

/* Checks, prints what has been found, and returns the exit code. */
int keel_check_run(const struct keel_check_request *request);

#endif
