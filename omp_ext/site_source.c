/* Where in the program's source a loop site stands. */
#define _GNU_SOURCE
#include "omp_ext/site_source.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/beside.h"

typedef int source_finder(const void *, const void *, struct keel_source *);

bool keel_site_source(const struct keel_place *place, struct keel_source *source)
{
    static bool tried;
    static source_finder *finder;

    if (!tried) {
        finder = (source_finder *)keel_beside_find("libkeel_source.so", "keel_source_find_parallel",
                                                   "rules for single loops and names of loops",
                                                   "rules are ignored, loops go by address");
        tried = true;
    }
    return finder != NULL &&
           finder(place->caller, (const void *)place->outlined, source) == KEEL_SOURCE_FOUND;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void name_by_module(const struct keel_place *place, char *text)
{
    Dl_info module;

    if (dladdr(place->caller, &module) == 0) {
        snprintf(text, KEEL_SITE_NAME_MAX, "%p", place->caller);
        return;
    }
    snprintf(text, KEEL_SITE_NAME_MAX, "%s+0x%zx", base_name(module.dli_fname),
             (size_t)((const char *)place->caller - (const char *)module.dli_fbase));
}

void keel_site_name(const struct keel_place *place, char *text)
{
    struct keel_source source;

    if (!keel_site_source(place, &source)) {
        name_by_module(place, text);
    } else if (source.line == 0) {
        snprintf(text, KEEL_SITE_NAME_MAX, "%s", source.names[0]);
    } else {
        bool named = source.name_count > 0;
        snprintf(text, KEEL_SITE_NAME_MAX, "%.120s:%u%s%s%s", base_name(source.file), source.line,
                 named ? " (" : "", named ? source.names[0] : "", named ? ")" : "");
    }
}
