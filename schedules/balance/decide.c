/* Decisions of balancing. */
#include "schedules/balance/decide.h"

#include <math.h>
#include <string.h>

#include "schedules/balance/budget.h"
#include "schedules/balance/moves.h"
#include "schedules/balance/tree_shares.h"
#include "schedules/balance/whole_rows.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"

/* struct keel_profit_changes and struct keel_account follow. */
struct keel_steering {
    uint32_t workers;
    uint64_t decisions;      /* so far, the present one included */
    uint64_t calm;           /* those since rows moved last, the present one included */
    double now_s, spacing_s; /* of the last one; from the one before to it */
    bool moved;              /* it moved rows */
    struct keel_profit_cost cost;
    double calm_rate[]; /* P: mean rates of the calm ones */
};

static size_t bytes_before_changes(uint32_t workers)
{
    return sizeof(struct keel_steering) + workers * sizeof(double);
}

static size_t bytes_before_account(uint32_t workers)
{
    return bytes_before_changes(workers) + keel_profit_changes_size(workers);
}

static struct keel_profit_changes *changes_of(struct keel_steering *steering)
{
    return (void *)((char *)steering + bytes_before_changes(steering->workers));
}

static struct keel_account *account_of(struct keel_steering *steering)
{
    return (void *)((char *)steering + bytes_before_account(steering->workers));
}

size_t keel_steering_size(uint32_t workers)
{
    return bytes_before_account(workers) + keel_account_size(workers);
}

/* Beyond, sums and products would not be finite; nothing is as large or as small. */
#define LARGEST 1e150

static bool is_amount(double value)
{
    return value >= 0 && value <= LARGEST;
}

static bool is_rate(double value)
{
    return value >= 1 / LARGEST && value <= LARGEST;
}

static double amount(double value, double otherwise)
{
    return is_amount(value) ? value : otherwise;
}

void keel_steering_begin(struct keel_steering *steering, uint32_t workers, double now_s)
{
    memset(steering, 0, bytes_before_changes(workers));
    steering->workers = workers;
    steering->now_s = isfinite(now_s) ? now_s : 0;
    keel_profit_changes_begin(changes_of(steering), workers, steering->now_s);
    keel_account_begin(account_of(steering), workers, steering->now_s);
}

void keel_steering_note_cost(struct keel_steering *steering, double messages, double bytes,
                             double time_s)
{
    keel_profit_cost_note(&steering->cost, messages, bytes, time_s);
    if (steering->moved) {
        keel_account_moved(account_of(steering), time_s);
    }
}

double keel_steering_cost(const struct keel_steering *steering, double messages, double bytes)
{
    return keel_profit_cost_estimate(&steering->cost, messages, bytes);
}

double keel_steering_left(struct keel_steering *steering)
{
    return keel_profit_changes_left(changes_of(steering), steering->now_s);
}

/* --- what is known --- */

/* One decision. The arrays lie in the caller's scratch memory, but for the last two. */
struct matter {
    struct keel_steering *steering;
    const struct keel_steering_rules *rules;
    const struct keel_steering_circumstances *circumstances;
    uint32_t workers;
    double *known, *rate;  /* as reported, 0: not; and with a guess for those */
    double *measured;      /* the last measured rates, or the same as rate */
    double *work;          /* that each has */
    double *after;         /* that each has with the wanted rows */
    uint64_t *present;     /* rows */
    uint64_t *first, *cut; /* P + 1 bounds of blocks, now and then */
    uint64_t *tasks;
    void *list; /* room for 2 P transfers, for P moves, or for the cluster tree */
    struct keel_whole_rows rows;
    double all_work, present_s;
    double *wanted; /* results */
    uint64_t *wanted_rows;
};

static size_t list_bytes(uint32_t workers)
{
    size_t transfers = 2 * workers * sizeof(struct keel_transfer);
    size_t moves = workers * sizeof(struct keel_move), tree = keel_tree_shares_scratch(workers);
    size_t both = transfers > moves ? transfers : moves;

    return both > tree ? both : tree;
}

