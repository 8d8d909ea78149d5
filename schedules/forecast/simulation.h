/* A loop instance without threads or a clock: the caller says what chunks cost, and each thread
 * comes for the next one when it is done with the last.
 *
 * Simulates a team (team.h) for schedules that are sized at claim time. */
#ifndef SCHEDULES_FORECAST_SIMULATION_H
#define SCHEDULES_FORECAST_SIMULATION_H

#include "schedules/claim/team.h"

#define KEEL_SIMULATION_THREADS_MAX 512 /* each look at the others takes as many steps */

/* Iterations [first, last), run by `thread` from start_ns on. */
struct keel_simulated_chunk {
    uint64_t first, last;
    uint64_t thread;
    double start_ns;
    double time_ns;
};

/* What is simulated. */
struct keel_simulation_setup {
    const struct keel_spec *spec; /* of a schedule without a plan, see keel_plan_exists() */
    uint64_t iterations;          /* N */
    uint64_t threads;             /* P, 1 .. KEEL_SIMULATION_THREADS_MAX */
    double claim_ns;              /* what getting a chunk takes */
    /* How long `chunk` takes, 0 or more ns; its time_ns is not set yet. */
    double (*time_ns)(const struct keel_simulated_chunk *chunk, void *context);
    void *context;
};

struct keel_simulation;

/* `setup` must outlive the simulation. NULL: no memory, or too many threads. */
struct keel_simulation *keel_simulation_begin(const struct keel_simulation_setup *setup);

/* The next chunk in the order of claims (at the same time: in the order of threads); false: the
 * loop is done. */
bool keel_simulation_next(struct keel_simulation *simulation, struct keel_simulated_chunk *chunk);

void keel_simulation_end(struct keel_simulation *simulation);

#endif
