/* Tasks of unequal weight on many processors, under simulation (PAPERS.md R7 to R9).
 *
 *   objects NAME=VALUE... POLICY... NAME=VALUE... POLICY...
 *
 * Runs each policy with what has been set before it, and prints a line:
 *
 *   run POLICY ranks tasks/rank weights quantum time ideal migrated messages once
 *
 * time: until the last task was done, s; ideal: all work over all processors; once: whether each
 * task was executed once.
 *
 * Hosts have to have 1e9 operations a second. What messages take is the simulator's to know. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/run.h"
#include "bench/papers_dir/prema05/scene.h"
#include "bench/papers_dir/prema05/tasks.h"

static const struct policy *const policies[] = {
    &policy_none,  &policy_repartition, &policy_iterative, &policy_seed,
    &policy_prema, &policy_keel,        &policy_mobile,
};

static const struct policy *find(const char *text)
{
    size_t length = strcspn(text, ":");

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strlen(policies[i]->name) == length && strncmp(policies[i]->name, text, length) == 0) {
            return policies[i];
        }
    }
    return NULL;
}

/* --- a run --- */

static void prepare(struct scene *scene, const char *text, const struct policy *policy)
{
    const char *colon = strchr(text, ':');

    *scene = (struct scene){
        .specification = colon != NULL ? colon + 1 : "",
        .quantum_s = set.quantum,
        .threshold = (uint32_t)set.threshold,
        .neighbours = (uint32_t)set.neighbours,
        .object_bytes = (size_t)set.object_bytes,
        .messages = (uint32_t)set.messages,
        .message_bytes = (size_t)set.message_bytes,
        .chance = (uint64_t)set.chance,
        .costs = {set.context, set.poll, set.decision, set.install, set.pack},
        .poll = policy->poll,
        .handle = policy->handle,
    };
    MPI_Comm_dup(MPI_COMM_WORLD, &scene->comm);
    MPI_Comm_rank(scene->comm, &scene->rank);
    MPI_Comm_size(scene->comm, &scene->ranks);
    scene->tasks = (uint32_t)set.tasks * (uint32_t)scene->ranks;
}

static bool each_once(const struct scene *scene)
{
    unsigned char *sum = calloc(scene->tasks, 1);
    bool once = true;

    MPI_Allreduce(scene->times, sum, (int)scene->tasks, MPI_UNSIGNED_CHAR, MPI_SUM, scene->comm);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        once = once && sum[task] == 1;
    }
    free(sum);
    return once;
}

static void print_run(const struct scene *scene, const char *text, bool once)
{
    double last_s;
    uint64_t counts[2] = {scene->migrated, scene->sent + scene->other_messages}, sum[2];

    MPI_Reduce(&scene->last_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, 0, scene->comm);
    MPI_Reduce(counts, sum, 2, MPI_UINT64_T, MPI_SUM, 0, scene->comm);
    if (scene->rank == 0) {
        printf("run %s %d %.0f %s %g %.4f %.4f %lu %lu %s\n", text, scene->ranks, set.tasks,
               set.weights, set.quantum, last_s, set.work, (unsigned long)sum[0],
               (unsigned long)sum[1], once ? "once" : "WRONG");
    }
}

static bool run(const char *text, const struct policy *policy)
{
    struct scene scene;

    prepare(&scene, text, policy);
    double *weight_s = calloc(scene.tasks + 1, sizeof *weight_s);
    bool fine = scene.message_bytes <= SCENE_OBJECT_MAX && scene.tasks > 0 &&
                scene.neighbours > 0 && scene.quantum_s > 0 &&
                weights_make(set.weights, scene.tasks, set.work * scene.ranks, weight_s) &&
                (set.classes != 2 || weights_two_classes(scene.tasks, weight_s));
    if (fine) {
        scene.weight_s = weight_s;
        scene_begin(&scene);
        policy->run(&scene);
        fine = each_once(&scene);
        print_run(&scene, text, fine);
        scene_end(&scene);
    } else if (scene.rank == 0) {
        fprintf(stderr, "objects: %s: weights=%s or a number cannot be used; it is not run\n", text,
                set.weights);
    }
    free(weight_s);
    MPI_Comm_free(&scene.comm);
    return fine;
}

int main(int argc, char **argv)
{
    bool fine = true;

    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        const struct policy *policy = find(argv[i]);
        if (policy != NULL) {
            fine = run(argv[i], policy) && fine;
        } else if (!settings_take(settings, argv[i])) {
            fprintf(stderr, "objects: '%s' is no policy and no setting; nothing more is run\n",
                    argv[i]);
            fine = false;
            break;
        }
        fflush(stdout);
    }
    MPI_Finalize();
    return fine ? 0 : 1;
}
