/* Numbers that are drawn in bench/ are those of SplitMix64, and fractions are below 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/support/random.h"

/* The first of the generator that begins with 0, as its authors' program prints them. */
static void bits_are_those_of_splitmix64(void **unused)
{
    uint64_t state = 0;

    (void)unused;
    assert_true(random_next(&state) == 0xe220a8397b1dcdafu);
    assert_true(random_next(&state) == 0x6e789e6aa1b965f4u);
    assert_true(random_next(&state) == 0x06c45d188009454fu);
    assert_true(random_bits(3 * RANDOM_STEP) == 0x06c45d188009454fu);
}

static void fractions_are_from_0_to_below_1(void **unused)
{
    (void)unused;
    assert_true(random_fraction(0) == 0);
    assert_true(random_fraction(1u << 11) == 0x1p-53);
    assert_true(random_fraction(UINT64_MAX) == 1 - 0x1p-53);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_splitmix64),
        cmocka_unit_test(fractions_are_from_0_to_below_1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
