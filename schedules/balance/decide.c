/* Decisions of balancing. */
#include "schedules/balance/decide.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/balance/budget.h"
#include "schedules/balance/moves.h"
#include "schedules/balance/tree_shares.h"
#include "schedules/balance/whole_rows.h"

/* struct keel_profit_changes and struct keel_budget follow. */
struct keel_decide_state {
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
    return sizeof(struct keel_decide_state) + workers * sizeof(double);
}

static size_t bytes_before_budget(uint32_t workers)
{
    return bytes_before_changes(workers) + keel_profit_changes_size(workers);
}

static struct keel_profit_changes *changes_of(struct keel_decide_state *state)
{
    return (void *)((char *)state + bytes_before_changes(state->workers));
}

static struct keel_budget *budget_of(struct keel_decide_state *state)
{
    return (void *)((char *)state + bytes_before_budget(state->workers));
}

size_t keel_decide_size(uint32_t workers)
{
    return bytes_before_budget(workers) + keel_budget_size(workers);
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

void keel_decide_begin(struct keel_decide_state *state, uint32_t workers, double now_s)
{
    memset(state, 0, bytes_before_changes(workers));
    state->workers = workers;
    state->now_s = isfinite(now_s) ? now_s : 0;
    keel_profit_changes_begin(changes_of(state), workers, state->now_s);
    keel_budget_begin(budget_of(state), workers, state->now_s);
}

void keel_decide_note_cost(struct keel_decide_state *state, double messages, double bytes,
                           double time_s)
{
    keel_profit_cost_note(&state->cost, messages, bytes, time_s);
    if (state->moved) {
        keel_budget_note_movement(budget_of(state), time_s);
    }
}

double keel_decide_cost(const struct keel_decide_state *state, double messages, double bytes)
{
    return keel_profit_cost_estimate(&state->cost, messages, bytes);
}

double keel_decide_rates_last_s(struct keel_decide_state *state)
{
    return keel_profit_changes_left(changes_of(state), state->now_s);
}

/* --- what is known --- */

/* One decision. The arrays lie in the caller's scratch memory, but for the last two. */
struct proposal {
    struct keel_decide_state *state;
    const struct keel_decide_rules *rules;
    const struct keel_decide_situation *situation;
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

size_t keel_decide_scratch(uint32_t workers)
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

static void place(struct proposal *proposal, char *scratch)
{
    size_t workers = proposal->workers;

    proposal->known = taken(&scratch, workers, sizeof(double));
    proposal->rate = taken(&scratch, workers, sizeof(double));
    proposal->measured = taken(&scratch, workers, sizeof(double));
    proposal->work = taken(&scratch, workers, sizeof(double));
    proposal->after = taken(&scratch, workers, sizeof(double));
    proposal->present = taken(&scratch, workers, sizeof(uint64_t));
    proposal->tasks = taken(&scratch, workers, sizeof(uint64_t));
    proposal->first = taken(&scratch, workers + 1, sizeof(uint64_t));
    proposal->cut = taken(&scratch, workers + 1, sizeof(uint64_t));
    proposal->list = scratch;
}

/* Who has no rate counts as the mean of the others; returns whether there are any. */
static bool guess_rates(struct proposal *proposal, const struct keel_decide_report *report)
{
    double sum = 0, known = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        sum += proposal->known[w];
        known += proposal->known[w] > 0;
    }
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->rate[w] = proposal->known[w] > 0 ? proposal->known[w] : sum / known;
        proposal->measured[w] =
            is_rate(report[w].measured) ? report[w].measured : proposal->rate[w];
    }
    return known > 0;
}

/* Work that is no number counts as rows of the mean weight of the others', 1 where there are none;
 * a worker without rows has none. */
static void take_work(struct proposal *proposal, const struct keel_decide_report *report)
{
    double work = 0, rows = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        if (report[w].rows > 0 && is_amount(report[w].work)) {
            work += report[w].work;
            rows += (double)report[w].rows;
        }
    }
    double weight = rows > 0 ? work / rows : 1;
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->present[w] = report[w].rows;
        proposal->work[w] =
            report[w].rows > 0 ? amount(report[w].work, weight * (double)report[w].rows) : 0;
        proposal->all_work += proposal->work[w];
    }
}