size_t keel_steering_scratch(uint32_t workers)
{
    return 5 * sizeof(double) * workers + 2 * sizeof(uint64_t) * workers +
           2 * sizeof(uint64_t) * ((size_t)workers + 1) + list_bytes(workers);
}

static void *taken(char **scratch, size_t count, size_t bytes)
{
    char *place = *scratch;

    *scratch += count * bytes;
    return place;
}

static void place(struct matter *matter, char *scratch)
{
    size_t workers = matter->workers;

    matter->known = taken(&scratch, workers, sizeof(double));
    matter->rate = taken(&scratch, workers, sizeof(double));
    matter->measured = taken(&scratch, workers, sizeof(double));
    matter->work = taken(&scratch, workers, sizeof(double));
    matter->after = taken(&scratch, workers, sizeof(double));
    matter->present = taken(&scratch, workers, sizeof(uint64_t));
    matter->tasks = taken(&scratch, workers, sizeof(uint64_t));
    matter->first = taken(&scratch, workers + 1, sizeof(uint64_t));
    matter->cut = taken(&scratch, workers + 1, sizeof(uint64_t));
    matter->list = scratch;
}

/* Who has no rate counts as the mean of the others; returns whether there are any. */
static bool guess_rates(struct matter *matter, const struct keel_steering_report *report)
{
    double sum = 0, known = 0;

    for (uint32_t w = 0; w < matter->workers; w++) {
        sum += matter->known[w];
        known += matter->known[w] > 0;
    }
    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->rate[w] = matter->known[w] > 0 ? matter->known[w] : sum / known;
        matter->measured[w] = is_rate(report[w].measured) ? report[w].measured : matter->rate[w];
    }
    return known > 0;
}

/* Work that is no number counts as rows of the mean weight of the others', 1 where there are none;
 * a worker without rows has none. */
static void take_work(struct matter *matter, const struct keel_steering_report *report)
{
    double work = 0, rows = 0;

    for (uint32_t w = 0; w < matter->workers; w++) {
        if (report[w].rows > 0 && is_amount(report[w].work)) {
            work += report[w].work;
            rows += (double)report[w].rows;
        }
    }
    double weight = rows > 0 ? work / rows : 1;
    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->present[w] = report[w].rows;
        matter->work[w] =
            report[w].rows > 0 ? amount(report[w].work, weight * (double)report[w].rows) : 0;
        matter->all_work += matter->work[w];
    }
}

static void take_reports(struct matter *matter, const struct keel_steering_report *report)
{
    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->known[w] = is_rate(report[w].rate) ? report[w].rate : 0;
    }
    take_work(matter, report);
    matter->rows = (struct keel_whole_rows){
        .workers = matter->workers,
        .adjacent = matter->rules->adjacent,
        .present = matter->present,
        .work = matter->work,
    };
}

static double time_of(const struct matter *matter, const double *work, const double *rate)
{
    double longest = 0;

    for (uint32_t w = 0; w < matter->workers; w++) {
        longest = work[w] > 0 ? fmax(longest, work[w] / rate[w]) : longest;
    }
    return longest;
}

/* --- wanted shares --- */

static void want_by_rate(struct matter *matter, const double *rate)
{
    double all = 0;

    for (uint32_t w = 0; w < matter->workers; w++) {
        all += rate[w];
    }
    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->wanted[w] = matter->all_work * (rate[w] / all);
    }
}

/* Whole tasks: rows where these are the work, else work in so many parts. Returns the work of a
 * task. */
#define PARTS 0x1p40

static double set_tasks(struct matter *matter)
{
    bool alike = true;

    for (uint32_t w = 0; w < matter->workers; w++) {
        alike &= matter->work[w] == (double)matter->present[w];
    }
    double task = alike ? 1 : matter->all_work / PARTS;
    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->tasks[w] = alike ? matter->present[w] : count_of(matter->work[w] / task + 0.5);
    }
    return task;
}

