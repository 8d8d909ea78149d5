/* Adding entries to tables. */
#include "omp_ext/support/address_table.h"

#include <stdlib.h>
#include <string.h>

void *keel_address_new(const struct keel_address_table *table, size_t size, uintptr_t first,
                       uintptr_t second)
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

void keel_address_put(struct keel_address_table *table, void *entry)
{
    const struct keel_address_key *key = entry;
    _Atomic(void *) *slot = &table->slot[keel_address_home(key->first, key->second)];
    void *free = NULL;

    /* release: pairs with the acquire in keel_address_next() */
    while (!atomic_compare_exchange_strong_explicit(slot, &free, entry, memory_order_release,
                                                    memory_order_relaxed)) {
        free = NULL;
        slot++;
    }
    atomic_fetch_add_explicit(&table->count, 1, memory_order_relaxed);
}

void *keel_address_add(struct keel_address_table *table, size_t size, uintptr_t first,
                       uintptr_t second)
{
    void *entry = keel_address_new(table, size, first, second);

    if (entry != NULL) {
        keel_address_put(table, entry);
    }
    return entry;
}
