/* Closed forms for many chunks. */
#include "schedules/forecast/estimate.h"

#include <math.h>

#include "schedules/arithmetic/chance.h"

/* n iterations in chunks of n/q each until these are the smallest: q ln(chunk/smallest) steps, and
 * q chunks of the smallest. */
double keel_estimate_chunks(double iterations, double chunk, double smallest)
{
    return fmax(1, iterations / chunk * (1 + log(fmax(1, chunk / smallest))));
}

/* Iterations per ns, the time for chunks included. */
static double rate_of(const struct keel_estimate_rest *rest,
                      const struct keel_forecast_worker *worker)
{
    return 1 /
           (rest->iteration_ns / worker->speed + rest->claim_ns * rest->chunks / rest->iterations);
}

/* The time T at which the threads that have come before it are through:
 * sum of rate (T - clock) == iterations. Each round leaves out those that come after the T of the
 * round before; T only falls. */
static double level_of(const struct keel_estimate_rest *rest,
                       const struct keel_forecast_worker *workers, uint64_t count)
{
    double level = INFINITY, before;

    do {
        double done = rest->iterations, rate = 0;
        before = level;
        for (uint64_t i = 0; i < count; i++) {
            if (workers[i].clock_ns < before) {
                done += rate_of(rest, &workers[i]) * workers[i].clock_ns;
                rate += rate_of(rest, &workers[i]);
            }
        }
        if (!(rate > 0)) {
            return before; /* the rest is lost in rounding beside the clocks */
        }
        level = done / rate;
    } while (level < before);
    return level;
}

/* How long a thread's last chunks are, as who comes by at any time meets them: longer ones more
 * often. Twice the mean residual life of renewal theory, E t^2 / E t; deviations beyond the mean
 * count as the mean, as where chunks are walked. */
static double met_chunk_ns(const struct keel_estimate_rest *rest,
                           const struct keel_forecast_worker *worker)
{
    double mean = rest->last_chunk * rest->iteration_ns;
    double deviation = fmin(mean, sqrt(rest->last_chunk) * rest->deviation_ns);

    return (mean > 0 ? mean + deviation * deviation / mean : 0) / worker->speed + rest->claim_ns;
}

#define SLICES 16

/* Mean of the largest of U_i d_i, where d_i are the threads' last chunks and U_i is anywhere in
 * 0 .. 1: the integral of 1 - product of min(1, x / d_i), by midpoints. */
static double longest_remainder(const struct keel_estimate_rest *rest,
                                const struct keel_forecast_worker *workers, uint64_t count,
                                double level)
{
    double most = 0, sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (workers[i].clock_ns < level) {
            most = fmax(most, met_chunk_ns(rest, &workers[i]));
        }
    }
    for (int slice = 0; slice < SLICES && most > 0; slice++) {
        double x = most * (slice + 0.5) / SLICES, all_done = 1;
        for (uint64_t i = 0; i < count && all_done > 1e-6; i++) {
            if (workers[i].clock_ns < level) {
                all_done *= fmin(1, x / met_chunk_ns(rest, &workers[i]));
            }
        }
        sum += 1 - all_done;
    }
    return most * sum / SLICES;
}

/* When nothing is left to take, each thread has half of a chunk ahead of it on average, and ends
 * at `level` on average: nothing is left at level - mean half chunk, weighted by rates. */
static double mean_remainder(const struct keel_estimate_rest *rest,
                             const struct keel_forecast_worker *workers, uint64_t count,
                             double level)
{
    double sum = 0, rate = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (workers[i].clock_ns < level) {
            sum += rate_of(rest, &workers[i]) * met_chunk_ns(rest, &workers[i]) / 2;
            rate += rate_of(rest, &workers[i]);
        }
    }
    return rate > 0 ? sum / rate : 0;
}

double keel_estimate_shared(const struct keel_estimate_rest *rest,
                            struct keel_forecast_worker *workers, uint64_t count)
{
    /* nothing takes any time */
    if (count == 0 || !(rest->iteration_ns + rest->claim_ns > 0)) {
        return 0;
    }
    double level = level_of(rest, workers, count);
    double excess = longest_remainder(rest, workers, count, level) -
                    mean_remainder(rest, workers, count, level);

    for (uint64_t i = 0; i < count; i++) {
        if (workers[i].clock_ns < level) {
            workers[i].busy_ns += level - workers[i].clock_ns;
            workers[i].clock_ns = level;
        }
    }
    return level + fmax(0, excess);
}

double keel_estimate_dealt(const struct keel_estimate_rest *rest,
                           struct keel_forecast_worker *workers, uint64_t count, unsigned run)
{
    double each = rest->iterations / (double)count, sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        double work = each * rest->iteration_ns;
        double deviate = keel_chance_normal(KEEL_CHANCE_CHUNKS + workers[i].thread, run);
        double noise = rest->deviation_ns * sqrt(each) * deviate;
        noise = fmax(-work, fmin(noise, work));
        double busy =
            (work + noise) / workers[i].speed + ceil(rest->chunks / (double)count) * rest->claim_ns;
        sum += noise;
        workers[i].busy_ns += busy;
        workers[i].clock_ns += busy;
    }
    return sum;
}
