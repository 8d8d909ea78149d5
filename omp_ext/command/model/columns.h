/* Rows of right-aligned columns, or of comma-separated values, to standard output. */
#ifndef OMP_EXT_COMMAND_MODEL_COLUMNS_H
#define OMP_EXT_COMMAND_MODEL_COLUMNS_H

#include "omp_ext/command/model/request.h"

#define KEEL_COLUMNS_DIGITS 5      /* of numbers in a table */
#define KEEL_COLUMNS_DIGITS_CSV 10 /* and in comma-separated values */

/* A table in the making. Cells are added from left to right. */
struct keel_columns {
    bool csv;
    bool begun; /* a cell of the present row has been printed */
};

/* The width of a column of numbers with that title. */
unsigned keel_columns_width(const char *title);

/* The width of a column with the values of a range and that title. */
unsigned keel_columns_width_of(const struct keel_model_parameter *parameter,
                               const struct keel_range *range, const char *title);

void keel_columns_cell(struct keel_columns *columns, unsigned width, const char *text);
void keel_columns_end_row(struct keel_columns *columns);

/* "time, s" in KEEL_VALUES_TEXT_MAX bytes; in CSV without the unit. */
void keel_columns_title(bool csv, const char *name, const char *unit, char *title);

int keel_columns_digits(bool csv);

#endif
