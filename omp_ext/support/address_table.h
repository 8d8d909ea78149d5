/* Tables of entries that are found by one or two addresses or numbers, without a lock.
 *
 *   [keel_address_find()] -> entry; NULL: made by whoever may add
 *     -> [keel_address_new()] -> completed -> [keel_address_put()]
 *
 * Entries stay for ever. */
#ifndef OMP_EXT_SUPPORT_ADDRESS_TABLE_H
#define OMP_EXT_SUPPORT_ADDRESS_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What an entry begins with. Never changes once the entry is in a table. */
struct keel_address_key {
    uintptr_t first, second;
};

#define KEEL_ADDRESS_MAX 4096   /* entries of a table */
#define KEEL_ADDRESS_HOMES 8192 /* slots where one may be looked for first; a power of two */
#define KEEL_ADDRESS_SLOTS (KEEL_ADDRESS_HOMES + KEEL_ADDRESS_MAX) /* so that the last is free */

/* {0} at first. */
struct keel_address_table {
    _Atomic unsigned count; /* of its entries */
    _Atomic(void *) slot[KEEL_ADDRESS_SLOTS];
};

static inline size_t keel_address_home(uintptr_t first, uintptr_t second)
{
    uint64_t key = (uint64_t)first * 3 + second;

    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % KEEL_ADDRESS_HOMES;
}

/* The first such entry from *slot on, with *slot behind it; NULL: there are no more. */
static inline void *keel_address_next(const _Atomic(void *) **slot, uintptr_t first,
                                      uintptr_t second)
{
    const struct keel_address_key *entry;

    do {
        /* acquire: pairs with the release in keel_address_put() */
        entry = atomic_load_explicit((*slot)++, memory_order_acquire);
    } while (entry != NULL && (entry->first != first || entry->second != second));
    return (void *)entry;
}

static inline void *keel_address_find(const struct keel_address_table *table, uintptr_t first,
                                      uintptr_t second)
{
    const _Atomic(void *) *slot = &table->slot[keel_address_home(first, second)];

    return keel_address_next(&slot, first, second);
}

/* An entry of `size` bytes, on cache lines of its own, that is {0} behind its key; NULL: there is
 * no room. For one thread at a time. */
static inline void *keel_address_new(const struct keel_address_table *table, size_t size,
                                     uintptr_t first, uintptr_t second)
{
    size = (size + 63) / 64 * 64;
    struct keel_address_key *entry =
        atomic_load_explicit(&table->count, memory_order_relaxed) < KEEL_ADDRESS_MAX
            ? aligned_alloc(64, size)
            : NULL;

    if (entry != NULL) {
        memset(entry, 0, size);
        *entry = (struct keel_address_key){first, second};
    }
    return entry;
}

/* The entry is complete. For one thread at a time. */
static inline void keel_address_put(struct keel_address_table *table, void *entry)
{
    const struct keel_address_key *key = entry;
    _Atomic(void *) *slot = &table->slot[keel_address_home(key->first, key->second)];

    while (atomic_load_explicit(slot, memory_order_relaxed) != NULL) {
        slot++;
    }
    atomic_fetch_add_explicit(&table->count, 1, memory_order_relaxed);
    /* release: pairs with the acquire in keel_address_next() */
    atomic_store_explicit(slot, entry, memory_order_release);
}

#endif
