/* What has been learned at a loop site. */
#include "omp_ext/record.h"

#include <stdlib.h>
#include <string.h>

static struct keel_record *find(struct keel_memory *memory, uint64_t threads)
{
    /* acquire: pairs with the release in add() */
    struct keel_record *record = atomic_load_explicit(&memory->first, memory_order_acquire);

    while (record != NULL && record->threads != threads) {
        record = record->next;
    }
    return record;
}

static struct keel_record *make(uint64_t threads, bool blocks)
{
    size_t size = sizeof(struct keel_record) + threads * sizeof(struct keel_lane);
    size_t balance = blocks ? keel_rebalance_size(threads) : 0;
    struct keel_record *record = aligned_alloc(64, (size + balance + 63) / 64 * 64);

    if (record != NULL) {
        memset(record, 0, size); /* a pace of 0 and a clear flag are all zero bits, too */
        record->threads = threads;
        if (blocks) {
            record->balance = (struct keel_rebalance *)((char *)record + size);
            keel_rebalance_begin(record->balance, threads);
        }
    }
    return record;
}

static struct keel_record *add(struct keel_memory *memory, uint64_t threads, bool blocks)
{
    struct keel_record *record = memory->sizes < KEEL_TEAM_SIZES_MAX ? make(threads, blocks) : NULL;

    if (record == NULL) {
        return NULL;
    }
    record->next = atomic_load_explicit(&memory->first, memory_order_relaxed);
    memory->sizes++;
    /* release: pairs with the acquire in find() */
    atomic_store_explicit(&memory->first, record, memory_order_release);
    return record;
}

struct keel_record *keel_memory_record(struct keel_memory *memory, uint64_t threads, bool blocks)
{
    struct keel_record *record = find(memory, threads);

    if (record == NULL) {
        keel_slow_lock();
        record = find(memory, threads);
        if (record == NULL) {
            record = add(memory, threads, blocks);
        }
        keel_slow_unlock();
    }
    return record;
}

double keel_record_weight(const struct keel_record *record, uint64_t thread)
{
    struct keel_speeds speeds = {0};

    /* relaxed: each pace stands for itself, and an older one is as good */
    for (uint64_t i = 0; i < record->threads; i++) {
        keel_speeds_add(&speeds,
                        atomic_load_explicit(&record->lane[i].pace_ns, memory_order_relaxed));
    }
    return keel_speeds_weight(
        &speeds, atomic_load_explicit(&record->lane[thread].pace_ns, memory_order_relaxed));
}
