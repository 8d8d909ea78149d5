/* One run of a program in a process group of its own. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"

#define GRACE_S 1.0 /* between SIGTERM and SIGKILL */

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

#define ENDING (sizeof ending / sizeof ending[0])

/* --- signals --- */

static sigset_t waited_for(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < ENDING; i++) {
        sigaddset(&set, ending[i]);
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
        if (sigismember(&pending, ending[i]) == 1) {
            return ending[i];
        }
    }
    return 0;
}

/* --- the child --- */

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
    keel_child_set_all(run->setting);
    return redirect(run->input, O_RDONLY, STDIN_FILENO) &&
           redirect(run->out, writing, STDOUT_FILENO) && redirect(run->err, writing, STDERR_FILENO);
}

/* --- the wait --- */

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
    struct keel_exec started = keel_exec_start(run->program, prepare, run);
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
