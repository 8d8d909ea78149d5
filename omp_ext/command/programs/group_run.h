/* One run of a program in a process group of its own, its input and output in files. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_GROUP_RUN_H
#define OMP_EXT_COMMAND_PROGRAMS_GROUP_RUN_H

#include <stdbool.h>

struct keel_group_run {
    char **program;    /* and its arguments; looked for in PATH */
    const char *input; /* file for its standard input */
    const char *out;   /* file that its standard output goes to */
    const char *err;   /* the same for standard error; NULL: that of this process */
    double timeout_s;
    void (*prepare)(const void *context); /* called in the child, sets its environment */
    const void *context;
};

struct keel_group_run_end {
    int error;      /* errno of what kept the program from starting; 0: it ran */
    int status;     /* as waitpid gives it */
    bool timed_out; /* it was killed */
    double seconds; /* from before its start to its end */
    double user_s;  /* CPU time of it and of those of its children that it has waited for */
    double system_s;
    long resident_kib; /* most memory that one of them had */
};

/* Runs it and waits for its end, or the timeout: then the process group gets SIGTERM, and after a
 * second SIGKILL. A signal that would end this process is left pending, see below, and ends the run
 * likewise. Single-threaded callers only. */
struct keel_group_run_end keel_group_run_do(const struct keel_group_run *run);

/* Blocks the signals that would end this process from now on, so that runs and files can be cleaned
 * up first. */
void keel_group_run_hold_signals(void);

/* The one of them that has come; 0: none. */
int keel_group_run_signal(void);

/* How a run ended: "exit code 3". Static memory. */
const char *keel_group_run_status_text(int status);

#endif
