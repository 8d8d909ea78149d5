/* What the dynamic linker loads for a program. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_ELF_LOADED_H
#define OMP_EXT_COMMAND_PROGRAMS_ELF_LOADED_H

/* Calls `visit` for each shared library that `linker`, the program's own, would load for the file:
 * the name that was asked for, and its file, or "" where none is found. Nothing of the program
 * runs. Libraries that come later, by dlopen(), are not seen. */
void keel_loaded_visit(const char *linker, const char *file,
                       void (*visit)(const char *name, const char *library, void *context),
                       void *context);

#endif
