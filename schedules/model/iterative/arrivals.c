/* Estimates of lambda and mu. */
#include "schedules/model/iterative/arrivals.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "schedules/learn/certainty.h"

size_t keel_arrivals_size(uint32_t workers)
{
    return sizeof(struct keel_arrivals) + 2 * (size_t)workers * sizeof(double);
}

void keel_arrivals_begin(struct keel_arrivals *arrivals, uint32_t workers)
{
    memset(arrivals, 0, keel_arrivals_size(workers));
    arrivals->workers = workers;
}

static bool is_amount(double value)
{
    return value >= 0 && isfinite(value);
}

static bool are_amounts(uint32_t workers, const double *value)
{
    for (uint32_t w = 0; w < workers; w++) {
        if (!is_amount(value[w])) {
            return false;
        }
    }
    return true;
}

void keel_arrivals_note(struct keel_arrivals *arrivals, double time_s, const double *before,
                        const double *after)
{
    uint32_t workers = arrivals->workers;
    double *change = arrivals->sums, *squared = arrivals->sums + workers;

    if (!(time_s > 0) || isinf(time_s) || !are_amounts(workers, before) ||
        !are_amounts(workers, after)) {
        return;
    }
    arrivals->notes = KEEL_ARRIVALS_MEMORY * arrivals->notes + 1;
    arrivals->time_s = KEEL_ARRIVALS_MEMORY * arrivals->time_s + time_s;
    arrivals->spread_s = KEEL_ARRIVALS_MEMORY * KEEL_ARRIVALS_MEMORY * arrivals->spread_s + time_s;
    for (uint32_t w = 0; w < workers; w++) {
        double by = after[w] - before[w];
        change[w] = KEEL_ARRIVALS_MEMORY * change[w] + by;
        squared[w] = KEEL_ARRIVALS_MEMORY * squared[w] + by * by / time_s;
    }
}

void keel_arrivals_scale(struct keel_arrivals *arrivals, const double *factor)
{
    double *change = arrivals->sums, *squared = arrivals->sums + arrivals->workers;

    for (uint32_t w = 0; w < arrivals->workers; w++) {
        change[w] *= factor[w];
        squared[w] *= factor[w] * factor[w];
    }
}

/* With c = d t + sqrt(v t) z and d' = sum(w c) / sum(w t):
 * E sum(w (c - d' t)^2 / t) = v (sum(w) - sum(w^2 t) / sum(w t)),
 * Var d' = v sum(w^2 t) / sum(w t)^2 */
struct keel_arrivals_estimate keel_arrivals_of(const struct keel_arrivals *arrivals,
                                               uint32_t worker)
{
    double change = arrivals->sums[worker], squared = arrivals->sums[arrivals->workers + worker];
    double time_s = arrivals->time_s, part = arrivals->spread_s / time_s;
    struct keel_arrivals_estimate estimate = {.error = INFINITY};

    if (!(time_s > 0)) {
        return estimate;
    }
    estimate.drift = change / time_s;
    double degrees = arrivals->notes - part;
    if (degrees > 0.5) { /* two notes of the same time have 1 - 1 / 15 of a degree */
        estimate.variance = fmax(0, squared - change * estimate.drift) / degrees;
        estimate.error = sqrt(estimate.variance * part / time_s);
    }
    return estimate;
}

double keel_arrivals_drift(const struct keel_arrivals *arrivals, uint32_t worker)
{
    struct keel_arrivals_estimate estimate = keel_arrivals_of(arrivals, worker);

    return isinf(estimate.error) ? 0 : keel_certainty_shrink(estimate.drift, 0, estimate.error);
}

struct keel_arrivals_flows keel_arrivals_flows(const struct keel_arrivals *arrivals,
                                               uint32_t worker, double task)
{
    struct keel_arrivals_estimate estimate = keel_arrivals_of(arrivals, worker);
    double all = fmax(estimate.variance / task, fabs(estimate.drift));

    return (struct keel_arrivals_flows){(all + estimate.drift) / 2, (all - estimate.drift) / 2};
}
