/* Preloaded into a program, puts it into the locale of the environment, as many programs do
 * themselves, which has to have another decimal point than the C locale. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void set_locale(void)
{
    if (setlocale(LC_ALL, "") == NULL || strcmp(localeconv()->decimal_point, ".") == 0) {
        fprintf(stderr, "set_locale: no locale with a decimal point of its own\n");
        _Exit(9);
    }
}
