/* Costs and savings of movements, and the time of messages. */
#include "schedules/balance/profit.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/decide.h"
#include "schedules/learn/learn.h"

/* --- the cost of movements --- */

/* Earlier records count as if they had taken `factor` times as long. */
static void scale_past(struct keel_profit_cost *cost, double factor)
{
    cost->messages /= factor;
    cost->bytes /= factor;
    cost->messages_squared /= factor * factor;
    cost->product /= factor * factor;
    cost->bytes_squared /= factor * factor;
}

static void add(struct keel_profit_cost *cost, double x, double y, double part)
{
    cost->messages = KEEL_PROFIT_MEMORY * cost->messages + x * part;
    cost->bytes = KEEL_PROFIT_MEMORY * cost->bytes + y * part;
    cost->messages_squared = KEEL_PROFIT_MEMORY * cost->messages_squared + x * x;
    cost->product = KEEL_PROFIT_MEMORY * cost->product + x * y;
    cost->bytes_squared = KEEL_PROFIT_MEMORY * cost->bytes_squared + y * y;
}

static void take(struct keel_profit_cost *cost, double messages, double bytes, double time_s)
{
    double estimate_s = keel_profit_cost_estimate(cost, messages, bytes);
    double scale_s = estimate_s > 0 ? fmax(estimate_s, time_s / 2) : time_s;
    double x = messages / scale_s, y = bytes / scale_s;

    if (time_s > 0 && x >= 0 && y >= 0 && x + y > 0 && !isinf(x * x + y * y)) {
        add(cost, x, y, time_s / scale_s);
    }
}

