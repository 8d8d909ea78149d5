/* Whether a movement pays: what it saves against what it costs (PAPERS.md S11, S12).
 *
 *   past movements -> [cost per message and byte] -> cost of this one ----+
 *   filtered rates -> [changes] -> projected stable time                  v
 *   rates and shares -> rfract (learn.h) ----------> saving -> keep or cancel
 *
 * Pure: times come from the caller. Workers that note the same numbers decide the same. */
#ifndef SCHEDULES_BALANCE_PROFIT_H
#define SCHEDULES_BALANCE_PROFIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- what movements cost --- */

/* Past movements as sums of squares and products, later ones with more weight. Begins as {0}. Each
 * movement of m messages and b bytes that took t counts in parts of s: what was estimated of it, or
 * t/2 where that is more; t where nothing was. So small movements tell as much as large ones. In
 * parts of t, an estimate would be drawn to movements that were quick by chance: who estimates
 * nothing errs by 1, who estimates too much by any number. A movement that takes far more than is
 * estimated even with it shows that all before told too little: that counts as if it had taken
 * more, by the root of the ratio, so that a few such movements are believed and a single one is
 * not. Else movements that take some 100 times as long as messages alone would be estimated too
 * low for 40 movements, as those count by the square. */
struct keel_profit_cost {
    double messages, bytes;                          /* sums of m t/s^2 and of b t/s^2 */
    double messages_squared, product, bytes_squared; /* of m^2/s^2, m b/s^2 and b^2/s^2 */
};

/* Weight of what was noted before, at each movement: the last four make two thirds of it all. */
#define KEEL_PROFIT_MEMORY 0.75

/* Past movements with so similar a mix of messages and bytes do not tell what each costs; half of
 * the cost is taken for that of either, then. Correlation, 0 .. 1. */
#define KEEL_PROFIT_COLLINEAR 0.999

/* Notes a movement of `messages` and `bytes` (>= 0, of the worker that moves most) that took
 * `time_s`. Measured before any movement: an empty message is (1, 0). What is not finite, takes no
 * time or moves nothing is ignored. */
void keel_profit_cost_note(struct keel_profit_cost *cost, double messages, double bytes,
                           double time_s);

/* The estimated time of a movement in s, >= 0: messages times the cost of one plus bytes times the
 * cost of one, which are fitted to the noted movements and not negative. 0: none was noted. */
double keel_profit_cost_estimate(const struct keel_profit_cost *cost, double messages,
                                 double bytes);

/* --- how long rates stay as they are --- */

/* So many pauses between changes are remembered; the paper does not say how many. */
#define KEEL_PROFIT_CHANGES 4

struct keel_profit_changes {
    uint64_t workers;                     /* P */
    uint64_t changes;                     /* noted so far */
    double stable_s[KEEL_PROFIT_CHANGES]; /* how long rates had been stable before; a ring */
    double since_s;                       /* the last change, or the beginning */
    bool changing;                        /* the last rates noted were a change */
    double reference[];                   /* P: rates at the last change, 0: not known */
};

/* Bytes that the state of `workers` >= 1 takes. */
size_t keel_profit_changes_size(uint64_t workers);

/* No rates known at `now_s`, which is when the run begins; any clock in s. */
void keel_profit_changes_begin(struct keel_profit_changes *changes, uint64_t workers, double now_s);

/* Notes filtered rates (learn.h; P entries, any unit that stays; what is not > 0 and finite:
 * not known) at `now_s`, not before the last time. Returns whether they are a change: sharing work
 * by them, not by the rates of the last change, would gain at least `threshold`
 * (KEEL_GAIN_THRESHOLD). Rates that all change alike are none: there is nothing to move. Changes
 * noted one right after the other are one that goes on, as filtered rates follow a jump in several
 * steps. */
bool keel_profit_changes_note(struct keel_profit_changes *changes, double now_s, const double *rate,
                              double threshold);

/* Rates count in new units: what counted 1 for worker w counts factor[w] from now on, > 0 and
 * finite; P values. Nothing has changed by that. */
