/* Tasks as iterations of a shared loop of Keel's, by any KEEL_MPI_SCHEDULE: "keel:tree". Blocks of
 * iterations are those that processors begin with anyhow. Objects of others are fetched, with their
 * bytes: those of a chunk are asked for together, before the first of it is executed. With copies=1
 * all of them are everywhere.
 *
 * "keel-told:...": the order of weights is known, and the heaviest come first. */
#include <stdlib.h>

#include "bench/papers_dir/prema05/policies/policy.h"
#include "mpi_backend/include/keel_mpi.h"

static void poll(struct scene *scene)
{
    keel_mpi_poll();
    scene_attend(scene);
}

/* Like the other policies; waiting by looking again and again takes long to simulate. */
static void wait_for_all(struct scene *scene)
{
    scene_tell_executed(scene);
    while (!scene->ended) {
        scene_wait(scene);
    }
}

static void work(struct scene *scene, const uint32_t *task)
{
    struct keel_mpi_loop *loop;
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    uint64_t first, last;

    keel_mpi_loop_begin(scene->comm, scene->tasks, KEEL_MPI_NOWAIT, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            scene_fetch(scene, task[i]);
        }
        for (uint64_t i = first; i < last; i++) {
            scene_wait_for(scene, task[i]);
            scene_execute(scene, task[i]);
        }
    }
    keel_mpi_loop_end(&loop);
    wait_for_all(scene);
    keel_mpi_wait(scene->comm);
    keel_mpi_loop_report(scene->comm, &report);
    scene->other_messages += report.messages;
}

struct told_task {
    double weight_s;
    uint32_t task;
};

static int heavier(const void *one, const void *other)
{
    const struct told_task *a = one, *b = other;

    if (a->weight_s != b->weight_s) {
        return a->weight_s < b->weight_s ? 1 : -1;
    }
    return a->task < b->task ? -1 : a->task > b->task;
}

static void order_by_weight(const struct scene *scene, uint32_t *task)
{
    struct told_task *told = malloc(scene->tasks * sizeof *told);

    for (uint32_t i = 0; i < scene->tasks; i++) {
        told[i] = (struct told_task){scene->weight_s[i], i};
    }
    qsort(told, scene->tasks, sizeof *told, heavier);
    for (uint32_t i = 0; i < scene->tasks; i++) {
        task[i] = told[i].task;
    }
    free(told);
}

static void run_ordered(struct scene *scene, bool by_weight)
{
    uint32_t *task = malloc(scene->tasks * sizeof *task);

    for (uint32_t i = 0; i < scene->tasks; i++) {
        task[i] = i;
    }
    if (by_weight) {
        order_by_weight(scene, task);
    }
    if (keel_mpi_set_schedule(scene->specification) == KEEL_MPI_OK) {
        work(scene, task);
    }
    free(task);
}

static void run(struct scene *scene)
{
    run_ordered(scene, false);
}

static void run_told(struct scene *scene)
{
    run_ordered(scene, true);
}

const struct policy policy_keel = {
    .name = "keel",
    .summary = "a loop that Keel shares",
    .poll = poll,
    .run = run,
};

const struct policy policy_keel_told = {
    .name = "keel-told",
    .summary = "the same; the heaviest tasks come first",
    .poll = poll,
    .run = run_told,
};
