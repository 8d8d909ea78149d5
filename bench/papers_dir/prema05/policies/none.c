/* No balancing: every processor executes the tasks that it has. */
#include "bench/papers_dir/prema05/policies/policy.h"

static void run(struct scene *scene)
{
    uint32_t task;

    while (scene_next(scene, &task)) {
        scene_execute(scene, task);
    }
}

const struct policy policy_none = {
    .name = "none",
    .summary = "tasks stay where they are",
    .run = run,
};