static void take_reports(struct proposal *proposal, const struct keel_decide_report *report)
{
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->known[w] = is_rate(report[w].rate) ? report[w].rate : 0;
    }
    take_work(proposal, report);
    proposal->rows = (struct keel_whole_rows){
        .workers = proposal->workers,
        .adjacent = proposal->rules->adjacent,
        .present = proposal->present,
        .work = proposal->work,
    };
}

static double time_of(const struct proposal *proposal, const double *work, const double *rate)
{
    double longest = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        longest = work[w] > 0 ? fmax(longest, work[w] / rate[w]) : longest;
    }
    return longest;
}

/* --- wanted shares --- */

static void want_by_rate(struct proposal *proposal, const double *rate)
{
    double all = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        all += rate[w];
    }
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->wanted[w] = proposal->all_work * (rate[w] / all);
    }
}

/* Whole tasks: rows where these are the work, else work in so many parts. Returns the work of a
 * task. */
#define PARTS 0x1p40

static double set_tasks(struct proposal *proposal)
{
    bool alike = true;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        alike &= proposal->work[w] == (double)proposal->present[w];
    }
    double task = alike ? 1 : proposal->all_work / PARTS;
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->tasks[w] =
            alike ? proposal->present[w] : count_of(proposal->work[w] / task + 0.5);
    }
    return task;
}

static void set_balancers(const struct proposal *proposal, struct keel_neighbours *balancers)
{
    static const enum keel_neighbours_kind kind[] = {
        [KEEL_DECIDE_BY_RANDOM] = KEEL_NEIGHBOURS_RANDOM,
        [KEEL_DECIDE_BY_DIFFUSION] = KEEL_NEIGHBOURS_DIFFUSION,
        [KEEL_DECIDE_BY_REDISTRIBUTION] = KEEL_NEIGHBOURS_REDISTRIBUTION,
    };

    *balancers = (struct keel_neighbours){
        .kind = kind[proposal->rules->kind],
        .graph = proposal->rules->graph,
        .workers = proposal->workers,
        .power = proposal->rate,
        .seed = proposal->rules->seed,
    };
    keel_neighbours_set_best(balancers);
    if (proposal->rules->threshold > 0) {
        balancers->threshold = proposal->rules->threshold;
    }
    if (proposal->rules->alpha > 0) {
        balancers->alpha = proposal->rules->alpha;
    }
}

/* What a worker sends at this step. All but redistribution, which lists what all send. */
static size_t list_own(const struct proposal *proposal, const struct keel_neighbours *balancers,
                       uint32_t worker, struct keel_transfer *transfer)
{
    if (balancers->kind == KEEL_NEIGHBOURS_DIFFUSION) {
        return keel_neighbours_diffuse(balancers, proposal->tasks, worker, transfer,
                                       proposal->workers);
    }
    return keel_neighbours_random(balancers, proposal->tasks, worker,
                                  proposal->state->decisions - 1, transfer);
}

static void apply(struct proposal *proposal, const struct keel_transfer *transfer, size_t transfers,
                  double task)
{
    for (size_t i = 0; i < transfers; i++) {
        double work = (double)transfer[i].tasks * task;
        proposal->wanted[transfer[i].from] = fmax(0, proposal->wanted[transfer[i].from] - work);
        proposal->wanted[transfer[i].to] += work;
    }
}

/* F3-F5. A worker's transfers at a time, as diffusion among all has P^2 / 4 of them. */
static void want_by_transfers(struct proposal *proposal)
{
    struct keel_neighbours balancers;
    struct keel_transfer *transfer = proposal->list;
    double task = set_tasks(proposal);

    set_balancers(proposal, &balancers);
    memcpy(proposal->wanted, proposal->work, proposal->workers * sizeof *proposal->wanted);
    if (balancers.kind == KEEL_NEIGHBOURS_REDISTRIBUTION) {
        size_t transfers =
            keel_neighbours_redistribute(&balancers, proposal->tasks, proposal->wanted_rows,
                                         transfer, 2 * (size_t)proposal->workers);
        apply(proposal, transfer, transfers, task);
        return;
    }
    for (uint32_t w = 0; w < proposal->workers; w++) {
        apply(proposal, transfer, list_own(proposal, &balancers, w, transfer), task);
    }
}

