/* Functions that were inlined into the header of a loop. */
#ifndef OMP_EXT_SOURCE_HEADER_CALLS_H
#define OMP_EXT_SOURCE_HEADER_CALLS_H

#include "omp_ext/source/self_modules.h"

/* In `i < v.size()`, GCC may count the call of libgomp to size(), which was inlined there. Steps
 * out of such functions: cuts place->path to the function that has the loop, and sets place->file
 * and place->line to where that one calls them. Otherwise it changes nothing. */
void keel_header_calls_leave(struct keel_code_location *place);

#endif
