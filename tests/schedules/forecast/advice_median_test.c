/* Advice on loops some of whose instances were interrupted, or that are of several kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/schedules/forecast/advice_cases.h"

/* Instances of half a microsecond, of which some take 4 ms more, as a thread was preempted: it
 * works then for as long as the others wait. A thread waits `median_wait_s` in a median one. */
static struct keel_advice_loop interrupted_loop(uint64_t instances, uint64_t interrupted,
                                                double median_wait_s)
{
    struct keel_advice_loop loop = even_loop("static");
    double n = (double)instances, k = (double)interrupted, own_s = 0.5e-6;

    loop.threads = 2;
    loop.instances = instances;
    loop.iterations = 10 * instances;
    loop.elapsed_s = n * own_s + k * 4e-3;
    loop.elapsed_squares_s2 = n * own_s * own_s + k * 4e-3 * 4e-3;
    loop.busy_s = 2 * n * (own_s - median_wait_s) + k * 4e-3;
    loop.busiest_s = loop.busy_s / 2;
    loop.waits_seen = instances;
    loop.median_wait_s = median_wait_s;
    return loop;
}

static void instances_that_were_interrupted_are_no_gain(void **state)
{
    const struct {
        uint64_t instances, interrupted;
    } runs[] = {{1000, 1}, {40000, 30}, {40000, 2400}, {40000, 12000}};

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct keel_advice_loop loop =
            interrupted_loop(runs[i].instances, runs[i].interrupted, 20e-9);
        assert_advice(&loop, "no schedule is known to be faster");
    }
    struct keel_advice_loop always = interrupted_loop(40000, 40000, 20e-9);
    always.median_wait_s = 2e-3; /* of which each loses that, it is the loop's */
    assert_true(keel_advise(&always).schedule != NULL);
}

/* As each instance waits for the same, its median is its mean. */
static void a_steady_imbalance_is_all_to_gain(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.busy_s = 0.28;
    assert_advice(&loop, "fac2: up to 30 ms less");
    loop.waits_seen = 10;
    loop.median_wait_s = 0.003;
    assert_advice(&loop, "fac2: up to 30 ms less");
    loop.elapsed_s += 0.05; /* in which one instance was interrupted: three of four waited */
    loop.busy_s += 0.05;
    loop.elapsed_squares_s2 = 9 * 0.01 * 0.01 + 0.06 * 0.06;
    loop.median_wait_s = 0.012; /* now beyond what chance may do */
    assert_true(keel_advise(&loop).gain_s <= 0.0675);
}

/* Instances of 1 ms that wait for nothing, and instances of 10 ms that wait for 3 ms. */
static void of_two_modes_the_one_of_most_instances_counts(void **state)
{
    (void)state;
    for (uint64_t heavy = 400; heavy <= 600; heavy += 200) {
        struct keel_advice_loop loop = even_loop("static");
        double k = (double)heavy, rest = 1000 - k;
        loop.instances = loop.waits_seen = 1000;
        loop.iterations = 1000000;
        loop.elapsed_s = k * 10e-3 + rest * 1e-3;
        loop.elapsed_squares_s2 = k * 10e-3 * 10e-3 + rest * 1e-3 * 1e-3;
        loop.busy_s = 4 * (k * 7e-3 + rest * 1e-3);
        loop.busiest_s = loop.elapsed_s;
        loop.median_wait_s = heavy > 500 ? 3e-3 : 0;
        /* no more than was waited in all: 600 x 3 ms, less 2 us an instance */
        assert_advice(&loop,
                      heavy > 500 ? "fac2: up to 1.8 s less" : "no schedule is known to be faster");
    }
}

static void forecasts_know_nothing_of_interruptions(void **state)
{
    static struct keel_profile profile_of_loop;

    (void)state;
    keel_profile_begin(&profile_of_loop);
    for (int b = 0; b < KEEL_PROFILE_BINS; b++) { /* twice as long at the end as at the start */
        profile_of_loop.cost[b] = (1 + (b + 0.5) / KEEL_PROFILE_BINS) / 1.5;
    }
    struct keel_advice_loop steady = even_loop("static");
    steady.threads = 2;
    steady.profile = &profile_of_loop;
    steady.iteration_s = 17e-6; /* 17 ms of work, 8.5 ms a thread; one has 1.75/3 of it: 9.9 ms */
    steady.busy_s = 0.17;
    steady.claim_s = 100e-9;
    struct keel_advice without = keel_advise(&steady);
    assert_true(without.schedule != NULL && without.evidence == KEEL_ADVICE_FORECAST);
    steady.waits_seen = 10;
    steady.median_wait_s = 1.5e-3;
    struct keel_advice with = keel_advise(&steady);
    assert_true(with.schedule == without.schedule && with.gain_s == without.gain_s);
    steady.median_wait_s = 0; /* all that was waited was so in one of them */
    assert_true(keel_advise(&steady).schedule == NULL);
}

static void what_ran_once_may_have_been_interrupted(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.busy_s = 0.28;
    loop.instances = 1;
    loop.elapsed_squares_s2 = 0.01;
    assert_advice(&loop, "measured once: too little to tell whether another schedule helps");
    loop.instances = 2;
    loop.elapsed_squares_s2 = 0.005;
    assert_advice(&loop, "measured twice: too little to tell whether another schedule helps");
    loop.instances = 3;
    loop.elapsed_squares_s2 = 0.01 / 3;
    assert_advice(&loop, "fac2: up to 30 ms less");
    loop.instances = 1;
    loop.elapsed_s = 1; /* no time slice is 0.3 s */
    loop.elapsed_squares_s2 = 1;
    loop.busy_s = 2.8;
    assert_advice(&loop, "fac2: up to 0.30 s less, measured once");
    loop.subject = KEEL_ADVICE_REGION;
    loop.spec = NULL;
    loop.iterations = 0;
    assert_advice(&loop, "if it is a loop with static shares: compile with `keel cflags`, then try "
                         "fac2 (up to 0.30 s less, measured once)");
    loop.busy_s = 3.98;
    assert_advice(&loop, "nothing to gain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_that_were_interrupted_are_no_gain),
        cmocka_unit_test(a_steady_imbalance_is_all_to_gain),
        cmocka_unit_test(of_two_modes_the_one_of_most_instances_counts),
        cmocka_unit_test(forecasts_know_nothing_of_interruptions),
        cmocka_unit_test(what_ran_once_may_have_been_interrupted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
