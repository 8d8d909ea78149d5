/* The lines of a loop's header, from the line table: from its directive to its first statement. */
#ifndef OMP_EXT_SOURCE_HEADER_LINES_H
#define OMP_EXT_SOURCE_HEADER_LINES_H

#include <stdbool.h>

#include "omp_ext/source/self_modules.h"
#include "omp_ext/source/source_lines.h"

/* Fill file, line, first_line and last_line for the loop that starts at `place`: at the call that
 * starts it or, for a combined loop, at the entry of its outlined function. False if the line table
 * does not know the address. */
bool keel_header_lines_find(const struct keel_code_location *place, struct keel_source *source);

#endif
