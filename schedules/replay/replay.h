/* Decision by replay: how many rows each worker is to have.
 *
 *   rates of all, work, what movements cost
 *        -> each candidate's own rows, and what it would have lost so far (replay_policies.h)
 *        -> the one to follow -> its next rows
 *
 * All workers' rates are measured whoever has which rows. So what any way to balance would have
 * done up to now can be computed: each candidate keeps rows of its own, which nobody computes, and
 * a sum of what it would have lost, movements included, against shares in proportion to what the
 * rates turned out to be. The one that has lost least lately is followed; another one only where it
 * has lost less by more than moving from the present rows to its own costs. Before anything is
 * known, that is a rule by cost and benefit.
 *
 * Pure: times come from the caller. All workers that are told the same decide the same. O(C P log
 * P) time for each decision and O(C P) memory, for C candidates. */
#ifndef SCHEDULES_REPLAY_REPLAY_H
#define SCHEDULES_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/decide.h"
#include "schedules/balance/proposal.h"
#include "schedules/replay/replay_policies.h"

/* --- who is followed ---
 *
 * Which of several candidates is followed: the one that has lost least lately, and another one only
 * where that has lost less by more than what it costs to go over to it.
 *
 *   what each candidate has lost since the last decision -> [sums, older ones with less weight]
 *        -> the one that is followed
 *
 * The bound. Candidate j loses l[j](t) >= 0 at decision t, at most m. Sums forget: L[j](t) = g
 * L[j](t-1) + l[j](t). Going to j costs c[j](t), 0 .. d. Who is followed, a, is left for the j with
 * the least L[j] + c[j] as soon as L[a] + c[a] > L[j] + c[j] + h. Then after T decisions and S
 * changes of who is followed, what those who were followed have lost, and S d for the changes, is
 * for each j at most
 *
 *     sum of l[j] + (S + 1) (m + d + h) + S d + (1 - g) T (m + d + h)
 *
 * Proof: let D(t) = L[a] - L[j]. As the rule holds after each decision, D <= d + h, and D <= m + d
 * + h at all times. While a stays, l[a] - l[j] = D(t) - g D(t-1) = D(t) - D(t-1) + (1 - g) D(t-1),
 * whose sum over all T is the last D, plus what D falls by at changes, plus (1 - g) times a sum of
 * T values of D. Each of these is at most m + d + h. With g = 1 and h > 2 d, a candidate that is
 * left has lost more than the best by over h - d, and is followed again only after the best has
 * lost h - 2 d, so that S <= C (1 + min L / (h - 2 d)) for C candidates: all in all a factor of
 * O(C), as in uniform metrical task systems, where no deterministic rule has less than 2 C - 1
 * (Borodin, Linial & Saks, An optimal on-line algorithm for metrical task systems, 1992, whose work
 * functions L + c are, too).
 *
 * Pure. */

#define KEEL_LEADER_CANDIDATES 24 /* at most */

/* Written by the functions below. */
struct keel_leader {
    unsigned candidates, followed;
    double memory;                           /* g */
    double window_s;                         /* time that the sums are of, later times more */
    double recent_s[KEEL_LEADER_CANDIDATES]; /* L */
    double lost_s[KEEL_LEADER_CANDIDATES];   /* the sums that forget nothing */
};

/* Follows `first` of 1 .. KEEL_LEADER_CANDIDATES. memory: g, 0 .. 1. */
void keel_leader_begin(struct keel_leader *leader, unsigned candidates, unsigned first,
                       double memory);

/* A span of time, in s, in which each lost so much, >= 0. */
void keel_leader_note(struct keel_leader *leader, double span_s, const double *loss_s);

/* Chooses anew, and returns leader->followed. cost_s: c of each, >= 0, the one that is followed
 * among them. hold_s: h >= 0. */
unsigned keel_leader_choose(struct keel_leader *leader, const double *cost_s, double hold_s);

/* --- the decision --- */

/* The state; written by the functions below only. */
struct keel_replay;

/* Bytes that the state of `workers` >= 1 takes. */
size_t keel_replay_size(uint32_t workers);

/* Nothing known; the run begins at now_s. adjacent: rows stay in blocks (moves.h). */
void keel_replay_begin(struct keel_replay *replay, uint32_t workers, bool adjacent, double now_s);

/* Work and rates count in new units: what counted 1 for worker w counts factor[w] from now on, > 0
 * and finite; P values. Rates that were recorded are multiplied by it, so that no speed seems to
 * have changed. Candidates keep their rows, which take what all rows there take, and sums of losses
 * are times. */
void keel_replay_scale(struct keel_replay *replay, const double *factor);

/* Since the decision before. What is not > 0 and finite counts as 0. */
struct keel_replay_span {
    double time_s;  /* of phases, without movements */
    double phase_s; /* of one phase */
    double lag;     /* part of time_s until the decision before was carried out, 0 .. 1 */
};

/* What is decided. */
struct keel_replay_decision {
    struct keel_decision decision;
    unsigned followed;              /* place in keel_candidates */
    double time_s[KEEL_CANDIDATES]; /* how long the phases since rates are known would have taken
                                       each, with its movements; >= 0 */
    double stable_s; /* since rates have changed or rows were to move, but no longer than rates stay
                        as they are on average; >= 0 */
};

/* Decides; arguments as of keel_decide(). cost: of movements, as noted so far. */
struct keel_replay_decision keel_replay_decide(struct keel_replay *replay,
                                               const struct keel_profit_cost *cost,
                                               const struct keel_decide_situation *situation,
                                               const struct keel_replay_span *span,
                                               const struct keel_decide_report *report,
                                               uint64_t *rows, double *work, void *scratch);

/* The movement that was decided last is not made. Returns stable_s by that, as of
 * keel_replay_decision. */
double keel_replay_refuse(struct keel_replay *replay);

size_t keel_replay_scratch(uint32_t workers);

#endif
