/* What each worker is to have by the cluster tree (PAPERS.md K1-K5, K7): pairs level what
 * they have between them, then pairs of clusters what these cannot.
 *
 *   work and throughput of each -> joins (cluster_tree.h), from the lowest -> work of each
 *
 * Two partners share by throughput, so that both end together. Between two clusters work goes
 * along the path: from the terminal of the one that would end later to the terminal of the other,
 * and not more than the first one has (K3). What comes is shared out in its cluster at once, which
 * is level then; of the cluster that gives, each gives the same part. (The paper leaves that to
 * later requests. At once is faster, and rows that go straight from surplus to shortage move once.
 * Where a terminal has too little, the rest goes in the next interaction.)
 * Pure. */
#ifndef SCHEDULES_BALANCE_TREE_SHARES_H
#define SCHEDULES_BALANCE_TREE_SHARES_H

#include <stddef.h>
#include <stdint.h>

/* Clusters that would end within this part of the later one's time are level: their partners'
 * movements stay within them. */
#define KEEL_TREE_SHARES_LEVEL 0.005

/* Bytes of room that keel_tree_shares() takes, aligned as of malloc. */
size_t keel_tree_shares_scratch(uint32_t workers);

/* Writes the work that each of `workers` >= 1 is to have: P values >= 0, which add up to all of
 * `work` (>= 0 and finite). throughput: work per s, > 0 and finite. O(P log P). */
void keel_tree_shares(uint32_t workers, const double *throughput, const double *work,
                      double *wanted, void *scratch);

#endif
