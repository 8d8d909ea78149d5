/* Libraries beside libkeel.so. */
#define _GNU_SOURCE
#include "omp_ext/support/sibling_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/support/message.h"

enum { UNTRIED, LOADING, SETTLED };

static void *open_sibling(const char *library)
{
    char path[4096];
    Dl_info self;

    if (dladdr((void *)keel_sibling_library_ready, &self) == 0) {
        return NULL;
    }
    const char *end = strrchr(self.dli_fname, '/');
    int directory = end != NULL ? (int)(end - self.dli_fname) : 1;
    snprintf(path, sizeof path, "%.*s/%s", directory, end != NULL ? self.dli_fname : ".", library);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void load(struct keel_sibling_library *beside)
{
    void *opened = open_sibling(beside->library);

    beside->symbol = opened != NULL ? dlsym(opened, beside->name) : NULL;
    if (beside->symbol == NULL) {
        keel_message("%s: needs %s, which can't be loaded (%s); %s", beside->purpose,
                     beside->library, dlerror(), beside->instead);
    }
}

bool keel_sibling_library_ready(struct keel_sibling_library *beside)
{
    int untried = UNTRIED;

    /* acquire: pairs with the release below */
    if (atomic_load_explicit(&beside->state, memory_order_acquire) == SETTLED) {
        return true;
    }
    if (!atomic_compare_exchange_strong_explicit(&beside->state, &untried, LOADING,
                                                 memory_order_acquire, memory_order_acquire)) {
        return untried == SETTLED;
    }
    load(beside);
    /* release: the symbol is complete before the state is seen */
    atomic_store_explicit(&beside->state, SETTLED, memory_order_release);
    return true;
}
