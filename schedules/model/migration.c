/* Costs of migration and of a master. */
#include "schedules/model/migration.h"

#include <math.h>
#include <string.h>

#include "schedules/balance/cluster_tree.h"
#include "schedules/balance/victim.h"

/* --- formulas --- */

/* The cost of messages: PAPERS.md K6 */
double keel_migration_tree_messages(uint32_t workers, double tasks, double ratio)
{
    return (workers - 1.0) / (1 - log2(ratio)) * (tasks > 1 ? log2(tasks) : 0);
}

struct keel_migration_anomaly keel_migration_anomaly(uint32_t workers, const double *throughput,
                                                     double tasks, double added)
{
    double slowest = INFINITY, n = workers;

    for (uint32_t w = 0; w < workers; w++) {
        slowest = fmin(slowest, throughput[w]);
    }
    return (struct keel_migration_anomaly){
        .without_s = tasks / n / slowest,
        .with_s = tasks / (n + 1) / fmin(slowest, added),
        .limit = n / (n + 1) * slowest,
    };
}

/* --- links --- */

size_t keel_migration_tree_scratch(uint32_t workers)
{
    return keel_cluster_tree_scratch(workers) + workers * sizeof(struct keel_tree_join) +
           workers * sizeof(uint32_t);
}

uint32_t keel_migration_tree_links(uint32_t workers, const double *throughput, bool both_ways,
                                   struct keel_migration_link *link, void *scratch)
{
    char *room = (char *)scratch + keel_cluster_tree_scratch(workers);
    struct keel_tree_join *join = (void *)room;
    uint32_t *next = (void *)(join + workers);
    uint32_t joins = keel_cluster_tree_joins(workers, throughput, next, join, scratch), links = 0;

    for (uint32_t j = 0; j < joins; j++) {
        link[links++] = (struct keel_migration_link){join[j].right, join[j].left_last};
        if (both_ways) {
            link[links++] = (struct keel_migration_link){join[j].left_last, join[j].right};
        }
    }
    return links;
}

/* --- a master --- */

/* How long a task and its messages keep a master busy. */
static double busy_time(const struct keel_migration_master *master)
{
    return 2 * master->alpha_s + master->beta_s * (master->task_bytes + master->result_bytes);
}

double keel_migration_master_workers(const struct keel_migration_master *master, double throughput)
{
    double busy_s = busy_time(master);

    return (1 / throughput + busy_s + 2 * master->latency_s) / busy_s;
}

/* The worker whose request reaches the master next. */
static uint32_t first_to_come(uint32_t workers, const double *request_s)
{
    uint32_t first = 0;

    for (uint32_t w = 1; w < workers; w++) {
        first = request_s[w] < request_s[first] ? w : first;
    }
    return first;
}

double keel_migration_master_simulate(const struct keel_migration_master *master, uint32_t workers,
                                      const double *throughput, const double *cost, uint32_t count,
                                      double *finish_s, double *request_s)
{
    double free_s = 0, last_s = 0;

    for (uint32_t w = 0; w < workers; w++) {
        request_s[w] = master->latency_s;
        finish_s[w] = 0;
    }
    for (uint32_t t = 0; t < count; t++) {
        uint32_t w = first_to_come(workers, request_s);
        free_s = fmax(free_s, request_s[w]) + busy_time(master);
        finish_s[w] = free_s + master->latency_s + cost[t] / throughput[w];
        request_s[w] = finish_s[w] + master->latency_s;
        last_s = fmax(last_s, finish_s[w]);
    }
    return last_s;
}

/* --- the simulation's state --- */

#define NO_WORKER UINT32_MAX

/* Fluid: amounts below this part of all work are not handed over. */
#define LEAST 1e-9

enum state {
    COMPUTING, /* until its event */
    ASKING,    /* its request reaches the partner at its event */
    QUEUED,    /* its request waits at a partner that computes */
    TAKING,    /* its tasks arrive at its event */
    WAITING    /* it has asked all without success */
};

