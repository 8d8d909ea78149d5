/* Running a program as a child: in the place of this process, or in a group of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/support/message.h"

/* --- starting --- */

const char keel_unset[] = "";

/* For this process: a child before it becomes a program. */
static void set_all(const struct keel_setting *setting)
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

/* A successful exec closes `report`; a failure sends its errno. */
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

struct started {
    pid_t child; /* to be waited for; -1: there is none */
    int error;   /* errno of what kept the program from starting; 0: it runs */
};

/* Starts a program as a child that ends with this process: arguments[0], looked for in PATH.
 * `prepare(context)` is called in the child before, after it has been bound to this process; false,
 * with errno: the program is not started. Returns when the program runs or has failed to. The
 * kernel kills it when this process ends. */
static struct started start(char **arguments, bool (*prepare)(const void *context),
                            const void *context)
{
    pid_t parent = getpid();
    int report[2];

    if (pipe2(report, O_CLOEXEC) != 0) {
        return (struct started){-1, errno};
    }
    pid_t child = fork();
    if (child == 0) {
        die_with_parent(parent);
        become(arguments, prepare, context, report[1]);
    }
    struct started started = {child, child < 0 ? errno : 0};
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
#define ENDING 4 /* the first of them end this process */

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
    set_all(preparation->setting);
    return true;
}

struct keel_child keel_child_run(char **arguments, const struct keel_setting *setting)
{
    struct before before;
    const struct preparation preparation = {&before, setting};
    sigset_t taken = take_signals(&before);
    struct started started = start(arguments, prepare_child, &preparation);
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
    if (error == ENOSPC || error == EDQUOT) {
        keel_message("what '%s' has written to '%s' (TMPDIR) is not known: %s", program,
                     keel_temporary_within(), strerror(error));
        return KEEL_EXIT_OWN;
    }
    keel_message("'%s' cannot be run: %s", program, strerror(error));
    return error == ENOENT ? KEEL_EXIT_REFUSED + 1 : KEEL_EXIT_REFUSED;
}

/* --- a program in a process group of its own --- */

#define GRACE_S 1.0 /* between SIGTERM and SIGKILL */

static sigset_t waited_for(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < ENDING; i++) {
        sigaddset(&set, handed_on[i]);
    }
    return set;
}

/* An inherited SIG_IGN of SIGCHLD would have the program's end forgotten. */
void keel_group_run_hold_signals(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t set = waited_for();

    sigaction(SIGCHLD, &standard, NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

int keel_group_run_signal(void)
{
    sigset_t pending;

    sigpending(&pending);
    for (size_t i = 0; i < ENDING; i++) {
        if (sigismember(&pending, handed_on[i]) == 1) {
            return handed_on[i];
        }
    }
    return 0;
}

static bool redirect(const char *path, int flags, int to)
{
    int descriptor = path != NULL ? open(path, flags | O_CLOEXEC, 0600) : to;

    return descriptor >= 0 && (descriptor == to || dup2(descriptor, to) >= 0);
}

/* A group of its own, so that what the program starts ends with it. */
static void prepare_signals(void)
{
    sigset_t none;

    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool prepare(const void *context)
{
    const struct keel_group_run *run = context;
    const int writing = O_WRONLY | O_CREAT | O_TRUNC;

    prepare_signals();
    set_all(run->setting);
    return redirect(run->input, O_RDONLY, STDIN_FILENO) &&
           redirect(run->out, writing, STDOUT_FILENO) && redirect(run->err, writing, STDERR_FILENO);
}

/* Until the child ends (true), a signal comes or the time is over. */
static bool wait_until(pid_t child, double end_s, int *status)
{
    sigset_t set = waited_for();

    for (;;) {
        if (waitpid(child, status, WNOHANG) == child) {
            return true;
        }
        double left_s = end_s - keel_clock_s();
        if (left_s <= 0 || keel_group_run_signal() != 0) {
            return false;
        }
        struct timespec span = {.tv_sec = (time_t)left_s,
                                .tv_nsec = (long)((left_s - (double)(time_t)left_s) * 1e9)};
        siginfo_t info;
        if (sigtimedwait(&set, &info, &span) > 0 && info.si_signo != SIGCHLD) {
            raise(info.si_signo); /* stays pending for keel_group_run_signal() */
        }
    }
}

static void end_group(pid_t child, int *status)
{
    kill(-child, SIGTERM);
    double end_s = keel_clock_s() + GRACE_S;
    pid_t ended;
    while ((ended = waitpid(child, status, WNOHANG)) == 0 && keel_clock_s() < end_s) {
        usleep(10000);
    }
    kill(-child, SIGKILL);
    while (ended == 0 && waitpid(child, status, 0) < 0 && errno == EINTR) {
    }
}

struct keel_group_run_end keel_group_run_do(const struct keel_group_run *run)
{
    double begin_s = keel_clock_s();
    struct started started = start(run->program, prepare, run);
    struct keel_group_run_end end = {.error = started.error};

    if (started.child > 0 && !wait_until(started.child, begin_s + run->timeout_s, &end.status)) {
        end.timed_out = keel_group_run_signal() == 0;
        end_group(started.child, &end.status);
    }
    end.seconds = keel_clock_s() - begin_s;
    return end;
}

const char *keel_group_run_status_text(int status)
{
    static char text[64];

    if (WIFEXITED(status)) {
        snprintf(text, sizeof text, "exit code %d", WEXITSTATUS(status));
    } else {
        snprintf(text, sizeof text, "signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    }
    return text;
}
