/* The communication graph of tasks, which sends messages to which: a torus of them, as square as a
 * row of whole tasks allows.
 *
 * Pure. */
#ifndef BENCH_PAPERS_DIR_PREMA05_TASK_GRAPH_H
#define BENCH_PAPERS_DIR_PREMA05_TASK_GRAPH_H

#include <stdint.h>

#define TASK_GRAPH_NEIGHBOURS 4 /* of a task */

/* Neighbour `which`, 0 .. TASK_GRAPH_NEIGHBOURS - 1, of one of so many tasks. */
uint32_t task_graph_neighbour(uint32_t tasks, uint32_t task, unsigned which);

/* How many neighbours a task has on other processors, on average, where each has a block of `block`
 * tasks. */
double task_graph_leaving(uint32_t tasks, uint32_t block);

#endif
