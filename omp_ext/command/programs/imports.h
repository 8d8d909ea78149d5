/* What the file of a program takes from shared libraries. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_IMPORTS_H
#define OMP_EXT_COMMAND_PROGRAMS_IMPORTS_H

#include <stdbool.h>

/* Whether the file is an ELF file of this machine's kind that wants a symbol from elsewhere whose
 * name begins so. False also where that can't be read. */
bool keel_imports_any(const char *file, const char *prefix);

#endif
