/* Weighted claims behind the table. */
#include "schedules/claim/claim.h"

#include "schedules/arithmetic/arithmetic.h"

/* length times part / 2^32, rounded down, and no more than `most` */
static uint64_t part_of(uint64_t length, uint64_t part, uint64_t most)
{
    unsigned __int128 product = (unsigned __int128)length * part >> 32;

    return product > most ? most : (uint64_t)product;
}

/* The batches behind the table are all alike, or they are walked to. */
uint64_t keel_position_walk(const struct keel_plan *plan, struct keel_walk *walk, uint64_t position)
{
    uint64_t first = plan->tail_first, length = plan->tail_chunk;
    uint64_t part = position - (plan->head << 32);

    if (plan->walks) {
        keel_walk_to_batch(walk, position >> 32, &first, &length);
        part = (uint32_t)position;
    }
    return first + part_of(length, part, plan->iterations - first);
}
