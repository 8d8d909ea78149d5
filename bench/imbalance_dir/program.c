/* The program that bench/imbalance runs: repeats one kernel's loop under the schedule of the
 * environment, checks every result, and writes a line for each instance, for imbalance_report.pl;
 * fields are separated by tabs.
 *
 *   program KERNEL CONDITION VARIANT ROUND INSTANCES SCALE
 *   program --list             kernels; besides, KERNEL may be "drawn:SEED"
 *   program --processor T      processor of thread T of the team
 *
 *   kernel  condition  variant  threads  round  instance  wall_ns  ideal_ns
 *
 * round: from 1; a process of this kernel, condition and variant. instance: from 1; of those that
 * the process runs in a row. wall: from before the loop to after its barrier. ideal: total work
 * over total rate.
 *
 * Costs and ideal. Before the first instance and after the last one, thread 0 computes the loop
 * alone and takes the time of each iteration; cost[i] is the least of these. Without a competing
 * load, the ideal is the least time of such a pass over the sum of the threads' speeds, which is at
 * most the number of processors. Under a competing load the rate of a thread is measured: the costs
 * of the iterations that it has computed, over the time from the start of the loop to its first
 * iteration and within iterations; and the ideal is the sum of all costs over the sum of these
 * rates. A thread without an iteration counts with its rate over all instances. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "bench/imbalance_dir/kernel.h"
#include "bench/support/support.h"

#define SLOW_THREAD 1
#define SLOW_TIMES 5
#define PASSES_BEFORE 2 /* the first one touches the memory */

/* The part of a thread in one instance. Written by that thread only. */
struct share {
    _Alignas(128) uint64_t busy_ticks; /* in iterations */
    uint64_t first_tick;               /* beginning of its first iteration */
    uint64_t iterations;
    double work_ns; /* sum of cost[] of its iterations */
    int times;      /* how often it computes each iteration */
};

static const struct kernel *kernel;
static size_t iterations;
static int threads;
static bool slow5;                      /* SLOW_THREAD is SLOW_TIMES slower than the others */
static double *cost, *value, *expected; /* by iteration; cost in ns */
static struct share *share;             /* by thread */
static double serial_ns;                /* least time of a pass of thread 0 alone */

static void __attribute__((noreturn)) give_up(const char *why, const char *what)
{
    fprintf(stderr, "keel: imbalance_dir/program: %s%s\n", why, what);
    exit(1);
}

/* --- clock ------------------------------------------------------------------------------------ */

/* Two are read per iteration: the cheapest clock, of any unit. */
static uint64_t ticks(void)
{
#ifdef __x86_64__
    return __rdtsc();
#else
    return (uint64_t)now_ns();
#endif
}

/* --- the loop --------------------------------------------------------------------------------- */

static void compute(size_t i)
{
    struct share *mine = &share[omp_get_thread_num()];
    uint64_t begin = ticks();

    for (int left = mine->times; left > 0; left--) {
        value[i] = kernel->run(i);
    }
    mine->busy_ticks += ticks() - begin;
    mine->work_ns += cost[i];
    if (mine->iterations++ == 0) {
        mine->first_tick = begin;
    }
}

static void run_loop(void)
{
#pragma omp parallel for schedule(runtime)
    for (size_t i = 0; i < iterations; i++) {
        compute(i);
    }
}

static void clear(void)
{
    for (int t = 0; t < threads; t++) {
        share[t] = (struct share){.times = slow5 && t == SLOW_THREAD ? SLOW_TIMES : 1};
    }
    for (size_t i = 0; i < iterations; i++) {
        value[i] = NAN;
    }
}

/* Checks that each iteration has been computed once, with the result of thread 0 alone. */
static void check(void)
{
    uint64_t sum = 0;

    for (int t = 0; t < threads; t++) {
        sum += share[t].iterations;
    }
    if (sum != iterations) {
        give_up("iterations were left out or run twice in ", kernel->name);
    }
    for (size_t i = 0; i < iterations; i++) {
        if (value[i] != expected[i]) {
            give_up("a result is not what one thread computes in ", kernel->name);
        }
    }
}

/* One pass of thread 0 alone. */
static void pass(void)
{
    double start_ns = now_ns();
    uint64_t start = ticks();

    for (size_t i = 0; i < iterations; i++) {
        uint64_t begin = ticks();
        expected[i] = kernel->run(i);
        value[i] = (double)(ticks() - begin);
    }
    double wall_ns = now_ns() - start_ns;
    double tick_ns = wall_ns / (double)(ticks() - start);
    for (size_t i = 0; i < iterations; i++) {
        cost[i] = fmin(cost[i], value[i] * tick_ns);
    }
    serial_ns = fmin(serial_ns, wall_ns);
}

/* Passes the costs to Keel, if it is loaded, for schedules that want them (binlpt, lpt). */
static void set_costs_of_loop(void)
{
    void *set_costs = dlsym(RTLD_DEFAULT, "keel_set_costs");

    if (set_costs != NULL) {
        ((int (*)(const double *, size_t))set_costs)(cost, iterations);
    }
}

