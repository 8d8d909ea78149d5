/* The matrix iterative model. */
#include "schedules/model/iterative.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/balance/decide.h"
#include "schedules/balance/moves.h"
#include "schedules/balance/tree_shares.h"
#include "schedules/balance/whole_rows.h"

/* 0 where the quotient is not defined. */
static double quotient(double a, double b)
{
    double result = a / b;

    return isnan(result) ? 0 : result;
}

/* So that what follows may be anything. */
static size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static void *taken(char **scratch, size_t count, size_t bytes)
{
    char *place = *scratch;

    *scratch += count * bytes;
    return place;
}

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
    if (finite_amount(view->rule->threshold) > 0) {
        balancers.threshold = view->rule->threshold;
    }
    if (finite_amount(view->rule->alpha) > 0) {
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

/* Among all, givers have more than their share and takers less: nobody is both. */
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

/* From surplus to shortage, if it pays. */
static size_t list_to(const struct keel_iterative_view *view, const uint64_t *wanted,
                      struct keel_move *move, struct keel_transfer *transfer, size_t capacity)
{
    if (!gains_enough(view, wanted)) {
        return 0;
    }
    size_t moves = keel_moves_any(view->workers, view->tasks, wanted, move, view->workers);
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
    struct keel_move *move = taken(&scratch, view->workers, sizeof(struct keel_move));
    uint64_t *wanted = taken(&scratch, view->workers, sizeof(uint64_t));

    keel_neighbours_wanted(&balancers, view->tasks, wanted);
    return list_to(view, wanted, move, transfer, capacity);
}

static size_t rate_bytes(uint32_t workers)
{
    return workers * (sizeof(struct keel_move) + sizeof(uint64_t));
}

/* The tree takes throughputs > 0: who has none gets so little of the least one that it rounds to no
 * task. */
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
    void *tree = taken(&scratch, 1, aligned(keel_tree_shares_scratch(workers)));
    struct keel_move *move = taken(&scratch, workers, sizeof(struct keel_move));
    uint64_t *whole = taken(&scratch, workers, sizeof(uint64_t));
    double *throughput = taken(&scratch, workers, sizeof(double));
    double *work = taken(&scratch, workers, sizeof(double));
    double *wanted = taken(&scratch, workers, sizeof(double));
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
    return aligned(keel_tree_shares_scratch(workers)) + rate_bytes(workers) +
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
        .summary = "part of what is beyond w* to a neighbour by chance (F3)",
        .parameters = KEEL_ITERATIVE_GRAPH | KEEL_ITERATIVE_THRESHOLD | KEEL_ITERATIVE_ALPHA,
        .list = list_random,
        .transfers = one_each,
    },
    {
        .name = "diffusion",
        .summary = "what is beyond the local ideal to all neighbours that lack "
                   "some (F4)",
        .parameters = KEEL_ITERATIVE_GRAPH | KEEL_ITERATIVE_THRESHOLD,
        .list = list_diffusion,
        .transfers = some_to_neighbours,
    },
    {
        .name = "redistribution",
        .summary = "all to the ideal where one is beyond w* (F5)",
        .parameters = KEEL_ITERATIVE_GRAPH | KEEL_ITERATIVE_THRESHOLD,
        .list = list_redistribution,
        .transfers = two_each,
        .scratch = wanted_bytes,
    },
    {
        .name = "rate",
        .summary = "all to the ideal at once where it gains enough (S11)",
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

const struct keel_iterative_policy *keel_iterative_find(const char *name)
{
    for (size_t i = 0; i < keel_iterative_policies_count; i++) {
        if (strcmp(keel_iterative_policies[i].name, name) == 0) {
            return &keel_iterative_policies[i];
        }
    }
    return NULL;
}

/* --- ready-made dynamics --- */

void keel_iterative_replay(const void *recorded, uint32_t workers, uint64_t step,
                           const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_recorded *record = recorded;
    size_t bytes = workers * sizeof(uint64_t);

    (void)tasks;
    if (step >= record->steps) {
        return;
    }
    if (record->arriving != NULL) {
        memcpy(arriving, record->arriving + step * workers, bytes);
    }
    if (record->leaving != NULL) {
        memcpy(leaving, record->leaving + step * workers, bytes);
    }
}

static double chance_of(uint64_t *state)
{
    *state = keel_chance_mix(*state + 1);
    return (double)(*state >> 11) * 0x1p-53;
}

void keel_iterative_leave(const void *leaving_context, uint32_t workers, uint64_t step,
                          const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_leaving *context = leaving_context;
    double part = fmin(finite_amount(context->part), 1);

    for (uint32_t w = 0; w < workers; w++) {
        uint64_t state =
            keel_chance_mix(keel_chance_mix(keel_chance_mix(context->seed) ^ step) ^ w);
        uint32_t degree = keel_neighbours_degree(context->graph, workers, w);
        uint64_t count = count_of(part * (double)tasks[w] + chance_of(&state));
        leaving[w] = degree > 0 ? min_u64(count, tasks[w]) : 0;
        for (uint64_t i = 0; i < leaving[w]; i++) {
            uint32_t n = (uint32_t)(chance_of(&state) * degree);
            arriving[keel_neighbours_at(context->graph, workers, w, n)]++;
        }
    }
}

/* --- F1 as it stands --- */

void keel_iterative_step(uint32_t workers, const double *w, const double *M, const double *A,
                         const double *lambda, const double *mu, double *next)
{
    for (uint32_t i = 0; i < workers; i++) {
        next[i] = w[i] + (lambda != NULL ? lambda[i] : 0) - (mu != NULL ? mu[i] : 0);
        for (uint32_t j = 0; j < workers; j++) {
            next[i] += M[(size_t)j * workers + i] * A[j] * w[j];
        }
    }
}

void keel_iterative_matrix(uint32_t workers, const uint64_t *tasks,
                           const struct keel_transfer *transfer, size_t transfers, double *M,
                           double *A)
{
    memset(M, 0, (size_t)workers * workers * sizeof *M);
    memset(A, 0, workers * sizeof *A);
    for (size_t t = 0; t < transfers; t++) {
        uint32_t from = transfer[t].from;
        double *row = M + (size_t)from * workers;
        double part = (double)transfer[t].tasks / (double)tasks[from];
        A[from] = 1;
        row[transfer[t].to] += part;
        row[from] -= part;
    }
}

/* --- a run --- */

/* The arrays lie in the caller's scratch memory. */
struct run {
    const struct keel_iterative *iterative;
    struct keel_iterative_rule rule;
    struct keel_iterative_costs costs;
    double task, power_sum;
    uint32_t workers;
    uint64_t step;
    struct keel_iterative_result result;

    void *policy;
    struct keel_transfer *transfer;
    size_t capacity, transfers;
    struct keel_move *move;
    double *power;
    double *busy_s;      /* in this step: own tasks */
    double *balancing_s; /* in this step: T_lb */
    uint64_t *tasks;     /* w(k) */
    uint64_t *base;      /* what balancing leaves alone or distributes: w(k) - mu(k), if it comes
                            last + lambda(k) */
    uint64_t *arriving, *leaving;
    uint64_t *first, *cut; /* blocks before and after balancing, P + 1 bounds */
};

static size_t capacity_of(const struct keel_iterative_rule *rule, uint32_t workers)
{
    return rule->policy->list != NULL ? rule->policy->transfers(rule->graph, workers) : 0;
}

static size_t policy_bytes(const struct keel_iterative_policy *policy, uint32_t workers)
{
    return policy->scratch != NULL ? aligned(policy->scratch(workers)) : 0;
}

size_t keel_iterative_scratch(uint32_t workers, const struct keel_iterative_rule *rule)
{
    size_t each = sizeof(struct keel_move) + 3 * sizeof(double) + 4 * sizeof(uint64_t);

    return policy_bytes(rule->policy, workers) +
           capacity_of(rule, workers) * sizeof(struct keel_transfer) + workers * each +
           2 * ((size_t)workers + 1) * sizeof(uint64_t);
}

static void place(struct run *run, char *scratch)
{
    size_t workers = run->workers;

    run->capacity = capacity_of(&run->rule, run->workers);
    run->policy = taken(&scratch, 1, policy_bytes(run->rule.policy, run->workers));
    run->transfer = taken(&scratch, run->capacity, sizeof(struct keel_transfer));
    run->move = taken(&scratch, workers, sizeof(struct keel_move));
    run->power = taken(&scratch, workers, sizeof(double));
    run->busy_s = taken(&scratch, workers, sizeof(double));
    run->balancing_s = taken(&scratch, workers, sizeof(double));
    run->tasks = taken(&scratch, workers, sizeof(uint64_t));
    run->base = taken(&scratch, workers, sizeof(uint64_t));
    run->arriving = taken(&scratch, workers, sizeof(uint64_t));
    run->leaving = taken(&scratch, workers, sizeof(uint64_t));
    run->first = taken(&scratch, workers + 1, sizeof(uint64_t));
    run->cut = taken(&scratch, workers + 1, sizeof(uint64_t));
}

static void take_costs(struct run *run)
{
    const struct keel_iterative_costs *costs = &run->iterative->costs;

    if (run->workers == 1) {
        return;
    }
    run->costs.exchange_s = finite_amount(costs->exchange_s);
    if (run->rule.policy->list != NULL) {
        run->costs.decision_s =
            finite_amount(costs->decision_s) + finite_amount(run->rule.decision_s);
        run->costs.activation_s = finite_amount(costs->activation_s);
        run->costs.message_s = finite_amount(costs->message_s);
        run->costs.task_s = finite_amount(costs->task_s);
    }
}

/* What comes and goes before the next step; of what goes, as much as there is. */
static void change(struct run *run)
{
    const struct keel_iterative_dynamics *dynamics = &run->iterative->dynamics;

    memset(run->arriving, 0, run->workers * sizeof *run->arriving);
    memset(run->leaving, 0, run->workers * sizeof *run->leaving);
    if (dynamics->change != NULL) {
        dynamics->change(dynamics->context, run->workers, run->step, run->tasks, run->arriving,
                         run->leaving);
    }
    for (uint32_t w = 0; w < run->workers; w++) {
        run->base[w] = run->tasks[w] - min_u64(run->leaving[w], run->tasks[w]);
        run->base[w] += run->iterative->balance_last ? run->arriving[w] : 0;
    }
}

/* What has left through the application can't be sent, too. */
static void keep_possible(struct run *run)
{
    uint64_t *left = run->cut;
    size_t kept = 0;

    memcpy(left, run->base, run->workers * sizeof *left);
    for (size_t t = 0; t < run->transfers; t++) {
        struct keel_transfer transfer = run->transfer[t];
        transfer.tasks = min_u64(transfer.tasks, left[transfer.from]);
        left[transfer.from] -= transfer.tasks;
        if (transfer.tasks > 0) {
            run->transfer[kept++] = transfer;
        }
    }
    run->transfers = kept;
}

static void list(struct run *run)
{
    struct keel_iterative_view view = {
        .rule = &run->rule,
        .workers = run->workers,
        .power = run->power,
        .tasks = run->iterative->balance_last ? run->base : run->tasks,
        .step = run->step,
        .seed = run->iterative->seed,
        .scratch = run->policy,
    };

    run->transfers = 0;
    if (run->rule.policy->list != NULL) {
        size_t listed = run->rule.policy->list(&view, run->transfer, run->capacity);
        run->transfers = listed < run->capacity ? listed : run->capacity;
    }
    keep_possible(run);
}

/* --- costs of a step --- */

static void add_message(struct run *run, uint32_t from, uint32_t to, uint64_t tasks, double times)
{
    double time_s = run->costs.message_s + run->costs.task_s * (double)tasks;

    run->balancing_s[from] += time_s;
    run->balancing_s[to] += time_s;
    run->result.transfers += times;
    run->result.tasks_moved += times * (double)tasks;
}

static void set_bounds(uint32_t workers, const uint64_t *tasks, uint64_t *bound)
{
    bound[0] = 0;
    for (uint32_t w = 0; w < workers; w++) {
        bound[w + 1] = bound[w] + tasks[w];
    }
}

/* From blocks of `base` to blocks after balancing. */
static void add_hops(struct run *run, double times)
{
    uint32_t workers = run->workers;

    set_bounds(workers, run->base, run->first);
    keel_neighbours_apply(run->base, run->transfer, run->transfers);
    set_bounds(workers, run->base, run->cut);
    uint32_t rounds = keel_moves_adjacent_rounds(workers, run->first, run->cut);
    for (uint32_t round = 0; round < rounds; round++) {
        size_t moves =
            keel_moves_adjacent_round(workers, run->first, run->cut, round, run->move, workers);
        for (size_t i = 0; i < moves; i++) {
            add_message(run, run->move[i].from, run->move[i].to, run->move[i].rows, times);
        }
    }
}

static void add_transfers(struct run *run, double times)
{
    for (size_t t = 0; t < run->transfers; t++) {
        const struct keel_transfer *transfer = &run->transfer[t];
        add_message(run, transfer->from, transfer->to, transfer->tasks, times);
    }
    keel_neighbours_apply(run->base, run->transfer, run->transfers);
}

/* Balances base, and sets T_lb of each worker. */
static void balance(struct run *run, double times)
{
    double each_s = run->costs.decision_s + (run->transfers > 0 ? run->costs.activation_s : 0);

    for (uint32_t w = 0; w < run->workers; w++) {
        run->balancing_s[w] = each_s;
    }
    (run->iterative->adjacent ? add_hops : add_transfers)(run, times);
    run->result.activations += run->transfers > 0 ? times : 0;
}

/* --- times --- */

static double time_of(double operations, double power)
{
    return operations > 0 ? operations / power : 0;
}

/* F6, of `times` steps as this one. */
static void add_times(struct run *run, double times)
{
    struct keel_iterative_result *result = &run->result;
    double all = 0, busy_s = 0, latest_s = 0;

    for (uint32_t w = 0; w < run->workers; w++) {
        all += (double)run->tasks[w];
        busy_s = fmax(busy_s, run->busy_s[w]);
        latest_s = fmax(latest_s, run->busy_s[w] + run->balancing_s[w]);
    }
    double ideal_s = time_of(all * run->task, run->power_sum);
    result->time_s += times * (latest_s + run->costs.exchange_s);
    result->application_s += times * (busy_s + run->costs.exchange_s);
    result->balancing_s += isinf(busy_s) ? 0 : times * (latest_s - busy_s);
    result->ideal_s += times * ideal_s;
    result->single_s += times * time_of(all * run->task, run->power[0]);
    result->imbalance += times * fmax(0, quotient(busy_s, ideal_s) - 1);
}

static void set_busy(struct run *run)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        run->busy_s[w] = time_of((double)run->tasks[w] * run->task, run->power[w]);
    }
}

