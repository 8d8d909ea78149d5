/* Costs of migration, and its simulation. */
#include "schedules/model/migration.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/amounts.h"
#include "schedules/balance/cluster_tree.h"

/* --- sound arguments --- */

static double part(double value)
{
    return fmin(1, value > 0 ? value : 0);
}

/* Of amounts that may overflow. */
static double times(double a, double b)
{
    return a > 0 && b > 0 ? a * b : 0;
}

/* --- formulas --- */

/* log2 N, 0 for less than two tasks. */
static double halvings(double tasks)
{
    return tasks > 1 && isfinite(tasks) ? log2(tasks) : 0;
}

static double all_tasks(uint32_t workers, double tasks)
{
    return workers * finite_amount(tasks);
}

double keel_migration_tasks(double slower, double faster, double tasks)
{
    double a = finite_amount(slower), b = finite_amount(faster), most = fmax(a, b);

    return most > 0 ? fabs(b / most - a / most) / (a / most + b / most) * finite_amount(tasks) : 0;
}

double keel_migration_movements(double slower, double faster, double tasks)
{
    double a = finite_amount(slower), b = finite_amount(faster), most = fmax(a, b);

    /* each leaves so much of the one before: (1 - r) / 2 */
    return most > 0 ? halvings(tasks) / (1 - log2(1 - fmin(a, b) / most)) : 0;
}

static struct keel_migration_overhead overhead(double messages, double tasks, double alpha_s,
                                               double beta_s)
{
    double time_s = times(messages, finite_amount(alpha_s)) + times(tasks, finite_amount(beta_s));

    return (struct keel_migration_overhead){messages, tasks, time_s};
}

struct keel_migration_overhead keel_migration_self_scheduling(uint32_t workers, double tasks,
                                                              double alpha_s, double beta_s)
{
    double all = all_tasks(workers, tasks);

    return overhead(all, all, alpha_s, beta_s);
}

/* The cost of messages: PAPERS.md K6 */
struct keel_migration_overhead keel_migration_tree_average(uint32_t workers, double tasks,
                                                           double ratio, double balance,
                                                           double alpha_s, double beta_s)
{
    double links = workers > 0 ? workers - 1.0 : 0;
    double messages = links / (1 - log2(part(ratio))) * halvings(tasks);

    return overhead(messages, times(part(balance) * links, finite_amount(tasks)), alpha_s, beta_s);
}

struct keel_migration_overhead keel_migration_tree_worst(uint32_t workers, double tasks,
                                                         double alpha_s, double beta_s)
{
    double hops = workers * fmax(0, workers - 1.0) / 2;

    return overhead(hops * halvings(tasks), times(hops, finite_amount(tasks)), alpha_s, beta_s);
}

/* --- equal shares --- */

static double quotient(double tasks, double throughput)
{
    return tasks > 0 ? tasks / throughput : 0;
}

struct keel_migration_anomaly keel_migration_anomaly(uint32_t workers, const double *throughput,
                                                     double tasks, double added)
{
    double slowest = workers > 0 ? INFINITY : 0, n = workers;

    for (uint32_t w = 0; w < workers; w++) {
        slowest = fmin(slowest, finite_amount(throughput[w]));
    }
    double share = finite_amount(tasks) / n, less = finite_amount(tasks) / (n + 1);
    double all_slowest = workers > 0 ? fmin(slowest, finite_amount(added)) : finite_amount(added);
    return (struct keel_migration_anomaly){
        .without_s = quotient(share, slowest),
        .with_s = quotient(less, all_slowest),
        .limit = n / (n + 1) * slowest,
    };
}

/* --- a master --- */

/* What a task and its messages keep a master busy for. */
static double busy_time(const struct keel_migration_master *master)
{
    double bytes = finite_amount(master->task_bytes) + finite_amount(master->result_bytes);

    return finite_amount(master->service_s) + 2 * finite_amount(master->alpha_s) +
           times(finite_amount(master->beta_s), bytes);
}