static void want(struct proposal *proposal, const double *rate)
{
    switch (proposal->rules->kind) {
    case KEEL_DECIDE_BY_RANDOM:
    case KEEL_DECIDE_BY_DIFFUSION:
    case KEEL_DECIDE_BY_REDISTRIBUTION:
        want_by_transfers(proposal);
        break;
    case KEEL_DECIDE_BY_TREE:
        keel_tree_shares(proposal->workers, rate, proposal->work, proposal->wanted, proposal->list);
        break;
    default:
        want_by_rate(proposal, rate);
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

static void want_by_chance(struct proposal *proposal)
{
    uint64_t state =
        keel_chance_mix(keel_chance_mix(proposal->rules->seed) ^ proposal->state->decisions);
    double all = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->wanted[w] = chance_of(&state);
        all += proposal->wanted[w];
    }
    proposal->wanted[0] += all == 0;
    all += all == 0;
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->wanted[w] *= proposal->all_work / all;
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
static uint32_t most_messages(struct proposal *proposal)
{
    struct keel_move *move = proposal->list;
    uint64_t *messages = proposal->tasks, most = 0;
    size_t moves = keel_moves_any(proposal->workers, proposal->present, proposal->wanted_rows, move,
                                  proposal->workers);

    memset(messages, 0, proposal->workers * sizeof *messages);
    for (size_t i = 0; i < moves; i++) {
        most = max_u64(most, ++messages[move[i].from]);
        most = max_u64(most, ++messages[move[i].to]);
    }
    return (uint32_t)most;
}

static void set_cost(struct proposal *proposal, struct keel_decision *decision)
{
    struct keel_moves_sum sum;

    if (proposal->rules->adjacent) {
        set_bounds(proposal->workers, proposal->present, proposal->first);
        set_bounds(proposal->workers, proposal->wanted_rows, proposal->cut);
        sum = keel_moves_adjacent_sum(proposal->workers, proposal->first, proposal->cut);
        decision->messages = (double)sum.rounds * (proposal->workers > 2 ? 2 : 1);
    } else {
        sum = keel_moves_any_sum(proposal->workers, proposal->present, proposal->wanted_rows);
        decision->messages = most_messages(proposal);
    }
    decision->bytes = (double)sum.most_rows * amount(proposal->situation->row_bytes, 0);
    decision->cost_s =
        keel_profit_cost_estimate(&proposal->state->cost, decision->messages, decision->bytes);
}

/* --- the decision --- */

static bool same_rows(const struct proposal *proposal)
{
    return memcmp(proposal->present, proposal->wanted_rows,
                  proposal->workers * sizeof *proposal->present) == 0;
}

/* Everybody keeps what it has. */
static struct keel_decision keep(struct proposal *proposal, struct keel_decision decision,
                                 enum keel_decision_verdict verdict)
{
    memcpy(proposal->wanted_rows, proposal->present, proposal->workers * sizeof *proposal->present);
    memcpy(proposal->wanted, proposal->work, proposal->workers * sizeof *proposal->work);
    decision.verdict = verdict;
    return decision;
}

/* Turns wanted work into rows, and these into the work that they come to. */
static void cut(struct proposal *proposal)
{
    keel_whole_rows_cut(&proposal->rows, proposal->wanted,
                        proposal->rules->kind == KEEL_DECIDE_BY_SHAKE, proposal->wanted_rows);
    keel_whole_rows_work(&proposal->rows, proposal->wanted_rows, proposal->after);
}

static struct keel_decision shake(struct proposal *proposal)
{
    struct keel_decision decision = {.verdict = KEEL_DECISION_MOVE};

    if (!(proposal->all_work > 0)) {
        for (uint32_t w = 0; w < proposal->workers; w++) {
            proposal->work[w] = (double)proposal->present[w];
            proposal->all_work += proposal->work[w];
        }
    }
    want_by_chance(proposal);
    cut(proposal);
    if (same_rows(proposal)) {
        return keep(proposal, decision, KEEL_DECISION_KEEP);
    }
    set_cost(proposal, &decision);
    return decision;
}

/* The means of the rates over the calm decisions. */
static void note_calm(struct proposal *proposal)
{
    double calm = (double)++proposal->state->calm;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        double *mean = &proposal->state->calm_rate[w];
        *mean += (proposal->rate[w] - *mean) / calm;
    }
}

/* S11: below the threshold small adjustments pass from time to time, by the means of the rates
 * since rows moved last. By the present rates they must not make it worse. */
static bool adjust(struct proposal *proposal)
{
    const struct keel_decide_state *state = proposal->state;

    want(proposal, state->calm_rate);
    cut(proposal);
    double gain = keel_threshold_gain(time_of(proposal, proposal->work, state->calm_rate),
                                      time_of(proposal, proposal->after, state->calm_rate));
    return keel_threshold_decide(state->decisions, state->calm, 0, gain) == KEEL_BLOCKS_ADJUSTED &&
           time_of(proposal, proposal->after, proposal->rate) <= proposal->present_s;
}

static bool has_threshold(enum keel_decide_kind kind)
{
    return kind == KEEL_DECIDE_BY_RATE || kind == KEEL_DECIDE_BY_TREE;
}

/* What the wanted rows gain by these rates. Steps of the balancers between neighbours gain where
 * they take place, if not yet for all: of these the workers count whose rows change. */
static double gain_by(const struct proposal *proposal, const double *rate)
{
    bool all = has_threshold(proposal->rules->kind);
    double present_s = 0, after_s = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        if (all || proposal->present[w] != proposal->wanted_rows[w]) {
            present_s = fmax(present_s, proposal->work[w] / rate[w]);
            after_s = fmax(after_s, proposal->after[w] / rate[w]);
        }
    }
    return keel_threshold_gain(present_s, after_s);
}

