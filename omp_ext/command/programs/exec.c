/* Starting a program as a child. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The kernel ends the program when this process is killed without a chance to end it, as batch
 * systems do. */
static void die_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
}

/* A successful exec closes `report`; all else sends its errno. */
static _Noreturn void become(char **arguments, bool (*prepare)(const void *context),
                             const void *context, int report)
{
    if (prepare(context)) {
        execvp(arguments[0], arguments);
    }
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    (void)written; /* the child then counts as a program that failed */
    _exit(EXIT_FAILURE);
}

/* errno of the child before it became the program; 0: it did. */
static int start_error(int report)
{
    int error;
    ssize_t got;

    do {
        got = read(report, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error ? error : 0;
}

struct keel_exec keel_exec_start(char **arguments, bool (*prepare)(const void *context),
                                 const void *context)
{
    pid_t parent = getpid();
    int report[2];

    if (pipe2(report, O_CLOEXEC) != 0) {
        return (struct keel_exec){-1, errno};
    }
    pid_t child = fork();
    if (child == 0) {
        die_with_parent(parent);
        become(arguments, prepare, context, report[1]);
    }
    struct keel_exec started = {child, child < 0 ? errno : 0};
    close(report[1]);
    if (child > 0) {
        started.error = start_error(report[0]);
    }
    close(report[0]);
    return started;
}
