/* Random, diffusion, complete redistribution and the gradient model. */
#include "schedules/balance/neighbours.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"

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

static void add(struct keel_neighbours_sum *sum, const struct keel_neighbours *balancers,
                const uint64_t *tasks, uint32_t worker)
{
    sum->tasks += (double)tasks[worker];
    sum->power += power_of(balancers, worker);
    sum->workers++;
}

struct keel_neighbours_sum keel_neighbours_sum(const struct keel_neighbours *balancers,
                                               const uint64_t *tasks)
{
    struct keel_neighbours_sum sum = {0};

    for (uint32_t w = 0; w < balancers->workers; w++) {
        add(&sum, balancers, tasks, w);
    }
    return sum;
}

static struct keel_neighbours_sum sum_of_all(const struct keel_neighbours *balancers,
                                             const uint64_t *tasks)
{
    return balancers->all != NULL ? *balancers->all : keel_neighbours_sum(balancers, tasks);
}

static uint32_t neighbour_of(const struct keel_neighbours *balancers, uint32_t worker, uint32_t n)
{
    return keel_neighbours_at(balancers->graph, balancers->workers, worker, n);
}

static uint32_t degree_of(const struct keel_neighbours *balancers, uint32_t worker)
{
    return keel_neighbours_degree(balancers->graph, balancers->workers, worker);
}

static struct keel_neighbours_sum sum_around(const struct keel_neighbours *balancers,
                                             const uint64_t *tasks, uint32_t worker)
{
    struct keel_neighbours_sum sum = {0};
    uint32_t degree = degree_of(balancers, worker);

    add(&sum, balancers, tasks, worker);
    for (uint32_t n = 0; n < degree; n++) {
        add(&sum, balancers, tasks, neighbour_of(balancers, worker, n));
    }
    return sum;
}

/* The ideal: PAPERS.md F2 */
static double share(const struct keel_neighbours_sum *sum, const struct keel_neighbours *balancers,
                    uint32_t worker)
{
    return sum->power > 0 ? sum->tasks * (power_of(balancers, worker) / sum->power)
                          : sum->tasks / sum->workers;
}

double keel_neighbours_ideal(const struct keel_neighbours *balancers, const uint64_t *tasks,
                             uint32_t worker)
{
    struct keel_neighbours_sum all = sum_of_all(balancers, tasks);

    return share(&all, balancers, worker);
}

double keel_neighbours_local_ideal(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                   uint32_t worker)
{
    struct keel_neighbours_sum around = sum_around(balancers, tasks, worker);

    return share(&around, balancers, worker);
}

