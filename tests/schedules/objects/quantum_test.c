/* How often a thread looks for requests: by formula R6, worked out by hand and searched for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/objects/looking.h"
#include "tests/support/draws.h"

#define OTHERWISE_S 0.001

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

static double quantum_s(double look_s, double work_s, uint64_t requests)
{
    const struct keel_quantum_case measured = {look_s, work_s, requests};

    return keel_quantum_s(&measured, OTHERWISE_S);
}

/* 60 s of work, 2 x 20 us for switches and 200 us for a poll: sqrt(2 * 60 * 0.00024 / 8) s. */
static void is_the_formula(void **state)
{
    (void)state;
    assert_near(quantum_s(240e-6, 60, 8), 0.06);
    assert_near(quantum_s(240e-6, 60, 2), 0.12);
    assert_near(quantum_s(240e-6, 15, 2), 0.06);
    assert_near(quantum_s(60e-6, 60, 2), 0.06);
}

/* Time that all processors lose: to looks, and to waiting. */
static double lost_s(double quantum, double look_s, double work_s, uint64_t requests)
{
    return work_s / quantum * look_s + (double)requests * quantum / 2;
}

/* Of those that cost no more than they may. */
static void no_other_one_loses_less(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 1000; i++) {
        double look_s = 1e-6 * (1 + (double)(draws_next(&draws) % 100));
        double work_s = look_s * 100 * (1 + (double)(draws_next(&draws) % 10000));
        uint64_t requests = 1 + draws_next(&draws) % 200;
        double chosen_s = quantum_s(look_s, work_s, requests), least_s = look_s * 100;
        assert_true(chosen_s >= least_s * (1 - 1e-12));
        for (double other_s = least_s; other_s < work_s; other_s *= 1.2) {
            assert_true(lost_s(chosen_s, look_s, work_s, requests) <=
                        lost_s(other_s, look_s, work_s, requests) * (1 + 1e-12));
        }
    }
}

/* Looks cost 1 % at most, however many requests come and however short the work is. */
static void costs_little(void **state)
{
    (void)state;
    assert_near(quantum_s(100e-6, 1, 1000000), 0.01);
    assert_near(quantum_s(100e-6, 0.001, 1), 0.01);
    assert_near(quantum_s(100e-6, 0, 0), 0.01);
}

static void the_next_request_counts(void **state)
{
    (void)state;
    assert_near(quantum_s(240e-6, 60, 0), quantum_s(240e-6, 60, 1));
}

/* Where looks may be so frequent, a request waits for 1 % of the work at most. */
static void waits_little(void **state)
{
    (void)state;
    for (double work_s = 0.5; work_s < 1000; work_s *= 1.5) {
        assert_true(quantum_s(100e-6, work_s, 1) / 2 <= 0.01 * work_s * (1 + 1e-12));
    }
}

static void nothing_known(void **state)
{
    (void)state;
    assert_near(quantum_s(0, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(-1, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(NAN, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(INFINITY, 60, 8), OTHERWISE_S);
    assert_near(quantum_s(1e-4, NAN, 8), 0.01);
    assert_near(quantum_s(1e-4, INFINITY, 8), 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_formula), cmocka_unit_test(no_other_one_loses_less),
        cmocka_unit_test(costs_little),   cmocka_unit_test(the_next_request_counts),
        cmocka_unit_test(waits_little),   cmocka_unit_test(nothing_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
