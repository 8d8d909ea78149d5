/* Which tasks talk to which. */
#include "bench/paper/prema05/talk.h"

#include <math.h>

uint32_t talk_neighbour(uint32_t tasks, uint32_t task, unsigned which)
{
    uint32_t row = (uint32_t)lround(sqrt(tasks));
    const uint32_t distance[TALK_NEIGHBOURS] = {1, tasks - 1, row, tasks - row};

    return (task + distance[which]) % tasks;
}

double talk_leaving(uint32_t tasks, uint32_t block)
{
    uint64_t leaving = 0;

    for (uint32_t task = 0; task < tasks; task++) {
        for (unsigned which = 0; which < TALK_NEIGHBOURS; which++) {
            leaving += talk_neighbour(tasks, task, which) / block != task / block;
        }
    }
    return (double)leaving / tasks;
}
