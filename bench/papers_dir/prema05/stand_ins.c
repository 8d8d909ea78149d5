/* How the paper's rivals bring tasks to processors, written after what the paper says of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/scene.h"
#include "bench/support/support.h"

/* --- none: tasks stay where they are --- */

static void stay(struct scene *scene)
{
    uint32_t task;

    while (scene_next(scene, &task)) {
        scene_execute(scene, task);
    }
}

const struct policy policy_none = {.name = "none", .run = stay};

/* --- which processor is to have which task, for policies that stop all of them to decide --- */

static int *owner; /* of all tasks; repartition: -1 of those that were executed at the last stop */

#define LEAST_GAIN 1e-9 /* part of the larger load */

static void add_up(uint32_t tasks, const double *weight, const int *owner, double *load)
{
    for (uint32_t i = 0; i < tasks; i++) {
        if (owner[i] >= 0) {
            load[owner[i]] += weight[i];
        }
    }
}

static void find_extremes(int ranks, const double *load, int *most, int *least)
{
    *most = *least = 0;
    for (int rank = 1; rank < ranks; rank++) {
        *most = load[rank] > load[*most] ? rank : *most;
        *least = load[rank] < load[*least] ? rank : *least;
    }
}

/* The task of `most` after whose move the larger of both loads is least; tasks: none lowers it. */
static uint32_t best_move(uint32_t tasks, const double *weight, const int *owner, int most,
                          const double *load, int least)
{
    double larger = load[most] * (1 - LEAST_GAIN);
    uint32_t best = tasks;

    for (uint32_t i = 0; i < tasks; i++) {
        double after = fmax(load[most] - weight[i], load[least] + weight[i]);
        if (owner[i] == most && after < larger) {
            larger = after;
            best = i;
        }
    }
    return best;
}

/* Moves tasks from who has most to who has least, as long as that lowers the larger of their two
 * loads. owner[i]: of task i, in 0 .. ranks - 1; or negative: it is none of these any more. */
static void refine(uint32_t tasks, const double *weight, int ranks, int *owner)
{
    double *load = calloc((size_t)ranks, sizeof *load);
    uint32_t task;
    int most, least;

    add_up(tasks, weight, owner, load);
    for (;;) {
        find_extremes(ranks, load, &most, &least);
        task = best_move(tasks, weight, owner, most, load, least);
        if (task == tasks) {
            break;
        }
        load[most] -= weight[task];
        load[least] += weight[task];
        owner[task] = least;
    }
    free(load);
}

/* --- repartition: stop and repartition, as with ParMETIS ---
 *
 * A processor with too few tasks asks all to stop; they notice once they are through with their
 * task, send each other what is left, compute a new partition, move objects to where they belong,
 * and go on. The partition is by the true weights of tasks, from the fullest processor to the
 * emptiest as long as that helps, which is better than a partitioner as it has nothing else to
 * think of. */

enum {
    STOP = SCENE_POLICY /* number: of the stop, from 0 */
};

static uint32_t stop;  /* the next one */
static uint32_t asked; /* so many stops have been asked for */

static void take_stop(struct scene *scene, const struct scene_message *message)
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
static uint32_t tell_done(struct scene *scene)
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

static void repartition(struct scene *scene)
{
    int *next = malloc(scene->tasks * sizeof *next);

    memcpy(next, owner, scene->tasks * sizeof *next);
    scene_spend(scene->costs.decision_s);
    refine(scene->tasks, scene->weight_s, scene->ranks, next);
    scene_rearrange(scene, owner, next);
    free(owner);
    owner = next;
}

/* At least one task, so that there is an end. */
static void work_until_stop(struct scene *scene)
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

static void run_repartition(struct scene *scene)
{
    owner = malloc(scene->tasks * sizeof *owner);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        owner[task] = scene_first_owner(scene, task);
    }
    stop = asked = 0;
    for (;;) {
        work_until_stop(scene);
        if (tell_done(scene) == 0) {
            break;
        }
        stop++;
        repartition(scene);
    }
    free(owner);
}

