/* LD_PRELOAD with Keel in it. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/preload.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
    char *result;

    if (list == NULL) {
        return strdup(library);
    }
    size_t before = length_before_libgomp(list, library, &held);
    if (held) {
        return strdup(list);
    }
    const char *rest = list + before;
    bool separated = before == 0 || strchr(SEPARATORS, list[before - 1]) != NULL;
    int length = asprintf(&result, "%.*s%s%s%s%s", (int)before, list, separated ? "" : ":", library,
                          *rest != '\0' ? ":" : "", rest);
    return length >= 0 ? result : NULL;
}
