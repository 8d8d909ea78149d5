/* Claims whose size depends on who claims. */
#include <math.h>

#include "schedules/loop/arithmetic.h"
#include "schedules/loop/claim.h"

/* w times the batch's chunk, rounded up, within min_chunk and what remains. */
static uint64_t weighted_size(const struct keel_plan *plan, struct keel_cursor *cursor,
                              uint64_t next)
{
    uint64_t chunk = keel_walk_to_batch(&cursor->walk, next);
    uint64_t size = count_of(ceil(plan->weight * (double)chunk));

    return min_u64(max_u64(size, cursor->walk.view.min_chunk), plan->iterations - next);
}

bool keel_claim_weighted(const struct keel_plan *plan, struct keel_claims *claims,
                         struct keel_cursor *cursor, uint64_t *first, uint64_t *last)
{
    /* relaxed: as in keel_claim_step(). `next` only grows, so the walk never has to go back. */
    uint64_t next = atomic_load_explicit(&claims->next, memory_order_relaxed);
    uint64_t size;

    do {
        if (next >= plan->iterations) {
            return false;
        }
        size = weighted_size(plan, cursor, next);
    } while (!atomic_compare_exchange_weak_explicit(&claims->next, &next, next + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    *first = next;
    *last = next + size;
    return true;
}
