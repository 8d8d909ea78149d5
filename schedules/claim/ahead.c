/* Chunks that are handed out ahead. */
#include "schedules/claim/ahead.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

#define ANSWERS 2 /* that an amount lasts for: who claims next is answered after the next one */
#define PART 8    /* of an equal share, what may be handed out while nothing is known */
#define DEALT 2
#define FEW 3 /* that may be claimed at once though they are more than that part */

/* Of what is left, by speed. */
static uint64_t share_of(const struct keel_ahead *ahead)
{
    double own_speed = ahead->scale / ahead->own_ns;
    double all = ahead->team.speed_per_ns;

    if (ahead->team.measured < 2 || !(all > 0)) {
        return ahead->left / PART / ahead->workers;
    }
    all *= (double)ahead->workers / (double)ahead->team.measured;
    double share = ((double)ahead->left + (double)ahead->held) * fmin(1, own_speed / all);
    return count_of(fmax(0, share - (double)ahead->held));
}

uint64_t keel_ahead_amount(const struct keel_ahead *ahead)
{
    if (!(ahead->own_ns > 0)) {
        return 1;
    }
    uint64_t wanted = count_of(ceil(ANSWERS * ahead->answer_ns / ahead->own_ns));
    uint64_t bound = max_u64(ahead->left / PART / ahead->workers, FEW);
    return max_u64(1, min_u64(min_u64(wanted, share_of(ahead)), bound));
}

uint64_t keel_ahead_dealt(uint64_t steps, uint64_t workers)
{
    return min_u64(DEALT, steps / PART / workers);
}
