/* Loops so short that what scheduling costs shows: eight to a region, the region repeated.
 *
 * usage: program CASE CLAUSE SEED REGIONS [LINK_NS]
 *
 * rows34      8 loops of 34 iterations; each loop's time is drawn by SEED, 1 to 7 us on one thread
 *               of two
 *   elements    8 loops of 4000 iterations, 5 us each on two threads
 * step        45 loops, 40 of 1 to 12 us and 5 of 60 to 200 us, as of a hydrodynamics code's step;
 *               each loop a combined `parallel for`
 *   long        as rows34, but the regions are the steps of one region
 *
 * LINK_NS is what one link of the chains takes that rows are made of, so that several processes
 * have equal loops; measured if it is not given, and `program link` prints it.
 *
 * CLAUSE is `static` (the clause, which the compiler works out by itself) or `runtime`.
 * Prints the mean time of a region in ns, from the 500th one on, and a sum of all results, which
 * does not depend on who ran what. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/clock.h"
#include "bench/support/random.h"

#define WARM_UP 500
#define LOOPS_MAX 45
#define ELEMENTS 4000

static double element_a[ELEMENTS], element_b[ELEMENTS];
static double row[4096][8]; /* a cache line each */

struct loop {
    int iterations;
    int links; /* of the chain that an iteration of rows() is */
};

static struct loop loops[LOOPS_MAX];

/* --- what is drawn --- */

static uint64_t state;

static double draw(void)
{
    return random_fraction(random_next(&state));
}

/* ns of one link, the best of some measurements. */
static double link_ns(void)
{
    double best = INFINITY;

    for (int round = 0; round < 20; round++) {
        volatile double result = 1;
        double start = now_ns(), x = result;
        for (int k = 0; k < 10000; k++) {
            x = x * 0.999 + 0.001;
        }
        result = x;
        best = fmin(best, (now_ns() - start) / 10000);
    }
    return best;
}

/* A loop of `iterations` that takes two threads `us`. */
static struct loop loop_of(int iterations, double us, double link)
{
    int links = (int)(2 * us * 1000 / iterations / link);

    return (struct loop){iterations, links > 1 ? links : 1};
}

/* --- loops; each place in the program is a site of its own --- */

static inline void run_row(const struct loop *loop, int i)
{
    double x = row[i][0];

    for (int k = 0; k < loop->links; k++) {
        x = x * 0.999 + 0.001;
    }
    row[i][0] = x;
}

static inline void run_element(int i)
{
    element_a[i] = sqrt(element_b[i] * element_b[i] + 0.5) * 0.5;
}

#define PRAGMA(text) _Pragma(#text)
#define ROWS(clause, l)                             \
    PRAGMA(omp for schedule(clause))                \
    for (int i = 0; i < loops[l].iterations; i++) { \
        run_row(&loops[l], i);                      \
    }
#define ELEMENTS_LOOP(clause, l)         \
    PRAGMA(omp for schedule(clause))     \
    for (int i = 0; i < ELEMENTS; i++) { \
        run_element(i);                  \
    }
#define COMBINED(clause, l)                         \
    PRAGMA(omp parallel for schedule(clause))       \
    for (int i = 0; i < loops[l].iterations; i++) { \
        run_row(&loops[l], i);                      \
    }
#define EIGHT(what, clause, from)                                                           \
    what(clause, from) what(clause, from + 1) what(clause, from + 2) what(clause, from + 3) \
        what(clause, from + 4) what(clause, from + 5) what(clause, from + 6)                \
            what(clause, from + 7)

#define REGIONS(clause)                                                                     \
    static void rows_##clause(void)                                                         \
    {                                                                                       \
        _Pragma("omp parallel")                                                             \
        {                                                                                   \
            EIGHT(ROWS, clause, 0)                                                          \
        }                                                                                   \
    }                                                                                       \
    static void elements_##clause(void)                                                     \
    {                                                                                       \
        _Pragma("omp parallel")                                                             \
        {                                                                                   \
            EIGHT(ELEMENTS_LOOP, clause, 0)                                                 \
        }                                                                                   \
    }                                                                                       \
    static void step_##clause(void)                                                         \
    {                                                                                       \
        EIGHT(COMBINED, clause, 0)                                                          \
        EIGHT(COMBINED, clause, 8)                                                          \
        EIGHT(COMBINED, clause, 16)                                                         \
        EIGHT(COMBINED, clause, 24)                                                         \
        EIGHT(COMBINED, clause, 32)                                                         \
        COMBINED(clause, 40)                                                                \
        COMBINED(clause, 41) COMBINED(clause, 42) COMBINED(clause, 43) COMBINED(clause, 44) \
    }                                                                                       \
    static double long_##clause(int regions)                                                \
    {                                                                                       \
        double start = 0;                                                                   \
        _Pragma("omp parallel") for (int r = 0; r < WARM_UP + regions; r++)                 \
        {                                                                                   \
            if (r == WARM_UP) {                                                             \
                _Pragma("omp master") start = now_ns();                                     \
            }                                                                               \
            EIGHT(ROWS, clause, 0)                                                          \
        }                                                                                   \
        return (now_ns() - start) / regions;                                                \
    }

REGIONS(static)
REGIONS(runtime)

/* --- cases --- */

static void prepare(const char *what, uint64_t seed, double link)
{
    state = seed;
    for (int l = 0; l < LOOPS_MAX; l++) {
        if (strcmp(what, "step") != 0) {
            loops[l] = loop_of(34, 1 + 6 * draw(), link);
        } else if (l < 40) {
            loops[l] = loop_of(60 + (int)(400 * draw()), exp(log(12) * draw()), link);
        } else {
            loops[l] = loop_of(500 + (int)(3000 * draw()), 60 + 140 * draw(), link);
        }
    }
    for (int i = 0; i < ELEMENTS; i++) {
        element_b[i] = i;
    }
}

static double repeat(void (*region)(void), int regions)
{
    for (int r = 0; r < WARM_UP; r++) {
        region();
    }
    double start = now_ns();
    for (int r = 0; r < regions; r++) {
        region();
    }
    return (now_ns() - start) / regions;
}

static double run(const char *what, int runtime, int regions)
{
    if (strcmp(what, "rows34") == 0) {
        return repeat(runtime ? rows_runtime : rows_static, regions);
    }
    if (strcmp(what, "elements") == 0) {
        return repeat(runtime ? elements_runtime : elements_static, regions);
    }
    if (strcmp(what, "step") == 0) {
        return repeat(runtime ? step_runtime : step_static, regions);
    }
    if (strcmp(what, "long") == 0) {
        return runtime ? long_runtime(regions) : long_static(regions);
    }
    fprintf(stderr, "keel: short_dir/program: '%s' is not a case\n", what);
    exit(2);
}

int main(int count, char **arguments)
{
    double sum = 0;

    if (count == 2 && strcmp(arguments[1], "link") == 0) {
        printf("%.4f\n", link_ns());
        return 0;
    }
    if (count != 5 && count != 6) {
        fprintf(stderr, "usage: short_dir/program CASE static|runtime SEED REGIONS [LINK_NS]\n");
        return 2;
    }
    prepare(arguments[1], strtoull(arguments[3], NULL, 10),
            count == 6 ? strtod(arguments[5], NULL) : link_ns());
    double time_ns = run(arguments[1], strcmp(arguments[2], "runtime") == 0, atoi(arguments[4]));
    for (int i = 0; i < 4096; i++) {
        sum += row[i][0];
    }
    printf("%.1f %.17g\n", time_ns, sum + element_a[ELEMENTS - 1]);
    return 0;
}
