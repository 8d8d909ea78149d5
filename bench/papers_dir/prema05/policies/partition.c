/* Which processor is to have which task, for policies that stop all of them to decide. */
#include "bench/papers_dir/prema05/policies/policy.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_GAIN 1e-9 /* part of the larger load */

static void add_up(uint32_t tasks, const double *weight, const int *owner, double *load)
{
    for (uint32_t i = 0; i < tasks; i++) {
        if (owner[i] >= 0) {
            load[owner[i]] += weight[i];
        }
    }
}

static void find_extremes(int ranks, const double *load, int *most, int *least)
{
    *most = *least = 0;
    for (int rank = 1; rank < ranks; rank++) {
        *most = load[rank] > load[*most] ? rank : *most;
        *least = load[rank] < load[*least] ? rank : *least;
    }
}

/* The task of `most` after whose move the larger of both loads is least; tasks: none lowers it. */
static uint32_t best_move(uint32_t tasks, const double *weight, const int *owner, int most,
                          const double *load, int least)
{
    double larger = load[most] * (1 - LEAST_GAIN);
    uint32_t best = tasks;

    for (uint32_t i = 0; i < tasks; i++) {
        double after = fmax(load[most] - weight[i], load[least] + weight[i]);
        if (owner[i] == most && after < larger) {
            larger = after;
            best = i;
        }
    }
    return best;
}

void partition_refine(uint32_t tasks, const double *weight, int ranks, int *owner)
{
    double *load = calloc((size_t)ranks, sizeof *load);
    uint32_t task;
    int most, least;

    add_up(tasks, weight, owner, load);
    for (;;) {
        find_extremes(ranks, load, &most, &least);
        task = best_move(tasks, weight, owner, most, load, least);
        if (task == tasks) {
            break;
        }
        load[most] -= weight[task];
        load[least] += weight[task];
        owner[task] = least;
    }
    free(load);
}