/* w(k + 1) */
static void advance(struct run *run)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        run->base[w] += run->iterative->balance_last ? 0 : run->arriving[w];
    }
    memcpy(run->tasks, run->base, run->workers * sizeof *run->tasks);
}

/* Returns how many steps were taken: all that are left, if they are like this one. */
static uint64_t take_step(struct run *run)
{
    uint64_t times = 1;

    set_busy(run);
    change(run);
    list(run);
    if (run->iterative->dynamics.change == NULL && run->transfers == 0) {
        times = run->iterative->steps - run->step;
    }
    balance(run, (double)times);
    add_times(run, (double)times);
    advance(run);
    return times;
}

static void begin(struct run *run)
{
    const struct keel_iterative *iterative = run->iterative;

    run->task = finite_amount(iterative->task);
    take_costs(run);
    memcpy(run->tasks, iterative->tasks, run->workers * sizeof *run->tasks);
    for (uint32_t w = 0; w < run->workers; w++) {
        run->power[w] = iterative->power != NULL ? finite_amount(iterative->power[w]) : 1;
        run->power_sum += run->power[w];
    }
}

static void finish(struct run *run)
{
    struct keel_iterative_result *result = &run->result;
    double given_s = finite_amount(run->iterative->single_s);

    if (run->iterative->steps > 0) {
        result->imbalance /= (double)run->iterative->steps;
    }
    result->single_s = given_s > 0 ? given_s : result->single_s;
    result->speedup = quotient(result->single_s, result->time_s);
    result->ideal_speedup = quotient(result->single_s, result->ideal_s);
    result->limit = quotient(run->power_sum, run->power[0]);
}

