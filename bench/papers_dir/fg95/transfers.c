#include "bench/papers_dir/fg95/transfers.h"

#include <math.h>

static bool are_neighbours(const struct situation *situation, int i, int j)
{
    return situation->next[i * situation->processors + j];
}

static double ideal(const struct situation *situation, int processor)
{
    double power = 0;

    for (int i = 0; i < situation->processors; i++) {
        power += situation->power[i];
    }
    return situation->all * situation->power[processor] / power;
}

/* Over the processor and its neighbours. */
static double local_ideal(const struct situation *situation, int processor)
{
    double power = situation->power[processor], tasks = situation->tasks[processor];

    for (int j = 0; j < situation->processors; j++) {
        if (are_neighbours(situation, processor, j)) {
            power += situation->power[j];
            tasks += situation->tasks[j];
        }
    }
    return tasks * situation->power[processor] / power;
}

bool transfers_exceeds(const struct situation *situation, int processor)
{
    return situation->tasks[processor] > situation->threshold * ideal(situation, processor);
}

/* --- random --- */

static int degree(const struct situation *situation, int from)
{
    int count = 0;

    for (int j = 0; j < situation->processors; j++) {
        count += are_neighbours(situation, from, j);
    }
    return count;
}

static int neighbour(const struct situation *situation, int from, int which)
{
    for (int j = 0; j < situation->processors; j++) {
        if (are_neighbours(situation, from, j) && which-- == 0) {
            return j;
        }
    }
    return from;
}

int transfers_random(const struct situation *situation, int from, uint64_t chance,
                     struct transfer *transfer)
{
    double beyond = situation->tasks[from] - situation->threshold * ideal(situation, from);
    int tasks = beyond > 0 ? (int)(situation->alpha * beyond + 0.5) : 0;
    int neighbours = degree(situation, from);

    if (tasks == 0 || neighbours == 0) {
        return 0;
    }
    int which = (int)((chance >> 32) * (uint64_t)neighbours >> 32);
    *transfer = (struct transfer){neighbour(situation, from, which), tasks};
    return 1;
}

/* --- diffusion --- */

/* What neighbour j lacks of its share. */
static double lack(const struct situation *situation, int from, int j, double share)
{
    double its = share * situation->power[j] / situation->power[from];

    return are_neighbours(situation, from, j) ? fmax(0, its - situation->tasks[j]) : 0;
}

int transfers_diffusion(const struct situation *situation, int from, struct transfer *transfer)
{
    double share = local_ideal(situation, from), lacks = 0, exact = 0;
    double beyond = situation->tasks[from] - share;
    int count = 0, sent = 0;

    if (situation->tasks[from] <= situation->threshold * share) {
        return 0;
    }
    for (int j = 0; j < situation->processors; j++) {
        lacks += lack(situation, from, j, share);
    }
    for (int j = 0; j < situation->processors && lacks > 0; j++) {
        exact += beyond * lack(situation, from, j, share) / lacks;
        int tasks = (int)(exact + 1e-9) - sent;
        if (tasks > 0) {
            transfer[count++] = (struct transfer){j, tasks};
            sent += tasks;
        }
    }
    return count;
}
