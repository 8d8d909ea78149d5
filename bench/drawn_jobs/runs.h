/* What bench/follow has simulated, read back: lines of fields separated by tabs.
 *
 *   case NAME TEXT                                    what it is, in words
 *   run NAME POLICY TIME MOVEMENTS ROWS FINE SECONDS  TIME in s, simulated; "-": it failed. FINE:
 *                                                     "once", if all rows were computed as often as
 *                                                     they had to. SECONDS of processor time that
 *                                                     simulating took
 *   bar NAME POLICY EFFICIENCY LIMIT                  by S1; it is to be LIMIT at least
 *
 * Cases whose name is a number were drawn, the others are always the same. */
#ifndef BENCH_DRAWN_JOBS_RUNS_H
#define BENCH_DRAWN_JOBS_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RUNS_POLICIES_MAX 16
#define RUNS_NAME 64

struct runs_case {
    char name[RUNS_NAME];
    char *text;
    double time_s[RUNS_POLICIES_MAX]; /* NAN: not run, or failed */
};

struct runs_bar {
    char name[RUNS_NAME], policy[RUNS_NAME];
    double efficiency, limit;
};

struct runs {
    size_t cases, policies, bars, runs, wrong, failed; /* wrong: rows of so many runs */
    struct runs_case *the_case;
    struct runs_bar *bar;
    char policy[RUNS_POLICIES_MAX][RUNS_NAME];
    double seconds; /* of simulating */
    int judged;     /* the policy that is compared with the others; of whoever reads this */
};

/* Reads all lines. False, with a message on standard error: a line is not as above, there are too
 * many policies, or there is no memory. */
bool runs_read(struct runs *runs, FILE *file);

/* The policy's number; -1: there is none. */
int runs_policy(const struct runs *runs, const char *name);

bool runs_case_is_drawn(const struct runs_case *one);

void runs_free(struct runs *runs);

#endif
