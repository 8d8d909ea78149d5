/* One run of the program that is checked, in a process group of its own, its output in files. */
#ifndef OMP_EXT_COMMAND_CHECK_CHECKED_RUN_H
#define OMP_EXT_COMMAND_CHECK_CHECKED_RUN_H

#include <stdbool.h>

#include "omp_ext/command/programs/library.h"

#define KEEL_CHECKED_RUN_VALUE_MAX 4352 /* bytes of a KEEL_CHECK */

struct keel_checked_run {
    char **program;    /* and its arguments; looked for in PATH */
    const char *input; /* file for its standard input */
    const char *out;   /* file that its standard output goes to */
    const char *err;   /* the same for standard error; NULL: that of this process */
    double timeout_s;
    const char *threads;                      /* OMP_NUM_THREADS; NULL: stays as it is */
    const struct keel_preloading *preloading; /* NULL: without Keel */
    bool takes_explicit;                      /* KEEL_OVERRIDE=dynamic,guided */
    char check[KEEL_CHECKED_RUN_VALUE_MAX];   /* KEEL_CHECK */
};

struct keel_checked_run_end {
    int error;      /* errno of what kept the program from starting; 0: it ran */
    int status;     /* as waitpid gives it */
    bool timed_out; /* it was killed */
    double seconds;
};

/* Runs it and waits for its end, or the timeout: then the process group gets SIGTERM, and after a
 * second SIGKILL. A signal that would end this process is left pending, see below, and ends the run
 * likewise. Single-threaded callers only. */
struct keel_checked_run_end keel_checked_run_do(const struct keel_checked_run *checked_run);

/* Blocks the signals that would end this process from now on, so that runs and files can be cleaned
 * up first. */
void keel_checked_run_hold_signals(void);

/* The one of them that has come; 0: none. */
int keel_checked_run_signal(void);

#endif
