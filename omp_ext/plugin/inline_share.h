/* Code for a thread's share of a static loop, by the formulas of GCC's own: q = n / threads, and
 * the first n % threads threads have one more; or chunks dealt in turn. */
#ifndef OMP_EXT_PLUGIN_INLINE_SHARE_H
#define OMP_EXT_PLUGIN_INLINE_SHARE_H

#include <gcc-plugin.h>

#include <tree.h>
#include <gimple.h>

/* What GOMP_loop_*_start is given. */
struct keel_loop_arguments {
    bool wide;                              /* unsigned long long; else long */
    bool narrow;                            /* 32 bits hold the number of iterations */
    tree n1, n2, step, chunk, istart, iend; /* istart, iend: addresses, for Keel and libgomp */
    tree first, last;                       /* the same bounds, for the program: registers */
    tree up;                                /* wide: whether it counts up */
};

/* The values of the loop variable at its ends, how many iterations it has, and how many the loop
 * has. */
struct keel_block {
    tree first, last, size, count;
};

/* Appends code that works out the thread's only block. */
keel_block keel_static_block(const keel_loop_arguments *loop, gimple_seq *code);

/* Append code that gives the thread its block, its first chunk, or the chunk after the one that it
 * has. Return how many iterations it has. */
tree keel_static_give(const keel_loop_arguments *loop, const keel_block &block, gimple_seq *code);
tree keel_static_first(const keel_loop_arguments *loop, gimple_seq *code);
tree keel_static_next(const keel_loop_arguments *loop, gimple_seq *code);

#endif
