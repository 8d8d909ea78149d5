/* Amounts of migrations, and first blocks. */
#include "schedules/balance/amounts.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/arithmetic/arithmetic.h"

static bool is_speed(double speed)
{
    return speed > 0 && !isinf(speed);
}

static uint64_t half_of_surplus(uint64_t victim_left, uint64_t thief_left)
{
    return victim_left > thief_left ? div_ceil(victim_left - thief_left, 2) : 0;
}

/* Tasks moved between two (PAPERS.md K5), with what is under way taken in: n of
 *
 *   (thief->left + n) / thief->speed + delay = (victim->left - n + 1/2) / victim->speed */
static double equal_finish(const struct keel_amounts_side *victim,
                           const struct keel_amounts_side *thief, double delay_ns)
{
    double ratio = victim->speed / thief->speed;

    return ((double)victim->left + 0.5 - (double)thief->left * ratio - delay_ns * victim->speed) /
           (1 + ratio);
}

/* What is added before rounding down, so that the later of both ends comes soonest: one iteration
 * more is 1 / thief->speed later there, one less 1 / victim->speed here. */
static double share_of(const struct keel_amounts_side *thief,
                       const struct keel_amounts_side *victim)
{
    return 1 / (1 + victim->speed / thief->speed);
}

double keel_amounts_fraction(double victim_speed, double thief_speed, double gamma)
{
    if (gamma != KEEL_AMOUNTS_BY_RATIO) {
        return gamma;
    }
    bool known = is_speed(victim_speed) && is_speed(thief_speed);
    return known ? fmin(victim_speed / thief_speed, 1) : 0.5;
}

uint64_t keel_amounts_to_transfer(const struct keel_amounts_side *victim,
                                  const struct keel_amounts_side *thief, double delay_ns,
                                  double gamma)
{
    double fraction = keel_amounts_fraction(victim->speed, thief->speed, gamma);
    uint64_t amount;

    if (fraction > 0) {
        amount = count_of(ceil(fraction * (double)victim->left));
    } else if (is_speed(victim->speed) && is_speed(thief->speed)) {
        amount = count_of(equal_finish(victim, thief, delay_ns) + share_of(thief, victim));
    } else {
        amount = half_of_surplus(victim->left, thief->left);
    }
    return min_u64(amount, victim->left);
}

/* Whole weights: the finite ones times 2^scale, so that they sum up to at most 2^62. */
static int scale_of(uint32_t workers, const double *weight)
{
    double most = 0, sum = 0;
    int most_exponent, sum_exponent;

    for (uint32_t w = 0; w < workers; w++) {
        most = fmax(most, weight[w]);
    }
    frexp(most, &most_exponent);
    for (uint32_t w = 0; w < workers; w++) {
        sum += ldexp(weight[w], -most_exponent);
    }
    frexp(sum, &sum_exponent);
    return 61 - sum_exponent - most_exponent;
}

static uint64_t whole(const double *weight, uint32_t worker, int scale)
{
    return weight != NULL ? count_of(ldexp(weight[worker], scale)) : 1;
}

uint64_t keel_amounts_equal_block(uint64_t iterations, uint32_t workers, uint32_t worker)
{
    unsigned __int128 twice = 2 * (unsigned __int128)worker * iterations;

    return (uint64_t)((twice + workers) / (2 * (unsigned __int128)workers));
}

void keel_amounts_first_blocks(uint64_t iterations, uint32_t workers, const double *weight,
                               uint64_t *first)
{
    int scale = weight != NULL ? scale_of(workers, weight) : 0;
    unsigned __int128 total = 0, before = 0;

    for (uint32_t w = 0; w < workers; w++) {
        total += whole(weight, w, scale);
    }
    for (uint32_t w = 0; w < workers; w++) {
        first[w] = (uint64_t)((2 * before * iterations + total) / (2 * total));
        before += whole(weight, w, scale);
    }
    first[workers] = iterations;
}