static void set_balancers(const struct matter *matter, struct keel_balancers *balancers)
{
    static const enum keel_balancer kind[] = {
        [KEEL_STEER_RANDOM] = KEEL_BALANCER_RANDOM,
        [KEEL_STEER_DIFFUSION] = KEEL_BALANCER_DIFFUSION,
        [KEEL_STEER_REDISTRIBUTION] = KEEL_BALANCER_REDISTRIBUTION,
    };

    *balancers = (struct keel_balancers){
        .kind = kind[matter->rules->kind],
        .graph = matter->rules->graph,
        .workers = matter->workers,
        .power = matter->rate,
        .seed = matter->rules->seed,
    };
    keel_balancers_set_best(balancers);
    if (matter->rules->threshold > 0) {
        balancers->threshold = matter->rules->threshold;
    }
    if (matter->rules->alpha > 0) {
        balancers->alpha = matter->rules->alpha;
    }
}

/* What a worker sends at this step. All but redistribution, which lists what all send. */
static size_t list_own(const struct matter *matter, const struct keel_balancers *balancers,
                       uint32_t worker, struct keel_transfer *transfer)
{
    if (balancers->kind == KEEL_BALANCER_DIFFUSION) {
        return keel_balancers_diffuse(balancers, matter->tasks, worker, transfer, matter->workers);
    }
    return keel_balancers_random(balancers, matter->tasks, worker, matter->steering->decisions - 1,
                                 transfer);
}

static void apply(struct matter *matter, const struct keel_transfer *transfer, size_t transfers,
                  double task)
{
    for (size_t i = 0; i < transfers; i++) {
        double work = (double)transfer[i].tasks * task;
        matter->wanted[transfer[i].from] = fmax(0, matter->wanted[transfer[i].from] - work);
        matter->wanted[transfer[i].to] += work;
    }
}

/* F3-F5. A worker's transfers at a time, as diffusion among all has P^2 / 4 of them. */
static void want_by_transfers(struct matter *matter)
{
    struct keel_balancers balancers;
    struct keel_transfer *transfer = matter->list;
    double task = set_tasks(matter);

    set_balancers(matter, &balancers);
    memcpy(matter->wanted, matter->work, matter->workers * sizeof *matter->wanted);
    if (balancers.kind == KEEL_BALANCER_REDISTRIBUTION) {
        size_t transfers = keel_balancers_redistribute(
            &balancers, matter->tasks, matter->wanted_rows, transfer, 2 * (size_t)matter->workers);
        apply(matter, transfer, transfers, task);
        return;
    }
    for (uint32_t w = 0; w < matter->workers; w++) {
        apply(matter, transfer, list_own(matter, &balancers, w, transfer), task);
    }
}

static void want(struct matter *matter, const double *rate)
{
    switch (matter->rules->kind) {
    case KEEL_STEER_RANDOM:
    case KEEL_STEER_DIFFUSION:
    case KEEL_STEER_REDISTRIBUTION:
        want_by_transfers(matter);
        break;
    case KEEL_STEER_TREE:
        keel_tree_shares(matter->workers, rate, matter->work, matter->wanted, matter->list);
        break;
    default:
        want_by_rate(matter, rate);
    }
}

/* --- shaking --- */

/* 0 .. 1, and often either of these */
static double chance_of(uint64_t *state)
{
    *state = keel_chance_mix(*state + 1);
    double chance = (double)(*state >> 11) * 0x1p-53;

    return *state % 4 == 0 ? 0 : *state % 4 == 1 ? 1 : chance;
}

static void want_by_chance(struct matter *matter)
{
    uint64_t state =
        keel_chance_mix(keel_chance_mix(matter->rules->seed) ^ matter->steering->decisions);
    double all = 0;

    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->wanted[w] = chance_of(&state);
        all += matter->wanted[w];
    }
    matter->wanted[0] += all == 0;
    all += all == 0;
    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->wanted[w] *= matter->all_work / all;
    }
}

