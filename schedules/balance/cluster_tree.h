/* The cluster tree of Kim & Purtilo: which workers hand iterations to each other
 * (papers/README.md K1-K3).
 *
 * throughputs -> [tree] -> a worker's links -> seek.h: whom to ask. Pure. */
#ifndef KEEL_SCHEDULES_BALANCE_CLUSTER_TREE_H
#define KEEL_SCHEDULES_BALANCE_CLUSTER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most one link per level of the tree, and levels are fewer than this for any number of
 * workers below 2^32. */
#define KEEL_TREE_LEVELS_MAX 33

/* A partner of one worker. */
struct keel_tree_link {
    uint32_t partner; /* another worker */
    uint32_t level;   /* 0: of the same pair; higher ones join larger clusters */
    bool path;        /* one of K3's migration paths; else the worker of the sibling cluster that
                         stands where this one does in its own: a way out when paths are dry */
};

/* The links of one worker: paths by rising level first, then the others by rising level. */
struct keel_tree_links {
    uint32_t count;
    struct keel_tree_link link[KEEL_TREE_LEVELS_MAX];
};

/* Works out the links of `worker` among `workers` >= 1. throughput: of each worker, > 0 and
 * finite; NULL: all alike. The same on all workers that ask with the same throughputs. Takes
 * O(P log P) time, and memory from `reallocate`, which works like realloc and may fail: then
 * the result is false and there are no links. */
bool keel_cluster_tree_links(uint32_t workers, const double *throughput, uint32_t worker,
                             void *(*reallocate)(void *, size_t), struct keel_tree_links *links);

#endif
