/* Decision by replay: how many rows each worker is to have.
 *
 *   rates of all, work, costs of movements
 *        -> each candidate's own rows, and its losses so far (replay_policies.h)
 *        -> the one to follow -> its next rows
 *
 * All workers' rates are measured, whichever rows they have. So the result of any policy up to now
 * can be computed: each policy is simulated on rows of its own, and its losses are added up,
 * movements included, against shares in proportion to the measured rates. The one with the least
 * recent losses is followed; another one only if it has lost less by more than the cost of moving
 * from the present rows to its own. Before anything is known, that is a rule by cost and benefit.
 *
 * Pure: times come from the caller. Workers with the same inputs decide the same. O(C P log P) time
 * for each decision and O(C P) memory, for C candidates. */
#ifndef SCHEDULES_REPLAY_REPLAY_H
#define SCHEDULES_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/decide.h"
#include "schedules/balance/proposal.h"
#include "schedules/replay/replay_policies.h"

/* --- the leader ---
 *
 * Which of several candidates is followed: the one with the least recent losses, and another one
 * only if it has lost less by more than the cost of changing to it.
 *
 *   losses of each candidate since the last decision -> [sums, older ones with less weight]
 *        -> the one that is followed
 *
 * The bound. Candidate j loses l[j](t) >= 0 at decision t, at most m. Sums forget: L[j](t) = g
 * L[j](t-1) + l[j](t). Changing to j costs c[j](t), 0 .. d. The leader, a, is left for the j with
 * the least L[j] + c[j] as soon as L[a] + c[a] > L[j] + c[j] + h. Then after T decisions and S
 * changes of the leader, the losses of the leaders, and S d for the changes, are for each j at most
 *
 *     sum of l[j] + (S + 1) (m + d + h) + S d + (1 - g) T (m + d + h)
 *
 * Proof: let D(t) = L[a] - L[j]. As the rule holds after each decision, D <= d + h, and D <= m + d
 * + h at all times. While a stays, l[a] - l[j] = D(t) - g D(t-1) = D(t) - D(t-1) + (1 - g) D(t-1),
 * whose sum over all T is the last D, plus the falls of D at changes, plus (1 - g) times a sum of T
 * values of D. Each of these is at most m + d + h. With g = 1 and h > 2 d, a candidate that is left
 * has lost more than the best by over h - d, and is followed again only after the best has lost h -
 * 2 d, so that S <= C (1 + min L / (h - 2 d)) for C candidates: all in all a factor of O(C), as in
 * uniform metrical task systems, where no deterministic rule has less than 2 C - 1 (Borodin, Linial
 * & Saks, An optimal on-line algorithm for metrical task systems, 1992; their work functions are L
 * + c, too).
 *
 * Pure. */

#define KEEL_LEADER_CANDIDATES 24 /* at most */

/* Written by the functions below. */
struct keel_leader {
    unsigned candidates, followed;
    double memory;                           /* g */
    double window_s;                         /* time that the sums cover, later times more */
    double recent_s[KEEL_LEADER_CANDIDATES]; /* L */
    double lost_s[KEEL_LEADER_CANDIDATES];   /* the sums that forget nothing */
};

/* Follows `first` of 1 .. KEEL_LEADER_CANDIDATES. memory: g, 0 .. 1. */
void keel_leader_begin(struct keel_leader *leader, unsigned candidates, unsigned first,
                       double memory);

/* Records a span of time, in s, with the loss of each, >= 0. */
void keel_leader_note(struct keel_leader *leader, double span_s, const double *loss_s);

/* Chooses anew, and returns leader->followed. cost_s: c of each, >= 0, also of the one that is
 * followed. hold_s: h >= 0. */
unsigned keel_leader_choose(struct keel_leader *leader, const double *cost_s, double hold_s);

/* --- the decision --- */

/* The state; written by the functions below only. */
struct keel_replay;

/* Bytes of the state of `workers` >= 1. */
size_t keel_replay_size(uint32_t workers);

/* Begins without rates; the run begins at now_s. adjacent: rows stay in blocks (moves.h). */
void keel_replay_begin(struct keel_replay *replay, uint32_t workers, bool adjacent, double now_s);

/* Work and rates count in new units: 1 for worker w becomes factor[w] from now on, > 0 and finite;
 * P values. Recorded rates are multiplied by it, so that no speed seems to have changed. Candidates
 * keep their rows, which have the mean weight of all rows there, and sums of losses are times. */
void keel_replay_scale(struct keel_replay *replay, const double *factor);

/* The span since the decision before. Values that are not > 0 and finite count as 0. */
struct keel_replay_span {
    double time_s;  /* of phases, without movements */
    double phase_s; /* of one phase */
    double lag;     /* part of time_s until the decision before was carried out, 0 .. 1 */
};

/* A decision. */
struct keel_replay_decision {
    struct keel_decision decision;
    unsigned followed;              /* index of keel_candidates */
    double time_s[KEEL_CANDIDATES]; /* simulated time of the phases since rates are known for
                                       each, with its movements; >= 0 */
    double stable_s; /* since rates have changed or rows were to move, at most the mean stable time
                        of rates; >= 0 */
};

/* Decides; arguments as of keel_decide(). cost: of the movements recorded so far. */
struct keel_replay_decision keel_replay_decide(struct keel_replay *replay,
                                               const struct keel_profit_cost *cost,
                                               const struct keel_decide_situation *situation,
                                               const struct keel_replay_span *span,
                                               const struct keel_decide_report *report,
                                               uint64_t *rows, double *work, void *scratch);

/* The last decided movement is not made. Returns the new stable_s, as of keel_replay_decision. */
double keel_replay_withdraw(struct keel_replay *replay);

size_t keel_replay_scratch(uint32_t workers);

#endif
