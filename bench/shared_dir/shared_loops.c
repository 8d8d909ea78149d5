/* The ranks of bench/shared: run shared loops and measure their time. Rank 0 writes a line for
 * each, fields separated by tabs. Every loop is checked: each iteration has to run exactly once in
 * the job.
 *
 *   kind  case  variant  round  instance  value
 *
 *   kind     case                  variant           value
 *   unequal  "400 x 1 ms, window"  a policy          time of a loop over the ideal
 *   counter  ranks, two digits     keel, fetch_and_op  ns per iteration of the whole job
 *   alone    a schedule            shared, unshared  ms of a loop
 *   empty    "N = 0, window"       a policy          us of a loop; MPI_Barrier: of a barrier
 *
 * instance: from 1; of those that the job runs in a row.
 *
 *   sampler unequal CASE POLICY ROUND INSTANCES ITERATIONS US FACTOR
 *   sampler counter ROUND INSTANCES ITERATIONS
 *   sampler alone SCHEDULE ROUND INSTANCES ITERATIONS
 *   sampler empty CASE ROUND INSTANCES LOOPS
 *
 * KEEL_MPI_SCHEDULE and KEEL_SCHEDULE are set by the caller in `unequal` and `alone`; POLICY and
 * SCHEDULE only name them. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/support.h"
#include "mpi_backend/include/keel_mpi.h"

static int rank, ranks;

static void __attribute__((noreturn)) give_up(const char *why)
{
    fprintf(stderr, "keel: shared_dir/sampler: rank %d: %s\n", rank, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static double start_together(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return now_ns();
}

/* From the first rank's start until the last one's end. */
static double span_ns(double start_ns)
{
    double mine[2] = {-start_ns, now_ns()}, all[2];

    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all[0] + all[1];
}

static void write_sample(const char *kind, const char *what, const char *variant, int round,
                         int instance, double value)
{
    if (rank == 0) {
        printf("%s\t%s\t%s\t%d\t%d\t%.6g\n", kind, what, variant, round, instance, value);
    }
}

static void check(bool right, const char *why)
{
    if (!right) {
        give_up(why);
    }
}

/* --- unequal: rank 0 is slower than the others --- */

static void spin(double time_ns)
{
    double end_ns = now_ns() + time_ns;

    while (now_ns() < end_ns) {
    }
}

static void run_unequal(long iterations, double time_ns, unsigned char *times)
{
    check(keel_mpi_share(MPI_COMM_WORLD) == KEEL_MPI_OK, "the loop could not be shared");
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < iterations; i++) {
        spin(time_ns);
        times[i]++;
    }
}

static void check_once(unsigned char *times, long iterations)
{
    MPI_Allreduce(MPI_IN_PLACE, times, (int)iterations, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (long i = 0; i < iterations; i++) {
        check(times[i] == 1, "an iteration did not run exactly once");
    }
}

/* CASE POLICY ROUND INSTANCES ITERATIONS US FACTOR; rank 0 takes FACTOR times US. */
static void unequal(char **argument)
{
    int round = atoi(argument[2]), instances = atoi(argument[3]);
    long iterations = atol(argument[4]);
    double time_ns = atof(argument[5]) * 1e3, factor = atof(argument[6]);
    double ideal_ns = (double)iterations * time_ns / (ranks - 1 + 1 / factor);
    unsigned char *times = memory_new((size_t)iterations, 1);

    for (int i = 1; i <= instances; i++) {
        memset(times, 0, (size_t)iterations);
        double start_ns = start_together();
        run_unequal(iterations, rank == 0 ? factor * time_ns : time_ns, times);
        write_sample("unequal", argument[0], argument[1], round, i, span_ns(start_ns) / ideal_ns);
        check_once(times, iterations);
    }
    free(times);
}

/* --- counter: empty iterations, one at a time --- */

/* Returns how many iterations this rank has run. */
static uint64_t run_keel(uint64_t iterations)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last, count = 0;

    check(keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, 0, &loop) == KEEL_MPI_OK,
          "the loop could not be shared");
    while (keel_mpi_loop_next(loop, &first, &last)) {
        count += last - first;
    }
    check(keel_mpi_loop_end(&loop) == KEEL_MPI_OK, "the shared loop did not end well");
    return count;
}

/* Memory of the kind that Keel shares among the ranks of a machine, with one counter in it. */
struct counter {
    MPI_Win window;
    long long *value; /* rank 0's own view */
};

static void counter_make(struct counter *counter)
{
    MPI_Aint size = rank == 0 ? (MPI_Aint)sizeof *counter->value : 0;

    MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &counter->value,
                            &counter->window);
    MPI_Win_lock_all(0, counter->window);
}

static void counter_reset(struct counter *counter)
{
    if (rank == 0) {
        *counter->value = 0;
    }
    MPI_Win_sync(counter->window);
}

static uint64_t run_fetch_and_op(struct counter *counter, uint64_t iterations)
{
    long long one = 1, old;
    uint64_t count = 0;

    for (;;) {
        MPI_Fetch_and_op(&one, &old, MPI_LONG_LONG, 0, 0, MPI_SUM, counter->window);
        MPI_Win_flush(0, counter->window);
        if ((uint64_t)old >= iterations) {
            return count;
        }
        count++;
    }
}

