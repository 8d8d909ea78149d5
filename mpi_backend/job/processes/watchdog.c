/* A process ends itself where nobody else may. */
#define _GNU_SOURCE /* syscall() */
#include "mpi_backend/job/processes/processes.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/process/mpi_process.h"

/* The kernel ends a process after so many deadlines: others, who say so, do it after one. */
#define KERNEL_WAITS 1.5

#define REST_S 0.5 /* at most, between two settings of the timer */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keel_mpi_periodic looks; /* that set the timer anew as long as the process runs */
static bool has_timer;
static int timer; /* the kernel's number: libraries of older systems have no timers but in librt */
static double limit_s;

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

static double set_again(void *context)
{
    (void)context;
    set_timer(is_debugged() ? 0 : KERNEL_WAITS * limit_s);
    return fmin(REST_S, limit_s / 16);
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
        keel_mpi_periodic_start(&looks, 0, set_again, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void keel_mpi_watchdog_end(void)
{
    pthread_mutex_lock(&lock);
    keel_mpi_periodic_stop(&looks);
    set_timer(0);
    pthread_mutex_unlock(&lock);
}
