/* What the file of a program says about preloading libraries into it. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_ELF_PROGRAM_H
#define OMP_EXT_COMMAND_PROGRAMS_ELF_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum keel_program_kind {
    KEEL_PROGRAM_USUAL,  /* dynamically linked, or not known */
    KEEL_PROGRAM_STATIC, /* no dynamic linker runs for it */
    KEEL_PROGRAM_SECURE, /* gets rights that the caller has not: nothing is preloaded */
    KEEL_PROGRAM_BITS,   /* has 32 bits, and Keel 64, or the other way round */
    KEEL_PROGRAM_OTHER,  /* for another kind of machine */
    KEEL_PROGRAM_SCRIPT, /* another program reads it */
};

struct keel_program {
    enum keel_program_kind kind;
    char file[PATH_MAX];        /* that execvp() runs; "": there is none */
    char interpreter[PATH_MAX]; /* of a script, with its options; the dynamic linker of a usual
                                   program; else "" */
};

/* The file that execvp() would run for that name, in file[PATH_MAX]. False: no folder of PATH has
 * such a program. */
bool keel_program_find(const char *name, char *file);

/* The program that execvp() would run for that name. */
void keel_program_read(const char *name, struct keel_program *program);

#endif
