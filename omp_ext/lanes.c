/* What the threads of a team have learned at a loop site. */
#include "omp_ext/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/slow_lock.h"

static struct keel_lanes *find(struct keel_memory *memory, uint64_t threads)
{
    /* acquire: pairs with the release in add() */
    struct keel_lanes *lanes = atomic_load_explicit(&memory->first, memory_order_acquire);

    while (lanes != NULL && lanes->threads != threads) {
        lanes = lanes->next;
    }
    return lanes;
}

static struct keel_lanes *add(struct keel_memory *memory, uint64_t threads)
{
    size_t size = sizeof(struct keel_lanes) + threads * sizeof(struct keel_lane);
    struct keel_lanes *lanes =
        memory->sizes < KEEL_TEAM_SIZES_MAX ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;

    if (lanes == NULL) {
        return NULL;
    }
    memset(lanes, 0, size); /* a pace of 0 and a clear flag are all zero bits, too */
    lanes->threads = threads;
    lanes->next = atomic_load_explicit(&memory->first, memory_order_relaxed);
    memory->sizes++;
    /* release: pairs with the acquire in find() */
    atomic_store_explicit(&memory->first, lanes, memory_order_release);
    return lanes;
}

struct keel_lanes *keel_memory_lanes(struct keel_memory *memory, uint64_t threads)
{
    struct keel_lanes *lanes = find(memory, threads);

    if (lanes == NULL) {
        keel_slow_lock();
        lanes = find(memory, threads);
        if (lanes == NULL) {
            lanes = add(memory, threads);
        }
        keel_slow_unlock();
    }
    return lanes;
}

double keel_lanes_weight(const struct keel_lanes *lanes, uint64_t thread)
{
    struct keel_speeds speeds = {0};

    /* relaxed: each pace stands for itself, and an older one is as good */
    for (uint64_t i = 0; i < lanes->threads; i++) {
        keel_speeds_add(&speeds,
                        atomic_load_explicit(&lanes->lane[i].pace_ns, memory_order_relaxed));
    }
    return keel_speeds_weight(
        &speeds, atomic_load_explicit(&lanes->lane[thread].pace_ns, memory_order_relaxed));
}
