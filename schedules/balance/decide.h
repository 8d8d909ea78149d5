/* What each worker is to have, from what all of them report: the decision of one interaction.
 *
 *   work and filtered rates of all -> wanted shares, by policy -> gain over the threshold? (S11)
 *        -> does moving pay? (S12) -> may it be risked? (budget.h) -> rows that each is to have
 *
 * Rows are what is moved; work is their number, or the sum of their weights. Pure: times come from
 * the caller. All workers that are told the same decide the same.
 *
 * The paper's methods follow loads too late where these come and go within a few decisions, and
 * get slower than no balancing. So four things are added to them:
 *   - the last measurement has to agree: what filtered rates gain that have not yet followed a
 *     change is gained by nobody;
 *   - a movement that will be undone costs twice, and what the shares lose until they follow;
 *   - how long rates last comes from how long such rates lasted before (profit.h);
 *   - movements are paid from what earlier ones have saved or from a small part of the job's time;
 *     where that is not enough, a part of the rows moves.
 * So in doubt shares stay as a load has made them, which costs least when it comes again. */
#ifndef SCHEDULES_BALANCE_DECIDE_H
#define SCHEDULES_BALANCE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/neighbours.h"
#include "schedules/balance/profit.h"
#include "schedules/learn/threshold.h"

enum keel_decide_kind {
    KEEL_DECIDE_BY_RATE,           /* in proportion to rates (SS97) */
    KEEL_DECIDE_BY_RANDOM,         /* neighbours.h, F3 */
    KEEL_DECIDE_BY_DIFFUSION,      /* F4 */
    KEEL_DECIDE_BY_REDISTRIBUTION, /* F5 */
    KEEL_DECIDE_BY_TREE,           /* between the partners of the cluster tree (K1-K5) */
    KEEL_DECIDE_BY_SHAKE           /* by chance, whatever it costs: for tests of programs */
};

struct keel_decide_rules {
    enum keel_decide_kind kind;
    enum keel_graph graph;   /* F3-F5 */
    double threshold, alpha; /* w* and alpha of F3-F5; 0: as keel_neighbours_set_best() has it */
    double gain;             /* tfract (S11), 0 .. 1; rate and tree */
    double greatly;          /* cancel what costs more than this times what it saves (S12), > 0;
                                INFINITY: never, whatever is risked, and if nothing is gained; and
                                no small adjustments: the papers' methods to the letter */
    bool adjacent;           /* rows stay in blocks (moves.h) */
    uint64_t seed;           /* random, shake */
};

/* A worker. */
struct keel_decide_report {
    uint64_t rows;   /* that it has */
    double work;     /* sum of their weights, >= 0 */
    double rate;     /* work per s, filtered; 0: not known */
    double measured; /* the last one that went into it; 0: not known, rate is taken for it */
};

/* What is known beside the reports. */
struct keel_decide_situation {
    double now_s;       /* since the beginning; the same for all who decide */
    double remaining_s; /* of the run; INFINITY: not known */
    double row_bytes;   /* what moving a row takes */
};

enum keel_decision_verdict {
    KEEL_DECISION_NO_RATES,  /* no rate is known */
    KEEL_DECISION_KEEP,      /* nothing to gain, or less than the threshold */
    KEEL_DECISION_CANCELLED, /* moving would cost more than it saves */
    KEEL_DECISION_MOVE
};

struct keel_decision {
    enum keel_decision_verdict verdict;
    double gain;             /* rfract by the present rates, 0 .. 1 */
    double cost_s, saving_s; /* of the movement that was considered, with what undoing it is likely
                                to cost; 0: none was */
    double messages, bytes;  /* of the worker that moves most */
};

/* What was best in simulated programs beside loads that come and go: moves early, but only what
 * pays. */
#define KEEL_DECIDE_GAIN 0.05
#define KEEL_DECIDE_GREATLY 1.0

/* The state; written by the functions below only. */
struct keel_decide_state;

/* Bytes that the state of `workers` >= 1 takes. */
size_t keel_decide_size(uint32_t workers);

/* Nothing known; the run begins at now_s. */
void keel_decide_begin(struct keel_decide_state *state, uint32_t workers, double now_s);

/* Notes what a movement took: messages and bytes as of its decision, before the next one; or
 * measured beforehand (keel_profit_cost_note), before the first one. */
void keel_decide_note_cost(struct keel_decide_state *state, double messages, double bytes,
                           double time_s);

/* The estimated time of a movement in s (keel_profit_cost_estimate); 0: nothing is known. */
double keel_decide_cost(const struct keel_decide_state *state, double messages, double bytes);

/* How long the present rates will last after the last decision, in s (keel_profit_changes_left). */
double keel_decide_rates_last_s(struct keel_decide_state *state);

/* Decides. rows: P values of room, gets the rows that each worker is to have, which add up to all;
 * work: P values of room, gets the work that each is to have, which adds up to all. For workers
 * whose rows have different weights, rows are as if they were alike on each worker. Where there
 * are as many rows as workers, nobody is left without any. scratch: room for
 * keel_decide_scratch(P) bytes, aligned as of malloc. */
struct keel_decision keel_decide(struct keel_decide_state *state,
                                 const struct keel_decide_rules *rules,
                                 const struct keel_decide_situation *situation,
                                 const struct keel_decide_report *report, uint64_t *rows,
                                 double *work, void *scratch);

size_t keel_decide_scratch(uint32_t workers);

#endif
