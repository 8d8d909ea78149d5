/* What messages take, timed before any rows have moved, and again where a movement is held back by
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
