/* Ready-made dynamics for the matrix iterative model: which tasks the application itself creates,
 * ends or moves between two steps.
 *
 *   parameters and a seed -> [dynamics] -> lambda and mu of a step -> iterative.h
 *
 * The function has the type of struct keel_iterative_dynamics.change. Pure; any thread. */
#ifndef SCHEDULES_MODEL_ITERATIVE_DYNAMICS_H
#define SCHEDULES_MODEL_ITERATIVE_DYNAMICS_H

#include <stdint.h>

#include "schedules/balance/neighbours.h"

/* A part of each worker's tasks leaves it, each to any of the neighbours in a graph with the same
 * chance (section 4.1). Whole tasks, rounded by chance; their sum stays. O(P + tasks leaving). */
struct keel_iterative_leaving {
    double part; /* mu_i / w_i, 0 .. 1; beyond: cut off */
    enum keel_graph graph;
    uint64_t seed;
};

void keel_iterative_dynamics_leave(const void *leaving_context, uint32_t workers, uint64_t step,
                                   const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving);

#endif
