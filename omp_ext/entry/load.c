/* What libkeel.so does when it is loaded: end what libkeel_early.so began, see
 * settings/settings.h, and note which process it is; and what it does when the program ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/observe/observe.h"
#include "omp_ext/recorder/recording.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/trace/trace_writer.h"

/* --- the program unloads a library --- */

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
    if (!keel_slow_lock_is_own()) { /* otherwise Keel is looking up names now, by objects that it
                                       unloads */
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

/* --- the library is loaded, and the program ends --- */

/* Once, whatever ends the program. */
static void report_all(bool quickly)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&said)) {
        keel_libgomp_check_order(true);
        keel_live_report(quickly);
        keel_trace_writer_end(quickly);
        keel_slow_lock();
        keel_save_sites();
        keel_slow_unlock();
    }
}

static void report_quickly(void)
{
    report_all(true);
}

/* quick_exit() calls functions in the reverse order: the program's come first, and may run loops.
 */
__attribute__((constructor)) static void loaded(void)
{
    keel_hidden_omp_schedule_restore();
    keel_remember_begin();
    keel_recorder_begin();
    keel_trace_writer_loaded();
    at_quick_exit(report_quickly);
    keel_libgomp_check_order(false);
}

__attribute__((destructor)) static void unloaded(void)
{
    report_all(false);
}
