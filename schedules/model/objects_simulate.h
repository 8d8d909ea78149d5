/* The refinement of objects_bounds.h: processors begin with the very tasks that they have.
 *
 *   weights of all tasks -> blocks -> [processors execute, ask, give] -> the latest of each kind
 *
 * Instead of rounds in which all processors of a class do the same, each has a clock. An idle one
 * asks one neighbourhood after the other, in an order by chance and nobody twice, each of which
 * answers when its slowest busy member polls; the one with most tasks that have not begun gives its
 * last. What anything takes is that of objects_bounds.h. Beside random searches there is a best
 * case, in which every search finds the fullest processor at once, and a worst case, in which it
 * asks all who have none first, and finds the emptiest. Pure. */
#ifndef SCHEDULES_MODEL_OBJECTS_SIMULATE_H
#define SCHEDULES_MODEL_OBJECTS_SIMULATE_H

#include <stddef.h>

#include "schedules/model/objects_terms.h"

#define KEEL_OBJECTS_SIMULATE_RUNS 16

size_t keel_objects_simulate_scratch(uint32_t processors);

/* As keel_objects_predict() with weights; there are processors and tasks. */
void keel_objects_simulate(const struct keel_objects *valid, struct keel_objects_forecast *forecast,
                           void *scratch);

#endif