void keel_profit_changes_scale(struct keel_profit_changes *changes, const double *factor);

/* The projected stable time, in s, >= 0: the mean of the last pauses, with the present one added to
 * their sum. (If changes come by chance, at a constant rate, this is the likeliest mean, and what
 * is to come does not depend on what has passed.) Before the first change: as long as rates have
 * been stable. A movement waits, then, until keeping still has lost its cost over `greatly`. */
double keel_profit_changes_stable(const struct keel_profit_changes *changes, double now_s);

/* For loads that come and go: how long the present rates will last, in s, >= 0. Pauses alternate
 * between two kinds then, so of the remembered ones those of the present kind count (the last but
 * one, and so on; the last one where there is no other). What is left is their mean without what
 * has passed, but not less than this part of what has passed. Rates that have lasted for so many
 * times the longest remembered pause are no longer those that came and went: they are likely to
 * stay for as long as they have, as before the first change. */
#define KEEL_PROFIT_LASTING 0.125
#define KEEL_PROFIT_OUTLASTS 2.0

double keel_profit_changes_left(const struct keel_profit_changes *changes, double now_s);

/* How long the present rates count as lasting, in s, >= 0, in a job that began at begin_s and takes
 * remaining_s more, >= 0; INFINITY: not known.
 *
 * Before the first change, of remaining_s: in one of two cases workers are as unequal as now to the
 * end. In the other one, nothing else is known: by the prior that is the same in any unit of time,
 * rates that have stayed for T outlast a time t with probability T / (T + t), and are expected to
 * last T ln(1 + remaining_s / T) of what remains; then, what has moved has to go back. So that
 * moving pays if half of the sum of both times saves one and a half times what it costs.
 *
 * Else keel_profit_changes_left(), but at least this part of the time so far: what is gained by
 * following rates that change all the time lasts longer than they do. */
#define KEEL_PROFIT_LEAST_LASTING 0.125

double keel_profit_changes_lasting(const struct keel_profit_changes *changes, double begin_s,
                                   double now_s, double remaining_s);

/* --- the decision --- */

/* "Cancel only if the cost greatly exceeds the benefit": by this factor, the paper says none. */
#define KEEL_PROFIT_GREATLY 2.0

struct keel_profit_decision {
    double saving_s; /* rfract times the time that it is for, >= 0 */
    double cost_s;   /* as given; 0 if it was no number, or negative */
    bool pays;       /* cost_s <= greatly * saving_s */
};

/* gain: rfract, 0 .. 1 (keel_threshold_gain); stable_s: the projected stable time; remaining_s:
 * what is left of the run, INFINITY if not known; cost_s: of the movement; greatly: > 0. Gains and
 * times that are not > 0, or no numbers, save nothing. */
struct keel_profit_decision keel_profit_decide(double gain, double stable_s, double remaining_s,
                                               double cost_s, double greatly);

/* --- what messages take ---
 *
 * What messages take, timed before any rows have moved, and again where a movement is held back by
 * it (PAPERS.md S8, S12).
 *
 *   times of rounds on this worker -> [shortest ones] ~~> the most of all workers -> costs
 *        -> did rows stay for what movements cost? -> [doubts] -> messages are timed again
 *
 * A worker may wait for a processor while a message is timed, for a quantum of time, which would
 * count for each byte of a movement: no rows would ever move, and nothing else would correct it. A
 * wait makes a time longer, never shorter. So what counts is the shortest time of all rounds, and
 * times are taken again for as long as rows may be held back by them, as often as costs a very
 * small part of the time. Pure: times come from the caller. */

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
    double spent_s;              /* by all workers in timing, the most of any */
};

/* Takes in what was timed on this worker, s. INFINITY: it failed. */
void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s);

/* Whether to time again, by what was decided and how many movements there were: where one is
 * refused for its cost alone, and, as long as none has shown what it costs, wherever rows stay:
 * costs that are too high tell in many ways. While all that was spent is a very small part of
 * now_s, the time since the beginning. */
bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements,
                              double now_s);

#endif