struct keel_migration_saturation keel_migration_saturate(const struct keel_migration_master *master,
                                                         uint32_t workers, const double *throughput)
{
    double busy_s = busy_time(master), away_s = busy_s + 2 * finite_amount(master->latency_s);
    double tasks = finite_amount(master->tasks), rate = 0;

    for (uint32_t w = 0; w < workers; w++) {
        rate += 1 / (1 / finite_amount(throughput[w]) + away_s);
    }
    struct keel_migration_saturation result = {
        .master_s = times(tasks, busy_s),
        .workers_s = quotient(tasks, rate),
        .workers = busy_s > 0 && rate > 0 ? workers / (rate * busy_s) : INFINITY,
    };
    result.time_s = fmax(result.master_s, result.workers_s);
    return result;
}

/* --- the simulation's state --- */

#define NOBODY UINT32_MAX

enum state {
    STALLED,   /* computes nothing, and asks nobody */
    COMPUTING, /* until event_s */
    ASKING,    /* its request is with the partner at event_s */
    QUEUED,    /* its request lies with a partner that computes */
    TAKING,    /* its tasks are there at event_s */
    WAITING    /* it has asked all in vain */
};

struct worker {
    enum state state;
    double speed;
    double left, since_s; /* fluid: tasks at since_s. Those on their way count as the asker's */
    uint32_t head, tail;  /* whole: its queue, without the one being computed */
    uint64_t queued;
    double event_s;                      /* of the states that have one */
    uint32_t place;                      /* in the heap; NOBODY: not there */
    uint32_t asking;                     /* the next one of its links */
    uint32_t mail, last_mail, next_mail; /* requests that lie with it; and the one after its own */
    double done_s;
};

