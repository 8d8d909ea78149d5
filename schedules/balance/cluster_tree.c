/* The cluster tree. */
#include "schedules/balance/cluster_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/balance_constants.h"
#include "schedules/learn/learn.h"

#define NOWHERE UINT32_MAX

/* Its leaves are workers, in the tree's order from left to right: next[first] follows first. */
struct cluster {
    double throughput; /* of the fastest worker: 1, so that sums stay finite */
    double imbalance;  /* K2's ratio of its two children; 0: a leaf */
    uint32_t first, last, leaves;
    uint32_t place; /* of the worker whose links are wanted, among the leaves; NOWHERE: not here */
};

struct tree {
    struct cluster *cluster; /* those of one level */
    uint32_t clusters;
    uint32_t *next; /* by worker */
};

/* Slowest first. K1 and K2: among equal ones the least balanced first, then by the number of the
 * first worker, so that all ranks see one order. */
static int by_throughput(const void *one, const void *other)
{
    const struct cluster *a = one, *b = other;

    if (a->throughput != b->throughput) {
        return a->throughput < b->throughput ? -1 : 1;
    }
    if (a->imbalance != b->imbalance) {
        return a->imbalance > b->imbalance ? -1 : 1;
    }
    return a->first < b->first ? -1 : a->first > b->first;
}

static uint32_t leaf_at(const struct tree *tree, const struct cluster *cluster, uint32_t place)
{
    uint32_t leaf = cluster->first;

    while (place-- > 0) {
        leaf = tree->next[leaf];
    }
    return leaf;
}

/* Inserts paths before the others. */
static void add(struct keel_tree_links *links, struct keel_tree_link link)
{
    uint32_t at = links->count++;

    for (; link.path && at > 0 && !links->link[at - 1].path; at--) {
        links->link[at] = links->link[at - 1];
    }
    links->link[at] = link;
}

/* K3: the rightmost leaf of `left` with the leftmost one of `right`, and so on outwards. */
static struct keel_tree_link link_between(const struct tree *tree, const struct cluster *left,
                                          const struct cluster *right, uint32_t level)
{
    bool is_left = left->place != NOWHERE;
    const struct cluster *sibling = is_left ? right : left;
    uint32_t distance = is_left ? left->leaves - 1 - left->place : right->place;
    uint32_t beyond = distance % sibling->leaves;

    return (struct keel_tree_link){
        .partner = leaf_at(tree, sibling, is_left ? beyond : left->leaves - 1 - beyond),
        .level = level,
        .path = distance == 0,
        .from_slower = !is_left,
    };
}

static struct cluster joined(const struct tree *tree, const struct cluster *left,
                             const struct cluster *right)
{
    double sum = left->throughput + right->throughput;

    tree->next[left->last] = right->first;
    return (struct cluster){
        .throughput = sum,
        .imbalance = sum > 0 ? (right->throughput - left->throughput) / sum : 0,
        .first = left->first,
        .last = right->last,
        .leaves = left->leaves + right->leaves,
        .place = right->place != NOWHERE ? left->leaves + right->place : left->place,
    };
}

/* The output: a worker's links, or a list of joins. */
struct outcome {
    struct keel_tree_links *links; /* NULL: not wanted */
    struct keel_tree_join *join;   /* NULL: not wanted */
    uint32_t joins;
};

static void report(const struct tree *tree, const struct cluster *left, const struct cluster *right,
                   uint32_t level, struct outcome *outcome)
{
    if (outcome->links != NULL && (left->place != NOWHERE || right->place != NOWHERE)) {
        add(outcome->links, link_between(tree, left, right, level));
    }
    if (outcome->join != NULL) {
        outcome->join[outcome->joins++] =
            (struct keel_tree_join){left->first, left->last, right->first, right->last, level};
    }
}

/* Pairs the slowest cluster with the fastest, and so on. The middle one of an odd number goes up to
 * the next level as it is. */
static void join_level(struct tree *tree, uint32_t level, struct outcome *outcome)
{
    struct cluster *cluster = tree->cluster;
    uint32_t pairs = tree->clusters / 2;

    qsort(cluster, tree->clusters, sizeof *cluster, by_throughput);
    for (uint32_t slow = 0; slow < pairs; slow++) {
        struct cluster *left = &cluster[slow], *right = &cluster[tree->clusters - 1 - slow];
        report(tree, left, right, level, outcome);
        *left = joined(tree, left, right);
    }
    tree->clusters -= pairs;
}

static double fastest_of(uint32_t workers, const double *throughput)
{
    double fastest = 0;

    for (uint32_t w = 0; w < workers; w++) {
        fastest = fmax(fastest, throughput[w]);
    }
    return fastest;
}

/* Joins all. worker: its place is followed; NOWHERE: of no worker. */
static void join_all(struct tree *tree, const double *throughput, uint32_t worker,
                     struct outcome *outcome)
{
    uint32_t workers = tree->clusters;
    double fastest = throughput != NULL ? fastest_of(workers, throughput) : 1;

