/* Loops whose iterations have drawn costs, played through iteration by iteration, with random times
 * that no forecast knows. */
#ifndef TESTS_SCHEDULES_FORECAST_PLAYED_LOOP_H
#define TESTS_SCHEDULES_FORECAST_PLAYED_LOOP_H

#include <stdint.h>

#include "schedules/arithmetic/median.h"
#include "schedules/learn/profile.h"
#include "schedules/loop/schedule.h"
#include "tests/support/draws.h"

#define PLAYED_THREADS_MAX 16
#define PLAYED_ITERATIONS_MAX 20000

/* A loop as it is; what of it is random, each instance draws anew. */
struct played_loop {
    uint64_t iterations, threads;
    double cost_ns[PLAYED_ITERATIONS_MAX]; /* means */
    double variation;                      /* standard deviation of an iteration over its mean */
    double speed[PLAYED_THREADS_MAX];      /* mean 1 */
    double wobble;   /* relative standard deviation of speeds from one instance to the next */
    double claim_ns; /* to get a chunk, with clock readings */
};

/* Several instances. */
struct played_times {
    double elapsed_ns, squares_ns2;
    struct keel_median waits; /* of an instance: ns, the mean of its threads */
    double busy_ns[PLAYED_THREADS_MAX];
    uint64_t chunks;
    double bin_ns[KEEL_PROFILE_BINS]; /* work of the iterations that begin there */
};

/* A loop of any shape, size and team. */
void played_loop_draw(struct draws *draws, struct played_loop *loop);

/* Runs `instances` under `spec`, of a schedule without weights. profile, speed: what a schedule
 * that learns has learned. */
void played_loop_run(const struct played_loop *loop, const struct keel_spec *spec,
                     const struct keel_profile *profile, const double *speed, int instances,
                     struct draws *draws, struct played_times *times);

#endif
