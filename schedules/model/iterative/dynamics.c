/* Dynamics of iterative jobs: tasks that leave by chance. */
#include "schedules/model/iterative/dynamics.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"

static double chance_of(uint64_t *state)
{
    *state = keel_chance_mix(*state + 1);
    return (double)(*state >> 11) * 0x1p-53;
}

void keel_iterative_dynamics_leave(const void *leaving_context, uint32_t workers, uint64_t step,
                                   const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_leaving *context = leaving_context;
    double part = fmin(finite_amount(context->part), 1);

    for (uint32_t w = 0; w < workers; w++) {
        uint64_t state =
            keel_chance_mix(keel_chance_mix(keel_chance_mix(context->seed) ^ step) ^ w);
        uint32_t degree = keel_neighbours_degree(context->graph, workers, w);
        uint64_t count = count_of(part * (double)tasks[w] + chance_of(&state));
        leaving[w] = degree > 0 ? min_u64(count, tasks[w]) : 0;
        for (uint64_t i = 0; i < leaving[w]; i++) {
            uint32_t n = (uint32_t)(chance_of(&state) * degree);
            arriving[keel_neighbours_at(context->graph, workers, w, n)]++;
        }
    }
}
