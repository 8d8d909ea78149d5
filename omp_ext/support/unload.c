/* How many libraries the program may have unloaded. */
#define _GNU_SOURCE
#include "omp_ext/support/unload.h"

#include <dlfcn.h>
#include <string.h>

typedef int closer(void *handle);

_Atomic unsigned keel_unload_count;

int keel_unload_uncounted(void *handle)
{
    static _Atomic(void *) known;
    void *symbol = atomic_load_explicit(&known, memory_order_relaxed);
    closer *function;

    if (symbol == NULL) {
        symbol = dlsym(RTLD_NEXT, "dlclose");
        atomic_store_explicit(&known, symbol, memory_order_relaxed);
    }
    /* POSIX: data and function pointers are alike */
    memcpy(&function, &symbol, sizeof function);
    return function(handle);
}
