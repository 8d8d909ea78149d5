/* Finding the real libgomp. */
#define _GNU_SOURCE
#include "omp_ext/gomp/libgomp.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/message.h"
#include "omp_ext/support/slow_lock.h"

#define COPIES_MAX 16 /* copies of libgomp in one process */
/* Per thread. They and all other thread-local data stay below 1.4 KiB, so that libkeel.so can
 * still be loaded by dlopen: the C library keeps 1.6 KiB for late ones, of which libgomp takes
 * some. */
#define KNOWN_CALLERS 24

_Atomic(const struct keel_libgomp *) keel_libgomp_global;

struct entry {
    const char *name;
    size_t field; /* offset in struct keel_libgomp */
};

static const struct entry entries[] = {
#define KEEL_LIBGOMP_ENTRY(result, name, parameters) {#name, offsetof(struct keel_libgomp, name)},
    KEEL_LIBGOMP_FUNCTIONS(KEEL_LIBGOMP_ENTRY)
#undef KEEL_LIBGOMP_ENTRY
};

/* Written under keel_slow_lock. A copy is known by where its GOMP_parallel stands. */
static struct keel_libgomp copies[COPIES_MAX];
static _Atomic unsigned copy_count;

/* `handle` is a dlsym handle that reaches the copy. */
static void resolve(struct keel_libgomp *copy, void *handle)
{
    copy->complete = true;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *function = dlsym(handle, entries[i].name);
        /* POSIX: data and function pointers are alike */
        memcpy((char *)copy + entries[i].field, &function, sizeof function);
        copy->complete &= function != NULL;
    }
}

static const struct keel_libgomp *known_copy(void *parallel)
{
    for (unsigned i = 0; i < copy_count; i++) {
        if ((void *)copies[i].GOMP_parallel == parallel) {
            return &copies[i];
        }
    }
    return NULL;
}

static const struct keel_libgomp *add_copy(const struct keel_libgomp *resolved)
{
    keel_slow_lock();
    const struct keel_libgomp *copy = known_copy((void *)resolved->GOMP_parallel);
    if (copy == NULL && copy_count < COPIES_MAX) {
        copies[copy_count] = *resolved;
        copy = &copies[copy_count++];
    }
    keel_slow_unlock();
    return copy;
}

/* The dynamic linker is never asked with keel_slow_lock held: it has a lock of its own, which a
 * thread holds that runs loops in the constructor of what it loads. */
static const struct keel_libgomp *copy_of(void *handle, void *parallel)
{
    const struct keel_libgomp *copy = known_copy(parallel);
    struct keel_libgomp resolved;

    if (copy == NULL) {
        resolve(&resolved, handle);
        copy = add_copy(&resolved);
    }
    return copy;
}

/* The libgomp in the global scope behind Keel. While it is the only copy that has been seen,
 * whatever reaches Keel would have reached it, and the search is over for good. */
static const struct keel_libgomp *find_global(void)
{
    void *parallel = dlsym(RTLD_NEXT, "GOMP_parallel");
    const struct keel_libgomp *copy = parallel != NULL ? copy_of(RTLD_NEXT, parallel) : NULL;

    if (copy != NULL && copy_count == 1) {
        /* release: the table is complete before it is seen; pairs with the acquire in
         * keel_libgomp() */
        atomic_store_explicit(&keel_libgomp_global, copy, memory_order_release);
    }
    return copy;
}

/* The copy among what the caller's object was loaded with. The handle is closed again: only libgomp
 * itself, which starts threads and can't be unloaded while they live, is kept. */
static const struct keel_libgomp *find_by_caller(const void *caller)
{
    Dl_info info;
    struct link_map *object = NULL;
    const struct keel_libgomp *copy = NULL;

    if (dladdr1(caller, &info, (void **)&object, RTLD_DL_LINKMAP) == 0 || object == NULL) {
        return NULL;
    }
    void *handle =
        dlopen(object->l_name[0] != '\0' ? object->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) {
        return NULL;
    }
    void *parallel = dlsym(handle, "GOMP_parallel");
    if (parallel != NULL && dladdr(parallel, &info) != 0) {
        void *kept = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        copy = kept != NULL ? copy_of(kept, parallel) : NULL;
    }
    dlclose(handle);
    return copy;
}

/* Some objects get libgomp from whoever loaded them; the usual one is then the best guess. */
static const struct keel_libgomp *find_by_name(void)
{
    void *handle = dlopen("libgomp.so.1", RTLD_LAZY);
    void *parallel = handle != NULL ? dlsym(handle, "GOMP_parallel") : NULL;

    return parallel != NULL ? copy_of(handle, parallel) : NULL;
}

static const struct keel_libgomp *search(const void *caller)
{
    const struct keel_libgomp *global = find_global();
    const struct keel_libgomp *copy =
        global != NULL && copy_count == 1 ? global : find_by_caller(caller);

    if (copy == NULL) {
        copy = global != NULL ? global : find_by_name();
    }
    return copy;
}

static const struct keel_libgomp *search_or_exit(const void *caller)
{
    const struct keel_libgomp *copy = search(caller);

    if (copy == NULL) {
        /* As the dynamic linker would without Keel: nobody provides the function that is being
         * called. */
        keel_message("the program calls libgomp, but libgomp.so.1 can't be found; giving up");
        _exit(127);
    }
    return copy;
}

/* Where no copy is global, a thread remembers what it found for its callers. An object that is
 * unloaded and replaced by another at the same address, with another libgomp, is not noticed;
 * copies stay loaded, so the call still finds code. */
const struct keel_libgomp *keel_libgomp_find(const void *caller)
{
    static _Thread_local struct {
        const void *caller;
        const struct keel_libgomp *copy;
    } known[KNOWN_CALLERS];
    size_t place = ((uintptr_t)caller >> 2) % KNOWN_CALLERS;

    if (known[place].caller != caller) {
        known[place].copy = search_or_exit(caller);
        known[place].caller = caller;
    }
    return known[place].copy;
}
