/* Another program on a core that a loop would like to have for itself (the experiments, PAPERS.md
 * S15): binds itself to a core, and computes and sleeps in turns. What it takes is accounted, so
 * that the efficiency of what runs beside it can be told (S1). bench/load and bench/imbalance run
 * it. */
#define _GNU_SOURCE
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/support/clock.h"

/* Defaults are the paper's. */
struct load {
    int core;
    int64_t period_ns, on_ns; /* on_ns < 0: half of the period */
    int64_t seconds_ns;       /* INT64_MAX: until somebody ends it */
    int64_t every_ns;         /* between rows of the log; INT64_MAX: at changes only */
    bool starts_off, log, with_parent;

    int64_t computing_ns; /* by the clock, so far */
    sigset_t ends;        /* signals that end it; blocked, so that none is missed */
    bool ended;
};

static void print_usage(void)
{
    puts("usage: bench/load [OPTION...]\n"
         "\n"
         "Computes and sleeps in turns on one core, until it is ended by SIGTERM or SIGINT.\n"
         "Then it prints the CSV row unix_s,state,cpu_s,computing_s: how long it has\n"
         "computed by the clock, and the CPU time that it got for that.\n"
         "\n"
         "  --core N         the core (default 0)\n"
         "  --period S       from one beginning to the next, in seconds (default 60)\n"
         "  --on S           how much of it is for computing (default: half); the period:\n"
         "                   computes all the time; 0: sleeps all the time\n"
         "  --start on|off   with which it begins (default on)\n"
         "  --seconds S      ends by itself after that time\n"
         "  --log            a row, too, when it begins to compute or to sleep\n"
         "  --every S        rows of the log are not further apart; means --log\n"
         "  --with-parent    is killed when the process that has started it ends\n"
         "  --built FOLDER   use what Bazel has built there; build and install nothing\n"
         "  --help           print this");
}

/* --- options --- */

static void __attribute__((noreturn))
refuse(const char *option, const char *text, const char *expected)
{
    fprintf(stderr, "keel: bench/load: %s '%s' is not %s; nothing is run\n", option, text,
            expected);
    exit(2);
}

static int64_t read_seconds(const char *option, const char *text, bool positive)
{
    char *end;
    double value = strtod(text, &end);

    if (strspn(text, "0123456789.") != strlen(text) || end == text || *end != 0 || value > 1e9 ||
        (positive && value < 1e-3)) {
        refuse(option, text,
               positive ? "a number of seconds from 0.001" : "a number of seconds from 0");
    }
    return llround(value * 1e9);
}

static int read_core(const char *text)
{
    if (*text == 0 || strspn(text, "0123456789") != strlen(text) || strlen(text) > 6) {
        refuse("--core", text, "a whole number from 0");
    }
    return atoi(text);
}

static bool read_start(const char *text)
{
    if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0) {
        refuse("--start", text, "on or off");
    }
    return strcmp(text, "off") == 0;
}

static const struct option options[] = {
    {"core", required_argument, NULL, 'c'},    {"period", required_argument, NULL, 'p'},
    {"on", required_argument, NULL, 'o'},      {"start", required_argument, NULL, 'b'},
    {"seconds", required_argument, NULL, 's'}, {"log", no_argument, NULL, 'l'},
    {"every", required_argument, NULL, 'e'},   {"with-parent", no_argument, NULL, 'w'},
    {"help", no_argument, NULL, 'h'},          {0},
};

static void take_option(struct load *load, int option)
{
    switch (option) {
    case 'c':
        load->core = read_core(optarg);
        break;
    case 'p':
        load->period_ns = read_seconds("--period", optarg, true);
        break;
    case 'o':
        load->on_ns = read_seconds("--on", optarg, false);
        break;
    case 'b':
        load->starts_off = read_start(optarg);
        break;
    case 's':
        load->seconds_ns = read_seconds("--seconds", optarg, true);
        break;
    case 'e':
        load->every_ns = read_seconds("--every", optarg, true);
        load->log = true;
        break;
    case 'l':
        load->log = true;
        break;
    case 'w':
        load->with_parent = true;
        break;
    case 'h':
        print_usage();
        exit(0);
    default:
        exit(2); /* getopt_long() has said why */
    }
}

static struct load read_options(int arguments, char **argument)
{
    struct load load = {
        .period_ns = 60000000000, .on_ns = -1, .seconds_ns = INT64_MAX, .every_ns = INT64_MAX};
    char says[] = "keel: bench/load";
    int option;

    argument[0] = says;
    while ((option = getopt_long(arguments, argument, "", options, NULL)) != -1) {
        take_option(&load, option);
    }
    if (optind < arguments) {
        fprintf(stderr, "keel: bench/load: '%s' is not an option; nothing is run\n",
                argument[optind]);
        exit(2);
    }
    if (load.on_ns < 0) {
        load.on_ns = load.period_ns / 2;
    }
    if (load.on_ns > load.period_ns) {
        fprintf(stderr, "keel: bench/load: --on %g is more than --period %g; nothing is run\n",
                (double)load.on_ns / 1e9, (double)load.period_ns / 1e9);
        exit(2);
    }
    return load;
}

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
    int64_t end_ns = load->seconds_ns == INT64_MAX ? INT64_MAX : start_ns + load->seconds_ns;
    bool on = !load->starts_off;

    for (; !load->ended && phase_ns < end_ns; on = !on) {
        phase_ns += on ? load->on_ns : load->period_ns - load->on_ns;
        int64_t until_ns = least(phase_ns, end_ns);
        for (int64_t now = clock_ns(CLOCK_MONOTONIC); now < until_ns && !load->ended;
             now = clock_ns(CLOCK_MONOTONIC)) {
            if (load->log) {
                print_row(load, on ? "on" : "off");
            }
            int64_t row_ns = load->every_ns == INT64_MAX ? INT64_MAX : now + load->every_ns;
            if (on) {
                compute_until(load, least(until_ns, row_ns));
            } else {
                wait_until(load, least(until_ns, row_ns));
            }
        }
    }
}

/* --- where, and until when --- */

static void bind_to(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        fprintf(stderr, "keel: bench/load: cannot run on core %d; nothing is run\n", core);
        exit(1);
    }
}

/* The parent may have ended before the signal was asked for. */
static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        exit(0);
    }
}

int main(int arguments, char **argument)
{
    pid_t parent = getppid();
    struct load load = read_options(arguments, argument);

    if (load.with_parent) {
        end_with_parent(parent);
    }
    bind_to(load.core);
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
