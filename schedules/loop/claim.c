/* Claims whose size depends on who claims.
 *
 * The team shares the next iteration. Where it stands tells the batch, and the batch and the
 * thread's weight tell the size of the chunk. */
#include "schedules/loop/claim.h"

#include "schedules/loop/arithmetic.h"

/* `next` only grows, so neither the batch number nor a walk ever has to go back. */
static uint64_t weighted_size(const struct keel_plan *plan, struct keel_cursor *cursor,
                              uint64_t next)
{
    while (cursor->step < plan->head && next >= plan->bound[2 * cursor->step]) {
        cursor->step++;
    }
    if (cursor->step < plan->head) {
        return plan->bound[2 * cursor->step + 1];
    }
    return plan->walks ? keel_walk_to_batch(plan, &cursor->walk, next) : plan->tail_chunk;
}

bool keel_claim_weighted(const struct keel_plan *plan, struct keel_claims *claims,
                         struct keel_cursor *cursor, uint64_t *first, uint64_t *last)
{
    /* relaxed: as in keel_claim_draw() */
    uint64_t next = atomic_load_explicit(&claims->next, memory_order_relaxed);
    uint64_t size;

    do {
        if (next >= plan->iterations) {
            return false;
        }
        size = min_u64(weighted_size(plan, cursor, next), plan->iterations - next);
    } while (!atomic_compare_exchange_weak_explicit(&claims->next, &next, next + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    *first = next;
    *last = next + size;
    return true;
}
