/* Which data a piece of code touches: variables by themselves, what pointers reach all together,
 * and a call may touch everything. */
#ifndef OMP_EXT_PLUGIN_ACCESSES_H
#define OMP_EXT_PLUGIN_ACCESSES_H

#include <gcc-plugin.h>

#include <tree.h>
#include <gimple.h>
#include <hash-set.h>

struct keel_accesses {
    hash_set<tree> read, written;                     /* variables */
    bool reads_memory = false, writes_memory = false; /* through pointers */
    bool anything = false;                            /* it cannot be told */
};

/* Adds what one statement touches, without those inside it. */
void keel_accesses_by_statement(keel_accesses *found, const gimple *stmt);

/* Adds what a work-sharing loop touches, its private variables left out. */
void keel_accesses_by_loop(keel_accesses *found, const gimple *loop);

/* Whether they touch no data in common that either writes. */
bool keel_accesses_are_disjoint(const keel_accesses &a, const keel_accesses &b);

#endif
