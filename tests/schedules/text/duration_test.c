/* Times in the unit that suits them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/text/text.h"

static void assert_written(double seconds, int digits, const char *wanted)
{
    char text[KEEL_DURATION_MAX];

    assert_string_equal(keel_duration_write(seconds, digits, text), wanted);
}

static void the_unit_suits(void **state)
{
    (void)state;
    assert_written(12e-9, 3, "12.0 ns");
    assert_written(3.0649e-6, 3, "3.06 us");
    assert_written(0.0412, 3, "41.2 ms");
    assert_written(0.412, 3, "0.412 s");
    assert_written(0.412, 2, "0.41 s");
    assert_written(41.26, 3, "41.3 s");
    assert_written(86400, 3, "86400 s");
    assert_written(0.25e-9, 2, "0.25 ns");
}

static void rounding_changes_the_unit(void **state)
{
    (void)state;
    assert_written(999.4e-9, 3, "999 ns");
    assert_written(999.6e-9, 3, "1.00 us");
    assert_written(0.09994, 3, "99.9 ms");
    assert_written(0.09996, 3, "0.100 s");
    assert_written(9.996, 3, "10.0 s");
    assert_written(999.6e-6, 1, "1 ms");
}

static void what_is_no_time_is_none(void **state)
{
    (void)state;
    assert_written(0, 3, "0 ns");
    assert_written(-1, 3, "0 ns");
    assert_written(NAN, 3, "0 ns");
    assert_written(INFINITY, 3, "0 ns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_suits),
        cmocka_unit_test(rounding_changes_the_unit),
        cmocka_unit_test(what_is_no_time_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
