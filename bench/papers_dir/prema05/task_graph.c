/* The communication graph of tasks: which sends messages to which. */
#include "bench/papers_dir/prema05/task_graph.h"

#include <math.h>

uint32_t task_graph_neighbour(uint32_t tasks, uint32_t task, unsigned which)
{
    uint32_t row = (uint32_t)lround(sqrt(tasks));
    const uint32_t distance[TASK_GRAPH_NEIGHBOURS] = {1, tasks - 1, row, tasks - row};

    return (task + distance[which]) % tasks;
}

double task_graph_leaving(uint32_t tasks, uint32_t block)
{
    uint64_t leaving = 0;

    for (uint32_t task = 0; task < tasks; task++) {
        for (unsigned which = 0; which < TASK_GRAPH_NEIGHBOURS; which++) {
            leaving += task_graph_neighbour(tasks, task, which) / block != task / block;
        }
    }
    return (double)leaving / tasks;
}
