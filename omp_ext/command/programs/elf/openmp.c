/* Which OpenMP a program uses: what it wants from elsewhere, and what the dynamic linker loads. */
#include "omp_ext/command/programs/elf/openmp.h"

#include <stdio.h>
#include <string.h>

#include "omp_ext/command/programs/elf/imports.h"
#include "omp_ext/command/programs/elf/loaded.h"
#include "omp_ext/support/environment.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* How their files are named, up to a version. */
static const struct {
    const char *prefix;
    enum keel_openmp_runtime runtime;
} runtimes[] = {
    {"libgomp.so", KEEL_OPENMP_GCC},     {"libomp.so", KEEL_OPENMP_LLVM},
    {"libomp-", KEEL_OPENMP_LLVM},       {"libiomp5.so", KEEL_OPENMP_INTEL},
    {"libnvomp.so", KEEL_OPENMP_NVIDIA},
};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Calls that GCC makes of loops and regions; those of Keel's plugin are weak. */
static void note_import(const char *name, void *context)
{
    struct keel_openmp *openmp = context;

    openmp->regions |= begins(name, "GOMP_parallel");
    if (begins(name, "keel_worksharing_")) {
        openmp->runtime_loops = true;
    } else if (begins(name, "GOMP_loop_") || begins(name, "GOMP_parallel_loop_")) {
        bool runtime = strstr(name, "runtime") != NULL;
        openmp->runtime_loops |= runtime;
        openmp->explicit_loops |=
            !runtime && (strstr(name, "dynamic") != NULL || strstr(name, "guided") != NULL);
    }
}

static void note_runtime(const char *name, const char *file, struct keel_openmp *openmp)
{
    for (size_t i = 0; i < COUNT(runtimes); i++) {
        if (begins(name, runtimes[i].prefix) && runtimes[i].runtime > openmp->runtime) {
            openmp->runtime = runtimes[i].runtime;
            snprintf(openmp->library, sizeof openmp->library, "%s", file[0] != '\0' ? file : name);
        }
    }
}

/* LLVM's runtime has libgomp's functions, and may be installed under its name. */
static void note_foreign(const char *name, void *context)
{
    struct keel_openmp *openmp = context;

    if (strcmp(name, "__kmpc_fork_call") == 0) {
        openmp->runtime = KEEL_OPENMP_LLVM;
        openmp->in_place = true;
    }
}

/* Whether the runtime comes by LD_PRELOAD. */
static bool is_preloaded(const char *library)
{
    const char *list = keel_environment_value("LD_PRELOAD");
    const char *slash = strrchr(library, '/');

    return list != NULL && strstr(list, slash != NULL ? slash + 1 : library) != NULL;
}

static bool is_runtime(const char *name)
{
    struct keel_openmp none = {.runtime = KEEL_OPENMP_NONE};

    note_runtime(name, "", &none);
    return none.runtime != KEEL_OPENMP_NONE;
}

/* Libraries come in the order in which they are searched for functions: that of DT_NEEDED, those of
 * the program before those of its libraries. */
static void note_library(const char *name, const char *file, void *context)
{
    struct keel_openmp *openmp = context;

    if (begins(name, "libkeel.so")) {
        openmp->linked = true;
        openmp->behind |= openmp->runtime == KEEL_OPENMP_GCC;
    }
    note_runtime(name, file, openmp);
    if (file[0] != '\0' && !is_runtime(name) && !begins(name, "libkeel")) {
        keel_imports_visit(file, note_import, openmp);
    }
}

void keel_openmp_read(const struct keel_program *program, struct keel_openmp *openmp)
{
    memset(openmp, 0, sizeof *openmp);
    keel_imports_visit(program->file, note_import, openmp);
    if (program->interpreter[0] != '\0') {
        keel_loaded_visit(program->interpreter, program->file, note_library, openmp);
    }
    if (openmp->runtime == KEEL_OPENMP_GCC) {
        keel_exports_visit(openmp->library, note_foreign, openmp);
    }
    openmp->in_place |= openmp->runtime > KEEL_OPENMP_GCC && is_preloaded(openmp->library);
    openmp->old =
        openmp->runtime == KEEL_OPENMP_GCC && !keel_imports_version(openmp->library, "GOMP_5.0");
}
