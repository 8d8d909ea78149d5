/* How long an iterative job takes under a balancer: the matrix iterative model of Franklin &
 * Govindan (PAPERS.md F1-F6).
 *
 *   tasks, powers, dynamics, costs, a rule -> steps of F1 -> time, speed-ups, tasks moved (F6)
 *
 * Feeds `keel model` and choice.h. Tasks are whole; all alike. Pure: chance comes from a
 * seed, memory from the caller, and the same arguments give the same result.
 *
 * Numbers that can't be (not finite, negative) count as 0, as in neighbours.h. The sum of all tasks
 * is less than 2^53. No result is NaN: tasks without any power take for ever, INFINITY. */
#ifndef SCHEDULES_MODEL_ITERATIVE_ITERATIVE_H
#define SCHEDULES_MODEL_ITERATIVE_ITERATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/neighbours.h"
#include "schedules/model/iterative/policies.h"

/* --- the situation --- */

/* What the application does to the tasks of each worker between a step and the next one, beside
 * balancing. Writes lambda and mu, P values each, which are 0 before; tasks: w(k). Of what leaves a
 * worker, no more counts than it has. */
struct keel_iterative_dynamics {
    void (*change)(const void *context, uint32_t workers, uint64_t step, const uint64_t *tasks,
                   uint64_t *arriving, uint64_t *leaving); /* NULL: nothing comes or goes */
    const void *context;
};

/* T_lb,i(k), and what the application sends; s, >= 0. A single worker has none of these. */
struct keel_iterative_costs {
    double decision_s;   /* every worker, each step, under all policies but none: to get to know the
                            others' tasks, and to decide */
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
    bool adjacent;         /* tasks lie in a line of blocks by number of the worker: what goes from
                              one to another passes through all those between, and counts as
                              messages and tasks of each hop (moves.h) */
    bool balance_last;     /* balancing of step k is about what lambda(k) and mu(k) have left (fig.
                              4) rather than about w(k) (F1) */
    double single_s;       /* the whole job on worker 0 alone; 0: all its tasks by its power */
    struct keel_iterative_dynamics dynamics;
    struct keel_iterative_costs costs;
};

/* --- a run --- */

struct keel_iterative_result {
    double time_s;        /* F6 */
    double application_s; /* the same without balancing's costs; with exchange_s */
    double balancing_s;   /* time_s - application_s */
    double ideal_s;       /* F6: all tasks by all power in each step, without any cost */
    double single_s;      /* the whole job on worker 0 */
    double speedup;       /* single_s / time_s; 0 where that is not defined (0 / 0) */
    double ideal_speedup; /* single_s / ideal_s; likewise */
    double limit;         /* sum(C) / C_0; likewise */
    double imbalance;     /* mean over the steps of the latest worker's time over the ideal, - 1 */
    double transfers;     /* in all steps; adjacent: messages of all hops */
    double tasks_moved;   /* likewise */
    double activations;   /* steps in which tasks moved */
};

/* Bytes of memory that a run of the rule takes, aligned as of malloc. Diffusion among all takes P^2
 * / 4 transfers, all others O(P). */
size_t keel_iterative_scratch(uint32_t workers, const struct keel_iterative_rule *rule);

/* Runs all steps. last: gets w(steps), P values; NULL: not wanted. Where nothing comes or goes, and
 * no more tasks move, the steps that are left are all alike, and counted without being gone
 * through. A step is O(P) and what listing its transfers takes: O(P^2) of random, and of diffusion
 * among all. */
struct keel_iterative_result keel_iterative_run(const struct keel_iterative *iterative,
                                                const struct keel_iterative_rule *rule,
                                                uint64_t *last, void *scratch);

#endif
