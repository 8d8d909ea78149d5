/* Flags for compilers. */
#include "omp_ext/command/parts/shell_word.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* As pkg-config does. Bytes from 0x80 belong to names. */
void keel_shell_word_print(const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x80 && !isalnum(byte) && strchr("+,-./:=@_", byte) == NULL) {
            putchar('\\');
        }
        putchar(byte);
    }
}
