/* Seeds that move between neighbours, as in Charm++: between tasks, a processor compares what it
 * has with its neighbours on a torus, and gives those below the average what they lack of it; one
 * that is idle asks its neighbours for a seed. What others send is handled between tasks only.
 *
 * "seed:random": every seed goes to a processor drawn by chance when it is created, and stays. */
#include <math.h>
#include <string.h>

#include "bench/papers_dir/prema05/policies/policy.h"
#include "bench/support/random.h"

enum {
    LOAD = SCENE_POLICY, /* number: of pending tasks */
    ASK
};

#define NEIGHBOURS_MAX 4
#define LEAST_OVERLOAD 2 /* tasks above the average */

static struct {
    int rank;
    uint32_t load; /* as it told, and what has been given to it since */
    bool asked;    /* since it told */
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
static void handle(struct scene *scene, const struct scene_message *message)
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

static void balance(struct scene *scene)
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

static void run(struct scene *scene)
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
            balance(scene);
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

const struct policy policy_seed = {
    .name = "seed",
    .summary = "neighbours level what they have between tasks",
    .handle = handle,
    .run = run,
};
