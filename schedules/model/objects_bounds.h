/* How long a job of over-decomposed objects takes under diffusion or work stealing with preemptive
 * polling (PAPERS.md R4-R6, Barker & others 2005).
 *
 *   two classes of tasks (objects_terms.h), machine, quantum -> terms of an overloaded and of an
 *   underloaded processor, for the best and the worst search -> lower, upper, average
 *
 * P processors begin with N / P tasks each. Those that finish first ask others for a task that has
 * not begun, one at a time; a polling thread answers every quantum, even in mid-task.
 *
 * As published, tasks are sorted: so all tasks of a processor are light (beta) or heavy (alpha),
 * and all processors of a kind do the same. This is too early by up to a task of the heaviest
 * processor, where weights within the classes differ: 12 % in the linear tests of R7 with 2 tasks
 * per processor. With the weights of all tasks the model is refined (objects_simulate.c):
 * processors begin with what they really have, and sources are found by chance.
 *
 * Times are in s, of one processor. Pure. */
#ifndef SCHEDULES_MODEL_OBJECTS_BOUNDS_H
#define SCHEDULES_MODEL_OBJECTS_BOUNDS_H

#include "schedules/model/objects_terms.h"

/* Bytes of memory that a forecast takes, aligned as of malloc; 0 as published. */
size_t keel_objects_scratch(const struct keel_objects *objects);

/* false, and all 0: no processors, or no tasks. O(1) as published; refined: O((N + requests) P).
 * scratch: NULL: as published, whatever is known. */
bool keel_objects_predict(const struct keel_objects *objects,
                          struct keel_objects_forecast *forecast, void *scratch);

#endif
