/* Two classes of tasks in place of many weights (PAPERS.md R3, Barker & others 2005).
 *
 *   sorted weights -> [split] -> G light (beta) tasks and heavy (alpha) ones -> objects.h
 *
 * Each class has the mean weight of its tasks, so work is preserved, and the split is where the sum
 * of squared errors is least. Pure. */
#ifndef SCHEDULES_MODEL_BIMODAL_H
#define SCHEDULES_MODEL_BIMODAL_H

#include <stdbool.h>
#include <stdint.h>

struct keel_bimodal {
    uint64_t light, heavy;           /* tasks: G, N - G */
    double light_mean, heavy_mean;   /* T_beta_task, T_alpha_task */
    double light_error, heavy_error; /* sums of squares, in units of weight squared */
};

/* Splits `tasks` weights, rising, in any unit. The first of several equally good splits. All alike
 * (or N = 1): one class, light, G = N; heavy_mean is light_mean then, and errors are 0. false, and
 * all 0: no tasks, or a weight that is negative, not finite, or less than the one before it. Sums
 * and squares too large for a double are INFINITY; no result is NaN. O(N). */
bool keel_bimodal_split(const double *weight, uint64_t tasks, struct keel_bimodal *bimodal);

#endif
