/* Unit tests on cmocka: TEST(name) { ... } is one, and a source of them has no main().
 *
 *   TEST(rates_add_up)
 *   {
 *       assert_int_equal(1 + 1, 2);
 *   }
 *
 * They run in the order of their lines. */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/list.h"
#include "tests/support/traps.h"

/* One more test, which is on that line of the only source that has tests. */
void unit_add(struct CMUnitTest test, int line);

/* In BEFORE_TESTS: one more for a case, which it gets as *state. The name is as of printf(). */
#define ADD_CASE(test_, case_, ...) unit_add_case(test_, case_, __LINE__, __VA_ARGS__)
__attribute__((format(printf, 4, 5))) void unit_add_case(CMUnitTestFunction test, const void *of,
                                                         int line, const char *name, ...);

#define TEST(name_) TEST_WITH(name_, NULL, NULL)

/* With what cmocka calls before and behind it, or NULL; `state` is cmocka's. */
#define TEST_WITH(name_, setup_, teardown_)                                              \
    static void name_(void **state);                                                     \
    __attribute__((constructor)) static void add_##name_(void)                           \
    {                                                                                    \
        unit_add((struct CMUnitTest){#name_, name_, setup_, teardown_, NULL}, __LINE__); \
    }                                                                                    \
    static void name_(__attribute__((unused)) void **state)

/* What comes before all of them. */
#define BEFORE_TESTS __attribute__((constructor)) static void before_tests(void)

/* --- a locale with a decimal comma and another i: text is to be read as in the C locale --- */

/* The process is in it; the test is skipped where the machine cannot make one. */
void enter_turkish_locale(void);

/* Checks that the process still is. */
void assert_turkish_locale(void);

/* A teardown of cmocka's: back to the C locale. */
int back_to_c_locale(void **state);

#endif
