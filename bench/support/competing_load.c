/* Another program that competes for the core of a loop (the experiments, PAPERS.md S15): binds
 * itself to a core, and computes and sleeps in turns. Its CPU time is printed, so that the
 * efficiency of a program beside it is known (S1).
 *
 *   competing_load CORE PERIOD ON EVERY
 *
 * Computes for ON of each PERIOD, until it is ended by SIGTERM, SIGINT, or with the process that
 * has started it. Prints rows unix_s,state,cpu_s,computing_s: its computing time by the clock, and
 * the CPU time that it got for that; one when it begins to compute or to sleep, and no further
 * apart than EVERY. EVERY -1: one row, at the end. In seconds. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/support/support.h"

struct load {
    int64_t period_ns, on_ns;
    int64_t every_ns; /* between rows of the log */
    bool log;

    int64_t computing_ns; /* by the clock, so far */
    sigset_t ends;        /* signals that end it; blocked, so that none is missed */
    bool ended;
};

/* --- time --- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double cpu_s(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void print_row(const struct load *load, const char *state)
{
    printf("%.6f,%s,%.6f,%.6f\n", (double)clock_ns(CLOCK_REALTIME) / 1e9, state, cpu_s(),
           (double)load->computing_ns / 1e9);
}

/* --- computing and sleeping --- */

/* Waits for a signal that ends it, at most until end_ns, which may have passed. */
static void wait_until(struct load *load, int64_t end_ns)
{
    int64_t left_ns = end_ns - clock_ns(CLOCK_MONOTONIC);
    struct timespec left = {0};

    if (left_ns > 0) {
        left = (struct timespec){left_ns / 1000000000, left_ns % 1000000000};
    }
    load->ended = sigtimedwait(&load->ends, NULL, &left) > 0;
}

/* Looks for a signal every millisecond. */
static void compute_until(struct load *load, int64_t end_ns)
{
    int64_t start_ns = clock_ns(CLOCK_MONOTONIC), now = start_ns;
    volatile double x = 0.3;

    while (now < end_ns && !load->ended) {
        int64_t look_ns = least(end_ns, now + 1000000);
        while ((now = clock_ns(CLOCK_MONOTONIC)) < look_ns) {
            for (int left = 1000; left > 0; left--) {
                x = 3.9 * x * (1 - x);
            }
        }
        wait_until(load, 0);
    }
    load->computing_ns += now - start_ns;
}

/* Phases follow each other by the clock, whenever this process gets the core. */
static void run(struct load *load)
{
    int64_t start_ns = clock_ns(CLOCK_MONOTONIC), phase_ns = start_ns;

    for (bool on = true; !load->ended; on = !on) {
        phase_ns += on ? load->on_ns : load->period_ns - load->on_ns;
        for (int64_t now = clock_ns(CLOCK_MONOTONIC); now < phase_ns && !load->ended;
             now = clock_ns(CLOCK_MONOTONIC)) {
            if (load->log) {
                print_row(load, on ? "on" : "off");
            }
            int64_t row_ns = load->log ? now + load->every_ns : INT64_MAX;
            if (on) {
                compute_until(load, least(phase_ns, row_ns));
            } else {
                wait_until(load, least(phase_ns, row_ns));
            }
        }
    }
}

/* --- core and end --- */

static void bind_to(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        fprintf(stderr, "keel: the competing load cannot run on core %d\n", core);
        exit(1);
    }
}

/* The parent may have ended before prctl(). */
static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        exit(0);
    }
}

static int64_t nanoseconds(const char *seconds)
{
    return llround(atof(seconds) * 1e9);
}

int main(int arguments, char **argument)
{
    pid_t parent = getppid();

    if (arguments != 5) {
        fputs("usage: competing_load CORE PERIOD ON EVERY\n", stderr);
        return 2;
    }
    int64_t every_ns = nanoseconds(argument[4]);
    struct load load = {.period_ns = nanoseconds(argument[2]),
                        .on_ns = nanoseconds(argument[3]),
                        .every_ns = every_ns,
                        .log = every_ns >= 0};
    end_with_parent(parent);
    bind_to(atoi(argument[1]));
    sigemptyset(&load.ends);
    sigaddset(&load.ends, SIGTERM);
    sigaddset(&load.ends, SIGINT);
    sigprocmask(SIG_BLOCK, &load.ends, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("unix_s,state,cpu_s,computing_s");
    run(&load);
    print_row(&load, "end");
    return 0;
}
