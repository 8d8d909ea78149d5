/* Tasks as iterations of a shared loop of Keel's, by any KEEL_MPI_SCHEDULE: "keel:tree". Blocks of
 * iterations are those that processors begin with anyhow. Objects of others are fetched, with their
 * bytes: those of a chunk are asked for together, before the first of it is executed. */
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

static void work(struct scene *scene)
{
    struct keel_mpi_loop *loop;
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    uint64_t first, last;

    keel_mpi_loop_begin(scene->comm, scene->tasks, KEEL_MPI_NOWAIT, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            scene_fetch(scene, (uint32_t)i);
        }
        for (uint64_t i = first; i < last; i++) {
            scene_wait_for(scene, (uint32_t)i);
            scene_execute(scene, (uint32_t)i);
        }
    }
    keel_mpi_loop_end(&loop);
    wait_for_all(scene);
    keel_mpi_wait(scene->comm);
    keel_mpi_loop_report(scene->comm, &report);
    scene->other_messages += report.messages;
}

static void run(struct scene *scene)
{
    if (keel_mpi_set_schedule(scene->specification) == KEEL_MPI_OK) {
        work(scene);
    }
}

const struct policy policy_keel = {
    .name = "keel",
    .summary = "a loop that Keel shares",
    .poll = poll,
    .run = run,
};
