/* What of an object's time was somebody else's, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/objects/pace.h"

static bool is_near(double value, double expected)
{
    return value > expected - 1e-12 && value < expected + 1e-12;
}

/* An object of 1 ms, marked 0.1 ms before; another program had 4 ms of its 5 ms. */
static const struct keel_interruption_case interrupted = {
    .took_s = 0.005, .passed_s = 0.0051, .processor_s = 0.0011, .taken = 1};

static void time_of_another_program_is_not_the_objects(void **state)
{
    struct keel_interruption_case twice = interrupted;

    (void)state;
    assert_true(is_near(keel_interruption_s(&interrupted), 0.004));
    twice.taken = 2;
    assert_true(is_near(keel_interruption_s(&twice), 0.004));
}

static void an_object_that_waits_takes_what_it_took(void **state)
{
    struct keel_interruption_case waits = interrupted;

    (void)state;
    waits.given_up = 1;
    assert_true(is_near(keel_interruption_s(&waits), 0));
    waits.taken = 0;
    assert_true(is_near(keel_interruption_s(&waits), 0));
}

static void who_was_not_interrupted_has_taken_all_of_it(void **state)
{
    struct keel_interruption_case whole = interrupted;

    (void)state;
    whole.taken = 0; /* the clocks differ by chance */
    assert_true(is_near(keel_interruption_s(&whole), 0));
}

static void is_part_of_what_the_object_took(void **state)
{
    struct keel_interruption_case odd = interrupted;

    (void)state;
    odd.passed_s = 1; /* most of it was before the object */
    assert_true(is_near(keel_interruption_s(&odd), 0.005));
    odd.processor_s = 2;
    assert_true(is_near(keel_interruption_s(&odd), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_of_another_program_is_not_the_objects),
        cmocka_unit_test(an_object_that_waits_takes_what_it_took),
        cmocka_unit_test(who_was_not_interrupted_has_taken_all_of_it),
        cmocka_unit_test(is_part_of_what_the_object_took),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
