/* dlclose(), as programs call it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/support/slow_lock.h"

_Atomic unsigned keel_unload_count; /* machine/module.h */

typedef int closer(void *handle);

static int c_library_dlclose(void *handle)
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

static int unload(void *handle)
{
    if (!keel_slow_lock_is_own()) { /* else Keel looks for names right now, by what it unloads */
        keel_observe_unload();
    }
    keel_unload_note();
    int result = c_library_dlclose(handle);
    keel_unload_note();
    return result;
}

/* Under the versions of the C libraries of x86-64 and of arm64, and that of both since 2.34. Only
 * at run time: programs that are linked with libkeel.so still ask the C library for it. */
KEEL_ENTRY_RUNTIME_ONLY("dlclose@GLIBC_2.2.5") int keel_dlclose_x86_64(void *handle)
{
    return unload(handle);
}

KEEL_ENTRY_RUNTIME_ONLY("dlclose@GLIBC_2.17") int keel_dlclose_arm64(void *handle)
{
    return unload(handle);
}

KEEL_ENTRY_RUNTIME_ONLY("dlclose@GLIBC_2.34") int keel_dlclose(void *handle)
{
    return unload(handle);
}
