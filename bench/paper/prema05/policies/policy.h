/* How tasks get to processors: one file for each policy.
 *
 *   scene -> [policy: executes all tasks, somewhere] -> scene */
#ifndef BENCH_PAPER_PREMA05_POLICIES_POLICY_H
#define BENCH_PAPER_PREMA05_POLICIES_POLICY_H

#include "bench/paper/prema05/scene.h"

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
extern const struct policy policy_keel_told;
extern const struct policy policy_mobile;
extern const struct policy policy_mobile_told;

#endif
