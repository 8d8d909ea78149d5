/* Tables of entries that are found by one or two addresses or numbers, without a lock.
 *
 *   [keel_address_find()] -> entry; NULL: made by whoever may add -> [keel_address_put()]
 *
 * Entries stay for ever. A table's slots are a power of two, and more than it ever has entries. */
#ifndef OMP_EXT_SUPPORT_ADDRESS_TABLE_H
#define OMP_EXT_SUPPORT_ADDRESS_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* What an entry begins with. Never changes once the entry is in a table. */
struct keel_address_key {
    uintptr_t first, second;
};

typedef _Atomic(void *) keel_address_table[];

/* Where to begin to look for it. */
static inline size_t keel_address_slot(uintptr_t first, uintptr_t second, size_t slots)
{
    uint64_t key = (uint64_t)first * 3 + second;

    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % slots;
}

/* The entry, or NULL with *free at the slot where it would go. */
static inline void *keel_address_find(keel_address_table table, size_t slots, uintptr_t first,
                                      uintptr_t second, size_t *free)
{
    for (size_t slot = keel_address_slot(first, second, slots);; slot = (slot + 1) % slots) {
        /* acquire: pairs with the release in keel_address_put() */
        const struct keel_address_key *entry =
            atomic_load_explicit(&table[slot], memory_order_acquire);
        if (entry == NULL || (entry->first == first && entry->second == second)) {
            *free = slot;
            return (void *)entry;
        }
    }
}

/* The entry is complete. For one thread at a time. */
static inline void keel_address_put(keel_address_table table, size_t slot, void *entry)
{
    /* release: pairs with the acquire in keel_address_find() */
    atomic_store_explicit(&table[slot], entry, memory_order_release);
}

#endif
