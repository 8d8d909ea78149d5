/* Which of several candidates is followed: the one that has lost least lately, and another one only
 * where that has lost less by more than what it costs to go over to it.
 *
 *   what each candidate has lost since the last decision -> [sums, older ones with less weight]
 *        -> the one that is followed -> replay.h
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
#ifndef SCHEDULES_REPLAY_LEADER_H
#define SCHEDULES_REPLAY_LEADER_H

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

#endif