const struct policy policy_repartition = {
    .name = "repartition", .handle = take_stop, .run = run_repartition};

/* --- iterative: iterations with balancing in between, as in Charm++ ---
 *
 * All processors execute a part of their tasks, wait for each other, and move objects by what was
 * measured in the iteration that is over. What a task that has not been executed will take is not
 * measured. Either it takes what the last ones of its processor took on average; or
 * ("iterative:objects") measurements are of objects, so that only those that have been executed
 * count. */

#define ITERATIONS 4 /* the best choice, by the paper */

static bool *left;    /* of tasks: it has not been executed */
static double *spent; /* by each task in the last iteration */

static void work_iteration(struct scene *scene, uint32_t iterations_left)
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
static void tell_spent(struct scene *scene)
{
    MPI_Allreduce(MPI_IN_PLACE, spent, (int)scene->tasks, MPI_DOUBLE, MPI_SUM, scene->comm);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        left[task] = left[task] && spent[task] == 0;
    }
}

/* Means over what each processor executed in the last iteration are taken for what it has left. */
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
static void move_left(struct scene *scene, const int *next)
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

    tell_spent(scene);
    memcpy(predicted, spent, scene->tasks * sizeof *predicted);
    if (strcmp(scene->specification, "objects") != 0) {
        predict_by_processor(scene, predicted);
    }
    memcpy(next, owner, scene->tasks * sizeof *next);
    scene_spend(scene->costs.decision_s);
    refine(scene->tasks, predicted, scene->ranks, next);
    move_left(scene, next);
    free(predicted);
    free(next);
}

static void run_iterative(struct scene *scene)
{
    owner = malloc(scene->tasks * sizeof *owner);
    left = malloc(scene->tasks * sizeof *left);
    spent = malloc(scene->tasks * sizeof *spent);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        owner[task] = scene_first_owner(scene, task);
        left[task] = true;
    }
    for (uint32_t iterations = ITERATIONS; iterations > 0; iterations--) {
        work_iteration(scene, iterations);
        if (iterations > 1) {
            balance(scene);
        }
    }
    free(owner);
    free(left);
    free(spent);
}

const struct policy policy_iterative = {.name = "iterative", .run = run_iterative};

/* --- seed: seeds that move between neighbours, as in Charm++ ---
 *
 * Between tasks, a processor compares what it has with its neighbours on a torus, and gives those
 * below the average what they lack of it; one that is idle asks its neighbours for a seed. What
 * others send is handled between tasks only. "seed:random": every seed goes to a processor drawn by
 * chance when it is created, and stays. */

enum {
    LOAD = SCENE_POLICY, /* number: of pending tasks */
    ASK
};

#define NEIGHBOURS_MAX 4
#define LEAST_OVERLOAD 2 /* tasks above the average */

static struct {
    int rank;
    uint32_t load; /* as it sent, and what has been given to it since */
    bool asked;    /* since it sent */
} neighbour[NEIGHBOURS_MAX];
static int neighbours;
static uint32_t load_told;

static void add_neighbour(const struct scene *scene, int rank)
{
    for (int i = 0; i < neighbours; i++) {
        if (neighbour[i].rank == rank) {
            return;
        }
    }
    if (rank != scene->rank) {
        neighbour[neighbours].rank = rank;
        neighbour[neighbours].load = scene->pending_count;
        neighbour[neighbours++].asked = false;
    }
}

/* The most square torus of all processors. */
static void find_neighbours(const struct scene *scene)
{
    int rows = (int)sqrt(scene->ranks), ranks = scene->ranks;

    while (ranks % rows != 0) {
        rows--;
    }
    int columns = ranks / rows, row = scene->rank / columns, column = scene->rank % columns;
    neighbours = 0;
    add_neighbour(scene, row * columns + (column + 1) % columns);
    add_neighbour(scene, row * columns + (column + columns - 1) % columns);
    add_neighbour(scene, (row + 1) % rows * columns + column);
    add_neighbour(scene, (row + rows - 1) % rows * columns + column);
}

