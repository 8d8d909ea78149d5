/* Texts in a report that are longer than a line. */
#ifndef OMP_EXT_REPORT_TEXT_WRAPPED_H
#define OMP_EXT_REPORT_TEXT_WRAPPED_H

#include <stdio.h>

#define KEEL_REPORT_COLUMNS 100

/* Prints `text` on lines of KEEL_REPORT_COLUMNS, broken between words; the first one begins in
 * column `first`, all others in column `others`. "": prints nothing. */
void keel_report_print_wrapped(FILE *stream, const char *text, int first, int others);

#endif
