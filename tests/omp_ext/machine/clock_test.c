/* Spans in ticks: the clock, and the rate of ticks. */
#define _GNU_SOURCE

#include <math.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "tests/support/unit.h"

/* --- spans in ticks agree with CLOCK_MONOTONIC, from either source, in every thread --- */

#define THREADS 8
#define SPANS 20
#define TOLERANCE 0.05

/* Waits until `ns` have gone by, at least, and returns the span of that in ns by the ticks;
 * *most_ns and *least_ns by CLOCK_MONOTONIC, read outside and inside the ticks. However long the
 * thread is kept off its core, the span lies between. */
static double span_of(uint64_t ns, double *least_ns, double *most_ns)
{
    uint64_t outer = keel_clock_ns(), from = keel_clock_ticks(), inner = keel_clock_ns(), now, to;

    while ((now = keel_clock_ns()) - inner < ns) {
    }
    to = keel_clock_ticks();
    *most_ns = (double)(keel_clock_ns() - outer);
    *least_ns = (double)(now - inner);
    return keel_clock_span_ns(from, to);
}

static bool spans_agree(uint64_t ns)
{
    double least_ns, most_ns, span_ns = span_of(ns, &least_ns, &most_ns);

    return span_ns > least_ns * (1 - TOLERANCE) && span_ns < most_ns * (1 + TOLERANCE);
}

static void *count_agreeing_spans(void *count)
{
    for (int i = 0; i < SPANS; i++) {
        *(int *)count += spans_agree(500000);
    }
    return NULL;
}

/* Also the first use of the clock in this process. */
TEST(spans_of_all_threads_agree_with_the_kernel)
{
    pthread_t threads[THREADS];
    int counts[THREADS] = {0};

    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_agreeing_spans, &counts[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(counts[i], SPANS);
    }
}

TEST(the_counter_is_the_source_where_it_is_sound)
{
    keel_clock_ticks();
    assert_int_equal(atomic_load(&keel_clock.source),
                     keel_clock_counter_is_sound() ? KEEL_CLOCK_COUNTER : KEEL_CLOCK_MONOTONIC);
}

/* A span of many readings holds each of them, none in less time than the least. */
TEST(a_reading_takes_no_more_than_in_a_row)
{
    double reading_ns = keel_clock_reading_ns();
    uint64_t from = keel_clock_ticks(), to = from;

    for (int i = 0; i < 1000; i++) {
        to = keel_clock_ticks();
    }
    assert_true(reading_ns >= 0 && reading_ns < 1e6);
    assert_true(1000 * reading_ns <= 1.5 * keel_clock_span_ns(from, to) + 1000);
}

TEST(the_rate_is_that_of_the_spans)
{
    double ns_per_tick = keel_clock_ns_per_tick(), span_ns = keel_clock_span_ns(0, 1000000);

    assert_true(ns_per_tick > 0);
    assert_true(span_ns > 0.95e6 * ns_per_tick && span_ns < 1.05e6 * ns_per_tick);
}

TEST(spans_that_go_back_are_empty)
{
    uint64_t now = keel_clock_ticks();

    assert_true(keel_clock_span_ns(now, now) == 0);
    assert_true(keel_clock_span_ns(now, now - 1) == 0);
    assert_true(keel_clock_span_ns(now, 0) == 0);
    assert_true(keel_clock_span_ns(now, now + 1) > 0);
}

/* The exit status of `body` in a process of its own. */
static int status_in_child(int (*body)(void))
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        _exit(body());
    }
    waitpid(child, &status, 0);
    return status;
}

static int uses_the_kernels_clock(void)
{
    keel_clock_use_monotonic();
    uint64_t before = keel_clock_ns(), ticks = keel_clock_ticks(), after = keel_clock_ns();

    if (ticks < before || ticks > after || keel_clock_ns_per_tick() != 1) {
        return 1;
    }
    return keel_clock_span_ns(5, 1005) == 1000 && keel_clock_span_ns(1005, 5) == 0 &&
                   spans_agree(500000)
               ? 0
               : 2;
}

TEST(without_the_counter_ticks_are_nanoseconds)
{
    assert_int_equal(status_in_child(uses_the_kernels_clock), 0);
}

/* Asks no clock afterwards: that of the kernel reads the counter, too, without a call. */
static int finds_the_counter_forbidden(void)
{
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0) {
        return 0; /* no counter to forbid */
    }
    return keel_clock_counter_is_sound() ? 1 : 0;
}

TEST(a_forbidden_counter_is_not_read)
{
    assert_int_equal(status_in_child(finds_the_counter_forbidden), 0);
}

