/* Wrapping cells. */
#include "omp_ext/command/parts/table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many bytes of `text` stand on its first line. */
static size_t line_length(const char *text, size_t width)
{
    size_t line = strcspn(text, "\n");

    if (line <= width) {
        return line;
    }
    for (size_t end = width; end > 0; end--) {
        if (text[end] == ' ') {
            return end;
        }
    }
    return width;
}

/* Moves on to the next line; one blank or line feed separates them. */
static const char *after_line(const char *text, size_t length)
{
    text += length;
    return text + (*text == ' ' || *text == '\n');
}

static bool any_left(unsigned columns, const char *const *rest)
{
    for (unsigned i = 0; i < columns; i++) {
        if (rest[i][0] != '\0') {
            return true;
        }
    }
    return false;
}

/* Blanks are printed before the next text only, so that no line ends in them. */
static void print_line(unsigned columns, const unsigned *width, const char **rest)
{
    size_t blanks = 0;

    for (unsigned i = 0; i < columns; i++) {
        size_t length = line_length(rest[i], width[i]);
        if (length > 0) {
            printf("%*s%.*s", (int)blanks, "", (int)length, rest[i]);
            blanks = 0;
        }
        blanks += width[i] - length + 1;
        rest[i] = after_line(rest[i], length);
    }
    putchar('\n');
}

void keel_table_row(unsigned columns, const unsigned *width, const char *const *cell)
{
    const char *rest[KEEL_TABLE_COLUMNS_MAX];

    for (unsigned i = 0; i < columns; i++) {
        rest[i] = cell[i];
    }
    do {
        print_line(columns, width, rest);
    } while (any_left(columns, rest));
}
