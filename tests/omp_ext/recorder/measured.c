/* Regions and loops that measure themselves from inside and outside, for comparison with their
 * recording; see compared.pl.
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
#include <string.h>
#include <unistd.h>

#include "tests/support/helpers.h"

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
    double begin[team], end[team]; /* of the running instance; 0: not begun */
    double busy[team], span[team], least, most, outside;
} clocks;

static void before(void)
{
    memset(clocks.begin, 0, sizeof clocks.begin);
    clocks.outside = now();
}

/* The thread begins or continues; its previous work has ended. */
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

/* --- one instance each of the measured constructs --- */

#define MEASURED __attribute__((noinline)) static void

static void uneven(void)
{
    int thread = omp_get_thread_num();

    in();
    nap(2000 * (unsigned)(thread + 1));
    out();
}

static void work(unsigned us)
{
    in();
    nap(us);
    out();
}

MEASURED plain(void)
{
#pragma omp parallel num_threads(team)
    uneven();
}

MEASURED up_to_barrier(void)
{
#pragma omp parallel num_threads(team)
    {
        uneven();
#pragma omp barrier
        nap(1000);
    }
}

MEASURED one_thread(void)
{
#pragma omp parallel num_threads(team)
    {
#pragma omp single
        work(3000);
        nap(1000);
    }
}

MEASURED two_sections(void)
{
#pragma omp parallel num_threads(team)
    {
#pragma omp sections
        {
#pragma omp section
            work(2000);
#pragma omp section
            work(4000);
        }
        nap(1000);
    }
}

#define LOOP(name, clause, count)                           \
    MEASURED name(void)                                     \
    {                                                       \
        _Pragma("omp parallel num_threads(team)")           \
        {                                                   \
            _Pragma(clause) for (int k = 0; k < count; k++) \
            {                                               \
                work(500 + 100 * (unsigned)(k % 7));        \
            }                                               \
            nap(100);                                       \
        }                                                   \
    }

LOOP(dynamic_loop, "omp for schedule(dynamic, 2)", 31)
LOOP(guided_loop, "omp for schedule(guided)", 40)
LOOP(runtime_loop, "omp for schedule(runtime)", 23)
LOOP(nowait_loop, "omp for schedule(dynamic) nowait", 29)

MEASURED down_loop(void)
{
#pragma omp parallel num_threads(team)
    {
#pragma omp for schedule(dynamic, 3)
        for (unsigned long long k = 100; k > 7; k -= 5) {
            work(500);
        }
    }
}

MEASURED combined_loop(void)
{
#pragma omp parallel for num_threads(team) schedule(dynamic, 4)
    for (int k = 0; k < 26; k++) {
        work(500 + 100 * (unsigned)(k % 5));
    }
}

MEASURED ordered_loop(void)
{
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
}

MEASURED doacross_loop(void)
{
#pragma omp parallel num_threads(team)
    {
#pragma omp for schedule(dynamic) ordered(1)
        for (int k = 0; k < 12; k++) {
#pragma omp ordered depend(sink : k - 1)
            work(300);
#pragma omp ordered depend(source)
        }
    }
}

MEASURED serial_loop(void)
{
#pragma omp for schedule(dynamic, 3)
    for (int k = 0; k < 10; k++) {
        work(300);
    }
}

MEASURED inner_region(void)
{
#pragma omp parallel num_threads(2)
    work(1000);
}

static void nested(void)
{
#pragma omp parallel num_threads(team)
    if (omp_get_thread_num() == 1) {
        inner_region();
    }
}

/* iterations: of an instance; spans: threads begin when the first one does. */
static const struct measured {
    void (*run)(void);
    const char *kind, *function;
    long iterations;
    int threads, spans;
} measured[] = {
    {plain, "region", "plain", 0, team, 1},
    {up_to_barrier, "part", "up_to_barrier", 0, team, 1},
    {one_thread, "part", "one_thread", 0, team, 0}, /* each thread has run some of it, as it came */
    {two_sections, "part", "two_sections", 0, team, 0},
    {dynamic_loop, "loop", "dynamic_loop", 31, team, 1},
    {guided_loop, "loop", "guided_loop", 40, team, 1},
    {runtime_loop, "loop", "runtime_loop", 23, team, 1},
    {nowait_loop, "loop", "nowait_loop", 29, team, 0},
    {down_loop, "last", "down_loop", 19, team, 1},
    {combined_loop, "last", "combined_loop", 26, team, 1},
    {ordered_loop, "last", "ordered_loop", 12, team, 1},
    {doacross_loop, "loop", "doacross_loop", 12, team, 0},
    {serial_loop, "loop", "serial_loop", 10, 1, 1},
    {nested, "region", "inner_region", 0, 2, 0},
};

static void measure(const struct measured *one)
{
    memset(&clocks, 0, sizeof clocks);
    for (int i = 0; i < instances; i++) {
        before();
        one->run();
        after();
    }
    tell(one->kind, one->function, instances * one->iterations, one->threads, one->spans);
    if (one->run == combined_loop) {
        tell("region", one->function, 0, team, 1);
    }
}

/* Keel finds names before a library is unloaded, so they are known for all ways to end. */
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
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        measure(&measured[i]);
    }
    fclose(lines);
    have_names_found();
    end(arguments > 2 ? argument[2] : "exit");
}
