/* The rate filter. */
#include "schedules/learn/rate_filter.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

struct transition {
    enum keel_rate_state next;
    double h; /* weight of the past */
};

/* The rate filter: PAPERS.md S10 */
static const struct {
    struct transition increase, decrease;
} transitions[KEEL_RATE_STATES] = {
    [KEEL_RATE_DOWN3] = {{KEEL_RATE_DOWN1, 1.0}, {KEEL_RATE_DOWN3, 0.1}},
    [KEEL_RATE_DOWN2] = {{KEEL_RATE_CONSTANT, 1.0}, {KEEL_RATE_DOWN3, 0.1}},
    [KEEL_RATE_DOWN1] = {{KEEL_RATE_UP1, 1.0}, {KEEL_RATE_DOWN2, 0.2}},
    [KEEL_RATE_CONSTANT] = {{KEEL_RATE_UP1, 0.8}, {KEEL_RATE_DOWN1, 0.3}},
    [KEEL_RATE_UP1] = {{KEEL_RATE_UP2, 0.6}, {KEEL_RATE_DOWN1, 0.4}},
    [KEEL_RATE_UP2] = {{KEEL_RATE_UP3, 0.4}, {KEEL_RATE_DOWN1, 0.5}},
    [KEEL_RATE_UP3] = {{KEEL_RATE_UP3, 0.2}, {KEEL_RATE_CONSTANT, 0.6}},
};

double keel_rate_filter_update(struct keel_rate_filter *filter, double rate)
{
    if (!(rate > 0) || isinf(rate)) {
        return filter->filtered;
    }
    if (filter->filtered == 0) {
        *filter = (struct keel_rate_filter){.filtered = rate, .state = KEEL_RATE_CONSTANT};
        return rate;
    }
    const struct transition *step = rate >= filter->filtered ? &transitions[filter->state].increase
                                                             : &transitions[filter->state].decrease;
    filter->filtered = (1 - step->h) * rate + step->h * filter->filtered;
    filter->state = step->next;
    return filter->filtered;
}

/* The threshold. */

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
