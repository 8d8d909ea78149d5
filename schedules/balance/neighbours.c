/* Random, diffusion, complete redistribution and the gradient model. */
#include "schedules/balance/neighbours.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/moves.h"

/* The paper's best parameters: PAPERS.md F8 */
static const struct {
    uint32_t workers;
    double alpha, random, diffusion, redistribution;
} best[] = {
    {2, 0.9, 1.0, 1.0, 1.1},
    {4, 0.7, 1.0, 1.1, 1.2},
    {8, 0.5, 1.1, 1.2, 1.3},
    {16, 0.5, 1.2, 1.2, 1.4},
};

void keel_neighbours_set_best(struct keel_neighbours *balancers)
{
    size_t row = 0;

    while (row + 1 < sizeof(best) / sizeof(best[0]) && best[row].workers < balancers->workers) {
        row++;
    }
    const double threshold[] = {
        [KEEL_NEIGHBOURS_RANDOM] = best[row].random,
        [KEEL_NEIGHBOURS_DIFFUSION] = best[row].diffusion,
        [KEEL_NEIGHBOURS_REDISTRIBUTION] = best[row].redistribution,
        [KEEL_NEIGHBOURS_GRADIENT] = 1,
    };
    balancers->alpha = best[row].alpha;
    balancers->threshold = threshold[balancers->kind];
}

/* --- the graph --- */

/* The largest divisor up to the square root is the number of rows. */
static uint32_t mesh_columns(uint32_t workers)
{
    uint32_t rows = (uint32_t)sqrt(workers);

    while (workers % rows != 0) {
        rows--;
    }
    return workers / rows;
}

/* Writes the neighbours in a mesh and returns how many there are. */
static uint32_t mesh_neighbours(uint32_t workers, uint32_t worker, uint32_t neighbour[4])
{
    uint32_t columns = mesh_columns(workers), column = worker % columns, count = 0;

    if (worker >= columns) {
        neighbour[count++] = worker - columns;
    }
    if (column > 0) {
        neighbour[count++] = worker - 1;
    }
    if (column + 1 < columns) {
        neighbour[count++] = worker + 1;
    }
    if (worker < workers - columns) {
        neighbour[count++] = worker + columns;
    }
    return count;
}

uint32_t keel_neighbours_degree(enum keel_graph graph, uint32_t workers, uint32_t worker)
{
    uint32_t neighbour[4];

    switch (graph) {
    case KEEL_GRAPH_RING:
        return workers > 2 ? 2 : workers - 1;
    case KEEL_GRAPH_MESH:
        return mesh_neighbours(workers, worker, neighbour);
    default:
        return workers - 1;
    }
}

uint32_t keel_neighbours_at(enum keel_graph graph, uint32_t workers, uint32_t worker,
                            uint32_t neighbour)
{
    uint32_t all[4];

    switch (graph) {
    case KEEL_GRAPH_RING:
        return neighbour == 0 ? (worker > 0 ? worker : workers) - 1 : (worker + 1) % workers;
    case KEEL_GRAPH_MESH:
        mesh_neighbours(workers, worker, all);
        return all[neighbour];
    default:
        return neighbour + (neighbour >= worker);
    }
}

/* --- ideals --- */

static double power_of(const struct keel_neighbours *balancers, uint32_t worker)
{
    double power = balancers->power != NULL ? balancers->power[worker] : 1;

    return power > 0 && !isinf(power) ? power : 0;
}

/* Of some workers: their tasks, their power, and their number. */
struct sum {
    double tasks, power, workers;
};

static void add(struct sum *sum, const struct keel_neighbours *balancers, const uint64_t *tasks,
                uint32_t worker)
{
    sum->tasks += (double)tasks[worker];
    sum->power += power_of(balancers, worker);
    sum->workers++;
}

static struct sum sum_of_all(const struct keel_neighbours *balancers, const uint64_t *tasks)
{
    struct sum sum = {0};

    for (uint32_t w = 0; w < balancers->workers; w++) {
        add(&sum, balancers, tasks, w);
    }
    return sum;
}

static uint32_t neighbour_of(const struct keel_neighbours *balancers, uint32_t worker, uint32_t n)
{
    return keel_neighbours_at(balancers->graph, balancers->workers, worker, n);
}

static uint32_t degree_of(const struct keel_neighbours *balancers, uint32_t worker)
{
    return keel_neighbours_degree(balancers->graph, balancers->workers, worker);
}

