/* Regions and loops that measure themselves from within and from outside, for what is recorded of
 * them to be compared with; see compared.c.
 *
 *   measured FILE [END]: how to end: exit (the default), _exit, quick_exit, kill
 *
 * FILE gets a line for each:
 *
 *   KIND FUNCTION INSTANCES ITERATIONS THREADS LEAST MOST  BUSY SPAN  BUSY SPAN ...
 *
 * KIND: region, loop, part, or last: a loop that the region ends with. ITERATIONS of all threads.
 * Times in seconds, of all instances: LEAST and MOST of the whole, by clocks that are read within
 * it and around it; for each thread the time that it computes at least, and that from its start to
 * the end of the last thread at least; -1: not measured. */
#include <dlfcn.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/nap.h"

enum { team = 3, instances = 4 };

static FILE *lines;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* --- measuring --- */

static struct {
    double begin[team], end[team]; /* of the instance that runs; 0: not begun */
    double busy[team], span[team], least, most, outside;
} clocks;

static void start_measuring(void)
{
    memset(&clocks, 0, sizeof clocks);
}

static void before(void)
{
    memset(clocks.begin, 0, sizeof clocks.begin);
    clocks.outside = now();
}

/* The thread begins or goes on; what it has done is over. */
static void in(void)
{
    double *begin = &clocks.begin[omp_get_thread_num()];

    if (*begin == 0) {
        *begin = now();
    }
}

static void out(void)
{
    clocks.end[omp_get_thread_num()] = now();
}

static void after(void)
{
    double first = 0, last = 0;

    clocks.most += now() - clocks.outside;
    for (int i = 0; i < team; i++) {
        if (clocks.begin[i] != 0) {
            first = first == 0 || clocks.begin[i] < first ? clocks.begin[i] : first;
            last = clocks.end[i] > last ? clocks.end[i] : last;
        }
    }
    for (int i = 0; i < team; i++) {
        if (clocks.begin[i] != 0) {
            clocks.busy[i] += clocks.end[i] - clocks.begin[i];
            clocks.span[i] += last - clocks.begin[i];
        }
    }
    clocks.least += last - first;
}

static void tell(const char *kind, const char *function, long iterations, int threads,
                 int with_spans)
{
    fprintf(lines, "%s %s %d %ld %d %.9f %.9f", kind, function, instances, iterations, threads,
            strcmp(kind, "region") == 0 ? clocks.least : -1,
            strcmp(kind, "region") == 0 ? clocks.most : -1);
    for (int i = 0; i < threads; i++) {
        fprintf(lines, " %.9f %.9f", clocks.busy[i], with_spans ? clocks.span[i] : -1.0);
    }
    fprintf(lines, "\n");
}

/* --- what is measured: a function for each --- */

static void uneven(void)
{
    int thread = omp_get_thread_num();

    in();
    nap(2000 * (unsigned)(thread + 1));
    out();
}

static void plain(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        uneven();
        after();
    }
    tell("region", __func__, 0, team, 1);
}

static void up_to_barrier(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        {
            uneven();
#pragma omp barrier
            nap(1000);
        }
        after();
    }
    tell("part", __func__, 0, team, 1);
}

static void one_thread(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        {
#pragma omp single
            {
                in();
                nap(3000);
                out();
            }
            nap(1000);
        }
        after();
    }
    for (int i = 0; i < team; i++) {
        clocks.span[i] = 0; /* each thread has had some of it, as it came */
    }
    tell("part", __func__, 0, team, 0);
}

static void two_sections(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        {
#pragma omp sections
            {
#pragma omp section
                {
                    in();
                    nap(2000);
                    out();
                }
#pragma omp section
                {
                    in();
                    nap(4000);
                    out();
                }
            }
            nap(1000);
        }
        after();
    }
    tell("part", __func__, 0, team, 0);
}