struct worker {
    enum state state;
    double event_s; /* INFINITY: no event in this state */
    double speed;
    double left, since_s; /* fluid: tasks at since_s. Those on their way belong to the asker */
    uint32_t head, tail;  /* whole: its queue, without the one being computed */
    uint64_t queued;
    uint32_t asking;                     /* the next one of its links */
    uint32_t mail, last_mail, next_mail; /* requests queued at it; and the one after its own */
    double done_s;
};

struct run {
    const struct keel_migration_simulation *simulation;
    struct worker *worker;
    uint32_t *asks, *ask;      /* by worker: where its links begin in `ask`; links, by asker */
    uint32_t *victims, *given; /* by worker: the same, by partner */
    uint32_t *next;            /* whole: of each task, the one after it */
    double mean_cost, least;
    struct keel_migration_move *move;
    size_t capacity;
    struct keel_migration_result result;
};

static bool is_whole(const struct keel_migration_simulation *simulation)
{
    return simulation->cost != NULL;
}

size_t keel_migration_simulate_scratch(const struct keel_migration_simulation *simulation)
{
    size_t words = 2 * ((size_t)simulation->workers + 1) + 2 * (size_t)simulation->links +
                   (is_whole(simulation) ? simulation->count : 0);

    return simulation->workers * sizeof(struct worker) + words * sizeof(uint32_t);
}

/* --- events --- */

static void set_event(struct run *run, uint32_t worker, double at_s)
{
    run->worker[worker].event_s = at_s;
}

/* The worker with the next event, the first of those at the same time; without events, any. */
static uint32_t next_to_come(const struct run *run)
{
    uint32_t first = 0;

    for (uint32_t w = 1; w < run->simulation->workers; w++) {
        first = run->worker[w].event_s < run->worker[first].event_s ? w : first;
    }
    return first;
}

static bool has_event(const struct run *run, uint32_t worker)
{
    return isfinite(run->worker[worker].event_s);
}

/* --- computing --- */

static uint32_t take_task(struct run *run, struct worker *worker)
{
    uint32_t task = worker->head;

    worker->head = run->next[task];
    worker->queued--;
    return task;
}

static void append_task(struct run *run, struct worker *worker, uint32_t task)
{
    if (worker->queued++ == 0) {
        worker->head = task;
    } else {
        run->next[worker->tail] = task;
    }
    worker->tail = task;
}

static bool has_tasks(const struct run *run, const struct worker *worker)
{
    return is_whole(run->simulation) ? worker->queued > 0 : worker->left > 0;
}

/* Goes on with its own tasks. */
static void compute(struct run *run, uint32_t w, double now_s)
{
    struct worker *worker = &run->worker[w];

    worker->state = COMPUTING;
    worker->since_s = now_s;
    double work =
        is_whole(run->simulation) ? run->simulation->cost[take_task(run, worker)] : worker->left;
    set_event(run, w, now_s + work / worker->speed);
}

/* --- asking and giving --- */

/* Asks the next partner; after the last one, waits. */
static void ask(struct run *run, uint32_t w, double now_s)
{
    struct worker *worker = &run->worker[w];

    if (run->asks[w] + worker->asking == run->asks[w + 1]) {
        worker->state = WAITING;
        return;
    }
    worker->state = ASKING;
    run->result.requests++;
    set_event(run, w, now_s + run->simulation->request_s);
}

static void ask_the_next(struct run *run, uint32_t w, double now_s)
{
    run->worker[w].asking++;
    ask(run, w, now_s);
}

static void ask_the_first(struct run *run, uint32_t w, double now_s)
{
    run->worker[w].asking = 0;
    ask(run, w, now_s);
}

/* Fluid tasks, so that x / thief->speed + alpha = (left - x) / victim->speed (K4). */
static double fluid_share(const struct keel_migration_simulation *simulation,
                          const struct worker *victim, const struct worker *thief)
{
    return (victim->left - simulation->alpha_s * victim->speed) /
           (1 + victim->speed / thief->speed);
}

