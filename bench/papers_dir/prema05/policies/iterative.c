/* Iterations with balancing in between, as in Charm++: all processors execute a part of their
 * tasks, wait for each other, and move objects by what was measured in the iteration that is over.
 *
 * What a task that has not been executed will take is not measured. Either it takes what the last
 * ones of its processor took on average; or ("iterative:objects") measurements are of objects,
 * so that only those that have been executed count. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/policies/policy.h"

#define ITERATIONS 4 /* the best choice, by the paper */

static int *owner;    /* of all tasks, executed or not */
static bool *left;    /* of tasks: it has not been executed */
static double *spent; /* by each task in the last iteration */

static void work(struct scene *scene, uint32_t iterations_left)
{
    uint32_t number = (scene->pending_count + iterations_left - 1) / iterations_left, task;

    memset(spent, 0, scene->tasks * sizeof *spent);
    for (; number > 0 && scene_next(scene, &task); number--) {
        double busy_s = scene->busy_s;
        scene_execute(scene, task);
        spent[task] = scene->busy_s - busy_s;
    }
}

/* All ranks know the same afterwards. */
static void tell_each_other(struct scene *scene)
{
    MPI_Allreduce(MPI_IN_PLACE, spent, (int)scene->tasks, MPI_DOUBLE, MPI_SUM, scene->comm);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        left[task] = left[task] && spent[task] == 0;
    }
}

/* Means over what each processor executed in the last iteration stand for what it has left. */
static void predict_by_processor(const struct scene *scene, double *predicted)
{
    double *sum = calloc((size_t)scene->ranks, sizeof *sum);
    uint32_t *number = calloc((size_t)scene->ranks, sizeof *number);

    for (uint32_t task = 0; task < scene->tasks; task++) {
        sum[owner[task]] += spent[task];
        number[owner[task]] += spent[task] > 0;
    }
    for (uint32_t task = 0; task < scene->tasks; task++) {
        int rank = owner[task];
        predicted[task] = left[task] && number[rank] > 0 ? sum[rank] / number[rank] : 0;
    }
    free(sum);
    free(number);
}

/* Objects of tasks that have been executed need not move any more, wherever they belong. */
static void move(struct scene *scene, const int *next)
{
    int *from = malloc(scene->tasks * sizeof *from);

    for (uint32_t task = 0; task < scene->tasks; task++) {
        from[task] = left[task] ? owner[task] : -1;
    }
    scene_rearrange(scene, from, next);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        owner[task] = left[task] ? next[task] : owner[task];
    }
    free(from);
}

static void balance(struct scene *scene)
{
    double *predicted = malloc(scene->tasks * sizeof *predicted);
    int *next = malloc(scene->tasks * sizeof *next);

    tell_each_other(scene);
    memcpy(predicted, spent, scene->tasks * sizeof *predicted);
    if (strcmp(scene->specification, "objects") != 0) {
        predict_by_processor(scene, predicted);
    }
    memcpy(next, owner, scene->tasks * sizeof *next);
    scene_spend(scene->costs.decision_s);
    partition_refine(scene->tasks, predicted, scene->ranks, next);
    move(scene, next);
    free(predicted);
    free(next);
}

static void run(struct scene *scene)
{
    owner = malloc(scene->tasks * sizeof *owner);
    left = malloc(scene->tasks * sizeof *left);
    spent = malloc(scene->tasks * sizeof *spent);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        owner[task] = scene_first_owner(scene, task);
        left[task] = true;
    }
    for (uint32_t iterations = ITERATIONS; iterations > 0; iterations--) {
        work(scene, iterations);
        if (iterations > 1) {
            balance(scene);
        }
    }
    free(owner);
    free(left);
    free(spent);
}

const struct policy policy_iterative = {
    .name = "iterative",
    .summary = "four iterations; tasks move in between, by what was measured",
    .run = run,
};
