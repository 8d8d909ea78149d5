/* Balancers that move tasks between neighbours: random, diffusion, complete redistribution
 * (PAPERS.md F1-F6, Franklin & Govindan 1995), and the gradient model (Lin & Keller 1987).
 *
 *   tasks of each worker, powers, graph -> transfers M_ij w_i -> tasks of each worker
 *
 * Pure: chance comes from a seed. Workers that know the same numbers list the same transfers. All
 * transfers of a step are from the tasks before it, so nobody sends more than it has, and their
 * sum stays. Below, the sum of all tasks is less than 2^53, so that shares of it are exact. */
#ifndef SCHEDULES_BALANCE_NEIGHBOURS_H
#define SCHEDULES_BALANCE_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum keel_neighbours_kind {
    KEEL_NEIGHBOURS_RANDOM,
    KEEL_NEIGHBOURS_DIFFUSION,
    KEEL_NEIGHBOURS_REDISTRIBUTION,
    KEEL_NEIGHBOURS_GRADIENT
};

/* H: between whom tasks may go. A mesh is a rectangle of workers, row after row, as near to a
 * square as P allows, without wrapping around: a prime number of workers is a line. */
enum keel_graph { KEEL_GRAPH_RING, KEEL_GRAPH_MESH, KEEL_GRAPH_ALL };

/* Of some workers: their tasks, their power, and how many they are. */
struct keel_neighbours_sum {
    double tasks, power, workers;
};

struct keel_neighbours {
    enum keel_neighbours_kind kind;
    enum keel_graph graph;
    uint32_t workers;    /* P >= 1 */
    const double *power; /* C_i, > 0, any unit; NULL: all alike. What is not > 0 and finite is 0 */
    double threshold;    /* w*, relative to the ideal share, 1.0 .. 1.5 in the paper */
    double alpha;        /* F3: part of what exceeds w* that is sent, 0 .. 1; beyond: cut off */
    uint64_t seed;       /* F3 */
    /* Of all workers, by keel_neighbours_sum() of the tasks that the functions below are given.
     * NULL: they add them up themselves, O(P) each time. */
    const struct keel_neighbours_sum *all;
};

struct keel_transfer {
    uint32_t from, to; /* neighbours */
    uint64_t tasks;    /* >= 1 */
};

/* Sets threshold and alpha to what was best in the paper for the kind (F8), with 2, 4, 8 or 16
 * workers: the next of these, or 16. */
void keel_neighbours_set_best(struct keel_neighbours *balancers);

/* --- the graph --- */

/* How many neighbours `worker` has, 0 .. P - 1. */
uint32_t keel_neighbours_degree(enum keel_graph graph, uint32_t workers, uint32_t worker);

/* Neighbour 0 .. degree - 1 of `worker`: ring: before, after; mesh: above, left, right, below,
 * those there are; all: by rising number. O(sqrt P) in a mesh, else O(1). */
uint32_t keel_neighbours_at(enum keel_graph graph, uint32_t workers, uint32_t worker,
                            uint32_t neighbour);

/* --- ideals --- */

/* Adds up all workers. O(P). */
struct keel_neighbours_sum keel_neighbours_sum(const struct keel_neighbours *balancers,
                                               const uint64_t *tasks);

/* wbar_i: the worker's share of all tasks by power (F2). Without any power, all count alike. O(1)
 * where the sum is known, else O(P). */
double keel_neighbours_ideal(const struct keel_neighbours *balancers, const uint64_t *tasks,
                             uint32_t worker);

/* wtilde_i: the same over the worker and its neighbours (F2). O(neighbours). */
double keel_neighbours_local_ideal(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                   uint32_t worker);

/* Whole tasks, each within one of the ideal share, that add up to all tasks; P values. O(P). */
void keel_neighbours_wanted(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t *wanted);

/* --- one step --- */

/* F3: what `worker` sends at step 0 .. : nothing (false), or the part alpha of what it has beyond
 * w* = threshold wbar, to the nearest, to a neighbour by chance: of seed, step and worker. O(1)
 * where the sum is known, but for the graph; else O(P). */
bool keel_neighbours_random(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint32_t worker, uint64_t step, struct keel_transfer *transfer);

/* F4: what `worker` sends: where it has more than w* = threshold wtilde, the whole tasks beyond
 * wtilde, to each neighbour j below its share wtilde_i C_j / C_i in proportion to what it lacks,
 * and less than one task more than that. Returns the number of transfers and writes the first
 * `capacity` of them; there are not more than neighbours. O(neighbours). */
size_t keel_neighbours_diffuse(const struct keel_neighbours *balancers, const uint64_t *tasks,
                               uint32_t worker, struct keel_transfer *transfer, size_t capacity);

/* F5: where any worker has more than w* = threshold wbar, the transfers of all workers that lead to
 * keel_neighbours_wanted. Among all: at once, the first surplus to the first shortage, at most P -
 * 1 transfers. In a ring: with the least sum of tasks times steps, at most P. In a mesh: along
 * columns, the same in each one of them, and along rows, at most 2 P. Tasks that have to pass
 * through a worker need more steps, each of which asks again. wanted: P values of room. Result as
 * above. O(P), 54 times in a ring. */
size_t keel_neighbours_redistribute(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                    uint64_t *wanted, struct keel_transfer *transfer,
                                    size_t capacity);

/* --- the gradient model --- */

/* The proximity of `worker`: 0 if it is light, that is, if it lacks a whole task of its ideal
 * share; else one more than the least of its neighbours', and P at most, which stands for no light
 * worker at all. Where workers tell their neighbours a proximity whenever it has changed, each says
 * at most P of them before all are right, in any order. O(1)
 * where the sum is known, but for the graph; else O(P). */
uint64_t keel_neighbours_proximity(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                   const uint64_t *proximity, uint32_t worker);

/* The proximities of all, P values: steps of the graph to the nearest light worker. */
void keel_neighbours_proximities(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                 uint64_t *proximity);

/* What `worker` sends: nothing (false), or, where it has more than w* = threshold wbar and there is
 * a light worker, the whole tasks beyond wbar to the neighbour of the least proximity, the first of
 * equal ones; a light one gets no more than it lacks. (The paper moves a task at a time, and does
 * not compare powers.) proximity: of all. O(1) where the sum is known,
 * but for the graph; else O(P). */
bool keel_neighbours_gradient(const struct keel_neighbours *balancers, const uint64_t *tasks,
                              const uint64_t *proximity, uint32_t worker,
                              struct keel_transfer *transfer);

/* The transfers of all workers at a step, by balancers->kind; the arguments of all three. wanted:
 * under the gradient model the room for proximities. */
size_t keel_neighbours_list(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t step, uint64_t *wanted, struct keel_transfer *transfer,
                            size_t capacity);

/* w(k + 1) = w(k) + M^T w(k) (F1; what arrives and leaves through the application is added by the
 * caller). */
void keel_neighbours_apply(uint64_t *tasks, const struct keel_transfer *transfer, size_t transfers);

/* --- time --- */

/* F6: how long step k takes: the largest w_i f_task / C_i + T_lb,i. task: f_task, operations per
 * task, > 0; power in operations per s, so the result is in s; balancing_s: T_lb of each worker,
 * NULL: 0. Tasks without power take for ever. */
double keel_neighbours_step_time(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                 double task, const double *balancing_s);

/* F6: the ideal of the same: all tasks by all power. */
double keel_neighbours_ideal_time(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                  double task);

#endif
