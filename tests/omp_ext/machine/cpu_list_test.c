/* Lists of processors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "omp_ext/machine/cpu_list.h"

static void ranges_and_single_numbers_are_counted(void **state)
{
    (void)state;
    assert_int_equal(keel_cpu_list_count("0"), 1);
    assert_int_equal(keel_cpu_list_count("0-1\n"), 2);
    assert_int_equal(keel_cpu_list_count("0-3,8,10-11"), 7);
    assert_int_equal(keel_cpu_list_count("0-4095,5000-8191\n"), 4096 + 3192);
}

static void what_is_no_list_counts_nothing(void **state)
{
    static const char *const texts[] = {"",   "\n",    "all",  "-1",   "3-1",
                                        "0-", "0-1 2", "0,,1", "1-2-3"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(keel_cpu_list_count(texts[i]), 0);
    }
}

static void ranges_come_one_by_one(void **state)
{
    const char *list = "2-5,9";
    unsigned first, last;

    (void)state;
    assert_true(keel_cpu_list_next(&list, &first, &last));
    assert_int_equal(first, 2);
    assert_int_equal(last, 5);
    assert_true(keel_cpu_list_next(&list, &first, &last));
    assert_int_equal(first, 9);
    assert_int_equal(last, 9);
    assert_false(keel_cpu_list_next(&list, &first, &last));
    assert_string_equal(list, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_single_numbers_are_counted),
        cmocka_unit_test(what_is_no_list_counts_nothing),
        cmocka_unit_test(ranges_come_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
