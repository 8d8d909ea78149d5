/* The cluster tree of Kim & Purtilo: which workers hand iterations to each other
 * (the cluster tree, PAPERS.md K1-K3).
 *
 * throughputs -> [tree] -> a worker's links -> victim.h: which worker to ask
 *                       -> all joins -> the work that each is to have
 *
 * Pure. */
#ifndef SCHEDULES_BALANCE_CLUSTER_TREE_H
#define SCHEDULES_BALANCE_CLUSTER_TREE_H

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
    bool path;        /* one of K3's migration paths; others are used when these are dry */
    bool from_slower; /* the partner's cluster is the left one: the slower */
};

/* The links of one worker: paths by rising level first, then the others by rising level.
 *
 * At each level the slowest cluster is paired with the fastest, the second slowest with the second
 * fastest and so on, the slower one on the left (K1). The middle one of an odd number goes up to
 * the next level alone, and has no link at this one. Equal throughputs: the less balanced cluster
 * counts as the slower one (K2), then the one whose leftmost worker has the lower number.
 *
 *     a  b  c  d | e  f  g  h     d - e: the path (K3) between two clusters
 *                                 c - f, b - g, a - h: the others, from there outwards
 *
 * If one cluster is smaller, the others' links wrap around in it, and need not lead back. Paths
 * alone join all workers to one chain; with the others a worker has a link at each level at which
 * it is in a pair, and none is more than ceil(log2 P) links away from any other. */
struct keel_tree_links {
    uint32_t count;
    struct keel_tree_link link[KEEL_TREE_LEVELS_MAX];
};

/* Which links an idle worker asks along. */
enum keel_tree_use {
    KEEL_TREE_ALL,    /* all of them */
    KEEL_TREE_PATHS,  /* K3's paths, both ways: where the faster partner may end later */
    KEEL_TREE_ONE_WAY /* K3's paths, and only the faster cluster asks */
};

/* Removes the other links. Paths alone: at most one link at a level, and two in all. */
void keel_tree_links_keep(struct keel_tree_links *links, enum keel_tree_use use);

/* Computes the links of `worker` among `workers` >= 1. throughput: of each worker, > 0 and finite;
 * NULL: all equal. Workers that pass the same throughputs see one tree. Takes O(P log P) time, and
 * memory from `reallocate`, which works like realloc and may fail. Returns false, and no links, if
 * it fails. */
bool keel_cluster_tree_links(uint32_t workers, const double *throughput, uint32_t worker,
                             void *(*reallocate)(void *, size_t), struct keel_tree_links *links);

/* Two clusters that are joined. Each is a chain of workers from left to right. */
struct keel_tree_join {
    uint32_t left, left_last;   /* the left cluster's first worker, and its last */
    uint32_t right, right_last; /* the right one's: the path (K3) is left_last - right */
    uint32_t level;             /* from 0: links of two workers */
};

/* Bytes of scratch memory for keel_cluster_tree_joins(), aligned as by malloc. */
size_t keel_cluster_tree_scratch(uint32_t workers);

/* Writes the P - 1 joins of all `workers` >= 1, level by level and from the slowest left cluster
 * within one. Writes to next[w] the worker that follows w in the chain of all (next[last] is any).
 * A join's clusters are parts of this chain. throughput: as above. Returns P - 1. O(P log P). */
uint32_t keel_cluster_tree_joins(uint32_t workers, const double *throughput, uint32_t *next,
                                 struct keel_tree_join *join, void *scratch);

/* --- shares ---
 *
 * The work that each worker is to have by the cluster tree (PAPERS.md K1-K5, K7): pairs level what
 * they have between them, then pairs of clusters the rest.
 *
 *   work and throughput of each -> joins, from the lowest -> work of each
 *
 * Two partners share by throughput, so that both end together. Between two clusters work goes along
 * the path: from the terminal of the one that would end later to the terminal of the other, and not
 * more than the first one has (K3). The cluster that gets work shares it out at once, and is level
 * then; in the cluster that gives, each worker gives the same part. (The paper leaves that to later
 * requests. At once is faster, and rows that go straight from surplus to shortage move once. If a
 * terminal has too little, the rest goes in the next interaction.) */

/* Bytes of scratch memory for keel_tree_shares(), aligned as by malloc. */
size_t keel_tree_shares_scratch(uint32_t workers);

/* Writes the work that each of `workers` >= 1 is to have: P values >= 0, which add up to all of
 * `work` (>= 0 and finite). throughput: work per s, > 0 and finite. O(P log P). */
void keel_tree_shares(uint32_t workers, const double *throughput, const double *work,
                      double *wanted, void *scratch);

#endif
