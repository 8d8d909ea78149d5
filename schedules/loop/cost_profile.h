/* The cost profile of a loop: how the cost of its iterations differs along it, coarsely.
 *
 * Learned from timed chunks, kept per loop site; turns equal counts into equal work. A position in
 * the loop is 0 (before the first iteration) .. 1 (behind the last), so that a profile outlives a
 * change of the number of iterations. Pure. */
#ifndef SCHEDULES_LOOP_COST_PROFILE_H
#define SCHEDULES_LOOP_COST_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define KEEL_PROFILE_BINS 64

/* Bin b covers positions b/64 .. (b + 1)/64; within a bin all iterations cost the same. */
struct keel_profile {
    double cost[KEEL_PROFILE_BINS]; /* of an iteration there, relative; > 0, mean 1 */
    double seen[KEEL_PROFILE_BINS]; /* iterations in `cost`, older ones counting less */
};

/* A chunk that one thread ran. */
struct keel_timed_chunk {
    uint64_t first, last; /* iterations [first, last) */
    double time_ns;       /* > 0 */
};

/* A flat profile without measurements. */
void keel_profile_begin(struct keel_profile *profile);

/* Share of the loop's work, 0 .. 1, that lies before `position`, 0 .. 1. Not decreasing; 0 -> 0 and
 * 1 -> 1. */
double keel_profile_work(const struct keel_profile *profile, double position);

/* The inverse: the position with the part `work`, 0 .. 1, of the work before it. */
double keel_profile_position(const struct keel_profile *profile, double work);

/* Work of a chunk of a loop of `iterations` >= 1, in mean iterations; its time does not count. 0 if
 * it is empty or not in the loop. */
double keel_profile_chunk_work(const struct keel_profile *profile,
                               const struct keel_timed_chunk *chunk, uint64_t iterations);

/* Measurements of one instance, before they go into a profile. {0} first. */
struct keel_profile_sample {
    double time_ns[KEEL_PROFILE_BINS]; /* at the speed of an average thread */
    double iterations[KEEL_PROFILE_BINS];
};

/* Adds `count` chunks of a thread that is `speed` (> 0) times as quick as the average one, in a
 * loop of `iterations` >= 1. The time of a chunk that covers several bins is split among them by
 * the costs of `profile`. */
void keel_profile_sample_add(struct keel_profile_sample *sample, const struct keel_profile *profile,
                             const struct keel_timed_chunk *chunk, size_t count,
                             uint64_t iterations, double speed);

/* Adds the sample: the new cost of a bin in it is a weighted mean of the old and of the measured
 * one, later instances counting more. Bins that are not in it keep their cost; bins that were never
 * measured get that of the nearest measured one. */
void keel_profile_learn(struct keel_profile *profile, const struct keel_profile_sample *sample);

#endif
