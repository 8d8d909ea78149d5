/* Quotes and colours. */
#include "omp_ext/command/plot/script.h"

#include <stddef.h>

unsigned keel_script_colour(size_t number)
{
    static const unsigned colours[KEEL_SCRIPT_COLOURS] = {
        0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442,
    };

    return colours[number % KEEL_SCRIPT_COLOURS];
}

void keel_script_quoted(FILE *script, const char *text)
{
    putc('\'', script);
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            putc('\'', script);
        }
        putc((unsigned char)*text < 32 ? ' ' : *text, script);
    }
    putc('\'', script);
}

void keel_script_set(FILE *script, const char *name, const char *text)
{
    fprintf(script, "set %s ", name);
    keel_script_quoted(script, text);
    putc('\n', script);
}
