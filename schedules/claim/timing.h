/* What a thread's chunks have taken, and its pace from that.
 *
 *   timed chunks -> [timing] -> context (schedule.h) -> hooks. For team.h and sizer.h.
 *
 * Here for the claim path: everything is inlined. Pure: times come from the caller. */
#ifndef SCHEDULES_CLAIM_TIMING_H
#define SCHEDULES_CLAIM_TIMING_H

#include <math.h>

#include "schedules/loop/schedule.h"

/* {0} at first. */
struct keel_timing {
    uint64_t chunks;        /* that have been timed */
    uint64_t sampled;       /* chunks in what follows; what was known beforehand is one more */
    double weight;          /* iterations, later chunks counting more */
    double time_ns;         /* of these */
    double square_ns2;      /* sum of t^2 / n over chunks of n iterations in t, likewise */
    double samples;         /* sum of what chunks count */
    double overhead_sum_ns; /* spent on getting chunks */
};

#define KEEL_TIMING_KNOWN_PART 8 /* what is known beforehand counts like this part of a share */

/* Adds a chunk of `iterations` > 0, counting `weight` times. */
static inline void keel_timing_add(struct keel_timing *timing, double iterations, double time_ns,
                                   double extra_ns2, double weight)
{
    timing->weight += weight * iterations;
    timing->time_ns += weight * time_ns;
    timing->square_ns2 += weight * (time_ns * time_ns / iterations + extra_ns2);
    timing->samples += weight;
    timing->sampled++;
}

/* Chunk k counts k times, as in keel_sample_add(). n iterations that take t in all have a mean of
 * t/n, which strays n times less than single ones do: the variance of one is the mean of
 * n (t/n - mean)^2. */
static inline struct keel_pace keel_timing_pace(const struct keel_timing *timing)
{
    struct keel_pace pace = {0};

    if (timing->weight > 0) {
        double count = (double)timing->sampled;
        pace.mean_ns = timing->time_ns / timing->weight;
        double squares = timing->square_ns2 - pace.mean_ns * pace.mean_ns * timing->weight;
        pace.variance_ns2 =
            fmax(0, squares) / timing->samples * (count > 1 ? count / (count - 1) : 1);
    }
    return pace;
}

static inline bool keel_timing_is_known(const struct keel_pace *pace)
{
    return pace->mean_ns > 0 && pace->mean_ns < INFINITY;
}

/* Begins with a known pace: it counts like the first chunks of one of `threads` in a loop of
 * `iterations`. */
static inline void keel_timing_recall(struct keel_timing *timing, const struct keel_pace *known,
                                      uint64_t iterations, uint64_t threads)
{
    double share = fmax(1, (double)iterations / (double)threads / KEEL_TIMING_KNOWN_PART);

    keel_timing_add(timing, share, share * known->mean_ns, known->variance_ns2, 1);
}

/* Takes in that a chunk of `iterations` > 0 took time_ns, after overhead_ns to get it, and brings
 * the context up to date. Times that are not a number or negative count as 0. */
static inline void keel_timing_done(struct keel_timing *timing, uint64_t iterations, double time_ns,
                                    double overhead_ns, struct keel_claim_context *context)
{
    double overhead = overhead_ns > 0 ? overhead_ns : 0;
    double time = time_ns > 0 ? time_ns : 0;

    timing->chunks++;
    timing->overhead_sum_ns += overhead;
    context->overhead_ns = timing->overhead_sum_ns / (double)timing->chunks;
    keel_timing_add(timing, (double)iterations,
                    time + (context->spec->schedule->learns_overhead ? overhead : 0), 0,
                    (double)(timing->sampled + 1));
    context->own = keel_timing_pace(timing);
}

/* Adds a thread to what is known of its team; a pace that has not been measured is left out. */
static inline void keel_timing_join(struct keel_paces *paces, const struct keel_pace *pace)
{
    if (pace->mean_ns > 0) {
        paces->measured++;
        paces->speed_per_ns += 1 / pace->mean_ns;
        paces->spread_ns += pace->variance_ns2 / pace->mean_ns;
    }
}

#endif
