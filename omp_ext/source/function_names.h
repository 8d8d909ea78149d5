/* The functions around a code address, by the names that a rule may use. */
#ifndef OMP_EXT_SOURCE_FUNCTION_NAMES_H
#define OMP_EXT_SOURCE_FUNCTION_NAMES_H

#include "omp_ext/source/self_modules.h"
#include "omp_ext/source/source_lines.h"

/* Add the names around `place` to source->names, innermost first, each once, as many as fit. */
void keel_function_names_add(const struct keel_code_location *place, struct keel_source *source);

#endif
