/* Running a program as a child. */
#define _GNU_SOURCE
#include "omp_ext/command/parts/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Handed on to the program. Not those of job control: a terminal stops and continues both
 * processes by itself. */
static const int handed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};

#define HANDED_ON (sizeof handed_on / sizeof handed_on[0])

struct before {
    sigset_t mask;
    struct sigaction child; /* what SIGCHLD did */
};

/* Blocks what is waited for. An inherited SIG_IGN of SIGCHLD would have the child's end
 * forgotten. */
static sigset_t take_signals(struct before *before)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t taken;

    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    for (size_t i = 0; i < HANDED_ON; i++) {
        sigaddset(&taken, handed_on[i]);
    }
    sigprocmask(SIG_BLOCK, &taken, &before->mask);
    sigaction(SIGCHLD, &standard, &before->child);
    return taken;
}

static void give_back_signals(const struct before *before)
{
    sigaction(SIGCHLD, &before->child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* The kernel ends the program when this process is killed without a chance to hand the signal
 * on, as batch systems do. */
static void die_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
}

/* A successful exec closes `report`; a failed one sends its errno. */
static _Noreturn void become(char **arguments, int report)
{
    execvp(arguments[0], arguments);
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    (void)written; /* the exit status is not looked at then */
    _exit(EXIT_FAILURE);
}

/* errno of the exec; 0: it succeeded. */
static int exec_error(int report)
{
    int error;
    ssize_t got;

    do {
        got = read(report, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error ? error : 0;
}

/* A signal from the terminal (si_code > 0) goes to the whole foreground process group: the
 * program has got it already. */
static void hand_on(pid_t child, const siginfo_t *signal)
{
    if (signal->si_signo != SIGCHLD && signal->si_code <= 0) {
        kill(child, signal->si_signo);
    }
}

static int wait_for(pid_t child, const sigset_t *taken)
{
    siginfo_t signal;
    int status = 0;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sigwaitinfo(taken, &signal) > 0) {
            hand_on(child, &signal);
        }
    }
    return status;
}

struct keel_child keel_child_run(char **arguments, void (*prepare)(const void *context),
                                 const void *context)
{
    struct keel_child result = {0};
    struct before before;
    pid_t parent = getpid();
    int report[2];

    if (pipe2(report, O_CLOEXEC) != 0) {
        result.error = errno;
        return result;
    }
    sigset_t taken = take_signals(&before);
    pid_t child = fork();
    if (child == 0) {
        die_with_parent(parent);
        give_back_signals(&before);
        prepare(context);
        become(arguments, report[1]);
    }
    result.error = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        result.error = exec_error(report[0]);
        result.status = wait_for(child, &taken);
    }
    close(report[0]);
    return result;
}

/* The program has dumped its core itself, if at all. */
static void end_by(int signal)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    struct rlimit none = {0, 0};
    sigset_t only;

    setrlimit(RLIMIT_CORE, &none);
    sigaction(signal, &standard, NULL);
    sigemptyset(&only);
    sigaddset(&only, signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
}

_Noreturn void keel_child_follow(int status)
{
    if (WIFEXITED(status)) {
        exit(WEXITSTATUS(status));
    }
    end_by(WTERMSIG(status));
    exit(128 + WTERMSIG(status));
}
