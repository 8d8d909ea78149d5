/* Preloaded into a test program: intercepts the two runtime-schedule entry points that GCC 12
 * calls, prints the result of keel_source_find() for each call's return address, once per call, and
 * continues in libgomp. One line on stderr:
 *
 *     STATUS FILE:LINE FIRST-LAST NAME NAME ...
 *
 * STATUS is 0, or 1 where nothing is known.
 * SHOW_SOURCE_LIBRARY names libkeel_source.so. SHOW_SOURCE_CHECK=1 also looks each site up a
 * thousand times more, and prints "descriptors: N before, M after", counted around that.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/source/source_lines.h"

typedef bool find_parallel_function(const void *, const void *, struct keel_source *);

static find_parallel_function *find_parallel(void)
{
    const char *path = getenv("SHOW_SOURCE_LIBRARY");
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        fprintf(stderr, "show_source: %s\n", path == NULL ? "no SHOW_SOURCE_LIBRARY" : dlerror());
        _Exit(99);
    }
    return (find_parallel_function *)dlsym(library, "keel_source_find");
}

static int descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

static void check_descriptors(const void *address, const void *outlined)
{
    struct keel_source source;
    int before = descriptors();

    for (int i = 0; i < 1000; i++) {
        find_parallel()(address, outlined, &source);
    }
    fprintf(stderr, "descriptors: %d before, %d after\n", before, descriptors());
}

static void print(bool found, const struct keel_source *source)
{
    const char *slash = strrchr(source->file, '/');
    char text[8192];
    int length = snprintf(text, sizeof text, "%d %s:%u %u-%u", !found,
                          slash == NULL ? source->file : slash + 1, source->line,
                          source->first_line, source->last_line);

    for (unsigned i = 0; i < source->name_count; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, " %s", source->names[i]);
    }
    fprintf(stderr, "%s\n", text);
}

/* Every thread of a team calls this; the first one prints the site. */
static void show(const void *address, const void *outlined)
{
    static const void *shown[64];
    struct keel_source source;

    for (int i = 0; i < 64; i++) {
        const void *expected = NULL;

        if (__atomic_compare_exchange_n(&shown[i], &expected, address, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            print(find_parallel()(address, outlined, &source), &source);
            if (getenv("SHOW_SOURCE_CHECK") != NULL) {
                check_descriptors(address, outlined);
            }
            return;
        }
        if (expected == address) {
            return;
        }
    }
}

bool GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long step, long *from,
                                                long *to)
{
    bool (*next)(long, long, long, long *, long *) =
        dlsym(RTLD_NEXT, "GOMP_loop_maybe_nonmonotonic_runtime_start");

    show(__builtin_return_address(0), NULL);
    return next(start, end, step, from, to);
}

void GOMP_parallel_loop_maybe_nonmonotonic_runtime(void (*body)(void *), void *data,
                                                   unsigned threads, long start, long end,
                                                   long step, unsigned flags)
{
    void (*next)(void (*)(void *), void *, unsigned, long, long, long, unsigned) =
        dlsym(RTLD_NEXT, "GOMP_parallel_loop_maybe_nonmonotonic_runtime");

    show(__builtin_return_address(0),
         getenv("SHOW_SOURCE_CALL_ONLY") == NULL ? (void *)body : NULL);
    next(body, data, threads, start, end, step, flags);
}
