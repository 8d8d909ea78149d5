/* Starting a program as a child that ends with this process. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_EXEC_H
#define OMP_EXT_COMMAND_PROGRAMS_EXEC_H

#include <stdbool.h>
#include <sys/types.h>

struct keel_exec {
    pid_t child; /* to be waited for; -1: there is none */
    int error;   /* errno of what kept the program from starting; 0: it runs */
};

/* Runs arguments[0], looked for in PATH. `prepare(context)` is called in the child before, after it
 * has been bound to this process; false, with errno: the program is not started. Returns when the
 * program runs or has failed to. The kernel kills it when this process ends. Single-threaded
 * callers only. */
struct keel_exec keel_exec_start(char **arguments, bool (*prepare)(const void *context),
                                 const void *context);

#endif
