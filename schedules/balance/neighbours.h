/* Balancers that move tasks between neighbours: random, diffusion, complete redistribution
 * (PAPERS.md F1-F6, Franklin & Govindan 1995), and the gradient model (Lin & Keller 1987).
 *
 *   tasks of each worker, powers, graph -> transfers M_ij w_i -> tasks of each worker
 *
 * Pure: chance comes from a seed. Workers that know the same numbers list the same transfers. All
 * transfers of a step are from the tasks before it, so no worker sends more than it has, and their
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

/* H: the pairs that exchange tasks. A mesh is a rectangle of workers, row after row, as near to a
 * square as P allows, without wrapping around: a prime number of workers is a line. */
enum keel_graph { KEEL_GRAPH_RING, KEEL_GRAPH_MESH, KEEL_GRAPH_ALL };

struct keel_neighbours {
    enum keel_neighbours_kind kind;
    enum keel_graph graph;
    uint32_t workers;    /* P >= 1 */
    const double *power; /* C_i, > 0, any unit; NULL: all equal; values not > 0 or infinite are 0 */
    double threshold;    /* w*, relative to the ideal share, 1.0 .. 1.5 in the paper */
    double alpha;        /* F3: part of the excess over w* that is sent, 0 .. 1; clamped */
    uint64_t seed;       /* F3 */
};

struct keel_transfer {
    uint32_t from, to; /* neighbours */
    uint64_t tasks;    /* >= 1 */
};

/* Sets threshold and alpha to the paper's best values for the kind (F8), for the next of 2, 4, 8 or
 * 16 workers, at most 16. */
void keel_neighbours_set_best(struct keel_neighbours *balancers);

/* --- the graph --- */

/* Number of neighbours of `worker`, 0 .. P - 1. */
uint32_t keel_neighbours_degree(enum keel_graph graph, uint32_t workers, uint32_t worker);

/* Neighbour 0 .. degree - 1 of `worker`: ring: before, after; mesh: above, left, right, below,
 * those that exist; all: by rising number. O(sqrt P) in a mesh, otherwise O(1). */
uint32_t keel_neighbours_at(enum keel_graph graph, uint32_t workers, uint32_t worker,
                            uint32_t neighbour);

/* --- ideals --- */

/* Each worker's share of all tasks by power (wbar_i, F2), to the nearest whole bounds: whole tasks,
 * each within one of the ideal share, that add up to all tasks; P values. Without any power, all
 * count as equal. O(P). */
void keel_neighbours_wanted(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t *wanted);

/* --- one step --- */

/* Hands `take` the transfers of all workers at a step, one after the other, by balancers->kind: F3,
 * random (chance depends on seed, number and worker); F4, diffusion; F5, redistribution; the
 * gradient model. room: P values. O(P) but for the graph and the search for light workers. */
void keel_neighbours_step(const struct keel_neighbours *balancers, const uint64_t *tasks,
                          uint64_t number, uint64_t *room,
                          void (*take)(void *context, const struct keel_transfer *transfer),
                          void *context);

/* Lists them. Returns how many there are and writes the first `capacity`: at most P, under
 * diffusion one for each neighbour, under redistribution 2 P. */
size_t keel_neighbours_list(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t number, uint64_t *room, struct keel_transfer *transfer,
                            size_t capacity);

/* w(k + 1) = w(k) + M^T w(k) (F1; what arrives and leaves through the application is added by the
 * caller). */
void keel_neighbours_apply(uint64_t *tasks, const struct keel_transfer *transfer, size_t transfers);

#endif