#define LOOP(name, clause, count, spans)                               \
    static void name(void)                                             \
    {                                                                  \
        start_measuring();                                             \
        for (int i = 0; i < instances; i++) {                          \
            before();                                                  \
            _Pragma("omp parallel num_threads(team)")                  \
            {                                                          \
                _Pragma(clause) for (int k = 0; k < count; k++)        \
                {                                                      \
                    in();                                              \
                    nap(500 + 100 * (unsigned)(k % 7));                \
                    out();                                             \
                }                                                      \
                nap(100);                                              \
            }                                                          \
            after();                                                   \
        }                                                              \
        tell("loop", __func__, (long)instances *(count), team, spans); \
    }

LOOP(dynamic_loop, "omp for schedule(dynamic, 2)", 31, 1)
LOOP(guided_loop, "omp for schedule(guided)", 40, 1)
LOOP(runtime_loop, "omp for schedule(runtime)", 23, 1)
LOOP(nowait_loop, "omp for schedule(dynamic) nowait", 29, 0)

static void down_loop(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        {
#pragma omp for schedule(dynamic, 3)
            for (unsigned long long k = 100; k > 7; k -= 5) {
                in();
                nap(500);
                out();
            }
        }
        after();
    }
    tell("last", __func__, instances * 19L, team, 1);
}

static void combined_loop(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel for num_threads(team) schedule(dynamic, 4)
        for (int k = 0; k < 26; k++) {
            in();
            nap(500 + 100 * (unsigned)(k % 5));
            out();
        }
        after();
    }
    tell("last", __func__, instances * 26L, team, 1);
    tell("region", __func__, 0, team, 1);
}

static void ordered_loop(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        {
#pragma omp for schedule(dynamic) ordered
            for (int k = 0; k < 12; k++) {
                in();
                nap(500);
#pragma omp ordered
                out();
            }
        }
        after();
    }
    tell("last", __func__, instances * 12L, team, 1);
}

static void doacross_loop(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        {
#pragma omp for schedule(dynamic) ordered(1)
            for (int k = 0; k < 12; k++) {
#pragma omp ordered depend(sink : k - 1)
                in();
                nap(300);
                out();
#pragma omp ordered depend(source)
            }
        }
        after();
    }
    tell("loop", __func__, instances * 12L, team, 0);
}

static void serial_loop(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp for schedule(dynamic, 3)
        for (int k = 0; k < 10; k++) {
            in();
            nap(300);
            out();
        }
        after();
    }
    tell("loop", __func__, instances * 10L, 1, 1);
}

static void inner_region(void)
{
#pragma omp parallel num_threads(2)
    {
        in();
        nap(1000);
        out();
    }
}

static void nested(void)
{
    start_measuring();
    for (int i = 0; i < instances; i++) {
        before();
#pragma omp parallel num_threads(team)
        if (omp_get_thread_num() == 1) {
            inner_region();
        }
        after();
    }
    tell("region", "inner_region", 0, 2, 0);
}

/* Keel finds names before a library goes, and so for all ways to end. */
static void have_names_found(void)
{
    void *self = dlopen(NULL, RTLD_LAZY);

    if (self != NULL) {
        dlclose(self);
    }
}

static void end(const char *how)
{
    if (strcmp(how, "_exit") == 0) {
        _exit(3);
    }
    if (strcmp(how, "quick_exit") == 0) {
        quick_exit(3);
    }
    if (strcmp(how, "kill") == 0) {
        kill(getpid(), SIGKILL);
    }
    exit(3);
}

int main(int arguments, char **argument)
{
    lines = arguments > 1 ? fopen(argument[1], "w") : stdout;
    if (lines == NULL) {
        return 1;
    }
    omp_set_max_active_levels(2);
    plain();
    up_to_barrier();
    one_thread();
    two_sections();
    dynamic_loop();
    guided_loop();
    runtime_loop();
    nowait_loop();
    down_loop();
    combined_loop();
    ordered_loop();
    doacross_loop();
    serial_loop();
    nested();
    fclose(lines);
    have_names_found();
    end(arguments > 2 ? argument[2] : "exit");
}
