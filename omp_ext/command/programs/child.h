/* Runs a program as a child and stands for it: signals sent to this process reach the program,
 * and this process can end as the program ended. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_CHILD_H
#define OMP_EXT_COMMAND_PROGRAMS_CHILD_H

struct keel_child {
    int error;  /* errno of fork or exec; 0: the program ran */
    int status; /* as waitpid gives it; only if it ran */
    int ending; /* SIGHUP, SIGINT, SIGQUIT or SIGTERM: this process got it meanwhile; 0: none */
};

/* The signal that ended the program, or that it tells by its exit code as shells and mpirun do; 0:
 * none that is known. */
int keel_child_signal(const struct keel_child *child);

/* Runs arguments[0], looked for in PATH, and waits for its end. `prepare(context)` is called in
 * the child before. From then on this process has the signals that it hands on blocked; it
 * should do little more than end. Single-threaded callers only. */
struct keel_child keel_child_run(char **arguments, void (*prepare)(const void *context),
                                 const void *context);

/* Says that the program can't be run, for errno `error`; returns keel's exit code for that. */
int keel_child_refused(const char *program, int error);

/* setenv(); NULL: the variable stays as it is. For `prepare`. */
void keel_child_set(const char *name, const char *value);

/* Ends this process as the program ended: with its exit code or by the same signal. */
_Noreturn void keel_child_follow(int status);

#endif