struct run {
    const struct keel_migration_simulation *simulation;
    struct worker *worker;
    uint32_t *heap; /* workers with an event, the next one first */
    uint32_t events;
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

size_t keel_migration_scratch(const struct keel_migration_simulation *simulation)
{
    size_t words = simulation->workers + 2 * ((size_t)simulation->workers + 1) +
                   2 * (size_t)simulation->links + (is_whole(simulation) ? simulation->count : 0);

    return simulation->workers * sizeof(struct worker) + words * sizeof(uint32_t);
}

/* --- events: a heap by time, then by worker --- */

static bool comes_before(const struct run *run, uint32_t a, uint32_t b)
{
    double time_a = run->worker[a].event_s, time_b = run->worker[b].event_s;

    return time_a < time_b || (time_a == time_b && a < b);
}

static void put(struct run *run, uint32_t place, uint32_t worker)
{
    run->heap[place] = worker;
    run->worker[worker].place = place;
}

static void sift(struct run *run, uint32_t place)
{
    uint32_t worker = run->heap[place];

    for (; place > 0 && comes_before(run, worker, run->heap[(place - 1) / 2]);
         place = (place - 1) / 2) {
        put(run, place, run->heap[(place - 1) / 2]);
    }
    for (uint32_t child; (child = 2 * place + 1) < run->events; place = child) {
        child +=
            child + 1 < run->events && comes_before(run, run->heap[child + 1], run->heap[child]);
        if (!comes_before(run, run->heap[child], worker)) {
            break;
        }
        put(run, place, run->heap[child]);
    }
    put(run, place, worker);
}

static void set_event(struct run *run, uint32_t worker, double time_s)
{
    run->worker[worker].event_s = time_s;
    if (run->worker[worker].place == NOBODY) {
        put(run, run->events++, worker);
    }
    sift(run, run->worker[worker].place);
}

static uint32_t take_event(struct run *run)
{
    uint32_t worker = run->heap[0];

    put(run, 0, run->heap[--run->events]);
    if (run->events > 0) {
        sift(run, 0);
    }
    run->worker[worker].place = NOBODY;
    return worker;
}

/* --- a master's simulation: a worker's event is its request's coming to the master --- */

size_t keel_migration_master_scratch(uint32_t workers)
{
    return workers * (sizeof(struct worker) + sizeof(uint32_t));
}

/* Those that have any throughput ask. */
static void begin_asking(struct run *run, const struct keel_migration_master *master,
                         uint32_t workers, const double *throughput)
{
    for (uint32_t w = 0; w < workers; w++) {
        bool is_master = master->computes && w == 0;
        run->worker[w] = (struct worker){.speed = finite_amount(throughput[w]), .place = NOBODY};
        if (run->worker[w].speed > 0) {
            set_event(run, w, is_master ? 0 : finite_amount(master->latency_s));
        }
    }
}

/* Gives a task to the worker whose request is the next, by a master that is free at free_s. Returns
 * when it is free again. */
static double serve(struct run *run, const struct keel_migration_master *master, double cost,
                    double free_s)
{
    uint32_t w = take_event(run);
    struct worker *worker = &run->worker[w];
    bool is_master = master->computes && w == 0;
    double latency_s = is_master ? 0 : finite_amount(master->latency_s);

    free_s = fmax(free_s, worker->event_s) + (is_master ? 0 : busy_time(master));
    worker->done_s = free_s + latency_s + finite_amount(cost) / worker->speed;
    set_event(run, w, worker->done_s + latency_s);
    return is_master ? worker->done_s : free_s;
}

double keel_migration_master_simulate(const struct keel_migration_master *master, uint32_t workers,
                                      const double *throughput, const double *cost, uint32_t count,
                                      double *finish_s, void *scratch)
{
    struct worker *worker = scratch;
    struct run run = {.worker = worker, .heap = (uint32_t *)(worker + workers)};
    double free_s = 0, last_s = 0;

    begin_asking(&run, master, workers, throughput);
    for (uint32_t t = 0; t < count && run.events > 0; t++) {
        free_s = serve(&run, master, cost[t], free_s);
    }
    for (uint32_t w = 0; w < workers; w++) {
        finish_s[w] = worker[w].done_s;
        last_s = fmax(last_s, worker[w].done_s);
    }
    return count > 0 && run.events == 0 ? INFINITY : last_s;
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

/* Goes on with what it has. */
static void compute(struct run *run, uint32_t w, double now_s)
{
    struct worker *worker = &run->worker[w];

    if (worker->speed == 0) {
        worker->state = STALLED;
        return;
    }
    worker->state = COMPUTING;
    worker->since_s = now_s;
    double work = is_whole(run->simulation)
                      ? finite_amount(run->simulation->cost[take_task(run, worker)])
                      : worker->left;
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
    set_event(run, w, now_s + finite_amount(run->simulation->request_s));
}

static void ask_the_next(struct run *run, uint32_t w, double now_s)
{
    run->worker[w].asking++;
    ask(run, w, now_s);
}

static void run_dry(struct run *run, uint32_t w, double now_s)
{
    run->worker[w].asking = 0;
    ask(run, w, now_s);
}

/* Fluid tasks, so that x / thief->speed + alpha + beta x = (left - x) / victim->speed (K4). */
static double fluid_share(const struct keel_migration_simulation *simulation,
                          const struct worker *victim, const struct worker *thief, double gamma)
{
    double ratio = victim->speed / thief->speed;

    if (gamma > 0) {
        return part(gamma) * victim->left;
    }
    return (victim->left - finite_amount(simulation->alpha_s) * victim->speed) /
           (1 + ratio + finite_amount(simulation->beta_s) * victim->speed);
}

/* As keel_amounts_to_transfer() rounds: so that the later end comes soonest, or up where the part
 * is stated; what the victim computes stays. 3/5 of 100 are 60, whatever the last digits are. */
static double whole_grains(double grain, const struct worker *victim, const struct worker *thief,
                           double gamma, double tasks)
{
    double up = gamma > 0 ? 1 - 1e-6 : thief->speed / (thief->speed + victim->speed);

    if (!(finite_amount(grain) > 0)) {
        return tasks;
    }
    double begun = victim->state == COMPUTING ? 1 : 0;
    return fmin(floor(tasks / grain + up), ceil(victim->left / grain - 1e-6) - begun) * grain;
}

/* Hands over part of what is left, and returns it; 0: it is too little. */
static double give_fluid(struct run *run, uint32_t from, struct worker *thief, double gamma,
                         double now_s)
{
    struct worker *victim = &run->worker[from];

    if (victim->state == COMPUTING) {
        victim->left = fmax(0, victim->left - victim->speed * (now_s - victim->since_s));
        victim->since_s = now_s;
    }
    double tasks = whole_grains(run->simulation->grain, victim, thief, gamma,
                                fluid_share(run->simulation, victim, thief, gamma));
    if (!(tasks >= run->least)) {
        return 0;
    }
    victim->left -= tasks;
    thief->left = tasks;
    if (victim->state == COMPUTING) {
        set_event(run, from, now_s + victim->left / victim->speed);
    }
    return tasks;
}

static double give_whole(struct run *run, uint32_t from, struct worker *thief, double gamma)
{
    struct worker *victim = &run->worker[from];
    struct keel_amounts_side has = {victim->queued, victim->speed / run->mean_cost};
    struct keel_amounts_side asks = {0, thief->speed / run->mean_cost};
    uint64_t tasks =
        keel_amounts_to_transfer(&has, &asks, finite_amount(run->simulation->alpha_s), gamma);

    for (uint64_t i = 0; i < tasks; i++) {
        append_task(run, thief, take_task(run, victim));
    }
    return (double)tasks;
}

/* Answers a request; returns whether tasks were handed over. */
static bool give(struct run *run, const struct keel_migration_link *link, double now_s)
{
    struct worker *victim = &run->worker[link->partner], *thief = &run->worker[link->asker];
    double gamma = part(link->gamma), tasks = 0;

    if ((victim->state == COMPUTING || victim->state == STALLED) && has_tasks(run, victim)) {
        tasks = is_whole(run->simulation) ? give_whole(run, link->partner, thief, gamma)
                                          : give_fluid(run, link->partner, thief, gamma, now_s);
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
    set_event(run, link->asker,
              now_s + finite_amount(run->simulation->alpha_s) +
                  finite_amount(run->simulation->beta_s) * tasks);
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

    run->worker[w].mail = NOBODY;
    while (asker != NOBODY) {
        uint32_t next = run->worker[asker].next_mail;
        answer(run, asker, now_s);
        asker = next;
    }
}

static void put_mail(struct run *run, uint32_t w, uint32_t asker)
{
    struct worker *worker = &run->worker[w];

    if (worker->mail == NOBODY) {
        worker->mail = asker;
    } else {
        run->worker[worker->last_mail].next_mail = asker;
    }
    worker->last_mail = asker;
    run->worker[asker].next_mail = NOBODY;
    run->worker[asker].state = QUEUED;
}

/* --- what happens --- */

static void request_came(struct run *run, uint32_t asker, double now_s)
{
    uint32_t partner = link_of(run, asker)->partner;

    if (is_whole(run->simulation) && run->worker[partner].state == COMPUTING) {
        put_mail(run, partner, asker);
    } else {
        answer(run, asker, now_s);
    }
}

/* Whoever has asked in vain gets a part of them. */
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
    worker->left = 0;
    if (more) {
        compute(run, w, now_s);
    } else {
        run_dry(run, w, now_s);
    }
    answer_mail(run, w, now_s);
}

static void happen(struct run *run, uint32_t w)
{
    double now_s = run->worker[w].event_s;

    if (run->worker[w].state == ASKING) {
        request_came(run, w, now_s);
    } else if (run->worker[w].state == TAKING) {
        tasks_came(run, w, now_s);
    } else {
        computed(run, w, now_s);
    }
}

/* --- beginning and end --- */

static bool is_link(const struct keel_migration_simulation *simulation, uint32_t l)
{
    const struct keel_migration_link *link = &simulation->link[l];

    return link->asker < simulation->workers && link->partner < simulation->workers &&
           link->asker != link->partner;
}

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
        if (is_link(simulation, l)) {
            first[end_of(&simulation->link[l], by_partner)]++;
        }
    }
    for (uint32_t w = 0, before = 0; w <= simulation->workers; w++) {
        before += first[w];
        first[w] = before; /* its end, for now */
    }
    for (uint32_t l = simulation->links; l-- > 0;) {
        if (is_link(simulation, l)) {
            sorted[--first[end_of(&simulation->link[l], by_partner)]] = l;
        }
    }
}