/* --- what a movement costs --- */

static void set_bounds(uint32_t workers, const uint64_t *rows, uint64_t *first)
{
    first[0] = 0;
    for (uint32_t w = 0; w < workers; w++) {
        first[w + 1] = first[w] + rows[w];
    }
}

/* The messages of the worker that has most of them. */
static uint32_t most_messages(struct matter *matter)
{
    struct keel_move *move = matter->list;
    uint64_t *messages = matter->tasks, most = 0;
    size_t moves = keel_moves_any(matter->workers, matter->present, matter->wanted_rows, move,
                                  matter->workers);

    memset(messages, 0, matter->workers * sizeof *messages);
    for (size_t i = 0; i < moves; i++) {
        most = max_u64(most, ++messages[move[i].from]);
        most = max_u64(most, ++messages[move[i].to]);
    }
    return (uint32_t)most;
}

static void set_cost(struct matter *matter, struct keel_steering_decision *decision)
{
    struct keel_moves_sum sum;

    if (matter->rules->adjacent) {
        set_bounds(matter->workers, matter->present, matter->first);
        set_bounds(matter->workers, matter->wanted_rows, matter->cut);
        sum = keel_moves_adjacent_sum(matter->workers, matter->first, matter->cut);
        decision->messages = (double)sum.rounds * (matter->workers > 2 ? 2 : 1);
    } else {
        sum = keel_moves_any_sum(matter->workers, matter->present, matter->wanted_rows);
        decision->messages = most_messages(matter);
    }
    decision->bytes = (double)sum.most_rows * amount(matter->circumstances->row_bytes, 0);
    decision->cost_s =
        keel_profit_cost_estimate(&matter->steering->cost, decision->messages, decision->bytes);
}

/* --- the decision --- */

static bool same_rows(const struct matter *matter)
{
    return memcmp(matter->present, matter->wanted_rows,
                  matter->workers * sizeof *matter->present) == 0;
}

/* Everybody keeps what it has. */
static struct keel_steering_decision keep(struct matter *matter,
                                          struct keel_steering_decision decision,
                                          enum keel_steering_verdict verdict)
{
    memcpy(matter->wanted_rows, matter->present, matter->workers * sizeof *matter->present);
    memcpy(matter->wanted, matter->work, matter->workers * sizeof *matter->work);
    decision.verdict = verdict;
    return decision;
}

/* Turns wanted work into rows, and these into the work that they come to. */
static void cut(struct matter *matter)
{
    keel_whole_rows_cut(&matter->rows, matter->wanted, matter->rules->kind == KEEL_STEER_SHAKE,
                        matter->wanted_rows);
    keel_whole_rows_work(&matter->rows, matter->wanted_rows, matter->after);
}

static struct keel_steering_decision shake(struct matter *matter)
{
    struct keel_steering_decision decision = {.verdict = KEEL_STEER_MOVE};

    if (!(matter->all_work > 0)) {
        for (uint32_t w = 0; w < matter->workers; w++) {
            matter->work[w] = (double)matter->present[w];
            matter->all_work += matter->work[w];
        }
    }
    want_by_chance(matter);
    cut(matter);
    if (same_rows(matter)) {
        return keep(matter, decision, KEEL_STEER_LEVEL);
    }
    set_cost(matter, &decision);
    return decision;
}

/* The means of the rates over the calm decisions. */
static void note_calm(struct matter *matter)
{
    double calm = (double)++matter->steering->calm;

    for (uint32_t w = 0; w < matter->workers; w++) {
        double *mean = &matter->steering->calm_rate[w];
        *mean += (matter->rate[w] - *mean) / calm;
    }
}

/* S11: below the threshold small adjustments pass from time to time, by the means of the rates
 * since rows moved last. By the present rates they must not make it worse. */
