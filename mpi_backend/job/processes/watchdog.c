/* A process ends itself where nobody else may. */
#define _GNU_SOURCE /* syscall(), RUSAGE_THREAD */
#include "mpi_backend/job/processes/watchdog.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/processes/starving.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"

/* The kernel ends a process after so many deadlines: others, who say so, do it after one. */
#define KERNEL_WAITS 1.5

#define LOOKS_APART_S 0.5 /* at most */

#define TASKS "/proc/self/task"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over; /* waits by the clock of times */
static bool runs, has_timer;
static int timer; /* the kernel's number: libraries of older systems have no timers but in librt */
static double limit_s;

/* Whether that thread runs, or waits for a processor (proc(5)). */
static bool is_runnable(const char *thread)
{
    char path[sizeof TASKS + 64], text[512] = "";

    snprintf(path, sizeof path, TASKS "/%.20s/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t length = read(file, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        close(file);
    }
    const char *end = strrchr(text, ')');
    return end != NULL && end[1] == ' ' && end[2] == 'R';
}

/* Whether a thread other than this one is runnable. */
static bool wants_processor(void)
{
    DIR *tasks = opendir(TASKS);
    const struct dirent *task;
    long own = syscall(SYS_gettid);
    bool wants = false;

    while (tasks != NULL && !wants && (task = readdir(tasks)) != NULL) {
        wants = atol(task->d_name) > 0 && atol(task->d_name) != own && is_runnable(task->d_name);
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return wants;
}

static bool is_debugged(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];
    long tracer = 0;

    while (status != NULL && tracer == 0 && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "TracerPid: %ld", &tracer);
    }
    if (status != NULL) {
        fclose(status);
    }
    return tracer != 0;
}

/* Of threads other than this one, which rests after each look. */
static struct keel_mpi_processor processor_of_others(void)
{
    struct timespec used;
    struct rusage all, own;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    getrusage(RUSAGE_SELF, &all);
    getrusage(RUSAGE_THREAD, &own);
    return (struct keel_mpi_processor){
        .had_s = (double)used.tv_sec + (double)used.tv_nsec * 1e-9,
        .runs = (uint64_t)(all.ru_nvcsw + all.ru_nivcsw - own.ru_nvcsw - own.ru_nivcsw),
        .wants = wants_processor(),
    };
}

static struct timespec timespec_of(double seconds)
{
    double whole = floor(seconds);

    return (struct timespec){(time_t)whole, (long)((seconds - whole) * 1e9)};
}

/* 0: never. */
static void set_timer(double seconds)
{
    struct itimerspec setting = {.it_value = timespec_of(seconds)};

    if (has_timer) {
        syscall(SYS_timer_settime, timer, 0, &setting, NULL);
    }
}

static void starve(void)
{
    keel_message("this process has had less than %g %% of a processor for %.1f s, and ends "
                 "(KEEL_MPI_ON_LATE=end)",
                 KEEL_MPI_STARVING_SHARE * 100, limit_s);
    kill(getpid(), SIGKILL);
}

static void await_next_look(void)
{
    struct timespec next;

    clock_gettime(CLOCK_MONOTONIC, &next);
    next = timespec_of((double)next.tv_sec + (double)next.tv_nsec * 1e-9 +
                       fmin(LOOKS_APART_S, limit_s / (2 * KEEL_MPI_STARVING_LOOKS)));
    pthread_cond_timedwait(&over, &lock, &next);
}

static void *watch(void *context)
{
    struct keel_mpi_starving starving = {0};
    (void)context;

    pthread_mutex_lock(&lock);
    while (runs) {
        set_timer(is_debugged() ? 0 : KERNEL_WAITS * limit_s);
        await_next_look();
        if (runs &&
            keel_mpi_starving_look(&starving, keel_mpi_clock_s(), processor_of_others(), limit_s)) {
            starve();
        }
    }
    set_timer(0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool start_thread(void)
{
    pthread_condattr_t attributes;
    sigset_t all, before;
    pthread_t thread;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&over, &attributes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* those of the program are for its own threads */
    bool started = pthread_create(&thread, NULL, watch, NULL) == 0 && pthread_detach(thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void keel_mpi_watchdog_start(void)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    static bool started;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};

    pthread_mutex_lock(&lock);
    if (!started && settings->on_late == KEEL_RANKS_ON_LATE_END) {
        started = true;
        limit_s = settings->deadline_s;
        has_timer = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0;
        runs = start_thread();
    }
    pthread_mutex_unlock(&lock);
}

void keel_mpi_watchdog_end(void)
{
    pthread_mutex_lock(&lock);
    if (runs) {
        runs = false;
        pthread_cond_signal(&over);
    }
    set_timer(0);
    pthread_mutex_unlock(&lock);
}
