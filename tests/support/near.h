/* Comparison of doubles, but for rounding. */
#ifndef TESTS_SUPPORT_NEAR_H
#define TESTS_SUPPORT_NEAR_H

#include <math.h>
#include <stdbool.h>

/* Whether `value` differs from `wanted` by that part of `wanted` at most; infinities are equal. */
static inline bool is_within(double value, double wanted, double error)
{
    return value == wanted || fabs(value - wanted) <= error * fabs(wanted);
}

static inline bool is_near(double value, double wanted)
{
    return is_within(value, wanted, 1e-9);
}

/* The same for quantities about 1, of which some are 0: by 1e-9 at least. */
static inline bool is_near_unit(double value, double wanted)
{
    return fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted));
}

/* In tests with cmocka. */
#define assert_near(value, wanted)                                                \
    do {                                                                          \
        double near_value = (value), near_wanted = (wanted);                      \
        if (!is_near(near_value, near_wanted)) {                                  \
            fail_msg("%s: %.17g, wanted %.17g", #value, near_value, near_wanted); \
        }                                                                         \
    } while (0)

#endif
