/* What messages take, timed before any rows have moved (PAPERS.md S8, S12).
 *
 *   times of rounds on this worker -> [shortest ones] ~~> the most of all workers -> costs
 *        -> was a movement refused for its cost alone? -> [doubts] -> messages are timed again
 *
 * A worker may wait for a processor while a message is timed, for a quantum of time, which would
 * count for each byte of a movement: no rows would ever move. So what counts is the shortest time,
 * and times are taken again as long as they get shorter. Pure: times come from the caller. */
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
    unsigned in_vain;            /* rounds since the times of all have last got shorter */
};

/* Forgets the times of rounds that only warm up. */
void keel_probes_forget(struct keel_probes *probes);

/* Takes in what was timed on this worker, s. INFINITY: it failed. */
void keel_probes_note(struct keel_probes *probes, enum keel_probe probe, double time_s);

/* The most of all workers, of a full message: full_s. cost_s: what such a one was taken to cost up
 * to now; 0: nothing was known. The same on all workers. */
void keel_probes_agree(struct keel_probes *probes, double full_s, double cost_s);

/* Whether to time again, by what was decided and how many movements there were: where one is
 * refused for its cost alone, none has shown what it costs, and times may still get shorter. */
bool keel_probes_are_doubtful(const struct keel_probes *probes,
                              const struct keel_decision *decision, uint64_t movements);

#endif