void keel_profit_cost_note(struct keel_profit_cost *cost, double messages, double bytes,
                           double time_s)
{
    struct keel_profit_cost next = *cost;

    take(&next, messages, bytes, time_s);
    double estimate_s = keel_profit_cost_estimate(&next, messages, bytes);
    if (estimate_s > 0 && time_s > KEEL_PROFIT_FAR_MORE * estimate_s && isfinite(time_s)) {
        next = *cost;
        scale_past(&next, sqrt(time_s / estimate_s));
        take(&next, messages, bytes, time_s);
    }
    *cost = next;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Least squares of (message_s x + byte_s y - 1), in units that make both columns' length 1. */
double keel_profit_cost_estimate(const struct keel_profit_cost *cost, double messages, double bytes)
{
    double x = sqrt(cost->messages_squared), y = sqrt(cost->bytes_squared);
    double p = over(cost->messages, x), q = over(cost->bytes, y);
    double r = fmin(over(over(cost->product, x), y), KEEL_PROFIT_COLLINEAR);
    double message_s = (p - r * q) / (1 - r * r), byte_s = (q - r * p) / (1 - r * r);

    if (byte_s < 0) {
        message_s = p;
    } else if (message_s < 0) {
        byte_s = q;
    }
    return over(fmax(message_s, 0), x) * fmax(messages, 0) +
           over(fmax(byte_s, 0), y) * fmax(bytes, 0);
}

/* --- how long rates stay as they are --- */

size_t keel_profit_changes_size(uint64_t workers)
{
    return sizeof(struct keel_profit_changes) + workers * sizeof(double);
}

void keel_profit_changes_begin(struct keel_profit_changes *changes, uint64_t workers, double now_s)
{
    memset(changes, 0, keel_profit_changes_size(workers));
    changes->workers = workers;
    changes->since_s = now_s;
}

static bool is_rate(double rate)
{
    return rate > 0 && !isinf(rate);
}

/* The gain of sharing work by `rate` instead of the reference, among the workers that have both. */
static double gain_of(const struct keel_profit_changes *changes, const double *rate)
{
    double slowest = 0, reference = 0, present = 0;

    for (uint64_t w = 0; w < changes->workers; w++) {
        if (changes->reference[w] > 0 && is_rate(rate[w])) {
            slowest = fmax(slowest, changes->reference[w] / rate[w]);
            reference += changes->reference[w];
            present += rate[w];
        }
    }
    return present > 0 ? keel_threshold_gain(slowest / reference, 1 / present) : 0;
}

static void refer_to(struct keel_profit_changes *changes, const double *rate, bool all)
{
    for (uint64_t w = 0; w < changes->workers; w++) {
        if (is_rate(rate[w]) && (all || !(changes->reference[w] > 0))) {
            changes->reference[w] = rate[w];
        }
    }
}

bool keel_profit_changes_note(struct keel_profit_changes *changes, double now_s, const double *rate,
                              double threshold)
{
    bool changed = gain_of(changes, rate) >= threshold;

    refer_to(changes, rate, changed);
    if (changed) {
        if (!changes->changing) {
            changes->stable_s[changes->changes++ % KEEL_PROFIT_CHANGES] = now_s - changes->since_s;
        }
        changes->since_s = now_s;
    }
    changes->changing = changed;
    return changed;
}

void keel_profit_changes_scale(struct keel_profit_changes *changes, const double *factor)
{
    for (uint64_t w = 0; w < changes->workers; w++) {
        changes->reference[w] *= factor[w];
    }
}

double keel_profit_changes_stable(const struct keel_profit_changes *changes, double now_s)
{
    uint64_t kept = min_u64(changes->changes, KEEL_PROFIT_CHANGES);
    double sum = now_s - changes->since_s;

    for (uint64_t i = 0; i < kept; i++) {
        sum += changes->stable_s[i];
    }
    return sum / (double)max_u64(kept, 1);
}

/* The longest of the remembered pauses. */
static double longest_pause(const struct keel_profit_changes *changes)
{
    double longest_s = 0;

    for (unsigned i = 0; i < min_u64(changes->changes, KEEL_PROFIT_CHANGES); i++) {
        longest_s = fmax(longest_s, changes->stable_s[i]);
    }
    return longest_s;
}

double keel_profit_changes_left(const struct keel_profit_changes *changes, double now_s)
{
    uint64_t kept = min_u64(changes->changes, KEEL_PROFIT_CHANGES), alike = 0;
    double since_s = now_s - changes->since_s, sum = 0;

    if (since_s >= KEEL_PROFIT_OUTLASTS * longest_pause(changes)) {
        return since_s;
    }
    for (uint64_t back = min_u64(2, kept); back <= kept; back += 2, alike++) {
        sum += changes->stable_s[(changes->changes - back) % KEEL_PROFIT_CHANGES];
    }
    return fmax(sum / (double)alike - since_s, KEEL_PROFIT_LASTING * since_s);
}

double keel_profit_changes_lasting(const struct keel_profit_changes *changes, double begin_s,
                                   double now_s, double remaining_s)
{
    double stayed_s = now_s - changes->since_s;

    if (changes->changes == 0 && isfinite(remaining_s)) {
        double expected_s = stayed_s > 0 ? stayed_s * log1p(remaining_s / stayed_s) : 0;
        return (remaining_s + expected_s) / 3;
    }
    return fmax(keel_profit_changes_left(changes, now_s),
                KEEL_PROFIT_LEAST_LASTING * (now_s - begin_s));
}

/* --- the decision --- */

struct keel_profit_decision keel_profit_decide(double gain, double stable_s, double remaining_s,
                                               double cost_s, double greatly)
{
    double time_s = isnan(stable_s) || isnan(remaining_s) ? 0 : fmin(stable_s, remaining_s);
    struct keel_profit_decision decision = {
        .saving_s = gain > 0 && time_s > 0 ? gain * time_s : 0,
        .cost_s = fmax(cost_s, 0),
    };

    /* Cost against benefit: PAPERS.md S12 */
    decision.pays = decision.cost_s <= greatly * decision.saving_s;
    return decision;
}

/* --- the time of messages --- */

void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s)
{
    double *least_s = &probes->least_s[probe];

    *least_s = *least_s > 0 ? fmin(*least_s, time_s) : time_s;
}

bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements,
                              double now_s)
{
    bool for_cost_alone =
        decision->reason.cause == KEEL_CAUSE_COST && decision->reason.number[1] > 0;
    bool unshown = movements == 0 && decision->verdict != KEEL_DECISION_MOVE;

    return (for_cost_alone || unshown) && probes->spent_s <= KEEL_PROFIT_PROBES_PART * now_s;
}