struct keel_iterative_result keel_iterative_run(const struct keel_iterative *iterative,
                                                const struct keel_iterative_rule *rule,
                                                uint64_t *last, void *scratch)
{
    struct run run = {.iterative = iterative, .rule = *rule, .workers = iterative->workers};

    place(&run, scratch);
    begin(&run);
    while (run.step < iterative->steps) {
        run.step += take_step(&run);
    }
    finish(&run);
    if (last != NULL) {
        memcpy(last, run.tasks, run.workers * sizeof *last);
    }
    return run.result;
}

/* --- a choice --- */

size_t keel_iterative_choose(const struct keel_iterative *iterative,
                             const struct keel_iterative_rule *rule, size_t rules,
                             struct keel_iterative_result *result, void *scratch)
{
    size_t best = 0;

    for (size_t i = 0; i < rules; i++) {
        result[i] = keel_iterative_run(iterative, &rule[i], NULL, scratch);
        if (result[i].time_s < result[best].time_s) {
            best = i;
        }
    }
    return best;
}

/* A list that is being written. */
struct rules {
    struct keel_iterative_rule *rule;
    size_t capacity, count;
};

static void append(struct rules *rules, struct keel_iterative_rule rule)
{
    if (rules->count < rules->capacity) {
        rules->rule[rules->count] = rule;
    }
    rules->count++;
}