/* Hands over a part of the tasks left. Returns it; 0 if it is too little. */
static double give_fluid(struct run *run, uint32_t from, struct worker *thief, double now_s)
{
    struct worker *victim = &run->worker[from];

    victim->left = fmax(0, victim->left - victim->speed * (now_s - victim->since_s));
    victim->since_s = now_s;
    double tasks = fluid_share(run->simulation, victim, thief);
    if (!(tasks >= run->least)) {
        return 0;
    }
    victim->left -= tasks;
    thief->left = tasks;
    set_event(run, from, now_s + victim->left / victim->speed);
    return tasks;
}

static double give_whole(struct run *run, uint32_t from, struct worker *thief)
{
    struct worker *victim = &run->worker[from];
    struct keel_amounts_side has = {victim->queued, victim->speed / run->mean_cost};
    struct keel_amounts_side asks = {0, thief->speed / run->mean_cost};
    uint64_t tasks = keel_amounts_to_transfer(&has, &asks, run->simulation->alpha_s, 0);

    for (uint64_t i = 0; i < tasks; i++) {
        append_task(run, thief, take_task(run, victim));
    }
    return (double)tasks;
}

/* Answers a request. Returns whether tasks were handed over. */
static bool give(struct run *run, const struct keel_migration_link *link, double now_s)
{
    struct worker *victim = &run->worker[link->partner], *thief = &run->worker[link->asker];
    double tasks = 0;

    if (victim->state == COMPUTING && has_tasks(run, victim)) {
        tasks = is_whole(run->simulation) ? give_whole(run, link->partner, thief)
                                          : give_fluid(run, link->partner, thief, now_s);
    }
    if (tasks == 0) {
        return false;
    }
    if (run->result.moves < run->capacity) {
        run->move[run->result.moves] =
            (struct keel_migration_move){now_s, link->partner, link->asker, tasks};
    }
    run->result.moves++;
    run->result.tasks += tasks;
    thief->state = TAKING;
    set_event(run, link->asker, now_s + run->simulation->alpha_s);
    return true;
}

static const struct keel_migration_link *link_of(const struct run *run, uint32_t asker)
{
    return &run->simulation->link[run->ask[run->asks[asker] + run->worker[asker].asking]];
}

static void answer(struct run *run, uint32_t asker, double now_s)
{
    if (!give(run, link_of(run, asker), now_s)) {
        ask_the_next(run, asker, now_s);
    }
}

static void answer_mail(struct run *run, uint32_t w, double now_s)
{
    uint32_t asker = run->worker[w].mail;

    run->worker[w].mail = NO_WORKER;
    while (asker != NO_WORKER) {
        uint32_t next = run->worker[asker].next_mail;
        answer(run, asker, now_s);
        asker = next;
    }
}

static void put_mail(struct run *run, uint32_t w, uint32_t asker)
{
    struct worker *worker = &run->worker[w];

    if (worker->mail == NO_WORKER) {
        worker->mail = asker;
    } else {
        run->worker[worker->last_mail].next_mail = asker;
    }
    worker->last_mail = asker;
    run->worker[asker].next_mail = NO_WORKER;
    run->worker[asker].state = QUEUED;
}

/* --- events --- */

static void request_came(struct run *run, uint32_t asker, double now_s)
{
    uint32_t partner = link_of(run, asker)->partner;

    if (is_whole(run->simulation) && run->worker[partner].state == COMPUTING) {
        put_mail(run, partner, asker);
    } else {
        answer(run, asker, now_s);
    }
}

/* Workers that have asked without success get a part of them. */
static void tasks_came(struct run *run, uint32_t w, double now_s)
{
    compute(run, w, now_s);
    for (uint32_t i = run->victims[w]; i < run->victims[w + 1]; i++) {
        const struct keel_migration_link *link = &run->simulation->link[run->given[i]];
        if (run->worker[link->asker].state == WAITING) {
            give(run, link, now_s);
        }
    }
}

static void computed(struct run *run, uint32_t w, double now_s)
{
    struct worker *worker = &run->worker[w];
    bool more = is_whole(run->simulation) && worker->queued > 0;

    worker->done_s = now_s;
    if (more) {
        compute(run, w, now_s);
    } else {
        ask_the_first(run, w, now_s);
    }
    answer_mail(run, w, now_s);
}