static int has_agreeing_spans(void)
{
    return spans_agree(500000) ? 0 : 1;
}

TEST(spans_agree_after_fork)
{
    assert_int_equal(status_in_child(has_agreeing_spans), 0);
}

/* Lower bounds only: others may be given the core at any time. */
TEST(cpu_time_stands_still_in_sleep)
{
    double first_ns = keel_clock_cpu_ns();
    uint64_t start = keel_clock_ns();
    usleep(100000);
    double slept_ns = keel_clock_cpu_ns() - first_ns;
    double wall_ns = (double)(keel_clock_ns() - start);

    assert_true(first_ns > 0);
    assert_true(slept_ns >= 0 && slept_ns < wall_ns / 2);
    while (keel_clock_cpu_ns() < first_ns + slept_ns + 1e6) {
    }
}

/* --- the rate of ticks under made-up clocks --- */

#define MS 1000000u
#define SECOND 1000000000u

static struct keel_tick_rate rate;

static void begin(uint64_t ticks, uint64_t ns)
{
    keel_tick_rate_begin(&rate, &(struct keel_moment){ticks, ns});
}

static void refine(uint64_t ticks, uint64_t ns)
{
    keel_tick_rate_refine(&rate, &(struct keel_moment){ticks, ns});
}

static void assert_rate(double ns_per_tick)
{
    assert_true(fabs(rate.ns_per_tick - ns_per_tick) < 1e-12);
}

TEST(a_short_window_gives_no_rate)
{
    begin(1000, 50);
    refine(1000 + 2 * (KEEL_TICK_RATE_WINDOW_NS - 1), 50 + KEEL_TICK_RATE_WINDOW_NS - 1);
    assert_rate(0);
    refine(1000 + 2 * KEEL_TICK_RATE_WINDOW_NS, 50 + KEEL_TICK_RATE_WINDOW_NS);
    assert_rate(0.5);
}

TEST(longer_windows_replace_the_first_rate)
{
    begin(0, 0);
    refine(2 * MS, 1 * MS + 50000); /* read 5 % late */
    assert_rate(0.525);
    assert_int_equal(rate.refine_at, 16 * MS);
    refine(16 * MS, 8 * MS);
    assert_rate(0.5);
    assert_int_equal(rate.base.ticks, 0);
}

TEST(a_complete_window_is_followed_by_another)
{
    begin(7, 0);
    refine(7 + 4ull * SECOND, 4ull * SECOND);
    assert_rate(1);
    assert_int_equal(rate.base.ticks, 7 + 4ull * SECOND);
    assert_int_equal(rate.base.ns, 4ull * SECOND);
    assert_int_equal(rate.refine_at, 7 + 8ull * SECOND);
}

/* The counter ran on while CLOCK_MONOTONIC was stopped, as in a machine that sleeps. */
TEST(one_strange_window_is_not_believed)
{
    begin(0, 0);
    refine(100 * MS, 100 * MS);
    refine(3600ull * SECOND, 101 * MS);
    assert_rate(1);
    assert_int_equal(rate.base.ticks, 3600ull * SECOND);
    assert_int_equal(rate.refine_at, 3600ull * SECOND + 1 * MS);
    refine(3600ull * SECOND + 1 * MS, 102 * MS);
    assert_rate(1);
    assert_false(rate.doubted);
}

TEST(a_strange_rate_that_stays_is_believed)
{
    begin(0, 0);
    refine(100 * MS, 100 * MS);
    refine(300 * MS, 200 * MS);
    assert_rate(1);
    assert_true(rate.doubted);
    refine(302 * MS, 201 * MS);
    assert_rate(0.5);
}

TEST(clocks_that_go_back_begin_a_new_window)
{
    begin(1000 * MS, 500 * MS);
    refine(10, 501 * MS); /* before any rate is known */
    assert_rate(0);
    assert_int_equal(rate.base.ticks, 10);
    assert_int_equal(rate.refine_at, 10);
    refine(10 + 20 * MS, 511 * MS);
    assert_rate(0.5);
    refine(5, 520 * MS);
    assert_rate(0.5);
    assert_int_equal(rate.base.ticks, 5);
    refine(5 + 2 * MS, 400 * MS); /* CLOCK_MONOTONIC, which never does */
    assert_rate(0.5);
    assert_int_equal(rate.base.ns, 400 * MS);
}

TEST(a_clock_that_stands_still_gives_no_rate)
{
    begin(10, 10);
    refine(10, 10 + SECOND);
    assert_rate(0);
    refine(500, 10 + SECOND);
    assert_rate(0);
}
