/* A simulated loop of known costs, on threads of known speeds. */
#ifndef KEEL_TESTS_SCHEDULES_BALANCE_LOOP_H
#define KEEL_TESTS_SCHEDULES_BALANCE_LOOP_H

#include "schedules/learn/blocks.h"
#include "tests/support/draws.h"

#define LOOP_WORKERS_MAX 16
#define LOOP_ITERATIONS_MAX 40000
#define LOOP_CHUNKS_MAX 128 /* of a worker */

enum shape {
    FLAT,
    INCREASING,
    DECREASING,
    STEP,   /* a third of the loop costs 5 times as much */
    MANDEL, /* a row's iterations of z^2 + c, 256 at most */
    RANDOM, /* every iteration its own, 0 .. 2 */
    SHAPES
};

struct loop {
    uint64_t iterations, workers;
    double before[LOOP_ITERATIONS_MAX + 1]; /* work before each iteration; ns at speed 1 */
    double speed[LOOP_WORKERS_MAX];
    double noise; /* relative; of a worker's times in an instance, and again of each chunk's */
    struct draws *draws;
    struct keel_blocks_part part[LOOP_WORKERS_MAX]; /* of the last instance run */
    struct keel_timed_chunk chunk[LOOP_WORKERS_MAX][LOOP_CHUNKS_MAX];
};

const char *loop_shape_name(enum shape shape);

/* Speeds 1, no noise. */
void loop_begin(struct loop *loop, struct draws *draws, enum shape shape, uint64_t iterations,
                uint64_t workers);

/* The time that the loop takes if every worker runs its block, over the ideal one: total work over
 * total speed. 1 if, and only if, all take equally long. */
double loop_over_ideal(const struct loop *loop, const struct keel_blocks *balance);

/* Runs an instance in small chunks, each claimed by the first worker that is free. */
void loop_run_among(struct loop *loop);

/* Runs an instance in blocks, in `chunks` chunks each; nothing is stolen. */
void loop_run_blocks(struct loop *loop, const struct keel_blocks *balance, uint64_t chunks);

/* The same, but who is done takes the last chunk of whoever has most left. */
void loop_run_stealing(struct loop *loop, const struct keel_blocks *balance, uint64_t chunks);

#endif
