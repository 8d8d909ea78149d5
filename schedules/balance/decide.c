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

static bool has_threshold(enum keel_decide_kind kind)
{
    return kind == KEEL_DECIDE_BY_RATE || kind == KEEL_DECIDE_BY_TREE;
}

/* rfract of the wanted rows. Policies between neighbours shorten the time of workers that move
 * rows, if not yet that of all: for them only workers whose rows change count. */
static double gain_of_movers(const struct keel_proposal *proposal)
{
    bool all = has_threshold(proposal->rules->kind);
    double present_s = 0, after_s = 0;

    for (uint32_t w = 0; w < proposal->workers; w++) {
        if (all || proposal->present[w] != proposal->wanted_rows[w]) {
            present_s = fmax(present_s, proposal->work[w] / proposal->rate[w]);
            after_s = fmax(after_s, proposal->after[w] / proposal->rate[w]);
        }
    }
    return keel_threshold_gain(present_s, after_s);
}

void keel_decide_set_cost(struct keel_proposal *proposal, const struct keel_profit_cost *cost,
                          struct keel_decision *decision)
{
    struct keel_proposal_movement movement = keel_proposal_movement(proposal);

    decision->messages = movement.messages;
    decision->bytes = movement.bytes;
    decision->cost_s = keel_profit_cost_estimate(cost, movement.messages, movement.bytes);
}

/* Weighs the cost of the movement against its saving (PAPERS.md S12). */
static void weigh_cost(const struct keel_proposal *proposal, const struct keel_decide_terms *terms,
                       struct keel_decision *decision)
{
    struct keel_profit_decision profit =
        keel_profit_decide(gain_of_movers(proposal), terms->stable_s, terms->remaining_s,
                           decision->cost_s, terms->greatly);
    bool pays = profit.pays && (profit.saving_s > 0 || terms->may_save_nothing);

    decision->saving_s = profit.saving_s;
    decision->verdict = pays ? KEEL_DECISION_MOVE : KEEL_DECISION_CANCELLED;
    decision->reason = (struct keel_reason){pays ? KEEL_CAUSE_GAIN : KEEL_CAUSE_COST,
                                            {profit.cost_s, profit.saving_s}};
}

struct keel_decision keel_decide_weigh(struct keel_proposal *proposal,
                                       const struct keel_profit_cost *cost,
                                       const struct keel_decide_terms *terms)
{
    struct keel_decision decision = {
        .verdict = KEEL_DECISION_KEEP,
        .gain =
            keel_threshold_gain(keel_proposal_time_s(proposal, proposal->work, proposal->rate),
                                keel_proposal_time_s(proposal, proposal->after, proposal->rate)),
    };

    if (decision.gain < terms->threshold) {
        decision.reason =
            (struct keel_reason){KEEL_CAUSE_SMALL_GAIN, {decision.gain, terms->threshold}};
    } else if (keel_proposal_is_present(proposal)) {
        decision.reason.cause = KEEL_CAUSE_LEVEL;
    } else {
        keel_decide_set_cost(proposal, cost, &decision);
        decision.verdict = KEEL_DECISION_MOVE;
        decision.reason.cause = KEEL_CAUSE_ANY_COST;
        if (!isinf(terms->greatly)) {
            weigh_cost(proposal, terms, &decision);
        }
    }
    if (decision.verdict != KEEL_DECISION_MOVE) {
        keel_proposal_withdraw(proposal);
    }
    return decision;
}

/* --- a decision by name --- */

static struct keel_decide_terms terms_of(const struct keel_proposal *proposal, double stable_s)
{
    const struct keel_decide_rules *rules = proposal->rules;
    bool set = rules->gain >= 0 && isfinite(rules->gain);

    return (struct keel_decide_terms){
        .threshold = !has_threshold(rules->kind) ? 0
                     : set                       ? rules->gain
                                                 : KEEL_DECIDE_GAIN,
        .greatly = rules->greatly > 0 ? rules->greatly : KEEL_DECIDE_GREATLY,
        .stable_s = stable_s,
        .remaining_s = rules->published ? INFINITY : keel_proposal_remaining_s(proposal),
    };
}

/* Random shares are not weighed: no rate may be known. */
static struct keel_decision shake(struct keel_proposal *proposal,
                                  const struct keel_profit_cost *cost)
{
    struct keel_decision decision = {.verdict = KEEL_DECISION_KEEP,
                                     .reason.cause = KEEL_CAUSE_CHANCE};

    keel_proposal_at_random(proposal);
    if (keel_proposal_is_present(proposal)) {
        keel_proposal_withdraw(proposal);
    } else {
        decision.verdict = KEEL_DECISION_MOVE;
        keel_decide_set_cost(proposal, cost, &decision);
    }
    return decision;
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
    struct keel_proposal proposal = {.rules = rules,
                                     .situation = situation,
                                     .workers = state->workers,
                                     .decision = state->decisions,
                                     .wanted = work,
                                     .wanted_rows = rows};

    bool known = keel_proposal_begin(&proposal, report, scratch);
    if (rules->kind == KEEL_DECIDE_BY_SHAKE) {
        return shake(&proposal, cost);
    }
    if (!known) {
        keel_proposal_withdraw(&proposal);
        return (struct keel_decision){.reason.cause = KEEL_CAUSE_NO_RATES};
    }
    keel_profit_changes_note(changes_of(state), state->now_s, proposal.known, KEEL_DECIDE_CHANGE);
    keel_proposal_by_rates(&proposal, proposal.rate);
    struct keel_decide_terms terms =
        terms_of(&proposal, keel_profit_changes_stable(changes_of(state), state->now_s));
    return keel_decide_weigh(&proposal, cost, &terms);
}
