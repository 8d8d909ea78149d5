/* How long an iterative job takes under a balancer: the matrix iterative model of Franklin &
 * Govindan (PAPERS.md F1-F6).
 *
 *   tasks, powers, dynamics, costs, a rule -> steps of F1 -> time, speed-ups, tasks moved (F6)
 *
 * Feeds `keel model`. Tasks are whole and equal. Pure: chance comes from a seed, memory from the
 * caller, and the same arguments give the same result.
 *
 * Numbers are finite and >= 0. The sum of all tasks is less than 2^53. No result is NaN: tasks
 * without any power take INFINITY. */
#ifndef SCHEDULES_MODEL_ITERATIVE_H
#define SCHEDULES_MODEL_ITERATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/neighbours.h"

/* --- policies (F3-F5, S11, K1-K5) --- */

/* A policy with parameters. Parameters that it does not have are ignored. */
struct keel_iterative_rule {
    const struct keel_iterative_policy *policy;
    enum keel_graph graph;
    double threshold; /* w* relative to the ideal; 0: that of keel_neighbours_set_best() */
    double alpha;     /* 0 .. 1; 0: as above */
    double gain;      /* nothing moves if time would fall by a smaller part (S11), 0 .. 1 */
};

enum keel_iterative_parameter {
    KEEL_ITERATIVE_GRAPH = 1,
    KEEL_ITERATIVE_THRESHOLD = 2,
    KEEL_ITERATIVE_ALPHA = 4,
    KEEL_ITERATIVE_GAIN = 8,
};

/* The input of a policy at a step. */
struct keel_iterative_view {
    const struct keel_iterative_rule *rule;
    uint32_t workers;
    const double *power; /* finite, >= 0; not NULL */
    const uint64_t *tasks;
    uint64_t step, seed;
    void *scratch; /* of the policy's size, aligned as by malloc */
};

struct keel_iterative_policy {
    const char *name, *summary;
    unsigned parameters; /* keel_iterative_parameter, together */

    /* Lists the transfers of a step, of tasks before it: no worker sends more than it has. Returns
     * how many there are. If it lists none, it lists none for the same tasks at any step. NULL:
     * nothing is ever sent. */
    size_t (*list)(const struct keel_iterative_view *view, struct keel_transfer *transfer,
                   size_t capacity);
    /* Largest number of transfers that it lists. */
    size_t (*transfers)(enum keel_graph graph, uint32_t workers);
    size_t (*scratch)(uint32_t workers); /* bytes; NULL: 0 */
};

/* none, random, diffusion, redistribution, rate, tree. To add one: its functions and an entry. */
extern const struct keel_iterative_policy keel_iterative_policies[];
extern const size_t keel_iterative_policies_count;

/* Returns NULL if there is no such policy. */
const struct keel_iterative_policy *keel_iterative_policies_find(const char *name);

/* --- the input --- */

/* How the application changes the tasks of each worker between a step and the next one, besides
 * balancing. Writes lambda and mu, P values each, which are 0 before; tasks: w(k). At most a
 * worker's tasks leave it. */
struct keel_iterative_dynamics {
    void (*change)(const void *context, uint32_t workers, uint64_t step, const uint64_t *tasks,
                   uint64_t *arriving, uint64_t *leaving); /* NULL: no tasks come or go */
    const void *context;
};

/* Dynamics: a part of each worker's tasks leaves it, each to any of the neighbours in a graph with
 * the same chance (section 4.1). Whole tasks, rounded by chance; their sum stays. O(P + tasks
 * leaving). */
struct keel_iterative_leaving {
    double part; /* mu_i / w_i, 0 .. 1 */
    enum keel_graph graph;
    uint64_t seed;
};

void keel_iterative_dynamics_leave(const void *leaving_context, uint32_t workers, uint64_t step,
                                   const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving);

/* T_lb,i(k), and the application's communication; s, >= 0. A single worker has none of these. */
struct keel_iterative_costs {
    double decision_s;   /* every worker, each step, under all policies but none: to exchange the
                            numbers of tasks, and to decide */
    double activation_s; /* every worker, each step in which tasks move */
    double message_s;    /* each transfer: its sender and its receiver */
    double task_s;       /* each task of it: both */
    double exchange_s;   /* every worker, each step, under all policies: the application's own
                            communication */
};

struct keel_iterative {
    uint32_t workers;      /* P >= 1 */
    const double *power;   /* C_i, operations per s; NULL: 1 each */
    const uint64_t *tasks; /* w(0) */
    double task;           /* f_task, operations of a task and a step */
    uint64_t steps;        /* k = 0 .. steps - 1, each with balancing at its end (F6) */
    uint64_t seed;         /* of the random policy */
    bool adjacent;         /* tasks lie in a line of blocks by number of the worker: tasks from one
                              to another pass through all workers between, and count as
                              messages and tasks of each hop (moves.h) */
    bool balance_last;     /* step k balances the tasks after lambda(k) and mu(k) (fig. 4) rather
                              than w(k) (F1) */
    struct keel_iterative_dynamics dynamics;
    struct keel_iterative_costs costs;
};

/* --- a run --- */

struct keel_iterative_result {
    double time_s;        /* F6 */
    double application_s; /* the same without the costs of balancing; with exchange_s */
    double balancing_s;   /* time_s - application_s */
    double ideal_s;       /* F6: all tasks by all power in each step, without any cost */
    double single_s;      /* the whole job on worker 0 */
    double speedup;       /* single_s / time_s; 0 if that is not defined (0 / 0) */
    double ideal_speedup; /* single_s / ideal_s; as above */
    double limit;         /* sum(C) / C_0; as above */
    double imbalance;     /* mean over the steps of the latest worker's time over the ideal, - 1 */
    double transfers;     /* in all steps; adjacent: messages of all hops */
    double tasks_moved;   /* as above */
    double activations;   /* steps in which tasks moved */
};

/* Bytes of memory for a run of the rule, aligned as by malloc. Diffusion among all takes P^2 / 4
 * transfers, all others O(P). */
size_t keel_iterative_scratch(uint32_t workers, const struct keel_iterative_rule *rule);

/* Runs all steps. last: gets w(steps), P values; NULL: not wanted. If no tasks come or go, and no
 * more tasks move, the steps that are left are all equal, and counted at once. A step is O(P) plus
 * the time to list its transfers: O(P^2) for random, and for diffusion among all. */
struct keel_iterative_result keel_iterative_run(const struct keel_iterative *iterative,
                                                const struct keel_iterative_rule *rule,
                                                uint64_t *last, void *scratch);

#endif
