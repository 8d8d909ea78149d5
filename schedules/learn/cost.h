/* What chunks have cost: mean and deviation of an iteration's time, and the overhead of a claim.
 *
 * Feeds the parameters mu, sigma and overhead of schedules that want them. Chunks, not iterations,
 * are timed, so the deviation comes from how far chunk means stray: independent iterations give a
 * chunk of k a variance of k sigma^2. */
#ifndef SCHEDULES_LEARN_COST_H
#define SCHEDULES_LEARN_COST_H

#include <stdint.h>

#include "schedules/loop/schedule.h"

/* All zero at first. */
struct keel_cost {
    uint64_t chunks;
    uint64_t iterations;
    double time_ns;     /* sum of t, the time of a chunk              */
    double square_ns2;  /* sum of t^2 / k over chunks of k iterations */
    double overhead_ns; /* sum of the time between chunks             */
};

/* Adds one chunk of `iterations` >= 1 that ran for `time_ns` after `overhead_ns` spent on getting
 * it. */
void keel_cost_add(struct keel_cost *cost, uint64_t iterations, double time_ns, double overhead_ns);

/* Makes all that has been added count half as much as what comes. */
void keel_cost_halve(struct keel_cost *cost);

/* Adds what another thread has seen. */
void keel_cost_merge(struct keel_cost *cost, const struct keel_cost *other);

/* Mean time of an iteration, ns; 0 before the first chunk. */
double keel_cost_mean_ns(const struct keel_cost *cost);

/* Standard deviation of that time, ns: unbiased variance sum k (t/k - mean)^2 / (chunks - 1); 0
 * below two chunks. */
double keel_cost_deviation_ns(const struct keel_cost *cost);

/* Mean time to get a chunk, ns. */
double keel_cost_overhead_ns(const struct keel_cost *cost);

/* Fills in the parameters that `spec` wants measured and was not given, within their ranges. */
void keel_cost_complete(const struct keel_cost *cost, struct keel_spec *spec);

#endif
