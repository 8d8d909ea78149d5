/* Counts chunks. The cost, some nanoseconds each, is nothing beside a row of a picture. */
#define _GNU_SOURCE
#include "bench/demo_dir/mandelbrot.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/gomp/worksharing.h"

static _Atomic uint64_t chunks;

uint64_t chunk_count_take(void)
{
    return atomic_exchange(&chunks, 0);
}

static bool counted(bool chunk)
{
    /* relaxed: read after the team's barrier */
    atomic_fetch_add_explicit(&chunks, chunk, memory_order_relaxed);
    return chunk;
}

/* Threads that find it at the same time store the same address. */
static void *find(_Atomic(void *) *found, const char *name)
{
    void *function = atomic_load_explicit(found, memory_order_relaxed);

    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        if (function == NULL) {
            fprintf(stderr, "keel: no OpenMP runtime has %s; the program can't go on\n", name);
            exit(1);
        }
        atomic_store_explicit(found, function, memory_order_relaxed);
    }
    return function;
}

/* The two calls of each kind of loop: a loop by itself starts with the one, one combined with its
 * parallel region only has the other. */
#define COUNT(name)                                                                                \
    bool GOMP_loop_##name##_start(long start, long end, long step, long *first, long *last);       \
    bool GOMP_loop_##name##_next(long *first, long *last);                                         \
                                                                                                   \
    bool GOMP_loop_##name##_start(long start, long end, long step, long *first, long *last)        \
    {                                                                                              \
        static _Atomic(void *) found;                                                              \
        bool (*function)(long, long, long, long *, long *) =                                       \
            (bool (*)(long, long, long, long *, long *))find(&found, "GOMP_loop_" #name "_start"); \
        return counted(function(start, end, step, first, last));                                   \
    }                                                                                              \
                                                                                                   \
    bool GOMP_loop_##name##_next(long *first, long *last)                                          \
    {                                                                                              \
        static _Atomic(void *) found;                                                              \
        bool (*function)(long *, long *) =                                                         \
            (bool (*)(long *, long *))find(&found, "GOMP_loop_" #name "_next");                    \
        return counted(function(first, last));                                                     \
    }

COUNT(runtime)
COUNT(nonmonotonic_runtime)
COUNT(maybe_nonmonotonic_runtime)

/* Of a loop that was built with the plugin. One that Keel leaves to the program gives each thread
 * one chunk. It asks each time: Keel is told of another loop. */
unsigned keel_worksharing_begin(struct keel_worksharing_loop *loop, unsigned flags,
                                unsigned threads, long start, long end, long step, long chunk,
                                long *first, long *last)
{
    static _Atomic(void *) found;
    static struct keel_worksharing_loop asking = {&asking.none, 0};
    typedef unsigned begins(struct keel_worksharing_loop *, unsigned, unsigned, long, long, long,
                            long, long *, long *);
    begins *function = (begins *)find(&found, "keel_worksharing_begin");
    unsigned state = function(&asking, flags, threads, start, end, step, chunk, first, last);

    (void)loop;

    counted(state == 0 || (state & KEEL_WORKSHARING_CHUNK) != 0);
    return state;
}

bool keel_worksharing_next(long *first, long *last)
{
    static _Atomic(void *) found;
    bool (*function)(long *, long *) =
        (bool (*)(long *, long *))find(&found, "keel_worksharing_next");

    return counted(function(first, last));
}
