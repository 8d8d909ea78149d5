/* Rows of cells whose words are wrapped within their columns. ASCII text. */
#ifndef OMP_EXT_COMMAND_PARTS_TABLE_H
#define OMP_EXT_COMMAND_PARTS_TABLE_H

#define KEEL_TABLE_COLUMNS_MAX 6

/* Prints one row to standard output. Column i is width[i] characters wide and one blank away
 * from the next; a line feed in a cell begins a new line, a word longer than its column is
 * broken. */
void keel_table_row(unsigned columns, const unsigned *width, const char *const *cell);

#endif