void keel_neighbours_wanted(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t *wanted)
{
    struct keel_neighbours_sum all = sum_of_all(balancers, tasks);
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

/* --- random --- */

bool keel_neighbours_random(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint32_t worker, uint64_t step, struct keel_transfer *transfer)
{
    uint64_t degree = degree_of(balancers, worker);
    double limit = balancers->threshold * keel_neighbours_ideal(balancers, tasks, worker);
    double beyond = (double)tasks[worker] - limit;
    uint64_t sent = count_of(fmin(fmax(balancers->alpha, 0), 1) * beyond + 0.5);

    if (degree == 0 || sent == 0) {
        return false;
    }
    uint64_t chance =
        keel_chance_mix(keel_chance_mix(keel_chance_mix(balancers->seed) ^ step) ^ worker);
    uint32_t neighbour = (uint32_t)((chance >> 32) * degree >> 32);
    *transfer = (struct keel_transfer){worker, neighbour_of(balancers, worker, neighbour),
                                       min_u64(sent, tasks[worker])};
    return true;
}

/* --- diffusion --- */

/* A list that is being written. */
struct list {
    struct keel_transfer *transfer;
    size_t capacity, count;
};

static void append(struct list *list, uint32_t from, uint32_t to, uint64_t tasks)
{
    if (tasks == 0) {
        return;
    }
    if (list->count < list->capacity) {
        list->transfer[list->count] = (struct keel_transfer){from, to, tasks};
    }
    list->count++;
}

/* What neighbour n lacks of its share, and who it is. */
static double lack_of(const struct keel_neighbours *balancers, const uint64_t *tasks,
                      const struct keel_neighbours_sum *around, uint32_t neighbour)
{
    return fmax(0, share(around, balancers, neighbour) - (double)tasks[neighbour]);
}

size_t keel_neighbours_diffuse(const struct keel_neighbours *balancers, const uint64_t *tasks,
                               uint32_t worker, struct keel_transfer *transfer, size_t capacity)
{
    struct list list = {transfer, capacity, 0};
    struct keel_neighbours_sum around = sum_around(balancers, tasks, worker);
    double ideal = share(&around, balancers, worker), lack = 0, until = 0;
    uint64_t beyond = count_of((double)tasks[worker] - ideal), before = 0;
    uint32_t degree = degree_of(balancers, worker);

    if (!((double)tasks[worker] > balancers->threshold * ideal)) {
        return 0;
    }
    for (uint32_t n = 0; n < degree; n++) {
        lack += lack_of(balancers, tasks, &around, neighbour_of(balancers, worker, n));
    }
    for (uint32_t n = 0; n < degree; n++) {
        uint32_t neighbour = neighbour_of(balancers, worker, n);
        until += lack_of(balancers, tasks, &around, neighbour);
        uint64_t bound = min_u64(beyond, count_of((double)beyond * (until / lack) + 0.5));
        append(&list, worker, neighbour, bound - before);
        before = bound;
    }
    return list.count;
}

/* --- redistribution --- */

static int64_t surplus(const uint64_t *tasks, const uint64_t *wanted, uint32_t worker)
{
    return (int64_t)tasks[worker] - (int64_t)wanted[worker];
}

static void match(struct list *list, uint32_t workers, const uint64_t *tasks,
                  const uint64_t *wanted)
{
    int64_t given = 0, taken = 0; /* by the present sender, and by the present receiver */
    uint32_t receiver = 0;

    for (uint32_t sender = 0; sender < workers; sender++, given = 0) {
        while (surplus(tasks, wanted, sender) > given) {
            int64_t left = surplus(tasks, wanted, sender) - given;
            int64_t lack = -surplus(tasks, wanted, receiver) - taken;
            if (lack <= 0) {
                receiver++;
                taken = 0;
                continue;
            }
            int64_t some = left < lack ? left : lack;
            append(list, sender, receiver, (uint64_t)some);
            given += some;
            taken += some;
        }
    }
}

/* One worker's flows to its neighbours, as far as its tasks go. */
static void send(struct list *list, uint32_t worker, uint64_t *left, uint32_t to, int64_t flow)
{
    uint64_t some = flow > 0 ? min_u64((uint64_t)flow, *left) : 0;

    append(list, worker, to, some);
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

static void flow_in_ring(struct list *list, uint32_t workers, const uint64_t *tasks,
                         const uint64_t *wanted)
{
    int64_t before = closing_flow(workers, tasks, wanted);

    for (uint32_t w = 0; w < workers; w++) {
        int64_t after = before + surplus(tasks, wanted, w);
        uint64_t left = tasks[w];
        send(list, w, &left, (w > 0 ? w : workers) - 1, -before);
        send(list, w, &left, (w + 1) % workers, after);
        before = after;
    }
}

/* Column c's part of a flow, the same in each column but for a remainder. */
static int64_t column_part(int64_t flow, uint32_t columns, uint32_t column)
{
    int64_t rest = flow % columns;

    return flow / columns + (column < rest) - (column < -rest);
}

static void flow_in_mesh(struct list *list, uint32_t workers, const uint64_t *tasks,
                         const uint64_t *wanted)
{
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
            send(list, w, &left, w - columns, up);
            send(list, w, &left, w - 1, -before);
            send(list, w, &left, w + 1, after);
            send(list, w, &left, w + columns, down);
            before = after;
        }
        above = below;
    }
}

static bool any_beyond(const struct keel_neighbours *balancers, const uint64_t *tasks)
{
    struct keel_neighbours_sum all = sum_of_all(balancers, tasks);

    for (uint32_t w = 0; w < balancers->workers; w++) {
        if ((double)tasks[w] > balancers->threshold * share(&all, balancers, w)) {
            return true;
        }
    }
    return false;
}

size_t keel_neighbours_redistribute(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                    uint64_t *wanted, struct keel_transfer *transfer,
                                    size_t capacity)
{
    struct list list = {transfer, capacity, 0};

    if (!any_beyond(balancers, tasks)) {
        return 0;
    }
    keel_neighbours_wanted(balancers, tasks, wanted);
    switch (balancers->graph) {
    case KEEL_GRAPH_RING:
        flow_in_ring(&list, balancers->workers, tasks, wanted);
        break;
    case KEEL_GRAPH_MESH:
        flow_in_mesh(&list, balancers->workers, tasks, wanted);
        break;
    default:
        match(&list, balancers->workers, tasks, wanted);
    }
    return list.count;
}

/* --- the gradient model --- */

/* Whole tasks that the worker lacks of its ideal share; 0: it is not light. */
static uint64_t whole_lack(const struct keel_neighbours *balancers, const uint64_t *tasks,
                           uint32_t worker)
{
    double lack = keel_neighbours_ideal(balancers, tasks, worker) - (double)tasks[worker];

    return lack >= 1 ? count_of(lack) : 0;
}