static void divide_scratch(struct run *run, void *scratch)
{
    const struct keel_migration_simulation *simulation = run->simulation;

    run->worker = scratch;
    run->heap = (uint32_t *)(run->worker + simulation->workers);
    run->asks = run->heap + simulation->workers;
    run->victims = run->asks + simulation->workers + 1;
    run->ask = run->victims + simulation->workers + 1;
    run->given = run->ask + simulation->links;
    run->next = run->given + simulation->links;
}

static void begin_workers(struct run *run)
{
    for (uint32_t w = 0; w < run->simulation->workers; w++) {
        run->worker[w] = (struct worker){
            .speed = finite_amount(run->simulation->throughput[w]),
            .place = NOBODY,
            .mail = NOBODY,
        };
    }
}

/* Hands out the first tasks; returns all work. */
static double deal(struct run *run)
{
    const struct keel_migration_simulation *simulation = run->simulation;
    double work = 0;

    for (uint32_t w = 0; !is_whole(simulation) && w < simulation->workers; w++) {
        run->worker[w].left = finite_amount(simulation->tasks[w]);
        work += run->worker[w].left;
    }
    for (uint32_t t = 0; is_whole(simulation) && t < simulation->count; t++) {
        uint32_t owner = simulation->owner != NULL ? simulation->owner[t] : t % simulation->workers;
        append_task(run, &run->worker[owner], t);
        work += finite_amount(simulation->cost[t]);
    }
    run->least = finite_amount(simulation->least) > 0 ? simulation->least : 1e-9 * work;
    run->mean_cost = is_whole(simulation) && work > 0 ? work / simulation->count : 1;
    return work;
}

