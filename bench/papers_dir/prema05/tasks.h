/* Tasks as the tests of PAPERS.md, R7 to R9, have them: what they take, and which sends messages to
 * which.
 *
 *   text, number of tasks -> [weights] -> seconds of each task, in the order of their numbers
 *
 * Pure, but for the file that it reads. */
#ifndef BENCH_PAPERS_DIR_PREMA05_TASKS_H
#define BENCH_PAPERS_DIR_PREMA05_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/model/objects_terms.h"

#define WEIGHTS_REGIONS_MAX 4097 /* one more than a file may have */

/* Fills weight_s[0 .. tasks - 1], which add up to `total_s`. `text`:
 *   linear:RATIO         from light to RATIO times as heavy, increasing
 *   heavy:PART:RATIO     the last PART percent are RATIO times as heavy as the others
 *   measured:FILE        of the squares of a plane, row by row, separated by commas; cut into tasks
 *                        of as many squares, or equal parts of squares, each
 * RATIO >= 1, 0 <= PART <= 100. False: it says none of these, or the file is none. */
bool weights_make(const char *text, uint32_t tasks, double total_s, double *weight_s);

/* The two classes of weights in any order (R3). False: as of keel_bimodal_split(). */
bool weights_split(const double *weight_s, uint32_t tasks, struct keel_bimodal *classes);

/* Replaces each weight by the mean of its class. False: the same. */
bool weights_two_classes(uint32_t tasks, double *weight_s);

/* --- the communication graph: a torus of tasks, as square as a row of whole tasks allows --- */

#define TASK_GRAPH_NEIGHBOURS 4 /* of a task */

/* Neighbour `which`, 0 .. TASK_GRAPH_NEIGHBOURS - 1, of one of so many tasks. */
uint32_t task_graph_neighbour(uint32_t tasks, uint32_t task, unsigned which);

/* How many neighbours a task has on other processors, on average, where each has a block of `block`
 * tasks. */
double task_graph_leaving(uint32_t tasks, uint32_t block);

#endif
