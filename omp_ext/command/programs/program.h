/* What the file of a program says about preloading libraries into it. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_PROGRAM_H
#define OMP_EXT_COMMAND_PROGRAMS_PROGRAM_H

#include <stdbool.h>

enum keel_program {
    KEEL_PROGRAM_USUAL,  /* dynamically linked, or not known */
    KEEL_PROGRAM_STATIC, /* no dynamic linker runs for it */
    KEEL_PROGRAM_SECURE, /* gets rights that the caller has not: nothing is preloaded */
};

/* The file that execvp() would run for that name, in file[PATH_MAX]. False: no folder of PATH has
 * such a program. */
bool keel_program_find(const char *name, char *file);

/* The program that execvp() would run for that name. */
enum keel_program keel_program_kind(const char *name);

#endif
