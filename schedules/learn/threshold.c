/* The threshold. */
#include "schedules/learn/threshold.h"

#include "schedules/arithmetic/arithmetic.h"

double keel_threshold_gain(double present, double best)
{
    return present > best ? 1 - best / present : 0;
}

enum keel_blocks_decision keel_threshold_decide(uint64_t instances, uint64_t calm, double gain,
                                                double calm_gain)
{
    /* The threshold (PAPERS.md S11): no movement while rfract < tfract */
    if (instances <= 1 || gain >= KEEL_GAIN_THRESHOLD) {
        return KEEL_BLOCKS_MOVED;
    }
    return calm >= min_u64(KEEL_ADJUST_PERIOD, instances / 2) && calm_gain > KEEL_ADJUST_GAIN
               ? KEEL_BLOCKS_ADJUSTED
               : KEEL_BLOCKS_KEPT;
}