static void happen(struct run *run, uint32_t w)
{
    double now_s = run->worker[w].event_s;

    run->worker[w].event_s = INFINITY;
    if (run->worker[w].state == ASKING) {
        request_came(run, w, now_s);
    } else if (run->worker[w].state == TAKING) {
        tasks_came(run, w, now_s);
    } else {
        computed(run, w, now_s);
    }
}

/* --- beginning and end --- */

static uint32_t end_of(const struct keel_migration_link *link, bool by_partner)
{
    return by_partner ? link->partner : link->asker;
}

/* Writes links by one of their ends, in their order, and where each worker's begin. */
static void sort_links(const struct keel_migration_simulation *simulation, bool by_partner,
                       uint32_t *first, uint32_t *sorted)
{
    memset(first, 0, ((size_t)simulation->workers + 1) * sizeof *first);
    for (uint32_t l = 0; l < simulation->links; l++) {
        first[end_of(&simulation->link[l], by_partner)]++;
    }
    for (uint32_t w = 0, before = 0; w <= simulation->workers; w++) {
        before += first[w];
        first[w] = before; /* its end, for now */
    }
    for (uint32_t l = simulation->links; l-- > 0;) {
        sorted[--first[end_of(&simulation->link[l], by_partner)]] = l;
    }
}

static void divide_scratch(struct run *run, void *scratch)
{
    const struct keel_migration_simulation *simulation = run->simulation;

    run->worker = scratch;
    run->asks = (void *)(run->worker + simulation->workers);
    run->victims = run->asks + simulation->workers + 1;
    run->ask = run->victims + simulation->workers + 1;
    run->given = run->ask + simulation->links;
    run->next = run->given + simulation->links;
}

static void begin_workers(struct run *run)
{
    for (uint32_t w = 0; w < run->simulation->workers; w++) {
        run->worker[w] = (struct worker){
            .event_s = INFINITY,
            .speed = run->simulation->throughput[w],
            .mail = NO_WORKER,
        };
    }
}

/* Hands out the first tasks. Returns all work. */
static double deal(struct run *run)
{
    const struct keel_migration_simulation *simulation = run->simulation;
    double work = 0;

    for (uint32_t w = 0; !is_whole(simulation) && w < simulation->workers; w++) {
        run->worker[w].left = simulation->tasks[w];
        work += run->worker[w].left;
    }
    for (uint32_t t = 0; is_whole(simulation) && t < simulation->count; t++) {
        append_task(run, &run->worker[t % simulation->workers], t);
        work += simulation->cost[t];
    }
    run->least = LEAST * work;
    run->mean_cost = is_whole(simulation) && work > 0 ? work / simulation->count : 1;
    return work;
}

/* Workers with tasks begin to compute; the others ask. */
static void begin_computing(struct run *run)
{
    for (uint32_t w = 0; w < run->simulation->workers; w++) {
        if (has_tasks(run, &run->worker[w])) {
            compute(run, w, 0);
        } else {
            ask_the_first(run, w, 0);
        }
    }
}

static void finish(struct run *run, double work, double *finish_s)
{
    double speed = 0;

    for (uint32_t w = 0; w < run->simulation->workers; w++) {
        struct worker *worker = &run->worker[w];
        run->result.finish_s = fmax(run->result.finish_s, worker->done_s);
        speed += worker->speed;
        finish_s[w] = worker->done_s;
    }
    run->result.ideal_s = work > 0 ? work / speed : 0;
}

struct keel_migration_result
keel_migration_simulate(const struct keel_migration_simulation *simulation,
                        struct keel_migration_move *move, size_t capacity, double *finish_s,
                        void *scratch)
{
    struct run run = {.simulation = simulation, .move = move, .capacity = capacity};

    divide_scratch(&run, scratch);
    sort_links(simulation, false, run.asks, run.ask);
    sort_links(simulation, true, run.victims, run.given);
    begin_workers(&run);
    double work = deal(&run);
    begin_computing(&run);
    for (uint32_t w; has_event(&run, w = next_to_come(&run));) {
        happen(&run, w);
    }
    finish(&run, work, finish_s);
    return run.result;
}
