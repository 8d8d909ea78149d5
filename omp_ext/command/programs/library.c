/* What a program's environment gets so that libkeel.so is loaded into it. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/library.h"

#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/installation.h"
#include "omp_ext/command/programs/preload.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

/* ld.so takes blanks and colons in LD_PRELOAD for separators: from such a folder the library is
 * named alone and found by LD_LIBRARY_PATH, which separates by colons and semicolons only. NULL:
 * neither will do. */
static const char *preload_name(const struct keel_installed *library,
                                struct keel_preloading *preloading)
{
    static char text[2 * PATH_MAX];
    const char *others = keel_environment_value("LD_LIBRARY_PATH");
    char *path;

    if (strpbrk(library->folder, " :") == NULL) {
        snprintf(text, sizeof text, "%s/%s", library->folder, library->file);
        return text;
    }
    if (strpbrk(library->folder, ":;") != NULL) {
        return NULL;
    }
    if (asprintf(&path, "%s%s%s", library->folder, others != NULL ? ":" : "",
                 others != NULL ? others : "") >= 0) {
        preloading->library_path = path;
    }
    return library->file;
}

bool keel_library_find(struct keel_preloading *preloading)
{
    struct keel_installed library;

    if (!keel_installation_find(KEEL_PART_LIBRARY, &library)) {
        return false;
    }
    const char *name = preload_name(&library, preloading);
    if (name == NULL) {
        keel_message(
            "'%s': the dynamic linker cannot preload from a folder with a colon in its name",
            library.folder);
        return false;
    }
    preloading->preload = keel_preload_list(keel_environment_value("LD_PRELOAD"), name);
    return preloading->preload != NULL;
}