/* The neighbour of the least proximity, the first of equal ones; the worker itself: it has none. */
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

uint64_t keel_neighbours_proximity(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                   const uint64_t *proximity, uint32_t worker)
{
    uint32_t nearest = nearest_of(balancers, proximity, worker);

    if (whole_lack(balancers, tasks, worker) > 0) {
        return 0;
    }
    return nearest == worker ? balancers->workers
                             : min_u64(balancers->workers, proximity[nearest] + 1);
}

/* Distances in a graph from several beginnings: what is wrong gets less in each pass. */
void keel_neighbours_proximities(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                 uint64_t *proximity)
{
    bool changed = true;

    for (uint32_t w = 0; w < balancers->workers; w++) {
        proximity[w] = whole_lack(balancers, tasks, w) > 0 ? 0 : balancers->workers;
    }
    while (changed) {
        changed = false;
        for (uint32_t w = 0; w < balancers->workers; w++) {
            uint64_t nearest = proximity[nearest_of(balancers, proximity, w)];
            if (nearest + 1 < proximity[w]) {
                proximity[w] = nearest + 1;
                changed = true;
            }
        }
    }
}

bool keel_neighbours_gradient(const struct keel_neighbours *balancers, const uint64_t *tasks,
                              const uint64_t *proximity, uint32_t worker,
                              struct keel_transfer *transfer)
{
    double ideal = keel_neighbours_ideal(balancers, tasks, worker);
    uint32_t to = nearest_of(balancers, proximity, worker);
    uint64_t beyond = count_of((double)tasks[worker] - ideal);

    if (!((double)tasks[worker] > balancers->threshold * ideal) || to == worker ||
        proximity[to] >= balancers->workers) {
        return false;
    }
    uint64_t lack = whole_lack(balancers, tasks, to);
    *transfer = (struct keel_transfer){worker, to, lack > 0 ? min_u64(lack, beyond) : beyond};
    return transfer->tasks > 0;
}

/* --- one step --- */

size_t keel_neighbours_list(const struct keel_neighbours *balancers, const uint64_t *tasks,
                            uint64_t step, uint64_t *wanted, struct keel_transfer *transfer,
                            size_t capacity)
{
    const struct keel_neighbours_sum all = sum_of_all(balancers, tasks);
    struct keel_neighbours known = *balancers;
    struct list list = {transfer, capacity, 0};
    struct keel_transfer one;

    known.all = &all;
    balancers = &known;
    if (balancers->kind == KEEL_NEIGHBOURS_REDISTRIBUTION) {
        return keel_neighbours_redistribute(balancers, tasks, wanted, transfer, capacity);
    }
    if (balancers->kind == KEEL_NEIGHBOURS_GRADIENT) {
        keel_neighbours_proximities(balancers, tasks, wanted);
    }
    for (uint32_t w = 0; w < balancers->workers; w++) {
        size_t written = list.count < capacity ? list.count : capacity;
        if (balancers->kind == KEEL_NEIGHBOURS_GRADIENT) {
            if (keel_neighbours_gradient(balancers, tasks, wanted, w, &one)) {
                append(&list, one.from, one.to, one.tasks);
            }
        } else if (balancers->kind == KEEL_NEIGHBOURS_DIFFUSION) {
            list.count += keel_neighbours_diffuse(balancers, tasks, w, &transfer[written],
                                                  capacity - written);
        } else if (keel_neighbours_random(balancers, tasks, w, step, &one)) {
            append(&list, one.from, one.to, one.tasks);
        }
    }
    return list.count;
}

void keel_neighbours_apply(uint64_t *tasks, const struct keel_transfer *transfer, size_t transfers)
{
    for (size_t i = 0; i < transfers; i++) {
        tasks[transfer[i].from] -= transfer[i].tasks;
        tasks[transfer[i].to] += transfer[i].tasks;
    }
}

/* --- time --- */

/* The time of a step: PAPERS.md F6 */
static double time_of(uint64_t tasks, double task, double power)
{
    return tasks > 0 ? (double)tasks * task / power : 0;
}

double keel_neighbours_step_time(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                 double task, const double *balancing_s)
{
    double longest = 0;

    for (uint32_t w = 0; w < balancers->workers; w++) {
        double time_s = time_of(tasks[w], task, power_of(balancers, w));
        longest = fmax(longest, time_s + (balancing_s != NULL ? balancing_s[w] : 0));
    }
    return longest;
}

double keel_neighbours_ideal_time(const struct keel_neighbours *balancers, const uint64_t *tasks,
                                  double task)
{
    struct keel_neighbours_sum all = sum_of_all(balancers, tasks);

    return time_of((uint64_t)all.tasks, task, all.power);
}
