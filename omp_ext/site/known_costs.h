/* The costs of iterations that a program has given, and the packings that follow from them.
 *
 *   keel_set_costs() -> [costs] -> packing of one schedule and team size -> loop
 *
 * They never change, so threads share them. They are freed when no thread holds them any more. */
#ifndef OMP_EXT_SITE_KNOWN_COSTS_H
#define OMP_EXT_SITE_KNOWN_COSTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/claim/team.h"

#define KEEL_PACKINGS_MAX 32 /* per costs */

struct keel_known_costs;

/* Whether the program has ever given costs, and whether a loop has wanted some and found none. They
 * never become false again. */
extern atomic_bool keel_known_costs_given, keel_known_costs_missed;

/* Whether loops that need costs run under the replacement of their schedule, as the program gives
 * none. Each thread of a region has to go by the same answer: by that of the
 * thread that starts it. */
static inline bool keel_known_costs_missing(void)
{
    /* relaxed: flags without dependent data */
    return __builtin_expect(atomic_load_explicit(&keel_known_costs_missed, memory_order_relaxed),
                            0) &&
           !atomic_load_explicit(&keel_known_costs_given, memory_order_relaxed);
}

/* A copy of `count` >= 1 costs, held once. NULL: no memory. */
struct keel_known_costs *keel_known_costs_make(const double *costs, size_t count);

/* Holds them once more; who calls it holds them already, or knows who does. Returns them. NULL is
 * left alone. */
struct keel_known_costs *keel_known_costs_acquire(struct keel_known_costs *costs);

/* Lets go of them. NULL is left alone. */
void keel_known_costs_release(struct keel_known_costs *costs);

/* Whether these are the same costs of the same number of iterations; no: there are none. */
bool keel_known_costs_equal(const struct keel_known_costs *costs, const double *others,
                            size_t count);

/* Whether there are costs, and they are those of a loop of `iterations`. */
bool keel_known_costs_fit(const struct keel_known_costs *costs, uint64_t iterations);

/* How many iterations they are for; 0: there are none. */
size_t keel_known_costs_count(const struct keel_known_costs *costs);

/* The packing under that spec, of a schedule that wants costs, for teams of `threads`; it lives as
 * long as the costs. What is packed, and what the spec means, are units of `grain` >= 1 iterations.
 * NULL: no memory, or KEEL_PACKINGS_MAX are known and this is none of them. Any thread that holds
 * the costs; takes keel_slow_lock when it is asked for a packing for the first time. */
const struct keel_packing *keel_known_costs_packing(struct keel_known_costs *costs,
                                                    const struct keel_spec *spec, uint64_t grain,
                                                    uint64_t threads);

#endif
