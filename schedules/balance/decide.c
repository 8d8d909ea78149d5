/* Rebalancing decisions. */
#include "schedules/balance/decide.h"

#include <math.h>
#include <string.h>

#include "schedules/balance/budget.h"
#include "schedules/balance/proposal.h"

/* struct keel_profit_changes and struct keel_budget follow. */
struct keel_decide_state {
    uint32_t workers;
    uint64_t decisions;      /* so far, the present one included */
    uint64_t unchanged;      /* decisions since rows moved last, the present one included */
    double now_s, spacing_s; /* time of the last one; from the one before to it */
    bool moved;              /* the last one moved rows */
    struct keel_profit_cost cost;
    double unchanged_rate[]; /* P: mean rates in the decisions that `unchanged` counts */
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

const struct keel_profit_cost *keel_decide_costs(const struct keel_decide_state *state)
{
    return &state->cost;
}

double keel_decide_rates_last_s(struct keel_decide_state *state)
{
    return keel_profit_changes_left(changes_of(state), state->now_s);
}

/* --- a decision --- */

struct deciding {
    struct keel_decide_state *state;
    struct keel_proposal proposal;
    double present_s; /* time of the latest worker with its present rows, by the present rates */
};

static struct keel_reason because(enum keel_cause cause, double first, double second)
{
    return (struct keel_reason){cause, {first, second}};
}

static struct keel_decision keep(struct deciding *deciding, struct keel_decision decision,
                                 enum keel_decision_verdict verdict, struct keel_reason reason)
{
    keel_proposal_withdraw(&deciding->proposal);
    decision.verdict = verdict;
    decision.reason = reason;
    return decision;
}

static void set_cost(struct deciding *deciding, struct keel_decision *decision)
{
    struct keel_proposal_movement movement = keel_proposal_movement(&deciding->proposal);

    decision->messages = movement.messages;
    decision->bytes = movement.bytes;
    decision->cost_s =
        keel_profit_cost_estimate(&deciding->state->cost, movement.messages, movement.bytes);
}

static struct keel_decision shake(struct deciding *deciding)
{
    struct keel_decision decision = {.verdict = KEEL_DECISION_MOVE,
                                     .reason = because(KEEL_CAUSE_CHANCE, 0, 0)};

    keel_proposal_at_random(&deciding->proposal);
    if (keel_proposal_is_present(&deciding->proposal)) {
        return keep(deciding, decision, KEEL_DECISION_KEEP, decision.reason);
    }
    set_cost(deciding, &decision);
    return decision;
}

/* --- gain --- */

/* Counts the decision, until rows move, and takes its rates into the mean. */
static void note_unchanged(struct deciding *deciding)
{
    double count = (double)++deciding->state->unchanged;

    for (uint32_t w = 0; w < deciding->proposal.workers; w++) {
        double *mean = &deciding->state->unchanged_rate[w];
        *mean += (deciding->proposal.rate[w] - *mean) / count;
    }
}

/* Below the threshold a small adjustment is made from time to time, by the mean rates since rows
 * moved last (the threshold, PAPERS.md S11). By the present rates it must not make it worse. */
static bool adjust(struct deciding *deciding)
{
    const struct keel_decide_state *state = deciding->state;
    struct keel_proposal *proposal = &deciding->proposal;
    const double *rate = state->unchanged_rate;

    keel_proposal_by_rates(proposal, rate);
    double gain = keel_threshold_gain(keel_proposal_time_s(proposal, proposal->work, rate),
                                      keel_proposal_time_s(proposal, proposal->after, rate));
    return keel_threshold_decide(state->decisions, state->unchanged, 0, gain) ==
               KEEL_BLOCKS_ADJUSTED &&
           keel_proposal_time_s(proposal, proposal->after, proposal->rate) <= deciding->present_s;
}

static bool has_threshold(enum keel_decide_kind kind)
{
    return kind == KEEL_DECIDE_BY_RATE || kind == KEEL_DECIDE_BY_TREE;
}

/* What the wanted rows gain by these rates. Policies between neighbours reduce the time where rows
 * move, if not yet that of all: for them only workers count whose rows change. */
static double gain_by(const struct keel_proposal *proposal, const double *rate)
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

/* Filtered rates follow a change late: by them alone, a movement may gain that no longer does. */
static double agreed_gain(const struct keel_proposal *proposal, const double *rate)
{
    return fmin(gain_by(proposal, rate), gain_by(proposal, proposal->measured));
}

/* --- cost and budget --- */

/* Shares follow a load so many decisions late: filtered rates take two or three of them. */
#define LAG 3

/* Expected cost of moving back, if rates return to what they were before: the same movement, and
 * for LAG decisions the work that is lost by the wanted rows instead of the present ones, as time
 * by the present rates. */
static double moving_back_s(struct deciding *deciding, double cost_s)
{
    const struct keel_proposal *proposal = &deciding->proposal;
    const double *before = keel_profit_changes_before(changes_of(deciding->state));
    double present_s = 0, after_s = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        double rate = before[w] > 0 ? before[w] : proposal->rate[w];
        present_s = fmax(present_s, proposal->work[w] / rate);
        after_s = fmax(after_s, proposal->after[w] / rate);
    }
    double lost = present_s > 0 ? fmax(0, 1 / present_s - 1 / after_s) : 0;
    return cost_s + LAG * deciding->state->spacing_s * lost *
                        keel_proposal_time_s(proposal, proposal->after, proposal->rate);
}

