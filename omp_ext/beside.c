/* Libraries beside libkeel.so. */
#define _GNU_SOURCE
#include "omp_ext/beside.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/message.h"

static void *open_beside(const char *library)
{
    char path[4096];
    Dl_info self;

    if (dladdr((void *)keel_beside_find, &self) == 0) {
        return NULL;
    }
    const char *end = strrchr(self.dli_fname, '/');
    int directory = end != NULL ? (int)(end - self.dli_fname) : 1;
    snprintf(path, sizeof path, "%.*s/%s", directory, end != NULL ? self.dli_fname : ".", library);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *keel_beside_find(const char *library, const char *name, const char *purpose,
                       const char *instead)
{
    void *opened = open_beside(library);
    void *symbol = opened != NULL ? dlsym(opened, name) : NULL;

    if (symbol == NULL) {
        keel_message("%s: needs %s, which can't be loaded (%s); %s", purpose, library, dlerror(),
                     instead);
    }
    return symbol;
}