static struct sum sum_around(const struct keel_neighbours *balancers, const uint64_t *tasks,
                             uint32_t worker)
{
    struct sum sum = {0};
    uint32_t degree = degree_of(balancers, worker);

    add(&sum, balancers, tasks, worker);
    for (uint32_t n = 0; n < degree; n++) {
        add(&sum, balancers, tasks, neighbour_of(balancers, worker, n));
    }
    return sum;
}

/* The ideal: PAPERS.md F2 */
static double share(const struct sum *sum, const struct keel_neighbours *balancers, uint32_t worker)
{
    return sum->power > 0 ? sum->tasks * (power_of(balancers, worker) / sum->power)
                          : sum->tasks / sum->workers;
}

void keel_neighbours_wanted(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t *wanted)
{
    struct sum all = sum_of_all(balancers, tasks);
    double until = 0;
    uint64_t before = 0;

    for (uint32_t w = 0; w < balancers->workers; w++) {
        until += share(&all, balancers, w);
        uint64_t bound = w + 1 < balancers->workers ? count_of(fmin(until + 0.5, all.tasks))
                                                    : (uint64_t)all.tasks;
        wanted[w] = bound - before;
        before = bound;
    }
}

/* --- one step --- */

/* A step: its input, and the function that gets its transfers. */
struct step {
    const struct keel_neighbours *balancers;
    const uint64_t *tasks;
    struct sum all;
    void (*take)(void *context, const struct keel_transfer *transfer);
    void *context;
};

static void send(const struct step *step, uint32_t from, uint32_t to, uint64_t tasks)
{
    if (tasks > 0) {
        step->take(step->context, &(struct keel_transfer){from, to, tasks});
    }
}

static double ideal_of(const struct step *step, uint32_t worker)
{
    return share(&step->all, step->balancers, worker);
}

/* F3: the part alpha of what is beyond w* = threshold wbar, to the nearest. */
static void send_at_random(const struct step *step, uint64_t number, uint32_t worker)
{
    const struct keel_neighbours *balancers = step->balancers;
    uint64_t tasks = step->tasks[worker], degree = degree_of(balancers, worker);
    double beyond = (double)tasks - balancers->threshold * ideal_of(step, worker);
    uint64_t sent = count_of(fmin(fmax(balancers->alpha, 0), 1) * beyond + 0.5);
    uint64_t chance =
        keel_chance_mix(keel_chance_mix(keel_chance_mix(balancers->seed) ^ number) ^ worker);
    uint32_t neighbour = (uint32_t)((chance >> 32) * degree >> 32);

    if (degree > 0) {
        send(step, worker, neighbour_of(balancers, worker, neighbour), min_u64(sent, tasks));
    }
}

/* --- diffusion --- */

/* The tasks that `neighbour` lacks of its share. */
static double lack_of(const struct keel_neighbours *balancers, const uint64_t *tasks,
                      const struct sum *around, uint32_t neighbour)
{
    return fmax(0, share(around, balancers, neighbour) - (double)tasks[neighbour]);
}

/* F4: where it has more than w* = threshold wtilde, the whole tasks beyond wtilde, to each
 * neighbour j below its share wtilde_i C_j / C_i in proportion to what it lacks, and less than one
 * task more than that. */
static void diffuse(const struct step *step, uint32_t worker)
{
    const struct keel_neighbours *balancers = step->balancers;
    const uint64_t *tasks = step->tasks;
    struct sum around = sum_around(balancers, tasks, worker);
    double ideal = share(&around, balancers, worker), lack = 0, until = 0;
    uint64_t beyond = count_of((double)tasks[worker] - ideal), before = 0;
    uint32_t degree = degree_of(balancers, worker);

    if (!((double)tasks[worker] > balancers->threshold * ideal)) {
        return;
    }
    for (uint32_t n = 0; n < degree; n++) {
        lack += lack_of(balancers, tasks, &around, neighbour_of(balancers, worker, n));
    }
    for (uint32_t n = 0; n < degree; n++) {
        uint32_t neighbour = neighbour_of(balancers, worker, n);
        until += lack_of(balancers, tasks, &around, neighbour);
        uint64_t bound = min_u64(beyond, count_of((double)beyond * (until / lack) + 0.5));
        send(step, worker, neighbour, bound - before);
        before = bound;
    }
}

/* --- redistribution --- */

static int64_t surplus(const uint64_t *tasks, const uint64_t *wanted, uint32_t worker)
{
    return (int64_t)tasks[worker] - (int64_t)wanted[worker];
}