size_t keel_iterative_auto_rules(enum keel_graph graph, struct keel_iterative_rule *rule,
                                 size_t capacity)
{
    struct rules rules = {rule, capacity, 0};

    for (size_t i = 0; i < keel_iterative_policies_count; i++) {
        append(&rules, (struct keel_iterative_rule){
                           .policy = &keel_iterative_policies[i],
                           .graph = graph,
                           .gain = KEEL_DECIDE_GAIN,
                       });
    }
    return rules.count;
}

/* How many values of a parameter the grid has. */
static unsigned values_of(const struct keel_iterative_policy *policy,
                          enum keel_iterative_parameter parameter, unsigned values)
{
    return (policy->parameters & parameter) != 0 ? values : 1;
}

static void append_grid(struct rules *rules, const struct keel_iterative_policy *policy,
                        enum keel_graph graph)
{
    unsigned thresholds = values_of(policy, KEEL_ITERATIVE_THRESHOLD, 6);
    unsigned alphas = values_of(policy, KEEL_ITERATIVE_ALPHA, 10);
    unsigned gains = values_of(policy, KEEL_ITERATIVE_GAIN, 3);

    for (unsigned i = 0; i < thresholds * alphas * gains; i++) {
        append(rules, (struct keel_iterative_rule){
                          .policy = policy,
                          .graph = graph,
                          .threshold = 1 + 0.1 * (i / alphas / gains),
                          .alpha = 0.1 * (1 + i / gains % alphas),
                          .gain = 0.05 * (i % gains),
                      });
    }
}

size_t keel_iterative_grid(enum keel_graph graph, struct keel_iterative_rule *rule, size_t capacity)
{
    struct rules rules = {rule, capacity, 0};

    for (size_t i = 0; i < keel_iterative_policies_count; i++) {
        append_grid(&rules, &keel_iterative_policies[i], graph);
    }
    return rules.count;
}
