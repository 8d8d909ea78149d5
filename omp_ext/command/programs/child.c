/* Running a program as a child. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/support/message.h"

/* --- starting --- */

const char keel_unset[] = "";

void keel_child_set_all(const struct keel_setting *setting)
{
    for (; setting != NULL && setting->name != NULL; setting++) {
        if (setting->value == keel_unset) {
            unsetenv(setting->name);
        } else if (setting->value != NULL) {
            setenv(setting->name, setting->value, 1);
        }
    }
}

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

/* --- the child that this process is in the place of --- */

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

/* A signal from the terminal (si_code > 0) goes to the whole foreground process group: the
 * program has got it already. */
static void hand_on(pid_t child, const siginfo_t *signal)
{
    if (signal->si_signo != SIGCHLD && signal->si_code <= 0) {
        kill(child, signal->si_signo);
    }
}

static bool is_ending(int signal)
{
    return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

static void wait_for(pid_t child, const sigset_t *taken, struct keel_child *result)
{
    siginfo_t signal;

    while (waitpid(child, &result->status, WNOHANG) == 0) {
        if (sigwaitinfo(taken, &signal) > 0) {
            hand_on(child, &signal);
            result->ending = is_ending(signal.si_signo) ? signal.si_signo : result->ending;
        }
    }
}

int keel_child_signal(const struct keel_child *child)
{
    if (WIFSIGNALED(child->status)) {
        return WTERMSIG(child->status);
    }
    int named = WEXITSTATUS(child->status) - 128;
    return child->ending != 0 ? child->ending : named > 0 && named < SIGRTMIN ? named : 0;
}

/* What the child does before it becomes the program. */
struct preparation {
    const struct before *before;
    const struct keel_setting *setting;
};

static bool prepare_child(const void *context)
{
    const struct preparation *preparation = context;

    give_back_signals(preparation->before);
    keel_child_set_all(preparation->setting);
    return true;
}

struct keel_child keel_child_run(char **arguments, const struct keel_setting *setting)
{
    struct before before;
    const struct preparation preparation = {&before, setting};
    sigset_t taken = take_signals(&before);
    struct keel_exec started = keel_exec_start(arguments, prepare_child, &preparation);
    struct keel_child result = {.error = started.error};

    if (started.child > 0) {
        wait_for(started.child, &taken, &result);
    }
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

int keel_child_refused(const char *program, int error)
{
    keel_message("'%s' cannot be run: %s", program, strerror(error));
    return error == ENOENT ? KEEL_EXIT_REFUSED + 1 : KEEL_EXIT_REFUSED;
}
