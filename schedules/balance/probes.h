/* What messages take, timed before any rows have moved, and again where a movement is held back by
 * it (PAPERS.md S8, S12).
 *
 *   times of rounds on this worker -> [shortest ones] ~~> the most of all workers -> costs
 *        -> was a movement refused for its cost alone? -> [doubts] -> messages are timed again
 *
 * A worker may wait for a processor while a message is timed, for a quantum of time, which would
 * count for each byte of a movement: no rows would ever move, and nothing else would correct it. A
 * wait makes a time longer, never shorter. So what counts is the shortest time of all rounds; where
 * rounds differ, some have waited, and more follow at once, as workers that have just met are not
 * waiting; and times are taken again for as long as rows are held back by them, as often as costs a
 * small part of the time. Pure: times come from the caller. */
#ifndef SCHEDULES_BALANCE_PROBES_H
#define SCHEDULES_BALANCE_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/balance/decide.h"

enum keel_probe {
    KEEL_PROBE_FIGURES, /* an exchange of figures */
    KEEL_PROBE_EMPTY,   /* a message without bytes */
    KEEL_PROBE_FULL,    /* one with bytes */
    KEEL_PROBES
};

/* Rounds that follow at once where times differ, or are in doubt. */
#define KEEL_PROBES_BURST 4

/* Begins as {0}. */
struct keel_probes {
    double least_s[KEEL_PROBES]; /* of this worker; 0: not timed yet */
    double most_s;               /* a full message took since the last keel_probes_forget() */
    double spent_s;              /* by all workers in timing again, the most of any */
    double spread;    /* of full messages, by how many times they differ: the most of all */
    unsigned in_vain; /* times in a row that what all took did not get shorter */
};

/* Forgets the times of rounds that only warm up. */
void keel_probes_forget(struct keel_probes *probes);

/* Takes in what was timed on this worker, s. INFINITY: it failed. */
void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s);

/* By how many times full messages have differed on this worker, 1 or more. */
double keel_probes_spread(const struct keel_probes *probes);

/* Whether that is more than chance on a quiet machine: the most of all workers. */
bool keel_probes_differ(double spread);

/* The most of all workers: a full message, by how many times such ones differ, what timing took. */
struct keel_probes_most {
    double full_s, spread, spent_s;
};

/* cost_s: what a full message was taken to cost up to now; 0: nothing was known. The same on all
 * workers. */
void keel_probes_agree(struct keel_probes *probes, const struct keel_probes_most *most,
                       double cost_s);

/* Whether to time again, by what was decided and how many movements there were: where one is
 * refused for its cost alone. As long as none has shown what it costs and times get shorter, at
 * once; else while all that was spent is a small part of now_s, the time since the beginning, and a
 * very small one where no message is known to have waited. Where one has and no movement has shown
 * anything, whatever the reason is for which rows stay: costs that are too high tell in many ways.
 * */
bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements,
                              double now_s);

#endif