/* Filtered rates lag behind a change: they may still ask for what it has just made wrong. */
static double agreed_gain(const struct proposal *proposal, const double *rate)
{
    return fmin(gain_by(proposal, rate), gain_by(proposal, proposal->measured));
}

/* Shares follow a load so many decisions late: filtered rates take two or three of them. */
#define LAG 3

/* What it costs to have to go back: the same movement, and until then what the wanted shares lose
 * against the present ones by the rates before the last change, as work that these shares would
 * have done in the time by the present rates. */
static double undoing_s(const struct proposal *proposal, double cost_s)
{
    const double *before = keel_profit_changes_before(changes_of(proposal->state));
    double present_s = 0, after_s = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        double rate = before[w] > 0 ? before[w] : proposal->rate[w];
        present_s = fmax(present_s, proposal->work[w] / rate);
        after_s = fmax(after_s, proposal->after[w] / rate);
    }
    double lost = present_s > 0 ? fmax(0, 1 / present_s - 1 / after_s) : 0;
    return cost_s + LAG * proposal->state->spacing_s * lost *
                        time_of(proposal, proposal->after, proposal->rate);
}

/* Less than this part of the rows that should move is not worth the messages. */
#define LEAST_PART 0.1

/* Makes the movement one that may be paid, and paid again if it has to be undone; false: it can't.
 * What is slower than the first shares may go back to them whatever it costs. */
static bool afford(struct proposal *proposal, struct keel_decision *decision, double budget_s,
                   bool behind)
{
    double part = budget_s / (2 * decision->cost_s);

    if (behind || part >= 1 || !(decision->cost_s > 0)) {
        return true;
    }
    if (!(part >= LEAST_PART)) {
        return false;
    }
    for (uint32_t w = 0; w < proposal->workers; w++) {
        proposal->wanted[w] = proposal->work[w] + part * (proposal->wanted[w] - proposal->work[w]);
    }
    cut(proposal);
    set_cost(proposal, decision);
    return !same_rows(proposal);
}

static double remaining_of(const struct proposal *proposal)
{
    double remaining_s = proposal->situation->remaining_s;

    return remaining_s >= 0 ? remaining_s : INFINITY;
}

/* Slower than with the first shares by more than rounding makes. */
static bool is_behind(const struct proposal *proposal)
{
    return proposal->present_s > 1.001 * keel_budget_first_shares_s(budget_of(proposal->state),
                                                                    proposal->all_work,
                                                                    proposal->rate);
}

