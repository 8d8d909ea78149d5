/* Lists of processors. */
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/machine/cpu_list.h"
#include "tests/support/unit.h"

TEST(ranges_and_single_numbers_are_counted)
{
    assert_int_equal(keel_cpu_list_count("0"), 1);
    assert_int_equal(keel_cpu_list_count("0-1\n"), 2);
    assert_int_equal(keel_cpu_list_count("0-3,8,10-11"), 7);
    assert_int_equal(keel_cpu_list_count("0-4095,5000-8191\n"), 4096 + 3192);
}

TEST(what_is_no_list_counts_nothing)
{
    static const char *const texts[] = {"",   "\n",    "all",  "-1",   "3-1",
                                        "0-", "0-1 2", "0,,1", "1-2-3"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(keel_cpu_list_count(texts[i]), 0);
    }
}
