/* How tasks get to processors: one file for each policy.
 *
 *   scene -> [policy: executes all tasks, somewhere] -> scene */
#ifndef BENCH_PAPERS_DIR_PREMA05_POLICIES_POLICY_H
#define BENCH_PAPERS_DIR_PREMA05_POLICIES_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/papers_dir/prema05/scene.h"

struct policy {
    const char *name; /* a specification may follow, as in "keel:fac2" */
    const char *summary;
    void (*poll)(struct scene *scene); /* in mid-task; NULL: messages wait for the task's end */
    scene_handler *handle;             /* of messages; NULL: it sends none of its own */
    void (*run)(struct scene *scene);  /* on all ranks; returns when all tasks have been executed,
                                          as far as the rank can know */
};

extern const struct policy policy_none;
extern const struct policy policy_repartition;
extern const struct policy policy_iterative;
extern const struct policy policy_seed;
extern const struct policy policy_prema;
extern const struct policy policy_keel;
extern const struct policy policy_mobile;

/* --- which processor is to have which task: of policies that stop all to decide; pure --- */

/* Moves tasks from who has most to who has least, as long as that lowers the larger of their two
 * loads. owner[i]: of task i, in 0 .. ranks - 1; or negative: it is none of these any more. */
void partition_refine(uint32_t tasks, const double *weight, int ranks, int *owner);

/* --- by Scotch (Pellegrini), a partitioner of graphs, if the machine has libscotch --- */

/* Partitions the graph of tasks (task_graph.h) that have owner[i] >= 0 anew, beginning with
 * owner[], whose change costs as much as an edge that is cut: as equal loads of all ranks as the
 * partitioner gets. next[i] of all others stays. False: it failed, and next[] is undefined. */
bool scotch_repartition(uint32_t tasks, const double *weight_s, const int *owner, int ranks,
                        int *next);

#endif
