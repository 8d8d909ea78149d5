/* Numbers: what is one, its range, lists. Locales: schedules/loop/spec_test.c and
 * omp_ext/settings/locale_test.sh. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "schedules/text/number.h"

static void whole_numbers_have_digits_only_and_a_range(void **state)
{
    static const char *const wrong[] = {"",  " 1",  "1 ",  "+1",  "-1", "1.0",
                                        "x", "0x1", "1e1", "101", "9",  "18446744073709551616"};
    uint64_t number;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(keel_number_whole(wrong[i], 10, 100, &number));
    }
    assert_false(keel_number_whole("18446744073709551616", 0, UINT64_MAX, &number));
    assert_true(keel_number_whole("18446744073709551615", 0, UINT64_MAX, &number));
    assert_true(number == UINT64_MAX);
    assert_true(keel_number_whole("0010", 10, 100, &number) && number == 10);
    assert_true(keel_number_whole("100", 10, 100, &number) && number == 100);
}

static void reals_begin_with_a_digit_or_a_point_and_are_finite(void **state)
{
    static const char *const wrong[] = {"",    ".",   " 1", "1 ", "+1",    "-1",   "1,5",
                                        "inf", "nan", "e5", "1e", "1e999", "1.5s", ",5"};
    double number;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(keel_number_real(wrong[i], &number));
    }
    assert_true(keel_number_real("1.5", &number) && number == 1.5);
    assert_true(keel_number_real(".5", &number) && number == 0.5);
    assert_true(keel_number_real("25e-1", &number) && number == 2.5);
    assert_true(keel_number_real("1e-999", &number) && number == 0);
}

static void the_programs_errno_stays(void **state)
{
    uint64_t whole;
    double real;

    (void)state;
    errno = EINTR;
    assert_false(keel_number_whole("18446744073709551616", 0, UINT64_MAX, &whole));
    assert_int_equal(errno, EINTR);
    assert_true(keel_number_whole("1", 0, UINT64_MAX, &whole));
    assert_int_equal(errno, EINTR);
    assert_false(keel_number_real("1e999", &real));
    assert_int_equal(errno, EINTR);
}

static void a_unit_may_stand_behind_a_number(void **state)
{
    double number;

    (void)state;
    assert_int_equal(keel_number_begin("1.5ms", &number), 3);
    assert_true(number == 1.5);
    assert_int_equal(keel_number_begin("1,5", &number), 1);
    assert_int_equal(keel_number_begin("ms", &number), 0);
    assert_int_equal(keel_number_begin("", &number), 0);
}

static void lists_are_read_whole_or_not(void **state)
{
    static const char *const wrong[] = {"",  ",",   "1,",  ",1",   "1,,2", "1 2",  "1;2",
                                        " ", "1, ", "0,1", "1,11", "1,x",  "1,-2", "1.5.2"};
    char digits[100];
    double number[3] = {0, 0, 7};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(keel_number_list(wrong[i], 0.5, 10, 2, number), 0);
    }
    snprintf(digits, sizeof digits, "1,%064d", 2);
    assert_int_equal(keel_number_list(digits, 0.5, 10, 2, number), 0);
    snprintf(digits, sizeof digits, "1,%063d", 2);
    assert_int_equal(keel_number_list(digits, 0.5, 10, 2, number), 2);
    snprintf(digits, sizeof digits, "1,%63d", 2); /* blanks before it */
    assert_int_equal(keel_number_list(digits, 0.5, 10, 2, number), 2);
    assert_int_equal(keel_number_list("0.5, 10\t,3", 0.5, 10, 2, number), 3);
    assert_true(number[0] == 0.5 && number[1] == 10 && number[2] == 7);
    assert_int_equal(keel_number_list("1", 0.5, 10, 0, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_have_digits_only_and_a_range),
        cmocka_unit_test(reals_begin_with_a_digit_or_a_point_and_are_finite),
        cmocka_unit_test(the_programs_errno_stays),
        cmocka_unit_test(a_unit_may_stand_behind_a_number),
        cmocka_unit_test(lists_are_read_whole_or_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
