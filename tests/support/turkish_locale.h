/* A locale with a decimal comma and another i, for tests with cmocka that text is read as in the C
 * locale. */
#ifndef TESTS_SUPPORT_TURKISH_LOCALE_H
#define TESTS_SUPPORT_TURKISH_LOCALE_H

/* The process is in it; the test is skipped where the machine cannot make one. */
void enter_turkish_locale(void);

/* Checks that the process still is. */
void assert_turkish_locale(void);

/* A teardown of cmocka's: back to the C locale. */
int back_to_c_locale(void **state);

#endif
