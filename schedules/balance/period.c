/* The balancing period. */
#include "schedules/balance/period.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

void keel_period_note(struct keel_period *period, double movement_s)
{
    period->interactions++;
    if (!(movement_s > 0) || isinf(movement_s)) {
        return;
    }
    uint64_t place = period->movements++ % KEEL_PERIOD_MOVEMENTS;
    period->movement_s[place] = movement_s;
    period->apart[place] = period->interactions;
    period->interactions = 0;
}

static uint64_t kept(const struct keel_period *period)
{
    return min_u64(period->movements, KEEL_PERIOD_MOVEMENTS);
}

static double mean_movement(const struct keel_period *period)
{
    double sum = 0;

    for (uint64_t i = 0; i < kept(period); i++) {
        sum += period->movement_s[i];
    }
    return kept(period) > 0 ? sum / (double)kept(period) : 0;
}

/* Over how many periods a movement's cost is spread, >= 1: the interactions from one movement to
 * the next, on average over the last few. If the present pause is longer, it counts instead, so
 * that a period which grew with a burst of movements shrinks again.
 *
 * The paper takes it from "the measured times between recent work movements", but t_movement /
 * workscale is a limit in s only if these times are counted in periods. */
static double workscale(const struct keel_period *period)
{
    double sum = 0;

    for (uint64_t i = 0; i < kept(period); i++) {
        sum += (double)period->apart[i];
    }
    double mean = kept(period) > 0 ? sum / (double)kept(period) : 1;
    return fmax(mean, (double)period->interactions);
}

/* a / b; 0 where one of them is not > 0 */
static double limit(double a, double b)
{
    return a > 0 && b > 0 ? a / b : 0;
}

uint64_t keel_period_calls(double time_s, double compute_s)
{
    if (!(compute_s >= 0)) {
        return 1;
    }
    return max_u64(1, count_of(ceil(limit(time_s, fmax(compute_s, KEEL_PERIOD_COMPUTE_MIN_S)))));
}

/* Of a time t, interactions take t c / p, and delays t / s * p / 2 * KEEL_PERIOD_CHANGE_COSTS, for
 * a period p: their sum is least if both are equal. */
double keel_period_of_exchanges(const struct keel_period_exchange *exchange)
{
    return exchange->interact_s > 0 && exchange->stable_s > 0
               ? sqrt(2 * exchange->interact_s * exchange->stable_s / KEEL_PERIOD_CHANGE_COSTS)
               : 0;
}

double keel_period_stable_beside(double stable_s, double drift)
{
    double rates = stable_s > 0 ? KEEL_PERIOD_CHANGE_COSTS / stable_s : 0;

    return drift > 0 ? KEEL_PERIOD_CHANGE_COSTS / (rates + drift) : stable_s;
}

/* interact_s / period > KEEL_PERIOD_CHANGE_COSTS phase_s / stable_s */
bool keel_period_exchange_hides(const struct keel_period_exchange *exchange)
{
    double period_s = fmax(keel_period_of_exchanges(exchange), exchange->phase_s);

    return exchange->stable_s > 0
               ? exchange->interact_s * exchange->stable_s >
                     KEEL_PERIOD_CHANGE_COSTS * exchange->phase_s * period_s
               : exchange->interact_s > KEEL_PERIOD_WORTH_HIDING * exchange->phase_s;
}

uint64_t keel_period_plan(const struct keel_period *period, const struct keel_period_times *times)
{
    /* Bounds of the period: PAPERS.md S8 */
    double interact_s = limit(times->interact_s, KEEL_PERIOD_INTERACT_PART);
    double movement_s = mean_movement(period) / workscale(period);
    double scheduling_s = times->quantum_s > 0 ? times->quantum_s * KEEL_PERIOD_QUANTA : 0;

    /* The period: PAPERS.md S9 */
    return keel_period_calls(fmax(fmax(interact_s, movement_s), scheduling_s), times->compute_s);
}

/* --- work that comes and goes --- */

/* Time of the last worker over the sum of all work; infinite if one with work has no rate. */
static double longest(uint32_t workers, const double *work, const double *rate)
{
    double most = 0, all = 0;

    for (uint32_t w = 0; w < workers; w++) {
        if (work[w] > 0) {
            most = fmax(most, rate[w] > 0 ? work[w] / rate[w] : INFINITY);
        }
        all += work[w];
    }
    return all > 0 ? most / all : 0;
}

double keel_drift_lost(uint32_t workers, const double *work, const double *expected,
                       const double *rate)
{
    double is = longest(workers, work, rate), was_to_be = longest(workers, expected, rate);

    return was_to_be > 0 && isfinite(was_to_be) && is > 0 ? 1 - was_to_be / is : 0;
}

void keel_drift_note(struct keel_drift *drift, double lost, double span_s)
{
    if (span_s > 0 && isfinite(span_s)) {
        drift->lost = faded(drift->lost, KEEL_PERIOD_KEPT) + lost;
        drift->span_s = KEEL_PERIOD_KEPT * drift->span_s + span_s;
    }
}

double keel_drift_per_s(const struct keel_drift *drift)
{
    return drift->span_s > 0 ? fmax(drift->lost / drift->span_s, 0) : 0;
}