static bool adjust(struct matter *matter)
{
    const struct keel_steering *steering = matter->steering;

    want(matter, steering->calm_rate);
    cut(matter);
    double gain = keel_threshold_gain(time_of(matter, matter->work, steering->calm_rate),
                                      time_of(matter, matter->after, steering->calm_rate));
    return keel_threshold_decide(steering->decisions, steering->calm, 0, gain) ==
               KEEL_BLOCKS_ADJUSTED &&
           time_of(matter, matter->after, matter->rate) <= matter->present_s;
}

static bool has_threshold(enum keel_steering_kind kind)
{
    return kind == KEEL_STEER_RATE || kind == KEEL_STEER_TREE;
}

/* What the wanted rows gain by these rates. Steps of the balancers between neighbours gain where
 * they take place, if not yet for all: of these the workers count whose rows change. */
static double gain_by(const struct matter *matter, const double *rate)
{
    bool all = has_threshold(matter->rules->kind);
    double present_s = 0, after_s = 0;

    for (uint32_t w = 0; w < matter->workers; w++) {
        if (all || matter->present[w] != matter->wanted_rows[w]) {
            present_s = fmax(present_s, matter->work[w] / rate[w]);
            after_s = fmax(after_s, matter->after[w] / rate[w]);
        }
    }
    return keel_threshold_gain(present_s, after_s);
}

/* Filtered rates lag behind a change: they may still ask for what it has just made wrong. */
static double agreed_gain(const struct matter *matter, const double *rate)
{
    return fmin(gain_by(matter, rate), gain_by(matter, matter->measured));
}

/* Shares follow a load so many decisions late: filtered rates take two or three of them. */
#define LAG 3

/* What it costs to have to go back: the same movement, and until then what the wanted shares lose
 * against the present ones by the rates before the last change, as work that these shares would
 * have done in the time by the present rates. */
static double undoing_s(const struct matter *matter, double cost_s)
{
    const double *before = keel_profit_changes_before(changes_of(matter->steering));
    double present_s = 0, after_s = 0;

    for (uint32_t w = 0; w < matter->workers; w++) {
        double rate = before[w] > 0 ? before[w] : matter->rate[w];
        present_s = fmax(present_s, matter->work[w] / rate);
        after_s = fmax(after_s, matter->after[w] / rate);
    }
    double lost = present_s > 0 ? fmax(0, 1 / present_s - 1 / after_s) : 0;
    return cost_s +
           LAG * matter->steering->spacing_s * lost * time_of(matter, matter->after, matter->rate);
}

/* Less than this part of the rows that should move is not worth the messages. */
#define LEAST_PART 0.1

/* Makes the movement one that may be paid, and paid again if it has to be undone; false: it can't.
 * What is slower than the first shares may go back to them whatever it costs. */
static bool afford(struct matter *matter, struct keel_steering_decision *decision, double purse_s,
                   bool behind)
{
    double part = purse_s / (2 * decision->cost_s);

    if (behind || part >= 1 || !(decision->cost_s > 0)) {
        return true;
    }
    if (!(part >= LEAST_PART)) {
        return false;
    }
    for (uint32_t w = 0; w < matter->workers; w++) {
        matter->wanted[w] = matter->work[w] + part * (matter->wanted[w] - matter->work[w]);
    }
    cut(matter);
    set_cost(matter, decision);
    return !same_rows(matter);
}

static double remaining_of(const struct matter *matter)
{
    double remaining_s = matter->circumstances->remaining_s;

    return remaining_s >= 0 ? remaining_s : INFINITY;
}

/* Slower than with the first shares by more than rounding makes. */
static bool is_behind(const struct matter *matter)
{
    return matter->present_s > 1.001 * keel_account_first_time(account_of(matter->steering),
                                                               matter->all_work, matter->rate);
}

