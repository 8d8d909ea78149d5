/* How two candidates compare: the ratios of their times in the same round. Pure. */
#ifndef OMP_EXT_COMMAND_COMPARE_STATISTICS_RATIO_H
#define OMP_EXT_COMMAND_COMPARE_STATISTICS_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/compare/statistics/samples.h"
#include "omp_ext/command/compare/statistics/sign_sequence.h"

struct keel_ratio {
    size_t rounds;    /* in which both have run */
    double median;    /* of time over the other's time; not-a-number without any */
    double low, high; /* interval of the median, by the sequence; 0 and infinity: too few rounds */
};

/* The ratio of `candidate` to `other`. Nothing is told after KEEL_SIGN_ROUNDS_MAX rounds. */
struct keel_ratio keel_ratio_of(const struct keel_samples *samples, size_t candidate, size_t other,
                                const struct keel_sign_sequence *sequence);

/* The two are told apart: 1 is outside of the interval. */
bool keel_ratio_told(const struct keel_ratio *ratio);

/* Whatever the difference is, it is at most `part` of the time: the interval tells. */
bool keel_ratio_alike(const struct keel_ratio *ratio, double part);

#endif
