/* Which GCC a person compiles with: plugins are for one major version of it. */
#ifndef OMP_EXT_COMMAND_PARTS_COMPILER_H
#define OMP_EXT_COMMAND_PARTS_COMPILER_H

#include <stdbool.h>

enum keel_compiler_answer {
    KEEL_COMPILER_GCC,
    KEEL_COMPILER_SILENT, /* there is no such command, or it fails */
    KEEL_COMPILER_OTHER,  /* not GCC, or before GCC 7 */
};

struct keel_compiler {
    const char *source;  /* "CC", "CXX", "FC"; "": looked for in PATH */
    const char *command; /* as a shell reads it */
    enum keel_compiler_answer answer;
    unsigned major;   /* of its version, of GCC alone */
    char version[64]; /* "12.2.0" */
};

/* Asks the command for its version. `source` and `command` stay the caller's. */
struct keel_compiler keel_compiler_ask(const char *source, const char *command);

/* What CC, CXX and FC name, at most 3 in compiler[3]; without any, the first of gcc, cc, gfortran
 * and g++ that is GCC, or else gcc. Their number. */
unsigned keel_compiler_in_use(struct keel_compiler *compiler);

#endif