/* S12; rate: by which the wanted rows are better. */
static bool pays(struct proposal *proposal, struct keel_decision *decision, const double *rate)
{
    const struct keel_profit_changes *changes = changes_of(proposal->state);
    double remaining_s = remaining_of(proposal), greatly = proposal->rules->greatly;
    double left_s = keel_profit_changes_left(changes, proposal->state->now_s);
    double budget_s = keel_budget_left_s(budget_of(proposal->state), remaining_s);
    bool behind = is_behind(proposal);

    if (!afford(proposal, decision, budget_s, behind)) {
        return false;
    }
    bool in_debt = behind && budget_s < 2 * decision->cost_s;
    if (changes->changes > 0 && left_s < remaining_s) {
        decision->cost_s += in_debt ? 0 : undoing_s(proposal, decision->cost_s);
    }
    struct keel_profit_decision profit =
        keel_profit_decide(agreed_gain(proposal, rate), left_s, remaining_s, decision->cost_s,
                           greatly > 0 ? greatly : KEEL_DECIDE_GREATLY);
    decision->saving_s = profit.saving_s;
    return profit.pays && profit.saving_s > 0;
}

static struct keel_decision weigh(struct proposal *proposal, struct keel_decision decision,
                                  const double *rate)
{
    bool whatever = isinf(proposal->rules->greatly);

    if (same_rows(proposal) || (!whatever && !(agreed_gain(proposal, rate) > 0))) {
        return keep(proposal, decision, KEEL_DECISION_KEEP);
    }
    set_cost(proposal, &decision);
    if (!whatever && !pays(proposal, &decision, rate)) {
        return keep(proposal, decision, KEEL_DECISION_CANCELLED);
    }
    proposal->state->calm = 0;
    proposal->state->moved = true;
    decision.verdict = KEEL_DECISION_MOVE;
    return decision;
}

static struct keel_decision consider(struct proposal *proposal)
{
    struct keel_decision decision = {0};
    double threshold = amount(proposal->rules->gain, KEEL_DECIDE_GAIN);

    proposal->present_s = time_of(proposal, proposal->work, proposal->rate);
    want(proposal, proposal->rate);
    cut(proposal);
    decision.gain = keel_threshold_gain(proposal->present_s,
                                        time_of(proposal, proposal->after, proposal->rate));
    if (has_threshold(proposal->rules->kind) && decision.gain < threshold) {
        return !isinf(proposal->rules->greatly) && adjust(proposal)
                   ? weigh(proposal, decision, proposal->state->calm_rate)
                   : keep(proposal, decision, KEEL_DECISION_KEEP);
    }
    return weigh(proposal, decision, proposal->rate);
}

/* Rates whose shares would gain this by each other differ. Less than S11's threshold: where one of
 * many workers gets faster, little is gained by following it, but its coming and going shows in how
 * long rates last. */
#define CHANGE 0.05

static void note_time(struct keel_decide_state *state, double now_s)
{
    double then_s = state->now_s;

    state->decisions++;
    state->now_s = isfinite(now_s) ? fmax(then_s, now_s) : then_s;
    state->spacing_s = state->now_s - then_s;
}

static void note_rates(struct proposal *proposal)
{
    struct keel_decide_state *state = proposal->state;

    note_calm(proposal);
    keel_profit_changes_note(changes_of(state), state->now_s, proposal->known, CHANGE);
    keel_budget_note(budget_of(state), state->now_s, proposal->work, proposal->measured);
    state->moved = false;
}

struct keel_decision keel_decide(struct keel_decide_state *state,
                                 const struct keel_decide_rules *rules,
                                 const struct keel_decide_situation *situation,
                                 const struct keel_decide_report *report, uint64_t *rows,
                                 double *work, void *scratch)
{
    struct proposal proposal = {
        .state = state,
        .rules = rules,
        .situation = situation,
        .workers = state->workers,
        .wanted = work,
        .wanted_rows = rows,
    };

    place(&proposal, scratch);
    take_reports(&proposal, report);
    note_time(state, situation->now_s);
    bool known = guess_rates(&proposal, report);
    if (rules->kind == KEEL_DECIDE_BY_SHAKE) {
        return shake(&proposal);
    }
    if (!known) {
        return keep(&proposal, (struct keel_decision){0}, KEEL_DECISION_NO_RATES);
    }
    note_rates(&proposal);
    return consider(&proposal);
}
