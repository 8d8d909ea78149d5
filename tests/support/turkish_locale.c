/* A locale of Turkey. */
#include "tests/support/turkish_locale.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

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