static void ask(struct scene *scene, int which)
{
    if (scene->pending_count == 0 && !neighbour[which].asked) {
        neighbour[which].asked = true;
        scene_send(scene, neighbour[which].rank, (struct scene_message){.kind = ASK});
    }
}

/* Who asks gets one, but not the last. */
static void take_load(struct scene *scene, const struct scene_message *message)
{
    int which = 0;

    if (scene->ended || (message->kind != LOAD && message->kind != ASK)) {
        return;
    }
    while (neighbour[which].rank != (int)message->from) {
        which++;
    }
    if (message->kind == ASK && scene->pending_count > 1) {
        scene_give_last(scene, neighbour[which].rank);
        neighbour[which].load++;
    } else if (message->kind == LOAD) {
        neighbour[which].load = message->number;
        neighbour[which].asked = neighbour[which].asked && message->number <= 1;
    }
}

static void give(struct scene *scene, int which, uint32_t number)
{
    neighbour[which].load += number;
    for (; number > 0; number--) {
        scene_give_last(scene, neighbour[which].rank);
    }
}

/* Each gets an equal part of what it lacks, in whole seeds. */
static void level(struct scene *scene)
{
    uint32_t sum = scene->pending_count, below = 0;

    for (int i = 0; i < neighbours; i++) {
        sum += neighbour[i].load;
    }
    uint32_t average = 1 + sum / ((uint32_t)neighbours + 1);
    if (scene->pending_count < average + LEAST_OVERLOAD) {
        return;
    }
    for (int i = 0; i < neighbours; i++) {
        below += neighbour[i].load < average;
    }
    for (int i = 0; i < neighbours && scene->pending_count > average; i++) {
        uint32_t over = scene->pending_count - average;
        uint32_t lacks = neighbour[i].load < average ? average - neighbour[i].load : 0;
        give(scene, i, lacks / below < over ? lacks / below : over);
    }
}

static void tell_load(struct scene *scene)
{
    if (scene->pending_count == load_told) {
        return;
    }
    load_told = scene->pending_count;
    for (int i = 0; i < neighbours; i++) {
        scene_send(scene, neighbour[i].rank,
                   (struct scene_message){.kind = LOAD, .number = load_told});
    }
}

static void ask_all(struct scene *scene)
{
    for (int i = 0; i < neighbours; i++) {
        ask(scene, i);
    }
}

static void level_and_tell(struct scene *scene)
{
    level(scene);
    tell_load(scene);
}

static int drawn_rank(const struct scene *scene, uint32_t task)
{
    return (int)(random_bits((task + scene->chance * (scene->tasks + 1)) * RANDOM_STEP) %
                 (uint64_t)scene->ranks);
}

static void scatter(struct scene *scene)
{
    uint32_t number = scene->pending_count, task;

    for (; number > 0 && scene_next(scene, &task); number--) {
        scene_put_back(scene, task);
        if (drawn_rank(scene, task) != scene->rank) {
            scene_give_last(scene, drawn_rank(scene, task));
        }
    }
}

static void run_seed(struct scene *scene)
{
    bool scatters = strcmp(scene->specification, "random") == 0;
    uint32_t task;

    find_neighbours(scene);
    load_told = scene->pending_count;
    if (scatters) {
        scatter(scene);
    }
    while (!scene->ended) {
        scene_attend(scene);
        if (!scatters) {
            level_and_tell(scene);
        }
        if (scene_next(scene, &task)) {
            scene_spend(scene->costs.install_s);
            scene_execute(scene, task);
            continue;
        }
        scene_tell_executed(scene);
        if (!scatters) {
            ask_all(scene);
        }
        if (!scene->ended) {
            scene_wait(scene);
        }
    }
}

const struct policy policy_seed = {.name = "seed", .handle = take_load, .run = run_seed};
