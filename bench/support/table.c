/* What a program in bench/ prints. */
#define _GNU_SOURCE
#include "bench/support/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_add(struct table *table, const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    table->cell = realloc(table->cell, (table->cells + 1) * sizeof *table->cell);
    if (length < 0 || table->cell == NULL) {
        fputs("keel: no memory for a table\n", stderr);
        exit(1);
    }
    table->cell[table->cells++] = text;
}

void table_add_row(struct table *table, const char *const *cell)
{
    for (size_t i = 0; i < table->columns; i++) {
        table_add(table, "%s", cell[i]);
    }
}

void table_add_value(struct table *table, const char *format, double value)
{
    if (isnan(value)) {
        table_add(table, "-");
    } else {
        table_add(table, format, value);
    }
}

void table_add_bar(struct table *table, struct bars *bars, bool held, double value,
                   const char *format, double bar)
{
    char text[32];

    if (isnan(value) || isnan(bar)) {
        table_add(table, "-");
        return;
    }
    snprintf(text, sizeof text, format, bar);
    table_add(table, "%s %s", text, held ? "held" : "missed");
    bars->count++;
    bars->held += held;
}

void bars_print(const struct bars *bars)
{
    if (bars->count > 0) {
        printf("\n%u of %u bars are held.\n", bars->held, bars->count);
    }
}

static void measure_columns(const struct table *table, int width[TABLE_COLUMNS_MAX])
{
    memset(width, 0, TABLE_COLUMNS_MAX * sizeof *width);
    for (size_t i = 0; i < table->cells; i++) {
        int length = (int)strlen(table->cell[i]);
        if (length > width[i % table->columns]) {
            width[i % table->columns] = length;
        }
    }
}

void table_print(struct table *table)
{
    int width[TABLE_COLUMNS_MAX];

    measure_columns(table, width);
    for (size_t i = 0; i < table->cells; i++) {
        size_t column = i % table->columns;
        bool last = column + 1 == table->columns;
        printf(column == 0 ? "%-*s%s" : "  %*s%s", width[column], table->cell[i], last ? "\n" : "");
    }
    table_empty(table);
}

void table_empty(struct table *table)
{
    for (size_t i = 0; i < table->cells; i++) {
        free(table->cell[i]);
    }
    free(table->cell);
    table->cell = NULL;
    table->cells = 0;
}

void csv_heading(void)
{
    puts("bench,case,variant,metric,value,unit");
}

/* Quoted where a comma or a quotation mark asks for it (RFC 4180). */
static void csv_field(const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, stdout);
    } else {
        putchar('"');
        for (; *text != '\0'; text++) {
            if (*text == '"') {
                putchar('"');
            }
            putchar(*text);
        }
        putchar('"');
    }
    putchar(',');
}

void csv_row(const char *bench, const char *what, const char *variant, const char *metric,
             double value, const char *unit)
{
    if (isnan(value)) {
        return;
    }
    csv_field(bench);
    csv_field(what);
    csv_field(variant);
    csv_field(metric);
    printf("%.9g,%s\n", value, unit);
}