static void check_sum(uint64_t count, uint64_t iterations)
{
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    check(count == iterations, "the ranks have not run as many iterations as there are");
}

static void time_counter(struct counter *counter, bool keel, int round, int instance,
                         uint64_t iterations)
{
    char what[64];

    snprintf(what, sizeof what, "%2d", ranks);
    counter_reset(counter);
    double start_ns = start_together();
    uint64_t count = keel ? run_keel(iterations) : run_fetch_and_op(counter, iterations);
    double time_ns = span_ns(start_ns);
    check_sum(count, iterations);
    if (instance > 0) {
        write_sample("counter", what, keel ? "keel" : "fetch_and_op", round, instance,
                     time_ns / (double)iterations);
    }
}

/* ROUND INSTANCES ITERATIONS; instance 0 is not timed. */
static void counter(char **argument)
{
    int round = atoi(argument[0]), instances = atoi(argument[1]);
    uint64_t iterations = strtoull(argument[2], NULL, 10);
    struct counter shared;

    counter_make(&shared);
    check(keel_mpi_set_schedule("ss") == KEEL_MPI_OK, "ss is no schedule");
    for (int i = 0; i <= instances; i++) {
        time_counter(&shared, i % 2 == 0, round, i, iterations);
        time_counter(&shared, i % 2 != 0, round, i, iterations);
    }
    MPI_Win_unlock_all(shared.window);
    MPI_Win_free(&shared.window);
}

/* --- alone: one rank, two threads --- */

/* About a microsecond. */
static double compute(long seed)
{
    double x = 1 + (double)seed * 1e-9;

    for (int i = 0; i < 500; i++) {
        x = x * 0.999 + 0.002;
    }
    return x;
}

static double __attribute__((noinline)) run_team(long iterations)
{
    double sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < iterations; i++) {
        sum += compute(i);
    }
    return sum;
}

static void time_alone(bool shared, const char *schedule, int round, int instance, long iterations)
{
    double start_ns = now_ns();

    if (shared) {
        check(keel_mpi_share(MPI_COMM_WORLD) == KEEL_MPI_OK, "the loop could not be shared");
    }
    double sum = run_team(iterations);
    double time_ns = now_ns() - start_ns;
    check(sum > (double)iterations, "the loop has not run whole");
    write_sample("alone", schedule, shared ? "shared" : "unshared", round, instance, time_ns / 1e6);
}

/* SCHEDULE ROUND INSTANCES ITERATIONS; the first ten of both are not timed, so that `rate` has
 * settled. */
static void alone(char **argument)
{
    int round = atoi(argument[1]), instances = atoi(argument[2]);
    long iterations = atol(argument[3]);

    for (int i = 0; i < 10; i++) {
        check(run_team(iterations) > (double)iterations, "the loop has not run whole");
    }
    for (int i = 1; i <= instances; i++) {
        time_alone(i % 2 == 0, argument[0], round, i, iterations);
        time_alone(i % 2 != 0, argument[0], round, i, iterations);
    }
}

/* --- empty: the cost of a shared loop from begin to end --- */

/* policy: NULL: barriers instead of loops. */
static void time_loops(const char *where, const char *policy, uint64_t iterations, int round,
                       int instance, int loops)
{
    char what[64];
    uint64_t count = 0;

    snprintf(what, sizeof what, "N = %llu, %s", (unsigned long long)iterations, where);
    check(policy == NULL || keel_mpi_set_schedule(policy) == KEEL_MPI_OK, "a policy is not known");
    double start_ns = start_together();
    for (int i = 0; i < loops && policy != NULL; i++) {
        count += run_keel(iterations);
    }
    for (int i = 0; i < loops && policy == NULL; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    double time_ns = span_ns(start_ns);
    check_sum(count, policy != NULL ? iterations * (uint64_t)loops : 0);
    if (instance > 0) {
        write_sample("empty", what, policy != NULL ? policy : "MPI_Barrier", round, instance,
                     time_ns / 1e3 / loops);
    }
}

/* CASE ROUND INSTANCES LOOPS; instance 0 is not timed. */
static void empty(char **argument)
{
    static const char *const policies[] = {"static", "ss", "fac2", "af", "tree", "steal", "rate"};
    int round = atoi(argument[1]), instances = atoi(argument[2]), loops = atoi(argument[3]);

    for (int i = 0; i <= instances; i++) {
        for (uint64_t iterations = 0; iterations <= (uint64_t)ranks; iterations++) {
            time_loops(argument[0], NULL, iterations, round, i, loops);
            for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
                time_loops(argument[0], policies[p], iterations, round, i, loops);
            }
        }
    }
}

/* --- all parts --- */

static const struct part {
    const char *name;
    int arguments;
    void (*run)(char **argument);
} parts[] = {
    {"unequal", 7, unequal}, {"counter", 3, counter}, {"alone", 4, alone}, {"empty", 4, empty}};

int main(int arguments, char **argument)
{
    int level;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (arguments == parts[i].arguments + 2 && strcmp(argument[1], parts[i].name) == 0) {
            parts[i].run(argument + 2);
            return MPI_Finalize();
        }
    }
    give_up("the arguments are not those of any part; see shared_dir/shared_loops.c");
}
