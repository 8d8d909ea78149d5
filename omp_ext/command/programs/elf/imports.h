/* What the file of a program takes from shared libraries, and what a library has. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_ELF_IMPORTS_H
#define OMP_EXT_COMMAND_PROGRAMS_ELF_IMPORTS_H

#include <stdbool.h>

/* Whether the file is an ELF file that wants a symbol from elsewhere whose name begins so. False
 * also where that can't be read. */
bool keel_imports_any(const char *file, const char *prefix);

/* Calls `visit` for each symbol that the file wants from elsewhere. */
void keel_imports_visit(const char *file, void (*visit)(const char *name, void *context),
                        void *context);

/* The same for each that it has for others. */
void keel_exports_visit(const char *file, void (*visit)(const char *name, void *context),
                        void *context);

/* Whether a shared library has symbols of that version; true also where that can't be read. */
bool keel_imports_version(const char *library, const char *version);

#endif