/* Whoever has tasks begins; then the others ask. */
static void begin_computing(struct run *run)
{
    for (uint32_t w = 0; w < run->simulation->workers; w++) {
        if (has_tasks(run, &run->worker[w])) {
            compute(run, w, 0);
        } else if (run->worker[w].speed > 0) {
            run_dry(run, w, 0);
        }
    }
}

static void finish(struct run *run, double work, double *finish_s)
{
    double speed = 0;

    for (uint32_t w = 0; w < run->simulation->workers; w++) {
        struct worker *worker = &run->worker[w];
        if (worker->state == STALLED && has_tasks(run, worker)) {
            worker->done_s = INFINITY;
        }
        run->result.finish_s = fmax(run->result.finish_s, worker->done_s);
        speed += worker->speed;
        if (finish_s != NULL) {
            finish_s[w] = worker->done_s;
        }
    }
    run->result.ideal_s = quotient(work, speed);
}

struct keel_migration_result
keel_migration_simulation(const struct keel_migration_simulation *simulation,
                          struct keel_migration_move *move, size_t capacity, double *finish_s,
                          void *scratch)
{
    struct run run = {.simulation = simulation, .move = move, .capacity = capacity};
    uint32_t events = 0;

    divide_scratch(&run, scratch);
    sort_links(simulation, false, run.asks, run.ask);
    sort_links(simulation, true, run.victims, run.given);
    begin_workers(&run);
    double work = deal(&run);
    begin_computing(&run);
    while (run.events > 0 && events++ < KEEL_MIGRATION_EVENTS_MAX) {
        happen(&run, take_event(&run));
    }
    run.result.complete = run.events == 0;
    finish(&run, work, finish_s);
    return run.result;
}

/* --- links of the tree --- */

size_t keel_migration_tree_scratch(uint32_t workers)
{
    return keel_cluster_tree_scratch(workers) + workers * sizeof(struct keel_tree_join) +
           workers * sizeof(uint32_t);
}

uint32_t keel_migration_tree_links(uint32_t workers, const double *throughput, double gamma,
                                   bool both_ways, struct keel_migration_link *link, void *scratch)
{
    char *room = (char *)scratch + keel_cluster_tree_scratch(workers);
    struct keel_tree_join *join = (void *)room;
    uint32_t *next = (void *)(join + workers);
    uint32_t joins = keel_cluster_tree_joins(workers, throughput, next, join, scratch), links = 0;

    for (uint32_t j = 0; j < joins; j++) {
        link[links++] = (struct keel_migration_link){join[j].right, join[j].left_last, gamma};
        if (both_ways) {
            link[links++] = (struct keel_migration_link){join[j].left_last, join[j].right, gamma};
        }
    }
    return links;
}
