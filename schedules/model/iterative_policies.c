/* The policies of the matrix iterative model. */
#include "schedules/model/iterative.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/cluster_tree.h"
#include "schedules/balance/moves.h"

/* --- policies of neighbours.h --- */

static size_t list_by(enum keel_neighbours_kind kind, const struct keel_iterative_view *view,
                      struct keel_transfer *transfer, size_t capacity)
{
    struct keel_neighbours balancers = {
        .kind = kind,
        .graph = view->rule->graph,
        .workers = view->workers,
        .power = view->power,
        .seed = view->seed,
    };

    keel_neighbours_set_best(&balancers);
    if (view->rule->threshold > 0) {
        balancers.threshold = view->rule->threshold;
    }
    if (view->rule->alpha > 0) {
        balancers.alpha = view->rule->alpha;
    }
    return keel_neighbours_list(&balancers, view->tasks, view->step, view->scratch, transfer,
                                capacity);
}

static size_t list_random(const struct keel_iterative_view *view, struct keel_transfer *transfer,
                          size_t capacity)
{
    return list_by(KEEL_NEIGHBOURS_RANDOM, view, transfer, capacity);
}

static size_t list_diffusion(const struct keel_iterative_view *view, struct keel_transfer *transfer,
                             size_t capacity)
{
    return list_by(KEEL_NEIGHBOURS_DIFFUSION, view, transfer, capacity);
}

static size_t list_redistribution(const struct keel_iterative_view *view,
                                  struct keel_transfer *transfer, size_t capacity)
{
    return list_by(KEEL_NEIGHBOURS_REDISTRIBUTION, view, transfer, capacity);
}

/* Random, rate, tree: at most one for each worker. */
static size_t one_each(enum keel_graph graph, uint32_t workers)
{
    (void)graph;
    return workers;
}

/* Among all, senders have more than their share and receivers less: no worker is both. */
static size_t some_to_neighbours(enum keel_graph graph, uint32_t workers)
{
    return graph == KEEL_GRAPH_RING   ? 2 * (size_t)workers
           : graph == KEEL_GRAPH_MESH ? 4 * (size_t)workers
                                      : (size_t)workers * workers / 4;
}

static size_t two_each(enum keel_graph graph, uint32_t workers)
{
    (void)graph;
    return 2 * (size_t)workers;
}

static size_t wanted_bytes(uint32_t workers)
{
    return workers * sizeof(uint64_t);
}

/* --- policies that want shares, all at once --- */

static double longest(const struct keel_iterative_view *view, const uint64_t *tasks)
{
    double result = 0;

    for (uint32_t w = 0; w < view->workers; w++) {
        if (tasks[w] > 0) {
            result = fmax(result, (double)tasks[w] / view->power[w]);
        }
    }
    return result;
}

/* The threshold: PAPERS.md S11 */
static bool gains_enough(const struct keel_iterative_view *view, const uint64_t *wanted)
{
    double present = longest(view, view->tasks), after = longest(view, wanted);

    return after < present && 1 - after / present >= view->rule->gain;
}

/* Transfers from surplus to shortage, if the gain reaches rule->gain. */
static size_t list_to(const struct keel_iterative_view *view, const uint64_t *wanted,
                      struct keel_move *move, struct keel_transfer *transfer, size_t capacity)
{
    if (!gains_enough(view, wanted)) {
        return 0;
    }
    size_t moves = keel_moves_any(view->workers, view->tasks, wanted, move);
    for (size_t i = 0; i < moves && i < capacity; i++) {
        transfer[i] = (struct keel_transfer){move[i].from, move[i].to, move[i].rows};
    }
    return moves;
}

static size_t list_rate(const struct keel_iterative_view *view, struct keel_transfer *transfer,
                        size_t capacity)
{
    struct keel_neighbours balancers = {.workers = view->workers, .power = view->power};
    char *scratch = view->scratch;
    struct keel_move *move = scratch_take(&scratch, view->workers, sizeof(struct keel_move));
    uint64_t *wanted = scratch_take(&scratch, view->workers, sizeof(uint64_t));

    keel_neighbours_wanted(&balancers, view->tasks, wanted);
    return list_to(view, wanted, move, transfer, capacity);
}

