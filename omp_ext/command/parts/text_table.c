/* Text in columns, as wide as the terminal. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/environment.h"
#include "schedules/text/text.h"

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
        size_t length = keel_text_line(rest[i], width[i]);
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

#define WIDTH_MIN 40
#define WIDTH_MAX 1000
#define WIDTH_STANDARD 80

static long stated_width(void)
{
    const char *columns = keel_environment_value("COLUMNS");

    return columns != NULL ? strtol(columns, NULL, 10) : 0;
}

unsigned keel_terminal_width(void)
{
    struct winsize size;
    long width = stated_width();

    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        width = size.ws_col;
    }
    if (width <= 0) {
        width = WIDTH_STANDARD;
    }
    return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : (unsigned)width;
}
