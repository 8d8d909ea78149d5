/* Rebalancing decisions. */
#include "schedules/balance/decide.h"

#include <math.h>
#include <string.h>

#include "schedules/balance/proposal.h"

/* struct keel_profit_changes follows. */
struct keel_decide_state {
    uint32_t workers;
    uint64_t decisions; /* so far, this one included */
    double now_s;       /* time of the last one */
};

static struct keel_profit_changes *changes_of(struct keel_decide_state *state)
{
    return (void *)(state + 1);
}

size_t keel_decide_size(uint32_t workers)
{
    return sizeof(struct keel_decide_state) + keel_profit_changes_size(workers);
}

void keel_decide_begin(struct keel_decide_state *state, uint32_t workers, double now_s)
{
    *state = (struct keel_decide_state){.workers = workers, .now_s = isfinite(now_s) ? now_s : 0};
    keel_profit_changes_begin(changes_of(state), workers, state->now_s);
}

void keel_decide_scale(struct keel_decide_state *state, const double *factor)
{
    keel_profit_changes_scale(changes_of(state), factor);
}

/* --- a decision --- */

struct deciding {
    struct keel_decide_state *state;
    const struct keel_profit_cost *cost;
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
    decision->cost_s = keel_profit_cost_estimate(deciding->cost, movement.messages, movement.bytes);
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

static bool has_threshold(enum keel_decide_kind kind)
{
    return kind == KEEL_DECIDE_BY_RATE || kind == KEEL_DECIDE_BY_TREE;
}

/* rfract of the wanted rows by these rates. Policies between neighbours shorten the time of workers
 * that move rows, if not yet that of all: for them only workers whose rows change count. */
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

static double remaining_of(const struct keel_proposal *proposal)
{
    double remaining_s = proposal->situation->remaining_s;

    return remaining_s >= 0 ? remaining_s : INFINITY;
}

/* Whether moving pays (PAPERS.md S12), and why. */
static bool pays(struct deciding *deciding, struct keel_decision *decision)
{
    struct keel_decide_state *state = deciding->state;
    double greatly = deciding->proposal.rules->greatly;
    struct keel_profit_decision profit = keel_profit_decide(
        gain_by(&deciding->proposal, deciding->proposal.rate),
        keel_profit_changes_stable(changes_of(state), state->now_s),
        deciding->proposal.rules->published ? INFINITY : remaining_of(&deciding->proposal),
        decision->cost_s, greatly > 0 ? greatly : KEEL_DECIDE_GREATLY);
    bool does = profit.pays && profit.saving_s > 0;

    decision->saving_s = profit.saving_s;
    decision->reason =
        because(does ? KEEL_CAUSE_GAIN : KEEL_CAUSE_COST, profit.cost_s, profit.saving_s);
    return does;
}

/* --- the decision --- */

/* Moves to the proposed rows, if it gains and pays. */
static struct keel_decision weigh(struct deciding *deciding, struct keel_decision decision)
{
    bool whatever = isinf(deciding->proposal.rules->greatly);

    if (keel_proposal_is_present(&deciding->proposal)) {
        return keep(deciding, decision, KEEL_DECISION_KEEP, because(KEEL_CAUSE_LEVEL, 0, 0));
    }
    set_cost(deciding, &decision);
    decision.reason = because(KEEL_CAUSE_ANY_COST, 0, 0);
    if (!whatever && !pays(deciding, &decision)) {
        return keep(deciding, decision, KEEL_DECISION_CANCELLED, decision.reason);
    }
    decision.verdict = KEEL_DECISION_MOVE;
    return decision;
}

static double threshold_of(const struct keel_decide_rules *rules)
{
    return rules->gain >= 0 && isfinite(rules->gain) ? rules->gain : KEEL_DECIDE_GAIN;
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
    double threshold = threshold_of(rules);
    if (has_threshold(rules->kind) && decision.gain < threshold) {
        return keep(deciding, decision, KEEL_DECISION_KEEP,
                    because(KEEL_CAUSE_SMALL_GAIN, decision.gain, threshold));
    }
    return weigh(deciding, decision);
}

static void note_time(struct keel_decide_state *state, double now_s)
{
    state->decisions++;
    state->now_s = isfinite(now_s) ? fmax(state->now_s, now_s) : state->now_s;
}

size_t keel_decide_scratch(uint32_t workers)
{
    return keel_proposal_scratch(workers);
}

struct keel_decision
keel_decide(struct keel_decide_state *state, const struct keel_profit_cost *cost,
            const struct keel_decide_rules *rules, const struct keel_decide_situation *situation,
            const struct keel_decide_report *report, uint64_t *rows, double *work, void *scratch)
{
    note_time(state, situation->now_s);
    struct deciding deciding = {
        .state = state,
        .cost = cost,
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
    keel_profit_changes_note(changes_of(state), state->now_s, deciding.proposal.known,
                             KEEL_DECIDE_CHANGE);
    return consider(&deciding);
}