/* S12; rate: by which the wanted rows are better. */
static bool pays(struct matter *matter, struct keel_steering_decision *decision, const double *rate)
{
    const struct keel_profit_changes *changes = changes_of(matter->steering);
    double remaining_s = remaining_of(matter), greatly = matter->rules->greatly;
    double left_s = keel_profit_changes_left(changes, matter->steering->now_s);
    double purse_s = keel_account_purse(account_of(matter->steering), remaining_s);
    bool behind = is_behind(matter);

    if (!afford(matter, decision, purse_s, behind)) {
        return false;
    }
    bool in_debt = behind && purse_s < 2 * decision->cost_s;
    if (changes->changes > 0 && left_s < remaining_s) {
        decision->cost_s += in_debt ? 0 : undoing_s(matter, decision->cost_s);
    }
    struct keel_profit_decision profit =
        keel_profit_decide(agreed_gain(matter, rate), left_s, remaining_s, decision->cost_s,
                           greatly > 0 ? greatly : KEEL_STEER_GREATLY);
    decision->saving_s = profit.saving_s;
    return profit.pays && profit.saving_s > 0;
}

static struct keel_steering_decision
weigh(struct matter *matter, struct keel_steering_decision decision, const double *rate)
{
    bool whatever = isinf(matter->rules->greatly);

    if (same_rows(matter) || (!whatever && !(agreed_gain(matter, rate) > 0))) {
        return keep(matter, decision, KEEL_STEER_LEVEL);
    }
    set_cost(matter, &decision);
    if (!whatever && !pays(matter, &decision, rate)) {
        return keep(matter, decision, KEEL_STEER_CANCELLED);
    }
    matter->steering->calm = 0;
    matter->steering->moved = true;
    decision.verdict = KEEL_STEER_MOVE;
    return decision;
}

static struct keel_steering_decision consider(struct matter *matter)
{
    struct keel_steering_decision decision = {0};
    double threshold = amount(matter->rules->gain, KEEL_STEER_GAIN);

    matter->present_s = time_of(matter, matter->work, matter->rate);
    want(matter, matter->rate);
    cut(matter);
    decision.gain =
        keel_threshold_gain(matter->present_s, time_of(matter, matter->after, matter->rate));
    if (has_threshold(matter->rules->kind) && decision.gain < threshold) {
        return !isinf(matter->rules->greatly) && adjust(matter)
                   ? weigh(matter, decision, matter->steering->calm_rate)
                   : keep(matter, decision, KEEL_STEER_LEVEL);
    }
    return weigh(matter, decision, matter->rate);
}

/* Rates whose shares would gain this by each other differ. Less than S11's threshold: where one of
 * many workers gets faster, little is gained by following it, but its coming and going shows in how
 * long rates last. */
#define CHANGE 0.05

static void note_time(struct keel_steering *steering, double now_s)
{
    double then_s = steering->now_s;

    steering->decisions++;
    steering->now_s = isfinite(now_s) ? fmax(then_s, now_s) : then_s;
    steering->spacing_s = steering->now_s - then_s;
}

static void note_rates(struct matter *matter)
{
    struct keel_steering *steering = matter->steering;

    note_calm(matter);
    keel_profit_changes_note(changes_of(steering), steering->now_s, matter->known, CHANGE);
    keel_account_note(account_of(steering), steering->now_s, matter->work, matter->measured);
    steering->moved = false;
}

struct keel_steering_decision
keel_steering_decide(struct keel_steering *steering, const struct keel_steering_rules *rules,
                     const struct keel_steering_circumstances *circumstances,
                     const struct keel_steering_report *report, uint64_t *rows, double *work,
                     void *scratch)
{
    struct matter matter = {
        .steering = steering,
        .rules = rules,
        .circumstances = circumstances,
        .workers = steering->workers,
        .wanted = work,
        .wanted_rows = rows,
    };

    place(&matter, scratch);
    take_reports(&matter, report);
    note_time(steering, circumstances->now_s);
    bool known = guess_rates(&matter, report);
    if (rules->kind == KEEL_STEER_SHAKE) {
        return shake(&matter);
    }
    if (!known) {
        return keep(&matter, (struct keel_steering_decision){0}, KEEL_STEER_UNKNOWN);
    }
    note_rates(&matter);
    return consider(&matter);
}
