/* Stop and repartition, as with ParMETIS: a processor with too few tasks asks all to stop; they
 * notice once they are through with their task, tell each other what is left, compute a new
 * partition, move objects to where they belong, and go on.
 *
 * The partition is by the true weights of tasks. "repartition:scotch" has it from Scotch, of the
 * graph of tasks that are left, and with regard to where they are; "repartition" moves tasks from
 * the fullest processor to the emptiest as long as that helps, which is a stand-in, and better than
 * a partitioner as it has nothing else to think of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/policies/policy.h"

enum {
    STOP = SCENE_POLICY /* number: of the stop, from 0 */
};

static int *owner;     /* of tasks that were left at the last stop; -1: of those executed */
static uint32_t stop;  /* the next one */
static uint32_t asked; /* so many stops have been asked for */

static void handle(struct scene *scene, const struct scene_message *message)
{
    (void)scene;
    if (message->kind == STOP && message->number >= asked) {
        asked = message->number + 1;
    }
}

static void ask_to_stop(struct scene *scene)
{
    for (int rank = 0; rank < scene->ranks; rank++) {
        if (rank != scene->rank) {
            scene_send(scene, rank, (struct scene_message){.kind = STOP, .number = stop});
        }
    }
    asked = stop + 1;
}

/* How many tasks are left in all. */
static uint32_t tell_each_other(struct scene *scene)
{
    unsigned char *done = calloc(scene->tasks, 1);
    uint32_t left = 0;

    MPI_Allreduce(scene->times, done, (int)scene->tasks, MPI_UNSIGNED_CHAR, MPI_SUM, scene->comm);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        owner[task] = done[task] ? -1 : owner[task];
        left += done[task] == 0;
    }
    free(done);
    return left;
}

/* By rank 0, which tells the others. */
static void partition_by_scotch(struct scene *scene, int *next)
{
    if (scene->rank == 0 &&
        !scotch_repartition(scene->tasks, scene->weight_s, owner, scene->ranks, next)) {
        fprintf(stderr, "objects: libscotch is not there, or failed; nothing more is run\n");
        MPI_Abort(scene->comm, 5);
    }
    MPI_Bcast(next, (int)scene->tasks, MPI_INT, 0, scene->comm);
}

static void move(struct scene *scene)
{
    int *next = malloc(scene->tasks * sizeof *next);

    memcpy(next, owner, scene->tasks * sizeof *next);
    scene_spend(scene->costs.decision_s);
    if (strcmp(scene->specification, "scotch") == 0) {
        partition_by_scotch(scene, next);
    } else {
        partition_refine(scene->tasks, scene->weight_s, scene->ranks, next);
    }
    scene_rearrange(scene, owner, next);
    free(owner);
    owner = next;
}

/* At least one task, so that there is an end. */
static void work(struct scene *scene)
{
    uint32_t task;

    while (scene_next(scene, &task)) {
        scene_execute(scene, task);
        scene_attend(scene);
        if (asked > stop || scene->pending_count < scene->threshold) {
            break;
        }
    }
    scene_attend(scene);
    if (asked <= stop) {
        ask_to_stop(scene);
    }
}

static void run(struct scene *scene)
{
    owner = malloc(scene->tasks * sizeof *owner);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        owner[task] = scene_first_owner(scene, task);
    }
    stop = asked = 0;
    for (;;) {
        work(scene);
        if (tell_each_other(scene) == 0) {
            break;
        }
        stop++;
        move(scene);
    }
    free(owner);
}

const struct policy policy_repartition = {
    .name = "repartition",
    .summary = "an idle processor stops all, and what is left is partitioned anew",
    .handle = handle,
    .run = run,
};
