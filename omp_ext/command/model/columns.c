/* Rows of columns. */
#include "omp_ext/command/model/columns.h"

#include <stdio.h>
#include <string.h>

#define WIDTH_MIN 10

unsigned keel_columns_width(const char *title)
{
    size_t length = strlen(title);

    return length > WIDTH_MIN ? (unsigned)length : WIDTH_MIN;
}

unsigned keel_columns_width_of(const struct keel_model_parameter *parameter,
                               const struct keel_range *range, const char *title)
{
    char text[KEEL_VALUES_TEXT_MAX];
    size_t width = keel_columns_width(title);

    for (size_t i = 0; i < range->count; i++) {
        keel_values_write(parameter, &range->value[i], KEEL_COLUMNS_DIGITS, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (unsigned)width;
}

/* Words may hold commas: specs of schedules and lists do. */
static void print_csv(const char *text)
{
    printf(strpbrk(text, ",\"") != NULL ? "\"%s\"" : "%s", text);
}

void keel_columns_cell(struct keel_columns *columns, unsigned width, const char *text)
{
    if (columns->csv) {
        fputs(columns->begun ? "," : "", stdout);
        print_csv(text);
    } else {
        printf("%s%*s", columns->begun ? "  " : "", (int)width, text);
    }
    columns->begun = true;
}

void keel_columns_end_row(struct keel_columns *columns)
{
    putchar('\n');
    columns->begun = false;
}

void keel_columns_title(bool csv, const char *name, const char *unit, char *title)
{
    snprintf(title, KEEL_VALUES_TEXT_MAX, "%s%s%s", name, !csv && unit[0] != '\0' ? ", " : "",
             csv ? "" : unit);
}

int keel_columns_digits(bool csv)
{
    return csv ? KEEL_COLUMNS_DIGITS_CSV : KEEL_COLUMNS_DIGITS;
}
