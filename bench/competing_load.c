/* Another program on a core that a loop would like to have for itself: binds itself to a processor,
 * and computes and sleeps in turns until its parent ends, or somebody ends it.
 *
 *   competing_load PROCESSOR COMPUTE_MS SLEEP_MS            SLEEP_MS 0: computes all the time */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void compute_until(int64_t end_ns)
{
    volatile double x = 0.3;

    while (now_ns() < end_ns) {
        for (int left = 1000; left > 0; left--) {
            x = 3.9 * x * (1 - x);
        }
    }
}

static void sleep_until(int64_t end_ns)
{
    struct timespec end = {.tv_sec = end_ns / 1000000000, .tv_nsec = end_ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}

/* The parent may have ended before the signal was asked for. */
static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        exit(0);
    }
}

static int bind_to(int processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)processor, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

int main(int arguments, char **argument)
{
    pid_t parent = getppid();

    if (arguments != 4 || atof(argument[2]) <= 0) {
        fputs("usage: competing_load PROCESSOR COMPUTE_MS SLEEP_MS\n", stderr);
        return 2;
    }
    end_with_parent(parent);
    if (bind_to(atoi(argument[1])) != 0) {
        fprintf(stderr, "keel: competing_load: cannot run on processor %s\n", argument[1]);
        return 1;
    }
    int64_t compute_ns = (int64_t)(atof(argument[2]) * 1e6);
    int64_t sleep_ns = (int64_t)(atof(argument[3]) * 1e6);
    for (int64_t start_ns = now_ns();; start_ns += compute_ns + sleep_ns) {
        compute_until(start_ns + compute_ns);
        if (sleep_ns > 0) {
            sleep_until(start_ns + compute_ns + sleep_ns);
        }
    }
}
