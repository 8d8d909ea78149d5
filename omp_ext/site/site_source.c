/* The source position of a loop site. */
#include "omp_ext/site/site.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/machine/module.h"
#include "omp_ext/support/sibling_library.h"
#include "schedules/text/text.h"

typedef bool source_finder(const void *, const void *, struct keel_source *);

static struct keel_sibling_library resolver = {
    .library = "libkeel_source.so",
    .name = "keel_source_find",
    .purpose = "rules for single loops and names of loops",
    .instead = "rules are ignored, loops go by address",
};

bool keel_site_source_ready(void)
{
    return keel_sibling_library_ready(&resolver);
}

const void *keel_site_code(const struct keel_call_site *place)
{
    const char *outlined = (const char *)(uintptr_t)place->outlined;
    uintptr_t caller_base = 0, base = 0;

    return outlined == NULL || (keel_module_file(place->caller, NULL, 0, &caller_base) &&
                                keel_module_file(outlined, NULL, 0, &base) && caller_base == base)
               ? place->caller
               : outlined + 1;
}

bool keel_site_source(const struct keel_call_site *place, struct keel_source *source)
{
    source_finder *finder =
        keel_sibling_library_ready(&resolver) ? (source_finder *)resolver.symbol : NULL;

    return finder != NULL && finder(keel_site_code(place), (const void *)place->outlined, source);
}

/* The symbol's name comes first if the debug information has none. */
const char *keel_site_function(const struct keel_source *source)
{
    for (unsigned i = 0; i < source->name_count; i++) {
        const char *name = source->names[i];
        if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "__", 2) != 0) {
            return name;
        }
    }
    return source->name_count > 0 ? source->names[0] : "";
}

void keel_site_address(const struct keel_call_site *place, char *text)
{
    char file[KEEL_SITE_ADDRESS_MAX - 32];
    const void *code = keel_site_code(place);
    uintptr_t base;

    if (keel_module_file(code, file, sizeof file, &base)) {
        snprintf(text, KEEL_SITE_ADDRESS_MAX, "%s+0x%zx", file, (size_t)((uintptr_t)code - base));
    } else {
        snprintf(text, KEEL_SITE_ADDRESS_MAX, "%p", code);
    }
}

void keel_site_name(const struct keel_call_site *place, char *text)
{
    struct keel_source source;

    if (!keel_site_source(place, &source)) {
        keel_site_address(place, text);
    } else if (source.line == 0) {
        snprintf(text, KEEL_SITE_NAME_MAX, "%s", keel_site_function(&source));
    } else {
        bool named = source.name_count > 0;
        snprintf(text, KEEL_SITE_NAME_MAX, "%.120s:%u%s%s%s", keel_text_base_name(source.file),
                 source.line, named ? " (" : "", keel_site_function(&source), named ? ")" : "");
    }
}
