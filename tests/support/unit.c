/* The main() of unit tests, and a locale of Turkey. */
#include "tests/support/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define TESTS_MAX 1000

static struct CMUnitTest tests[TESTS_MAX];
static int lines[TESTS_MAX];
static size_t count;

/* A setup: the test before may have allowed exceptions. */
static int trap_again(void **state)
{
    (void)state;
    trap_exceptions();
    return 0;
}

/* Constructors come in the compiler's order. */
void unit_add(struct CMUnitTest test, int line)
{
    size_t i = count++;

    if (i == TESTS_MAX) {
        fprintf(stderr, "more than %d tests in one source\n", TESTS_MAX);
        abort();
    }
    for (; i > 0 && lines[i - 1] > line; i--) {
        tests[i] = tests[i - 1];
        lines[i] = lines[i - 1];
    }
    test.setup_func = test.setup_func != NULL ? test.setup_func : trap_again;
    tests[i] = test;
    lines[i] = line;
}

void unit_add_case(CMUnitTestFunction test, const void *of, int line, const char *format, ...)
{
    char *name = malloc(120);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name, 120, format, arguments);
    va_end(arguments);
    unit_add((struct CMUnitTest){name, test, NULL, NULL, (void *)of}, line);
}

void enter_turkish_locale(void)
{
    const char *folder = getenv("TEST_TMPDIR");
    char command[1024];

    folder = folder != NULL ? folder : ".";
    snprintf(command, sizeof command,
             "localedef -i tr_TR -f ISO-8859-9 '%s/keel_test.ISO-8859-9' >&2 2>/dev/null", folder);
    if (system(command) > 1 || setenv("LOCPATH", folder, 1) != 0 ||
        setlocale(LC_ALL, "keel_test.ISO-8859-9") == NULL) {
        printf("# no locale with a decimal comma can be made here\n");
        skip();
    }
    assert_turkish_locale();
}

void assert_turkish_locale(void)
{
    assert_string_equal(localeconv()->decimal_point, ",");
}

int back_to_c_locale(void **state)
{
    (void)state;
    return setlocale(LC_ALL, "C") == NULL;
}

int main(void)
{
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
