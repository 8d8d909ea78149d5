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

/* Prints the table, its first column to the left and all others to the right, and empties it. */
void table_print(struct table *table);

void csv_heading(void);

/* One row. A value that is not a number is left out altogether. */
void csv_row(const char *bench, const char *what, const char *variant, const char *metric,
             double value, const char *unit);

#endif
