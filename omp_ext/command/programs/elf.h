/* What the file of a program and the libraries that it is linked with say. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_ELF_H
#define OMP_EXT_COMMAND_PROGRAMS_ELF_H

#include <limits.h>
#include <stdbool.h>

/* --- program --- */

/* What the file of a program says about preloading libraries into it. */

enum keel_program_kind {
    KEEL_PROGRAM_USUAL,  /* dynamically linked, or not known */
    KEEL_PROGRAM_STATIC, /* no dynamic linker runs for it */
    KEEL_PROGRAM_SECURE, /* gets rights that the caller has not: nothing is preloaded */
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

/* --- imports --- */

/* What the file of a program takes from shared libraries, and what a library has. */

/* Whether the file is an ELF file that wants a symbol from elsewhere whose name begins so. False
 * also where that can't be read. */
bool keel_imports_any(const char *file, const char *prefix);

/* --- loaded --- */

/* What the dynamic linker loads for a program. */

/* Calls `visit` for each shared library that `linker`, the program's own, would load for the file:
 * the name that was asked for, and its file, or "" where none is found. Nothing of the program
 * runs. Libraries that come later, by dlopen(), are not seen. */
void keel_loaded_visit(const char *linker, const char *file,
                       void (*visit)(const char *name, const char *library, void *context),
                       void *context);

/* --- openmp --- */

/* Which OpenMP a program and the libraries that it is linked with use, and for what. */

enum keel_openmp_runtime {
    KEEL_OPENMP_NONE,
    KEEL_OPENMP_GCC,
    KEEL_OPENMP_LLVM,
    KEEL_OPENMP_INTEL,
    KEEL_OPENMP_NVIDIA,
};

struct keel_openmp {
    enum keel_openmp_runtime runtime; /* one that is not GCC's counts more */
    char library[PATH_MAX];           /* its file, or its name where no file is found */
    bool in_place;                    /* not GCC's, and yet the program asks for that */
    bool old;                         /* GCC's, before GCC 9 */
    bool linked;                      /* with libkeel.so, */
    bool behind;                      /* which comes behind libgomp: calls don't come to it */
    bool regions;                     /* code built by GCC has parallel regions */
    bool runtime_loops;  /* and loops with schedule(runtime), or that the plugin took */
    bool explicit_loops; /* with schedule(dynamic) or schedule(guided) */
};

/* Of a program of the usual kind. */
void keel_openmp_read(const struct keel_program *program, struct keel_openmp *openmp);

#endif
