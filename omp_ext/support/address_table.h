/* Tables of entries that are found by one or two addresses or numbers, without a lock.
 *
 *   [keel_address_find()] -> entry; NULL: made by whoever may add
 *     -> [keel_address_new()] -> completed -> [keel_address_put()]
 *
 * Entries stay for ever. Any thread may add one; of two with one key, the first is found. */
#ifndef OMP_EXT_SUPPORT_ADDRESS_TABLE_H
#define OMP_EXT_SUPPORT_ADDRESS_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* What an entry begins with. Never changes once the entry is in a table. */
struct keel_address_key {
    uintptr_t first, second;
};

#define KEEL_ADDRESS_MAX 4096   /* entries of a table */
#define KEEL_ADDRESS_HOMES 8192 /* slots where one may be looked for first; a power of two */
/* The last ones are free, however many threads add entries at once. */
#define KEEL_ADDRESS_SLOTS (KEEL_ADDRESS_HOMES + 2 * KEEL_ADDRESS_MAX)

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
 * no room. */
void *keel_address_new(const struct keel_address_table *table, size_t size, uintptr_t first,
                       uintptr_t second);

/* The entry is complete. */
void keel_address_put(struct keel_address_table *table, void *entry);

/* The same for one that is complete from the start. */
void *keel_address_add(struct keel_address_table *table, size_t size, uintptr_t first,
                       uintptr_t second);

/* The entry, which is {0} behind its key where it is new; NULL: there is no room. */
static inline void *keel_address_entry(struct keel_address_table *table, size_t size,
                                       uintptr_t first, uintptr_t second)
{
    void *entry = keel_address_find(table, first, second);

    return entry != NULL ? entry : keel_address_add(table, size, first, second);
}

#endif
