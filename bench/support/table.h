/* What a program in bench/ prints: a table for people, or CSV rows
 * `bench,case,variant,metric,value,unit`. */
#ifndef BENCH_SUPPORT_TABLE_H
#define BENCH_SUPPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define TABLE_COLUMNS_MAX 16

/* A table is collected cell by cell, so that columns can be as wide as their widest cell. */
struct table {
    size_t columns;
    size_t cells;
    char **cell;
};

/* Adds a cell, as printf does; a row ends by itself after `columns` cells, and the first row is the
 * heading. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As many cells as the table has columns: its heading. */
void table_add_row(struct table *table, const char *const *cell);

/* A cell with a number, `format` being of one double; "-" if the value is NAN. */
void table_add_value(struct table *table, const char *format, double value);

/* Prints the table, its first column to the left and all others to the right, and empties it. */
void table_print(struct table *table);

/* The same without printing it. */
void table_empty(struct table *table);

/* Bars: what Keel is to keep. Starts as {0}. */
struct bars {
    unsigned count, held;
};

/* A cell with the bar, as `format` of one double prints it, and whether it is held. "-", and no
 * bar, if value or bar is NAN: not measured. */
void table_add_bar(struct table *table, struct bars *bars, bool held, double value,
                   const char *format, double bar);

/* How many there were, and are held; nothing, if none. */
void bars_print(const struct bars *bars);

void csv_heading(void);

/* One row. A value that is not a number is left out altogether. */
void csv_row(const char *bench, const char *what, const char *variant, const char *metric,
             double value, const char *unit);

#endif
