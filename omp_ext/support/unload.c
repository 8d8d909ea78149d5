/* dlclose(), as programs call it. */
#define _GNU_SOURCE
#include "omp_ext/support/unload.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/site/site.h"
#include "omp_ext/site/site_source.h"
#include "omp_ext/support/slow_lock.h"

_Atomic unsigned keel_unload_count;

typedef int closer(void *handle);

static closer *real_dlclose(void)
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
    return function;
}

/* Afterwards it would be too late: the debug information is found by what is loaded. */
static void find_traced_names(void)
{
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    if (settings != NULL && settings->trace_file != NULL && keel_site_source_ready()) {
        keel_slow_lock();
        keel_site_find_names();
        keel_slow_unlock();
    }
}

/* Counts before and after: sites that are verified meanwhile are so for the library that goes. */
static int unload(void *handle)
{
    closer *close = real_dlclose();

    find_traced_names();
    atomic_fetch_add_explicit(&keel_unload_count, 1, memory_order_relaxed);
    int result = close(handle);
    atomic_fetch_add_explicit(&keel_unload_count, 1, memory_order_relaxed);
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
