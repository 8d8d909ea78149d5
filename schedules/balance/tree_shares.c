/* Shares by the cluster tree. */
#include "schedules/balance/tree_shares.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "schedules/balance/cluster_tree.h"
#include "schedules/learn/rate_filter.h"

/* All that is known while shares are worked out. */
struct forest {
    const double *throughput;
    double *wanted;
    const uint32_t *next;
};

/* A cluster: workers from `first` along the chain to `last`. */
struct side {
    uint32_t first, last;
    double work, throughput;
    double terminal; /* work of the one at its end of the path */
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

/* All give the same part of what they have. */
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

/* All end together with what they have and get. */
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

/* K4, K5: both end together if this goes from `from` to `to`; not more than 0: nothing does. */
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
