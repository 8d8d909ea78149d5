/* Rebalancing decision: how many rows each worker is to have.
 *
 *   work and filtered rates of all -> wanted rows, by policy (proposal.h) -> gain over the
 *        threshold? (S11) -> does moving pay? (S12) -> rows that each is to have
 *
 * These are the published rules, each by itself; users get them by naming a policy or a threshold.
 * The default decides by replay (schedules/replay/) and has them as candidates.
 *
 * Rows are moved; work is their number, or the sum of their weights. Pure: times come from the
 * caller. Workers with the same inputs decide the same. In doubt nothing moves. */
#ifndef SCHEDULES_BALANCE_DECIDE_H
#define SCHEDULES_BALANCE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/balance_constants.h"
#include "schedules/balance/neighbours.h"
#include "schedules/balance/profit.h"
#include "schedules/balance/proposal.h"
#include "schedules/learn/learn.h"

enum keel_decision_verdict {
    KEEL_DECISION_NO_RATES,  /* no rate is known */
    KEEL_DECISION_KEEP,      /* nothing to gain, or less than the threshold */
    KEEL_DECISION_CANCELLED, /* moving would cost more than it saves */
    KEEL_DECISION_MOVE
};

struct keel_decision {
    enum keel_decision_verdict verdict;
    struct keel_reason reason; /* of the verdict */
    double gain;               /* rfract by the present rates, 0 .. 1 */
    double cost_s, saving_s;   /* of the movement that was considered; 0: none was considered */
    double messages, bytes;    /* of the worker that moves most */
};

/* --- the step of every policy, named or replayed --- */

/* What a movement has to fulfil. */
struct keel_decide_terms {
    double threshold;      /* the least gain, part of the time; 0: none (S11) */
    double greatly;        /* > 0: the most cost over saving (S12); INFINITY: any cost */
    double stable_s;       /* how long the gain lasts, */
    double remaining_s;    /* at most */
    bool may_save_nothing; /* at no cost */
};

/* Decides whether to move to the proposed rows, and withdraws the proposal if not. cost: of the
 * movements recorded so far. */
struct keel_decision keel_decide_weigh(struct keel_proposal *proposal,
                                       const struct keel_profit_cost *cost,
                                       const struct keel_decide_terms *terms);

/* Sets messages, bytes and cost_s of the proposed movement. */
void keel_decide_set_cost(struct keel_proposal *proposal, const struct keel_profit_cost *cost,
                          struct keel_decision *decision);

/* --- policies by name --- */

/* The state; written by the functions below only. */
struct keel_decide_state;

/* Bytes of the state of `workers` >= 1. */
size_t keel_decide_size(uint32_t workers);

/* Begins without any rates; the run begins at now_s. */
void keel_decide_begin(struct keel_decide_state *state, uint32_t workers, double now_s);

/* Work and rates count in new units (keel_profit_changes_scale); P values. */
void keel_decide_scale(struct keel_decide_state *state, const double *factor);

/* Decides; cost as of keel_decide_weigh(). rows: P values of room, gets the rows that each
 * worker is to have, which add up to all; work: P values of room, gets the work that each is to
 * have, which adds up to all. The rows of one worker count as equal, also if their weights differ.
 * If there are as many rows as workers, each gets at least one. scratch: keel_decide_scratch(P)
 * bytes, aligned as by malloc. */
struct keel_decision
keel_decide(struct keel_decide_state *state, const struct keel_profit_cost *cost,
            const struct keel_decide_rules *rules, const struct keel_decide_situation *situation,
            const struct keel_decide_report *report, uint64_t *rows, double *work, void *scratch);

size_t keel_decide_scratch(uint32_t workers);

#endif
