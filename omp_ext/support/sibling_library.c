/* Shared libraries in the folder of libkeel.so. */
#define _GNU_SOURCE
#include "omp_ext/support/sibling_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/message.h"
#include "omp_ext/support/uncancelled.h"

enum { UNTRIED, LOADING, SETTLED };

/* NULL: it can't be loaded, which dlerror() explains, or there is no memory. Stacks may be
 * small. */
static void *open_in(const char *folder, int length, const char *place, const char *name)
{
    char *path;

    if (asprintf(&path, "%.*s/%s%s", length, folder, place, name) < 0) {
        return NULL;
    }
    bool there = place[0] == '\0' || access(path, F_OK) == 0;
    void *opened = there ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    free(path);
    return opened;
}

/* Beside this library, or in the folder keel/ there, where installations have it. */
static void *open_sibling(const char *name)
{
    Dl_info self;

    if (dladdr((void *)keel_sibling_library_ready, &self) == 0) {
        return NULL;
    }
    const char *end = strrchr(self.dli_fname, '/');
    const char *folder = end != NULL ? self.dli_fname : ".";
    int length = end != NULL ? (int)(end - self.dli_fname) : 1;
    void *opened = open_in(folder, length, "", name);
    return opened != NULL ? opened : open_in(folder, length, "keel/", name);
}

static void load(struct keel_sibling_library *library)
{
    int cancel_state = keel_uncancelled_begin();
    void *opened = open_sibling(library->library);

    library->symbol = opened != NULL ? dlsym(opened, library->name) : NULL;
    if (library->symbol == NULL) {
        keel_message("%s: needs %s, which can't be loaded (%s); %s", library->purpose,
                     library->library, dlerror(), library->instead);
    }
    keel_uncancelled_end(cancel_state);
}

bool keel_sibling_library_ready(struct keel_sibling_library *library)
{
    int untried = UNTRIED;

    /* acquire: pairs with the release below */
    if (atomic_load_explicit(&library->state, memory_order_acquire) == SETTLED) {
        return true;
    }
    if (!atomic_compare_exchange_strong_explicit(&library->state, &untried, LOADING,
                                                 memory_order_acquire, memory_order_acquire)) {
        return untried == SETTLED;
    }
    load(library);
    /* release: the symbol is complete before the state is seen */
    atomic_store_explicit(&library->state, SETTLED, memory_order_release);
    return true;
}