/* --- instances -------------------------------------------------------------------------------- */

/* Measurements of a thread's part in an instance. */
struct part {
    double work_ns;
    double available_ns; /* in iterations, and from the start of the loop to its first one */
};

/* Returns the loop's time. */
static double run_instance(int number, struct part *part)
{
    clear();
    set_costs_of_loop();
    if (kernel->begin != NULL) {
        kernel->begin((unsigned)number);
    }
    double start_ns = now_ns();
    uint64_t start = ticks();
    run_loop();
    uint64_t end = ticks();
    double wall_ns = now_ns() - start_ns;
    check();

    double tick_ns = wall_ns / (double)(end - start);
    for (int t = 0; t < threads; t++) {
        bool late = share[t].iterations > 0 && share[t].first_tick > start;
        double delay_ns = late ? (double)(share[t].first_tick - start) * tick_ns : 0;
        part[t].work_ns = share[t].work_ns;
        part[t].available_ns = delay_ns + (double)share[t].busy_ticks * tick_ns;
    }
    return wall_ns;
}

/* Under a competing load: rates, in costs per ns, are those of one instance, or of all instances
 * for threads that had no iteration. */
static double competing_ideal_ns(const struct part *part, const struct part *all)
{
    double rates = 0, work_ns = 0;

    for (int t = 0; t < threads; t++) {
        const struct part *from = part[t].work_ns > 0 ? &part[t] : &all[t];
        rates += from->available_ns > 0 ? from->work_ns / from->available_ns : 0;
        work_ns += part[t].work_ns;
    }
    return work_ns / rates;
}

/* Sum of speeds without a competing load, of thread 0 = 1; bounded by the processors. */
static double speeds(void)
{
    return slow5 ? threads - 1 + 1.0 / SLOW_TIMES : fmin(threads, omp_get_num_procs());
}

static bool competing(const char *condition)
{
    return strcmp(condition, "constant") == 0 || strcmp(condition, "long") == 0 ||
           strcmp(condition, "short") == 0;
}

/* ARGUMENT: of main(). */
static void run_all(char **argument, int count)
{
    double *wall_ns = memory_new(count, sizeof *wall_ns);
    struct part *part = memory_new((size_t)(count * threads), sizeof *part);
    struct part *all = memory_new(threads, sizeof *all);

    for (int k = 0; k < count; k++) {
        wall_ns[k] = run_instance(k + 1, &part[k * threads]);
        for (int t = 0; t < threads; t++) {
            all[t].work_ns += part[k * threads + t].work_ns;
            all[t].available_ns += part[k * threads + t].available_ns;
        }
    }
    if (kernel->begin != NULL) {
        kernel->begin(0);
    }
    pass();
    for (int k = 0; k < count; k++) {
        double ideal_ns = competing(argument[2]) ? competing_ideal_ns(&part[k * threads], all)
                                                 : serial_ns / speeds();
        printf("%s\t%s\t%s\t%d\t%s\t%d\t%.0f\t%.0f\n", argument[1], argument[2], argument[3],
               threads, argument[4], k + 1, wall_ns[k], ideal_ns);
    }
}

/* --- the process ------------------------------------------------------------------------------ */

static int processor_of(int thread)
{
    int processor = -1;

#pragma omp parallel
    if (omp_get_thread_num() == thread) {
        processor = sched_getcpu();
    }
    return processor;
}

/* Creates the team before the first instance, without a loop that a schedule could learn from. */
static void prepare(double scale)
{
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();

    iterations = kernel->prepare(scale);
    cost = memory_new(iterations, sizeof *cost);
    value = memory_new(iterations, sizeof *value);
    expected = memory_new(iterations, sizeof *expected);
    share = aligned_alloc(128, (size_t)threads * sizeof *share);
    if (share == NULL) {
        give_up("no memory for the threads of ", kernel->name);
    }
    serial_ns = INFINITY;
    for (size_t i = 0; i < iterations; i++) {
        cost[i] = INFINITY;
    }
    for (int left = PASSES_BEFORE; left > 0; left--) {
        pass();
    }
}

int main(int arguments, char **argument)
{
    if (arguments == 2 && strcmp(argument[1], "--list") == 0) {
        for (const struct kernel *listed = kernels; listed->name != NULL; listed++) {
            puts(listed->name);
        }
        return 0;
    }
    if (arguments == 3 && strcmp(argument[1], "--processor") == 0) {
        printf("%d\n", processor_of(atoi(argument[2])));
        return 0;
    }
    kernel = arguments == 7 ? kernel_find(argument[1]) : NULL;
    if (kernel == NULL || atoi(argument[5]) < 1 || !(atof(argument[6]) > 0)) {
        fputs("usage: program KERNEL CONDITION VARIANT ROUND INSTANCES SCALE\n", stderr);
        return 2;
    }
    slow5 = strcmp(argument[2], "slow5") == 0;
    prepare(atof(argument[6]));
    run_all(argument, atoi(argument[5]));
    return 0;
}