static size_t rate_bytes(uint32_t workers)
{
    return workers * (sizeof(struct keel_move) + sizeof(uint64_t));
}

/* The tree takes throughputs > 0: a worker without power gets a tiny one, by which its share rounds
 * to 0 tasks. */
#define NO_POWER 0x1p-60

static void set_throughput(const struct keel_iterative_view *view, double *throughput)
{
    double least = INFINITY;

    for (uint32_t w = 0; w < view->workers; w++) {
        least = view->power[w] > 0 ? fmin(least, view->power[w]) : least;
    }
    for (uint32_t w = 0; w < view->workers; w++) {
        throughput[w] = isinf(least) ? 1 : view->power[w] > 0 ? view->power[w] / least : NO_POWER;
    }
}

static size_t list_tree(const struct keel_iterative_view *view, struct keel_transfer *transfer,
                        size_t capacity)
{
    uint32_t workers = view->workers;
    char *scratch = view->scratch;
    void *tree = scratch_take(&scratch, 1, scratch_aligned(keel_tree_shares_scratch(workers)));
    struct keel_move *move = scratch_take(&scratch, workers, sizeof(struct keel_move));
    uint64_t *whole = scratch_take(&scratch, workers, sizeof(uint64_t));
    double *throughput = scratch_take(&scratch, workers, sizeof(double));
    double *work = scratch_take(&scratch, workers, sizeof(double));
    double *wanted = scratch_take(&scratch, workers, sizeof(double));
    struct keel_whole_rows present = {.workers = workers, .present = view->tasks, .work = work};

    for (uint32_t w = 0; w < workers; w++) {
        work[w] = (double)view->tasks[w];
    }
    set_throughput(view, throughput);
    keel_tree_shares(workers, throughput, work, wanted, tree);
    keel_whole_rows_cut(&present, wanted, true, whole);
    return list_to(view, whole, move, transfer, capacity);
}

static size_t tree_bytes(uint32_t workers)
{
    return scratch_aligned(keel_tree_shares_scratch(workers)) + rate_bytes(workers) +
           3 * workers * sizeof(double);
}

/* --- the policies --- */

const struct keel_iterative_policy keel_iterative_policies[] = {
    {
        .name = "none",
        .summary = "tasks stay where the application has put them",
    },
    {
        .name = "random",
        .summary = "part of the tasks beyond w* to a neighbour by chance (F3)",
        .parameters = KEEL_ITERATIVE_GRAPH | KEEL_ITERATIVE_THRESHOLD | KEEL_ITERATIVE_ALPHA,
        .list = list_random,
        .transfers = one_each,
    },
    {
        .name = "diffusion",
        .summary = "tasks beyond the local ideal to all neighbours that lack "
                   "some (F4)",
        .parameters = KEEL_ITERATIVE_GRAPH | KEEL_ITERATIVE_THRESHOLD,
        .list = list_diffusion,
        .transfers = some_to_neighbours,
    },
    {
        .name = "redistribution",
        .summary = "all to the ideal if one is beyond w* (F5)",
        .parameters = KEEL_ITERATIVE_GRAPH | KEEL_ITERATIVE_THRESHOLD,
        .list = list_redistribution,
        .transfers = two_each,
        .scratch = wanted_bytes,
    },
    {
        .name = "rate",
        .summary = "all to the ideal at once if it gains enough (S11)",
        .parameters = KEEL_ITERATIVE_GAIN,
        .list = list_rate,
        .transfers = one_each,
        .scratch = rate_bytes,
    },
    {
        .name = "tree",
        .summary = "between partners of the cluster tree (K1-K5)",
        .parameters = KEEL_ITERATIVE_GAIN,
        .list = list_tree,
        .transfers = one_each,
        .scratch = tree_bytes,
    },
};

const size_t keel_iterative_policies_count =
    sizeof(keel_iterative_policies) / sizeof(keel_iterative_policies[0]);

const struct keel_iterative_policy *keel_iterative_policies_find(const char *name)
{
    for (size_t i = 0; i < keel_iterative_policies_count; i++) {
        if (strcmp(keel_iterative_policies[i].name, name) == 0) {
            return &keel_iterative_policies[i];
        }
    }
    return NULL;
}
