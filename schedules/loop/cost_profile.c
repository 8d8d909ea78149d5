/* The cost profile. */
#include "schedules/loop/cost_profile.h"

#include <math.h>

#define BINS KEEL_PROFILE_BINS

/* Of the mean cost. Cheaper bins count as this much, so that work increases with the position. */
#define LEAST_COST 1e-6

/* Weight of a bin's earlier iterations when an instance adds to it. */
#define REMEMBERED 0.5

void keel_profile_begin(struct keel_profile *profile)
{
    *profile = (struct keel_profile){0};
    for (int b = 0; b < BINS; b++) {
        profile->cost[b] = 1;
    }
}

static double cost_before(const struct keel_profile *profile, int bin)
{
    double sum = 0;

    for (int b = 0; b < bin; b++) {
        sum += profile->cost[b];
    }
    return sum;
}

double keel_profile_work(const struct keel_profile *profile, double position)
{
    if (!(position > 0)) {
        return 0;
    }
    if (position >= 1) {
        return 1;
    }
    int bin = (int)(position * BINS);
    double within = position * BINS - bin;

    return fmin(1, (cost_before(profile, bin) + within * profile->cost[bin]) /
                       cost_before(profile, BINS));
}

double keel_profile_position(const struct keel_profile *profile, double work)
{
    if (!(work > 0)) {
        return 0;
    }
    if (work >= 1) {
        return 1;
    }
    double left = work * cost_before(profile, BINS);
    int bin = 0;

    while (bin < BINS - 1 && left > profile->cost[bin]) {
        left -= profile->cost[bin++];
    }
    return (bin + fmin(1, left / profile->cost[bin])) / BINS;
}

/* A chunk's position, in bins. */
struct place {
    double from, to;
    int first, last; /* bins [first, last) */
};

static struct place place_of(const struct keel_timed_chunk *chunk, uint64_t iterations)
{
    double bins = BINS / (double)iterations;
    struct place place = {.from = (double)chunk->first * bins, .to = (double)chunk->last * bins};

    place.first = (int)place.from;
    place.last = (int)fmin(ceil(place.to), BINS);
    return place;
}

/* The part of a bin that belongs to the chunk, 0 .. 1. */
static double overlap(const struct place *place, int bin)
{
    return fmax(0, fmin(place->to, bin + 1) - fmax(place->from, bin));
}

double keel_profile_chunk_work(const struct keel_profile *profile,
                               const struct keel_timed_chunk *chunk, uint64_t iterations)
{
    if (chunk->first >= chunk->last || chunk->last > iterations) {
        return 0;
    }
    const struct place place = place_of(chunk, iterations);
    double work = 0;

    for (int b = place.first; b < place.last; b++) {
        work += overlap(&place, b) * profile->cost[b];
    }
    return work * (double)iterations / BINS;
}

static void add_chunk(struct keel_profile_sample *sample, const struct keel_profile *profile,
                      const struct keel_timed_chunk *chunk, uint64_t iterations, double speed)
{
    double work = keel_profile_chunk_work(profile, chunk, iterations);

    if (!(work > 0) || !(chunk->time_ns > 0) || isinf(chunk->time_ns)) {
        return;
    }
    const struct place place = place_of(chunk, iterations);
    double work_ns = chunk->time_ns * speed / work;

    for (int b = place.first; b < place.last; b++) {
        double count = overlap(&place, b) * (double)iterations / BINS;
        sample->iterations[b] += count;
        sample->time_ns[b] += count * profile->cost[b] * work_ns;
    }
}

void keel_profile_sample_add(struct keel_profile_sample *sample, const struct keel_profile *profile,
                             const struct keel_timed_chunk *chunk, size_t count,
                             uint64_t iterations, double speed)
{
    for (size_t i = 0; i < count; i++) {
        add_chunk(sample, profile, &chunk[i], iterations, speed);
    }
}

/* Time of a mean iteration in a sample, ns: in bins with known costs, old and new costs are to
 * agree in sum, so that a sample of a part of the loop shifts no work to or from the rest. 0 if the
 * sample is empty. */
static double mean_iteration_ns(const struct keel_profile *profile,
                                const struct keel_profile_sample *sample)
{
    double time_ns[2] = {0}, work[2] = {0}; /* of all bins, of bins seen before */

    for (int b = 0; b < BINS; b++) {
        for (int seen = 0; seen <= (profile->seen[b] > 0); seen++) {
            time_ns[seen] += sample->time_ns[b];
            work[seen] += sample->iterations[b] * profile->cost[b];
        }
    }
    double mean_ns = work[1] > 0 ? time_ns[1] / work[1] : work[0] > 0 ? time_ns[0] / work[0] : 0;
    return isfinite(mean_ns) ? mean_ns : 0;
}

static void fill_unseen(struct keel_profile *profile)
{
    double nearest[BINS];

    for (int b = 0; b < BINS; b++) {
        nearest[b] = profile->cost[b];
        for (int away = 0; away < BINS; away++) {
            int below = b - away, above = b + away;
            if (below >= 0 && profile->seen[below] > 0) {
                nearest[b] = profile->cost[below];
                break;
            }
            if (above < BINS && profile->seen[above] > 0) {
                nearest[b] = profile->cost[above];
                break;
            }
        }
    }
    for (int b = 0; b < BINS; b++) {
        profile->cost[b] = nearest[b];
    }
}

static void normalise(struct keel_profile *profile)
{
    for (int round = 0; round < 2; round++) {
        double mean = cost_before(profile, BINS) / BINS;
        for (int b = 0; b < BINS; b++) {
            profile->cost[b] = fmax(profile->cost[b] / mean, round == 0 ? LEAST_COST : 0);
        }
    }
}

void keel_profile_learn(struct keel_profile *profile, const struct keel_profile_sample *sample)
{
    double mean_ns = mean_iteration_ns(profile, sample);

    if (!(mean_ns > 0)) {
        return;
    }
    for (int b = 0; b < BINS; b++) {
        double count = sample->iterations[b];
        if (!(count > 0)) {
            continue;
        }
        double old = REMEMBERED * profile->seen[b];
        profile->seen[b] = old + count;
        profile->cost[b] =
            (old * profile->cost[b] + sample->time_ns[b] / mean_ns) / profile->seen[b];
    }
    fill_unseen(profile);
    normalise(profile);
}
