/* Whether a movement pays: its saving against its cost (PAPERS.md S11, S12).
 *
 *   past movements -> [cost per message and byte] -> cost of this one ----+
 *   filtered rates -> [changes] -> projected stable time                  v
 *   rates and shares -> rfract (learn.h) ----------> saving -> keep or cancel
 *
 * Pure: times come from the caller. Workers that record the same numbers decide the same. */
#ifndef SCHEDULES_BALANCE_PROFIT_H
#define SCHEDULES_BALANCE_PROFIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/balance_constants.h"

/* --- the cost of movements --- */

/* Past movements as sums of squares and products, later ones with more weight. Begins as {0}. A
 * movement of m messages and b bytes that took t counts in parts of s: its estimate, or t/2 if that
 * is more; t if there is no estimate. So small movements count as much as large ones. In parts of
 * t, an estimate would be drawn to movements that were quick by chance: an estimate of nothing errs
 * by 1, one that is too high by any number. A movement that takes far more than its estimate, which
 * includes it, shows that all before said too little: they then count as if they had taken more, by
 * the root of the ratio, so that a few such movements are believed and a single one is not. */
struct keel_profit_cost {
    double messages, bytes;                          /* sums of m t/s^2 and of b t/s^2 */
    double messages_squared, product, bytes_squared; /* of m^2/s^2, m b/s^2 and b^2/s^2 */
};

/* Records a movement of `messages` and `bytes` (>= 0, of the worker that moves most) that took
 * `time_s`. Measured before any movement: an empty message is (1, 0). Ignored: values that are not
 * finite, times of 0, movements of nothing. */
void keel_profit_cost_note(struct keel_profit_cost *cost, double messages, double bytes,
                           double time_s);

/* The estimated time of a movement in s, >= 0: messages and bytes, each times its cost, which is
 * fitted to the recorded movements and not negative. 0 if none was recorded. */
double keel_profit_cost_estimate(const struct keel_profit_cost *cost, double messages,
                                 double bytes);

/* --- how long rates stay as they are --- */

struct keel_profit_changes {
    uint64_t workers;                     /* P */
    uint64_t changes;                     /* recorded so far */
    double stable_s[KEEL_PROFIT_CHANGES]; /* how long rates had been stable before; a ring */
    double since_s;                       /* the last change, or the beginning */
    bool changing;                        /* the last rates recorded were a change */
    double reference[];                   /* P: rates at the last change, 0: not known */
};

/* Bytes of the state of `workers` >= 1. */
size_t keel_profit_changes_size(uint64_t workers);

/* Begins without rates at `now_s`, when the run begins; any clock in s. */
void keel_profit_changes_begin(struct keel_profit_changes *changes, uint64_t workers, double now_s);

/* Records filtered rates (learn.h; P entries, any unit that stays; not > 0 or not finite: not
 * known) at `now_s`, not before the last time. Returns true if they are a change: sharing work by
 * them, not by the rates of the last change, would gain at least `threshold`. Rates that all change
 * by one factor are no change: there is nothing to move. Changes recorded one right after the other
 * are one that goes on, as filtered rates follow a jump in several steps. */
bool keel_profit_changes_note(struct keel_profit_changes *changes, double now_s, const double *rate,
                              double threshold);

/* Rates count in new units: 1 for worker w becomes factor[w] from now on, > 0 and finite; P values.
 * This is no change. */
void keel_profit_changes_scale(struct keel_profit_changes *changes, const double *factor);

/* The projected stable time, in s, >= 0: the mean of the last pauses, with the present one added to
 * their sum. (If changes come by chance, at a constant rate, this is the likeliest mean, and the
 * future does not depend on the past.) Before the first change: as long as rates have been stable.
 * A movement then waits until keeping still has lost its cost over `greatly`. */
double keel_profit_changes_stable(const struct keel_profit_changes *changes, double now_s);

/* For loads that come and go: how long the present rates will last, in s, >= 0. Pauses then
 * alternate between two kinds, so only remembered ones of the present kind count (the last but one,
 * and so on; the last one if there is no other). The result is their mean less the time that has
 * passed, but at least KEEL_PROFIT_LASTING of that time. Rates that have lasted for
 * KEEL_PROFIT_OUTLASTS times the longest remembered pause are no longer those that came and went:
 * they are likely to stay for as long as they have, as before the first change. */
double keel_profit_changes_left(const struct keel_profit_changes *changes, double now_s);

/* How long the present rates count as lasting, in s, >= 0, in a job that began at begin_s and takes
 * remaining_s more, >= 0; INFINITY: not known.
 *
 * Before the first change there are two cases. In the first, workers stay as unequal as now to the
 * end: for remaining_s. In the second, nothing is known: by the prior that is the same in any unit
 * of time, rates that have stayed for T outlast a time t with probability T / (T + t), and are
 * expected to last T ln(1 + remaining_s / T) of the rest; then the rows have to move back. So
 * moving pays if half of the sum of both times saves one and a half times its cost.
 *
 * Otherwise keel_profit_changes_left(), but at least KEEL_PROFIT_LEAST_LASTING of the time so far:
 * the gain of following rates that change all the time lasts longer than they do. */
double keel_profit_changes_lasting(const struct keel_profit_changes *changes, double begin_s,
                                   double now_s, double remaining_s);

/* --- the decision --- */

struct keel_profit_decision {
    double saving_s; /* rfract times the time that it is for, >= 0 */
    double cost_s;   /* as given; 0 if it was not a number, or negative */
    bool pays;       /* cost_s <= greatly * saving_s */
};

/* gain: rfract, 0 .. 1 (keel_threshold_gain); stable_s: the projected stable time; remaining_s: the
 * rest of the run, INFINITY if not known; cost_s: of the movement; greatly: > 0. Gains and times
 * that are not > 0, or not numbers, save nothing. */
struct keel_profit_decision keel_profit_decide(double gain, double stable_s, double remaining_s,
                                               double cost_s, double greatly);

/* --- the time of messages ---
 *
 * Messages are timed before any rows have moved, and again while a movement is refused for its cost
 * (PAPERS.md S8, S12).
 *
 *   times of rounds on this worker -> [shortest ones] ~~> the most of all workers -> costs
 *        -> did rows stay for what movements cost? -> [doubts] -> messages are timed again
 *
 * A worker may wait for a processor while a message is timed, for a quantum of time, which would
 * count for each byte of a movement: no rows would ever move, and nothing else would correct it. A
 * wait makes a time longer, never shorter. So the shortest time of all rounds counts, and messages
 * are timed again for as long as their times may hold rows back, as often as a very small part of
 * the run allows. Pure: times come from the caller. */

struct keel_decision;

enum keel_probe {
    KEEL_PROBE_MEASUREMENTS, /* an exchange of measurements */
    KEEL_PROBE_EMPTY,        /* a message without bytes */
    KEEL_PROBE_FULL,         /* one with bytes */
    KEEL_PROBES
};

/* Begins as {0}. */
struct keel_probes {
    double least_s[KEEL_PROBES]; /* of this worker; 0: not timed yet */
    double spent_s;              /* on timing, by the worker that spent most */
};

/* Records a time that was measured on this worker, s. INFINITY: it failed. */
void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s);

/* Whether to time again, by the last decision and the number of movements: if a movement is refused
 * for its cost alone, and, until one has shown its cost, whenever rows stay: costs that are too
 * high have many effects. Only while timing has taken a very small part of now_s, the time since
 * the beginning. */
bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements,
                              double now_s);

#endif
