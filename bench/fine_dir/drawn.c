/* Loops of any length and time, in regions of several kinds. Prints the time of a region, and a sum
 * for comparison. CLAUSE: of the loops in a region; empty, or schedule(runtime).
 *
 *   OMP_NUM_THREADS=2 drawn KIND ITERATIONS LINKS LOOPS REGIONS
 *
 * KIND
 *   region    the loops are in the region
 *   orphaned  they are in a function that the region calls
 *   lasting   as orphaned; the regions are the steps of one region
 *   nested    as orphaned; a region of one thread starts each region
 *   hosts     as orphaned; two threads of the program start regions of half the size at once
 *   late      each region is one loop; after LOOPS of them, which are not timed, iterations of its
 *             first half take twice as long
 *
 * LINKS: of the chain of operations in an iteration, about 1.3 ns each. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLAUSE
#define CLAUSE
#endif

enum { ITERATIONS_MAX = 5000, HOSTS = 2 };

static int iterations, links, loops, threads;
static long regions;

static inline double chain(double x)
{
    for (int k = 0; k < links; k++) {
        x = x * 0.999 + 0.001;
    }
    return x;
}

static void orphaned(double *row)
{
    for (int l = 0; l < loops; l++) {
#pragma omp for
        for (int i = 0; i < iterations; i++) {
            row[i] = chain(row[i]);
        }
    }
}

static void region(double *row, long times)
{
    for (long r = 0; r < times; r++) {
#pragma omp parallel num_threads(threads)
        for (int l = 0; l < loops; l++) {
#pragma omp for CLAUSE
            for (int i = 0; i < iterations; i++) {
                row[i] = chain(row[i]);
            }
        }
    }
}

static void calling(double *row, long times)
{
    for (long r = 0; r < times; r++) {
#pragma omp parallel num_threads(threads)
        orphaned(row);
    }
}

static void lasting(double *row, long times)
{
#pragma omp parallel num_threads(threads)
    for (long r = 0; r < times; r++) {
        orphaned(row);
    }
}

static void nested(double *row, long times)
{
    for (long r = 0; r < times; r++) {
#pragma omp parallel num_threads(1)
        calling(row, 1);
    }
}

static long host_times;

static void *host(void *row)
{
    calling(row, host_times);
    return NULL;
}

static double rows[HOSTS][ITERATIONS_MAX];

static void hosts(double *row, long times)
{
    pthread_t other;

    host_times = times;
    threads = threads > 1 ? threads / HOSTS : 1;
    pthread_create(&other, NULL, host, rows[1]);
    calling(row, times);
    pthread_join(other, NULL);
    threads *= HOSTS;
}

static volatile int twice; /* extra repetitions in the first half of `late` */

static void late(double *row, long times)
{
    for (long r = 0; r < times; r++) {
#pragma omp parallel for num_threads(threads)
        for (int i = 0; i < iterations; i++) {
            for (int more = i < iterations / 2 ? twice : 0; more >= 0; more--) {
                row[i] = chain(row[i]);
            }
        }
    }
}

static const struct {
    const char *name;
    void (*run)(double *row, long times);
} kinds[] = {{"region", region}, {"orphaned", calling}, {"lasting", lasting},
             {"nested", nested}, {"hosts", hosts},      {"late", late}};

int main(int count, char **argument)
{
    void (*run)(double *, long) = NULL;
    double sum = 0;

    for (size_t k = 0; count > 5 && k < sizeof kinds / sizeof *kinds; k++) {
        run = strcmp(argument[1], kinds[k].name) == 0 ? kinds[k].run : run;
    }
    if (run == NULL || (iterations = atoi(argument[2])) > ITERATIONS_MAX) {
        return 2;
    }
    links = atoi(argument[3]);
    loops = atoi(argument[4]);
    regions = atol(argument[5]);
    threads = omp_get_max_threads();
    omp_set_max_active_levels(2);
    run(rows[0], run == late ? loops : regions / 10);
    twice = 1;
    double start_s = omp_get_wtime();
    run(rows[0], regions);
    double time_s = omp_get_wtime() - start_s;
    for (int i = 0; i < iterations; i++) {
        sum += rows[0][i] + rows[1][i];
    }
    printf("%.3f us a region\n%.17g\n", time_s / (double)regions * 1e6, sum);
    return 0;
}
