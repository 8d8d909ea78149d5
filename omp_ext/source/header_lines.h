/* The lines of a loop's header, from its directive to its first statement, by debug information. */
#ifndef OMP_EXT_SOURCE_HEADER_LINES_H
#define OMP_EXT_SOURCE_HEADER_LINES_H

#include <stdbool.h>

#include "omp_ext/source/self_modules.h"
#include "omp_ext/source/source_lines.h"

/* Fill file, line, first_line and last_line for the loop that starts at `place`: at the call that
 * starts it or, for a combined loop, at the entry of its outlined function. False if the line table
 * does not know the address. */
bool keel_header_lines_find(const struct keel_code_location *place, struct keel_source *source);

/* In `i < v.size()`, GCC may count the call of libgomp to size(), which was inlined there. Steps
 * out of such functions: cuts place->path to the function that has the loop, and sets place->file
 * and place->line to where that one calls them. Otherwise it changes nothing. */
void keel_header_calls_leave(struct keel_code_location *place);

#endif
