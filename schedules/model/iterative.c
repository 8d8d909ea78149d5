/* The matrix iterative model. */
#include "schedules/model/iterative.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/moves.h"

/* 0 if the quotient is not defined. */
static double quotient(double a, double b)
{
    double result = a / b;

    return isnan(result) ? 0 : result;
}

/* --- dynamics --- */

static double chance_of(uint64_t *state)
{
    *state = keel_chance_mix(*state + 1);
    return (double)(*state >> 11) * 0x1p-53;
}

void keel_iterative_dynamics_leave(const void *leaving_context, uint32_t workers, uint64_t step,
                                   const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct keel_iterative_leaving *context = leaving_context;

    for (uint32_t w = 0; w < workers; w++) {
        uint64_t state =
            keel_chance_mix(keel_chance_mix(keel_chance_mix(context->seed) ^ step) ^ w);
        uint32_t degree = keel_neighbours_degree(context->graph, workers, w);
        uint64_t count = count_of(context->part * (double)tasks[w] + chance_of(&state));
        leaving[w] = degree > 0 ? min_u64(count, tasks[w]) : 0;
        for (uint64_t i = 0; i < leaving[w]; i++) {
            uint32_t n = (uint32_t)(chance_of(&state) * degree);
            arriving[keel_neighbours_at(context->graph, workers, w, n)]++;
        }
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
    uint64_t *base;      /* input of balancing, then its output: w(k) - mu(k), if it comes last
                            + lambda(k) */
    uint64_t *arriving, *leaving;
    uint64_t *first, *cut; /* blocks before and after balancing, P + 1 bounds */
};

static size_t capacity_of(const struct keel_iterative_rule *rule, uint32_t workers)
{
    return rule->policy->list != NULL ? rule->policy->transfers(rule->graph, workers) : 0;
}

static size_t policy_bytes(const struct keel_iterative_policy *policy, uint32_t workers)
{
    return policy->scratch != NULL ? scratch_aligned(policy->scratch(workers)) : 0;
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
    run->policy = scratch_take(&scratch, 1, policy_bytes(run->rule.policy, run->workers));
    run->transfer = scratch_take(&scratch, run->capacity, sizeof(struct keel_transfer));
    run->move = scratch_take(&scratch, workers, sizeof(struct keel_move));
    run->power = scratch_take(&scratch, workers, sizeof(double));
    run->busy_s = scratch_take(&scratch, workers, sizeof(double));
    run->balancing_s = scratch_take(&scratch, workers, sizeof(double));
    run->tasks = scratch_take(&scratch, workers, sizeof(uint64_t));
    run->base = scratch_take(&scratch, workers, sizeof(uint64_t));
    run->arriving = scratch_take(&scratch, workers, sizeof(uint64_t));
    run->leaving = scratch_take(&scratch, workers, sizeof(uint64_t));
    run->first = scratch_take(&scratch, workers + 1, sizeof(uint64_t));
    run->cut = scratch_take(&scratch, workers + 1, sizeof(uint64_t));
}

static void take_costs(struct run *run)
{
    const struct keel_iterative_costs *costs = &run->iterative->costs;

    if (run->workers == 1) {
        return;
    }
    run->costs.exchange_s = costs->exchange_s;
    if (run->rule.policy->list != NULL) {
        run->costs = *costs;
    }
}

/* Applies lambda and mu of this step; a worker loses at most the tasks that it has. */
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

/* Tasks that have left through the application can't be sent, too. */
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
        size_t moves = keel_moves_adjacent_round(workers, run->first, run->cut, round, run->move);
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

/* Adds the times of F6 for `times` steps like this one. */
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

/* Returns the number of steps taken: all that are left, if they are like this one. */
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

    run->task = iterative->task;
    take_costs(run);
    memcpy(run->tasks, iterative->tasks, run->workers * sizeof *run->tasks);
    for (uint32_t w = 0; w < run->workers; w++) {
        run->power[w] = iterative->power != NULL ? iterative->power[w] : 1;
        run->power_sum += run->power[w];
    }
}

static void finish(struct run *run)
{
    struct keel_iterative_result *result = &run->result;

    if (run->iterative->steps > 0) {
        result->imbalance /= (double)run->iterative->steps;
    }
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
