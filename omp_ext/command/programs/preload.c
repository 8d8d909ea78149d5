/* What a program's environment gets so that libkeel.so is loaded into it. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

#define SEPARATORS ": " /* as ld.so(8) reads the list */
#define LIBGOMP "libgomp.so"

static bool is_libgomp(const char *item, size_t length)
{
    const char *slash = memrchr(item, '/', length);
    const char *name = slash != NULL ? slash + 1 : item;

    return (size_t)(item + length - name) >= strlen(LIBGOMP) &&
           strncmp(name, LIBGOMP, strlen(LIBGOMP)) == 0;
}

/* Length of the list before its first libgomp; all of it if there is none. *held: `library`
 * stands in it. */
static size_t length_before_libgomp(const char *list, const char *library, bool *held)
{
    size_t before = strlen(list);

    *held = false;
    for (const char *item = list; *item != '\0';) {
        size_t length = strcspn(item, SEPARATORS);
        if (is_libgomp(item, length) && (size_t)(item - list) < before) {
            before = (size_t)(item - list);
        }
        *held |= length == strlen(library) && memcmp(item, library, length) == 0;
        item += length + (item[length] != '\0');
    }
    return before;
}

char *keel_preload_list(const char *list, const char *library)
{
    bool held;

    if (list == NULL) {
        return keel_command_text("%s", library);
    }
    size_t before = length_before_libgomp(list, library, &held);
    if (held) {
        return keel_command_text("%s", list);
    }
    const char *rest = list + before;
    bool separated = before == 0 || strchr(SEPARATORS, list[before - 1]) != NULL;
    return keel_command_text("%.*s%s%s%s%s", (int)before, list, separated ? "" : ":", library,
                             *rest != '\0' ? ":" : "", rest);
}

static bool asks_for_calls(void)
{
    static const char *const asking[] = {"KEEL_REPORT", "KEEL_TRACE", "KEEL_SHARE_CORES",
                                         "KEEL_MPI_WAIT"};

    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++) {
        if (keel_environment_value(asking[i]) != NULL) {
            return true;
        }
    }
    return false;
}

const char *keel_library_find(bool for_report)
{
    struct keel_installed library, calls;

    if (!keel_installation_find(KEEL_PART_LIBRARY, &library)) {
        return NULL;
    }
    if (strpbrk(library.folder, SEPARATORS) != NULL) {
        keel_message(
            "'%s': the dynamic linker cannot preload from a folder with a blank or a colon "
            "in its name",
            library.folder);
        return NULL;
    }
    char *list = keel_preload_list(keel_environment_value("LD_PRELOAD"),
                                   keel_command_text("%s/%s", library.folder, library.file));
    return (for_report || asks_for_calls()) &&
                   keel_installation_has(KEEL_PART_MPI_CALLS, "", &calls)
               ? keel_command_text("%s:%s/%s", list, calls.folder, calls.file)
               : list;
}
