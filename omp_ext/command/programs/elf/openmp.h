/* Which OpenMP a program and the libraries that it is linked with use, and for what. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_ELF_OPENMP_H
#define OMP_EXT_COMMAND_PROGRAMS_ELF_OPENMP_H

#include <limits.h>
#include <stdbool.h>

#include "omp_ext/command/programs/elf/program.h"

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
