/* Keel's functions for loops, see omp_ext/gomp/worksharing.h, as code refers to them. */
#ifndef OMP_EXT_PLUGIN_FUNCTIONS_H
#define OMP_EXT_PLUGIN_FUNCTIONS_H

#include <gcc-plugin.h>

#include <tree.h>

enum keel_function {
    KEEL_START,
    KEEL_ULL_START,
    KEEL_NEXT,
    KEEL_ULL_NEXT,
    KEEL_END,
    KEEL_END_CANCEL,
    KEEL_END_NOWAIT,
    KEEL_FUNCTIONS
};

/* Its declaration: weak, so that it has no address where Keel is missing, and `noplt`, so that code
 * which is not position-independent asks at run time, too. */
tree keel_function_decl(keel_function function);

/* Tells GCC's collector of the declarations. plugin: the plugin's name. */
void keel_functions_keep(const char *plugin);

#endif
