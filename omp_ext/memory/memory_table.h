/* The states of a memory, in this process. No file, no text. */
#ifndef OMP_EXT_MEMORY_MEMORY_TABLE_H
#define OMP_EXT_MEMORY_MEMORY_TABLE_H

#include "omp_ext/memory/memory.h"

/* {0}: empty. */
struct keel_memory_table {
    uint64_t run; /* number of saves so far */
    size_t count, room;
    struct keel_memory_entry {
        struct keel_memory_state state; /* owns its strings and threads */
        uint64_t used;                  /* value of `run` when it was saved last */
    } * entry;
};

/* NULL: there is none. */
struct keel_memory_entry *keel_memory_table_find(const struct keel_memory_table *table,
                                                 const struct keel_memory_key *key);

/* Takes in a copy, in the place of the state of the same key. False: memory is short. */
bool keel_memory_table_put(struct keel_memory_table *table, const struct keel_memory_state *state,
                           uint64_t used);

/* Drops those that have not been used for the longest time until no more than `count` are left, and
 * those need no more than `bytes` of text. */
void keel_memory_table_shrink(struct keel_memory_table *table, size_t count, size_t bytes);

/* The table is empty afterwards. */
void keel_memory_table_free(struct keel_memory_table *table);

#endif
