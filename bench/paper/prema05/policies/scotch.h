/* Repartitioning by Scotch (Pellegrini), a partitioner of graphs: libscotch is loaded if the
 * machine has it; Keel does not need it otherwise. */
#ifndef BENCH_PAPER_PREMA05_POLICIES_SCOTCH_H
#define BENCH_PAPER_PREMA05_POLICIES_SCOTCH_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the library is there and can be used. */
bool scotch_is_there(void);

/* Partitions the graph of tasks (task_graph.h) that have owner[i] >= 0 anew, beginning with
 * owner[], whose change costs as much as an edge that is cut: as equal loads of all ranks as the
 * partitioner gets. next[i] of all others stays. False: it failed, and next[] is undefined. */
bool scotch_repartition(uint32_t tasks, const double *weight_s, const int *owner, int ranks,
                        int *next);

#endif