/* Sends one flow of a worker, as far as its tasks last. */
static void flow_to(const struct step *step, uint32_t worker, uint64_t *left, uint32_t to,
                    int64_t flow)
{
    uint64_t some = flow > 0 ? min_u64((uint64_t)flow, *left) : 0;

    send(step, worker, to, some);
    *left -= some;
}

/* How many partial sums of surplus are at most `limit`. */
static uint32_t sums_up_to(int64_t limit, uint32_t workers, const uint64_t *tasks,
                           const uint64_t *wanted)
{
    int64_t sum = 0;
    uint32_t count = 0;

    for (uint32_t w = 0; w < workers; w++) {
        sum += surplus(tasks, wanted, w);
        count += sum <= limit;
    }
    return count;
}

/* The flow from the last worker to the first. The flow from worker w on is this plus the partial
 * sum of surplus up to w, so the sum of flows is least for minus the median of these. */
static int64_t closing_flow(uint32_t workers, const uint64_t *tasks, const uint64_t *wanted)
{
    int64_t low = -((int64_t)1 << 53), high = (int64_t)1 << 53;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (2 * (uint64_t)sums_up_to(middle, workers, tasks, wanted) >= workers) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return -low;
}

static void flow_in_ring(const struct step *step, const uint64_t *wanted)
{
    const uint64_t *tasks = step->tasks;
    uint32_t workers = step->balancers->workers;
    int64_t before = closing_flow(workers, tasks, wanted);

    for (uint32_t w = 0; w < workers; w++) {
        int64_t after = before + surplus(tasks, wanted, w);
        uint64_t left = tasks[w];
        flow_to(step, w, &left, (w > 0 ? w : workers) - 1, -before);
        flow_to(step, w, &left, (w + 1) % workers, after);
        before = after;
    }
}

/* Column c's part of a flow, equal for all columns but for a remainder. */
static int64_t column_part(int64_t flow, uint32_t columns, uint32_t column)
{
    int64_t rest = flow % columns;

    return flow / columns + (column < rest) - (column < -rest);
}

static void flow_in_mesh(const struct step *step, const uint64_t *wanted)
{
    const uint64_t *tasks = step->tasks;
    uint32_t workers = step->balancers->workers;
    uint32_t columns = mesh_columns(workers);
    int64_t above = 0; /* the flow into this row from the one above */

    for (uint32_t row = 0; row < workers; row += columns) {
        int64_t below = above, before = 0;
        for (uint32_t c = 0; c < columns; c++) {
            below += surplus(tasks, wanted, row + c);
        }
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t w = row + c;
            int64_t up = -column_part(above, columns, c), down = column_part(below, columns, c);
            int64_t after = before + surplus(tasks, wanted, w) - up - down;
            uint64_t left = tasks[w];
            flow_to(step, w, &left, w - columns, up);
            flow_to(step, w, &left, w - 1, -before);
            flow_to(step, w, &left, w + 1, after);
            flow_to(step, w, &left, w + columns, down);
            before = after;
        }
        above = below;
    }
}

static bool any_beyond(const struct step *step)
{
    for (uint32_t w = 0; w < step->balancers->workers; w++) {
        if ((double)step->tasks[w] > step->balancers->threshold * ideal_of(step, w)) {
            return true;
        }
    }
    return false;
}

/* F5: if any worker has more than w* = threshold wbar, makes the transfers that lead to the wanted
 * shares. Among all: at once, the first surplus to the first shortage, at most P - 1. In a ring:
 * with the least sum of tasks times steps, at most P. In a mesh: along columns, equally in each,
 * and along rows, at most 2 P. Tasks that have to pass through a worker need more steps, each of
 * which computes them anew. */
static void redistribute(const struct step *step, uint64_t *wanted)
{
    if (!any_beyond(step)) {
        return;
    }
    keel_neighbours_wanted(step->balancers, step->tasks, wanted);
    switch (step->balancers->graph) {
    case KEEL_GRAPH_RING:
        flow_in_ring(step, wanted);
        break;
    case KEEL_GRAPH_MESH:
        flow_in_mesh(step, wanted);
        break;
    default: {
        struct keel_moves_walk walk = {step->balancers->workers, step->tasks, wanted, 0, 0, 0, 0};
        for (struct keel_move move; keel_moves_any_next(&walk, &move);) {
            send(step, move.from, move.to, move.rows);
        }
    }
    }
}

/* --- the gradient model --- */

