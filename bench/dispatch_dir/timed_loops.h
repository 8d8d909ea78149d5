/* The loops that bench/dispatch times. Compiled twice from one source: into the sampler, where Keel
 * may come before libgomp; and into a shared object whose calls always go to libgomp itself. */
#ifndef BENCH_DISPATCH_DIR_LOOPS_H
#define BENCH_DISPATCH_DIR_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum loop_clause {
    LOOP_RUNTIME,   /* schedule(runtime) */
    LOOP_DYNAMIC,   /* schedule(dynamic, chunk) */
    LOOP_GUIDED,    /* schedule(guided, chunk) */
    LOOP_FETCH_ADD, /* no runtime: a shared counter; of the chunk loops only */
};

/* One piece of work: `instances` executions of the loop 0 .. iterations-1, one after another. */
struct loop_case {
    enum loop_clause clause;
    long iterations;
    long chunk;
    unsigned threads; /* 1 .. LOOP_THREADS_MAX */
    unsigned instances;
};

#define LOOP_THREADS_MAX 64

struct loop_time {
    double ns;       /* from the first thread's start to the last one's end, all instances */
    uint64_t chunks; /* handed out to all threads in all instances */
};

struct dispatch_loops {
    /* Only takes chunks; iterations are not run. One more instance runs before, untimed. */
    struct loop_time (*chunks)(const struct loop_case *);
    /* Runs whole loops of nearly empty iterations. `chunks` stays 0. */
    struct loop_time (*combined)(const struct loop_case *); /* parallel for */
    struct loop_time (*nowait)(const struct loop_case *);   /* for nowait, in one region */
    /* Sets the meaning of LOOP_RUNTIME for this runtime: its static or its dynamic,1. */
    void (*use_static)(bool yes);
};

extern const struct dispatch_loops dispatch_loops;

#endif