/* Less than this part of the rows that should move is not worth the messages. */
#define LEAST_PART 0.1

/* Reduces the movement to what the budget allows, counting the way back, and says so; false: less
 * than LEAST_PART would be left. What is slower than the first shares may move whatever it
 * costs. */
static bool afford(struct deciding *deciding, struct keel_decision *decision, double budget_s,
                   bool behind)
{
    double part = budget_s / (2 * decision->cost_s);

    if (behind || part >= 1 || !(decision->cost_s > 0)) {
        return true;
    }
    decision->reason = because(KEEL_CAUSE_BUDGET, 2 * decision->cost_s, budget_s);
    if (!(part >= LEAST_PART)) {
        return false;
    }
    keel_proposal_reduce(&deciding->proposal, part);
    set_cost(deciding, decision);
    return !keel_proposal_is_present(&deciding->proposal);
}

static double remaining_of(const struct keel_proposal *proposal)
{
    double remaining_s = proposal->situation->remaining_s;

    return remaining_s >= 0 ? remaining_s : INFINITY;
}

/* Slower than with the first shares, by more than rounding errors. */
static bool is_behind(struct deciding *deciding)
{
    const struct keel_proposal *proposal = &deciding->proposal;
    double first_s =
        keel_budget_first_shares_s(budget_of(deciding->state), proposal->all_work, proposal->rate);

    return deciding->present_s > 1.001 * first_s;
}

/* Whether moving pays (PAPERS.md S12), and why. rate: the rates that the wanted rows are computed
 * from. */
static bool pays(struct deciding *deciding, struct keel_decision *decision, const double *rate)
{
    const struct keel_profit_changes *changes = changes_of(deciding->state);
    double remaining_s = remaining_of(&deciding->proposal);
    double greatly = deciding->proposal.rules->greatly;
    double left_s = keel_profit_changes_left(changes, deciding->state->now_s);
    double budget_s = keel_budget_left_s(budget_of(deciding->state), remaining_s);
    bool behind = is_behind(deciding);

    if (!afford(deciding, decision, budget_s, behind)) {
        return false;
    }
    bool in_debt = behind && budget_s < 2 * decision->cost_s;
    if (changes->changes > 0 && left_s < remaining_s) {
        decision->cost_s += in_debt ? 0 : moving_back_s(deciding, decision->cost_s);
    }
    struct keel_profit_decision profit =
        keel_profit_decide(agreed_gain(&deciding->proposal, rate), left_s, remaining_s,
                           decision->cost_s, greatly > 0 ? greatly : KEEL_DECIDE_GREATLY);
    bool in_part = decision->reason.cause == KEEL_CAUSE_BUDGET;
    bool does = profit.pays && profit.saving_s > 0;
    enum keel_cause cause = !does ? KEEL_CAUSE_COST : in_part ? KEEL_CAUSE_PART : KEEL_CAUSE_GAIN;
    decision->saving_s = profit.saving_s;
    decision->reason = because(cause, profit.cost_s, profit.saving_s);
    return does;
}

/* --- the decision --- */

/* Why nothing is gained by the proposed rows. */
static struct keel_reason no_gain(const struct keel_proposal *proposal, const double *rate)
{
    double gain = gain_by(proposal, rate);

    return gain > 0 && !keel_proposal_is_present(proposal)
               ? because(KEEL_CAUSE_GAIN_GONE, gain, gain_by(proposal, proposal->measured))
               : because(KEEL_CAUSE_LEVEL, 0, 0);
}