/* Whole tasks that the worker lacks of its ideal share; 0 if it is not light. */
static uint64_t whole_lack(const struct step *step, uint32_t worker)
{
    double lack = ideal_of(step, worker) - (double)step->tasks[worker];

    return lack >= 1 ? count_of(lack) : 0;
}

/* The neighbour of the least proximity, the first of equal ones; without neighbours, `worker`. */
static uint32_t nearest_of(const struct keel_neighbours *balancers, const uint64_t *proximity,
                           uint32_t worker)
{
    uint32_t degree = degree_of(balancers, worker), nearest = worker;

    for (uint32_t n = 0; n < degree; n++) {
        uint32_t neighbour = neighbour_of(balancers, worker, n);
        if (nearest == worker || proximity[neighbour] < proximity[nearest]) {
            nearest = neighbour;
        }
    }
    return nearest;
}

/* The proximity of a worker is 0 if it is light, that is, if it lacks a whole task of its ideal
 * share; otherwise one more than the least of its neighbours', and at most P, which means that
 * there is no light worker. These are distances in a graph with several starts: each pass lowers
 * those that are too large. */
static void set_proximities(const struct step *step, uint64_t *proximity)
{
    uint32_t workers = step->balancers->workers;
    bool changed = true;

    for (uint32_t w = 0; w < workers; w++) {
        proximity[w] = whole_lack(step, w) > 0 ? 0 : workers;
    }
    while (changed) {
        changed = false;
        for (uint32_t w = 0; w < workers; w++) {
            uint64_t nearest = proximity[nearest_of(step->balancers, proximity, w)];
            if (nearest + 1 < proximity[w]) {
                proximity[w] = nearest + 1;
                changed = true;
            }
        }
    }
}

/* If the worker has more than w* = threshold wbar and there is a light one, sends the whole tasks
 * beyond wbar to the neighbour of the least proximity, the first of equal ones; a light one gets no
 * more than it lacks. (The paper moves a task at a time, and does not compare powers.) */
static void send_to_the_light(const struct step *step, const uint64_t *proximity, uint32_t worker)
{
    const struct keel_neighbours *balancers = step->balancers;
    double tasks = (double)step->tasks[worker], ideal = ideal_of(step, worker);
    uint32_t to = nearest_of(balancers, proximity, worker);
    uint64_t beyond = count_of(tasks - ideal), lack = whole_lack(step, to);

    if (tasks > balancers->threshold * ideal && to != worker &&
        proximity[to] < balancers->workers) {
        send(step, worker, to, lack > 0 ? min_u64(lack, beyond) : beyond);
    }
}

/* --- all transfers --- */

void keel_neighbours_step(const struct keel_neighbours *balancers, const uint64_t *tasks,
                          uint64_t number, uint64_t *room,
                          void (*take)(void *context, const struct keel_transfer *transfer),
                          void *context)
{
    const struct step step = {balancers, tasks, sum_of_all(balancers, tasks), take, context};

    if (balancers->kind == KEEL_NEIGHBOURS_REDISTRIBUTION) {
        redistribute(&step, room);
        return;
    }
    if (balancers->kind == KEEL_NEIGHBOURS_GRADIENT) {
        set_proximities(&step, room);
    }
    for (uint32_t w = 0; w < balancers->workers; w++) {
        if (balancers->kind == KEEL_NEIGHBOURS_GRADIENT) {
            send_to_the_light(&step, room, w);
        } else if (balancers->kind == KEEL_NEIGHBOURS_DIFFUSION) {
            diffuse(&step, w);
        } else {
            send_at_random(&step, number, w);
        }
    }
}

/* A list that is being written. */
struct list {
    struct keel_transfer *transfer;
    size_t capacity, count;
};

static void append(void *context, const struct keel_transfer *transfer)
{
    struct list *list = context;

    if (list->count < list->capacity) {
        list->transfer[list->count] = *transfer;
    }
    list->count++;
}

size_t keel_neighbours_list(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t number, uint64_t *room, struct keel_transfer *transfer,
                            size_t capacity)
{
    struct list list = {transfer, capacity, 0};

    keel_neighbours_step(balancers, tasks, number, room, append, &list);
    return list.count;
}

void keel_neighbours_apply(uint64_t *tasks, const struct keel_transfer *transfer, size_t transfers)
{
    for (size_t i = 0; i < transfers; i++) {
        tasks[transfer[i].from] -= transfer[i].tasks;
        tasks[transfer[i].to] += transfer[i].tasks;
    }
}
