/* Chunks that are handed out ahead. */
#include "schedules/claim/ahead.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

#define ANSWERS 2 /* that an amount lasts for: who claims next is answered after the next one */
#define PART 8    /* of an equal share, what may be handed out while nothing is known */
#define UNKNOWN_PART 4 /* of an equal share, while paces are not known */
#define LEAST 0.5      /* of one: who would get less waits until it is idle */
#define FIRST 3
#define FIRST_PART 6
#define FEW 3 /* that may be claimed at once though they are more than that part */

static bool knows_paces(const struct keel_ahead *ahead)
{
    return ahead->team.measured >= 2 && ahead->team.speed_per_ns > 0 && ahead->own_ns > 0;
}

/* Iterations per ns of all workers, as those that are known have it. */
static double speed_of_all(const struct keel_ahead *ahead)
{
    return ahead->team.speed_per_ns * (double)ahead->workers / (double)ahead->team.measured;
}

/* What is left by now, when others have gone on at their paces. */
static double left_now(const struct keel_ahead *ahead)
{
    double gone = ahead->since_ns * speed_of_all(ahead) / ahead->scale;

    return fmax(0, (double)ahead->left - gone);
}

/* Of what is left and what it has, by speed, less what it has. */
static double share_by_paces(const struct keel_ahead *ahead)
{
    double part = fmin(1, ahead->scale / ahead->own_ns / speed_of_all(ahead));

    return (left_now(ahead) + (double)ahead->held) * part - (double)ahead->held;
}

static uint64_t share_of(const struct keel_ahead *ahead)
{
    return knows_paces(ahead) ? count_of(fmax(0, share_by_paces(ahead)))
                              : ahead->left / UNKNOWN_PART / ahead->workers;
}

bool keel_ahead_is_wanted(const struct keel_ahead *ahead)
{
    return ahead->held == 0 || !knows_paces(ahead) || share_by_paces(ahead) >= LEAST;
}

uint64_t keel_ahead_amount(const struct keel_ahead *ahead)
{
    if (!(ahead->own_ns > 0)) {
        return 1;
    }
    uint64_t wanted =
        ahead->answer_ns > 0 ? count_of(ceil(ANSWERS * ahead->answer_ns / ahead->own_ns)) : FEW;
    uint64_t bound = max_u64(ahead->left / PART / ahead->workers, FEW);
    return max_u64(1, min_u64(min_u64(wanted, share_of(ahead)), bound));
}

uint64_t keel_ahead_small_amount(const struct keel_ahead *ahead)
{
    if (!(ahead->own_ns > 0)) {
        return 1;
    }
    uint64_t wanted = count_of(ceil(ahead->answer_ns / ahead->own_ns));
    return max_u64(1, min_u64(wanted, ahead->left / PART / ahead->workers));
}

uint64_t keel_ahead_first(uint64_t steps, uint64_t workers)
{
    return min_u64(FIRST, steps / FIRST_PART / workers);
}
