/* Separates Keel's schedules in OMP_SCHEDULE from libgomp's. Pure; runs before libc is initialised.
 */
#include "omp_ext/settings/settings.h"

#include <string.h>
#include <strings.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

static bool is_libgomp_kind(const char *word, size_t length)
{
    static const char *const kinds[] = {"static", "dynamic", "guided", "auto"};

    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(kinds[i]) == length && strncasecmp(kinds[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

bool keel_omp_schedule_is_ours(const char *value)
{
    const char *word = value + keel_spec_modifier(value, strlen(value));
    size_t length = strcspn(word, ",: \t");
    size_t separator = length + strspn(word + length, " \t");

    /* "static:min=4" has libgomp's word, but only Keel's form */
    if (is_libgomp_kind(word, length) && word[separator] != ':' && strchr(word, '=') == NULL) {
        return false;
    }
    return keel_registry_find(word, length) != NULL;
}