/* Moves to the proposed rows, if it gains and pays. */
static struct keel_decision weigh(struct deciding *deciding, struct keel_decision decision,
                                  const double *rate)
{
    const struct keel_proposal *proposal = &deciding->proposal;
    bool whatever = isinf(proposal->rules->greatly);

    if (keel_proposal_is_present(proposal) || (!whatever && !(agreed_gain(proposal, rate) > 0))) {
        return keep(deciding, decision, KEEL_DECISION_KEEP, no_gain(proposal, rate));
    }
    set_cost(deciding, &decision);
    decision.reason = because(KEEL_CAUSE_ANY_COST, 0, 0);
    if (!whatever && !pays(deciding, &decision, rate)) {
        return keep(deciding, decision, KEEL_DECISION_CANCELLED, decision.reason);
    }
    deciding->state->unchanged = 0;
    deciding->state->moved = true;
    decision.verdict = KEEL_DECISION_MOVE;
    return decision;
}

static double threshold_of(const struct keel_decide_rules *rules)
{
    return rules->gain >= 0 && isfinite(rules->gain) ? rules->gain : KEEL_DECIDE_GAIN;
}

/* Gains less than the threshold: a small adjustment may be due. */
static struct keel_decision consider_adjustment(struct deciding *deciding,
                                                struct keel_decision decision)
{
    double threshold = threshold_of(deciding->proposal.rules);

    if (isinf(deciding->proposal.rules->greatly) || !adjust(deciding)) {
        return keep(deciding, decision, KEEL_DECISION_KEEP,
                    because(KEEL_CAUSE_SMALL_GAIN, decision.gain, threshold));
    }
    decision = weigh(deciding, decision, deciding->state->unchanged_rate);
    if (decision.reason.cause == KEEL_CAUSE_GAIN) {
        decision.reason.cause = KEEL_CAUSE_ADJUSTMENT;
    }
    return decision;
}

static struct keel_decision consider(struct deciding *deciding)
{
    struct keel_proposal *proposal = &deciding->proposal;
    const struct keel_decide_rules *rules = proposal->rules;
    struct keel_decision decision = {0};

    deciding->present_s = keel_proposal_time_s(proposal, proposal->work, proposal->rate);
    keel_proposal_by_rates(proposal, proposal->rate);
    decision.gain = keel_threshold_gain(
        deciding->present_s, keel_proposal_time_s(proposal, proposal->after, proposal->rate));
    if (has_threshold(rules->kind) && decision.gain < threshold_of(rules)) {
        return consider_adjustment(deciding, decision);
    }
    return weigh(deciding, decision, proposal->rate);
}

/* Rates count as changed if shares by them would gain this part. It is less than the threshold of
 * S11: where one of many workers gets faster, following it gains little, but how long rates last is
 * measured by it. */
#define CHANGE 0.05

static void note_time(struct keel_decide_state *state, double now_s)
{
    double then_s = state->now_s;

    state->decisions++;
    state->now_s = isfinite(now_s) ? fmax(then_s, now_s) : then_s;
    state->spacing_s = state->now_s - then_s;
}

static void note_rates(struct deciding *deciding)
{
    struct keel_decide_state *state = deciding->state;
    const struct keel_proposal *proposal = &deciding->proposal;

    note_unchanged(deciding);
    keel_profit_changes_note(changes_of(state), state->now_s, proposal->known, CHANGE);
    keel_budget_note(budget_of(state), state->now_s, proposal->work, proposal->measured);
    state->moved = false;
}

size_t keel_decide_scratch(uint32_t workers)
{
    return keel_proposal_scratch(workers);
}

struct keel_decision keel_decide(struct keel_decide_state *state,
                                 const struct keel_decide_rules *rules,
                                 const struct keel_decide_situation *situation,
                                 const struct keel_decide_report *report, uint64_t *rows,
                                 double *work, void *scratch)
{
    note_time(state, situation->now_s);
    struct deciding deciding = {
        .state = state,
        .proposal = {.rules = rules,
                     .situation = situation,
                     .workers = state->workers,
                     .decision = state->decisions,
                     .wanted = work,
                     .wanted_rows = rows},
    };

    bool known = keel_proposal_begin(&deciding.proposal, report, scratch);
    if (rules->kind == KEEL_DECIDE_BY_SHAKE) {
        return shake(&deciding);
    }
    if (!known) {
        return keep(&deciding, (struct keel_decision){0}, KEEL_DECISION_NO_RATES,
                    because(KEEL_CAUSE_NO_RATES, 0, 0));
    }
    note_rates(&deciding);
    return consider(&deciding);
}
