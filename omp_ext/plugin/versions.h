/* What GCC 11 does not have of what the plugin uses; GCC 12 and later have all. Include it after
 * GCC's own headers. */
#ifndef OMP_EXT_PLUGIN_VERSIONS_H
#define OMP_EXT_PLUGIN_VERSIONS_H

#include <bversion.h>

#if BUILDING_GCC_MAJOR < 12

/* `order(reproducible:concurrent)` and its kin are of GCC 12: each order is an unqualified one. */
#define OMP_CLAUSE_ORDER_UNCONSTRAINED(clause) false

#define KEEL_HAS_SCOPE_AND_MASKED 0

static inline bool startswith(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

#else

#define KEEL_HAS_SCOPE_AND_MASKED 1

#endif

#endif