    for (uint32_t w = 0; w < workers; w++) {
        tree->cluster[w] = (struct cluster){
            .throughput = throughput != NULL ? throughput[w] / fastest : 1,
            .first = w,
            .last = w,
            .leaves = 1,
            .place = w == worker ? 0 : NOWHERE,
        };
    }
    for (uint32_t level = 0; tree->clusters > 1; level++) {
        join_level(tree, level, outcome);
    }
}

bool keel_cluster_tree_links(uint32_t workers, const double *throughput, uint32_t worker,
                             void *(*reallocate)(void *, size_t), struct keel_tree_links *links)
{
    struct tree tree = {.clusters = workers};

    links->count = 0;
    tree.cluster = reallocate(NULL, workers * (sizeof *tree.cluster + sizeof *tree.next));
    if (tree.cluster == NULL) {
        return false;
    }
    tree.next = (uint32_t *)(tree.cluster + workers);
    join_all(&tree, throughput, worker, &(struct outcome){.links = links});
    free(tree.cluster);
    return true;
}

void keel_tree_links_keep(struct keel_tree_links *links, enum keel_tree_use use)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < links->count; i++) {
        const struct keel_tree_link *link = &links->link[i];
        if (use == KEEL_TREE_ALL || (link->path && (use == KEEL_TREE_PATHS || link->from_slower))) {
            links->link[kept++] = *link;
        }
    }
    links->count = kept;
}

size_t keel_cluster_tree_scratch(uint32_t workers)
{
    return workers * sizeof(struct cluster);
}

uint32_t keel_cluster_tree_joins(uint32_t workers, const double *throughput, uint32_t *next,
                                 struct keel_tree_join *join, void *scratch)
{
    struct tree tree = {.cluster = scratch, .clusters = workers, .next = next};
    struct outcome outcome = {.join = join};

    join_all(&tree, throughput, NOWHERE, &outcome);
    return outcome.joins;
}

/* --- shares --- */

/* The arrays that shares are computed from, and into. */
struct forest {
    const double *throughput;
    double *wanted;
    const uint32_t *next;
};

/* A cluster: workers from `first` along the chain to `last`. */
struct side {
    uint32_t first, last;
    double work, throughput;
    double terminal; /* work of the worker at this end of the path */
};

static struct side side_of(const struct forest *forest, uint32_t first, uint32_t last,
                           uint32_t terminal)
{
    struct side side = {.first = first, .last = last, .terminal = forest->wanted[terminal]};

    for (uint32_t w = first;; w = forest->next[w]) {
        side.work += forest->wanted[w];
        side.throughput += forest->throughput[w];
        if (w == last) {
            return side;
        }
    }
}

/* All give the same part of their work. */
static void give(const struct forest *forest, const struct side *side, double work)
{
    double kept = fmax(0, 1 - work / side->work);

    for (uint32_t w = side->first;; w = forest->next[w]) {
        forest->wanted[w] *= kept;
        if (w == side->last) {
            return;
        }
    }
}

/* Shares the work so that all end together. */
static void take(const struct forest *forest, const struct side *side, double work)
{
    double time_s = (side->work + work) / side->throughput;

    for (uint32_t w = side->first;; w = forest->next[w]) {
        forest->wanted[w] = time_s * forest->throughput[w];
        if (w == side->last) {
            return;
        }
    }
}

/* K4, K5: the work to move from `from` to `to` so that both end together; <= 0: none. */
static double transfer_of(const struct side *from, const struct side *to)
{
    double both = from->throughput + to->throughput;

    return (from->work * to->throughput - to->work * from->throughput) / both;
}

static bool is_level(const struct side *left, const struct side *right)
{
    double together = (left->work + right->work) / (left->throughput + right->throughput);
    double later = fmax(left->work / left->throughput, right->work / right->throughput);

    return keel_threshold_gain(later, together) <= KEEL_TREE_SHARES_LEVEL;
}

static void level(const struct forest *forest, const struct keel_tree_join *join)
{
    struct side left = side_of(forest, join->left, join->left_last, join->left_last);
    struct side right = side_of(forest, join->right, join->right_last, join->right);
    bool rightwards = transfer_of(&left, &right) > 0;
    const struct side *from = rightwards ? &left : &right, *to = rightwards ? &right : &left;
    double work = fmin(transfer_of(from, to), from->terminal);

    if (work > 0 && !is_level(&left, &right)) {
        give(forest, from, work);
        take(forest, to, work);
    }
}

size_t keel_tree_shares_scratch(uint32_t workers)
{
    return keel_cluster_tree_scratch(workers) +
           workers * (sizeof(struct keel_tree_join) + sizeof(uint32_t));
}

void keel_tree_shares(uint32_t workers, const double *throughput, const double *work,
                      double *wanted, void *scratch)
{
    struct keel_tree_join *join = (void *)((char *)scratch + keel_cluster_tree_scratch(workers));
    uint32_t *next = (uint32_t *)(join + workers);
    struct forest forest = {throughput, wanted, next};
    uint32_t joins = keel_cluster_tree_joins(workers, throughput, next, join, scratch);

    memcpy(wanted, work, workers * sizeof *wanted);
    for (uint32_t i = 0; i < joins; i++) {
        level(&forest, &join[i]);
    }
}
