/* Policies of the matrix iterative model: which tasks are to be sent at a step (PAPERS.md F3-F5,
 * S11, K1-K5).
 *
 *   tasks and powers of all, a rule -> [policy] -> transfers of the step
 *
 * Feeds iterative.h and choice.h. Pure; any thread. */
#ifndef SCHEDULES_MODEL_ITERATIVE_POLICIES_H
#define SCHEDULES_MODEL_ITERATIVE_POLICIES_H

#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/neighbours.h"

/* A policy with parameters. Of those that it has not, any value will do. */
struct keel_iterative_rule {
    const struct keel_iterative_policy *policy;
    enum keel_graph graph;
    double threshold;  /* w* relative to the ideal; 0: as keel_neighbours_set_best() has it */
    double alpha;      /* 0 .. 1; 0: likewise */
    double gain;       /* nothing moves where time would fall by a smaller part (S11), 0 .. 1 */
    double decision_s; /* what this rule takes beyond costs.decision_s, >= 0 */
    uint64_t every;    /* balances at the end of every so-many-th step from the first; 0: of each */
};

enum keel_iterative_parameter {
    KEEL_ITERATIVE_GRAPH = 1,
    KEEL_ITERATIVE_THRESHOLD = 2,
    KEEL_ITERATIVE_ALPHA = 4,
    KEEL_ITERATIVE_GAIN = 8,
};

/* What a policy sees at a step. */
struct keel_iterative_view {
    const struct keel_iterative_rule *rule;
    uint32_t workers;
    const double *power; /* finite, >= 0; not NULL */
    const uint64_t *tasks;
    uint64_t step, seed;
    void *scratch; /* of the policy's size, aligned as of malloc */
};

struct keel_iterative_policy {
    const char *name, *summary;
    unsigned parameters; /* keel_iterative_parameter, together */

    /* Lists the transfers of a step, of tasks before it: nobody sends more than it has. Returns how
     * many there are. The same tasks with nothing to send have nothing to send at any step. NULL:
     * nothing is ever sent. */
    size_t (*list)(const struct keel_iterative_view *view, struct keel_transfer *transfer,
                   size_t capacity);
    /* The most that it lists. */
    size_t (*transfers)(enum keel_graph graph, uint32_t workers);
    size_t (*scratch)(uint32_t workers); /* bytes; NULL: 0 */
};

/* none, random, diffusion, redistribution, rate, tree. To add one: its functions and an entry. */
extern const struct keel_iterative_policy keel_iterative_policies[];
extern const size_t keel_iterative_policies_count;

/* NULL: there is no such policy. */
const struct keel_iterative_policy *keel_iterative_policies_find(const char *name);

#endif
