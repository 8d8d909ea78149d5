/* Why a decision about rows came out as it did: what was compared with what.
 *
 *   decide.h, and who carries a decision out -> [reason] -> text, for reports and traces
 *
 * Pure. */
#ifndef SCHEDULES_LEARN_REASON_H
#define SCHEDULES_LEARN_REASON_H

#include <stdint.h>

/* In brackets: the two numbers of the reason; times in s, gains are parts of the time, 0 .. 1. */
enum keel_cause {
    KEEL_CAUSE_NONE, /* nothing was decided */

    /* Rows stay. */
    KEEL_CAUSE_EARLY,      /* too short a time for rates (time since the last figures, least) */
    KEEL_CAUSE_NO_WORK,    /* nobody was seen to compute */
    KEEL_CAUSE_NO_RATES,   /* no rate is known */
    KEEL_CAUSE_LEVEL,      /* no other shares are better */
    KEEL_CAUSE_SMALL_GAIN, /* (gain, threshold) */
    KEEL_CAUSE_COST,       /* moving costs more than it saves (cost, saving) */
    KEEL_CAUSE_STAYS,      /* staying has lost least so far */
    KEEL_CAUSE_WHOLE_ROWS, /* the work that should move is less than a row */
    KEEL_CAUSE_FAILED,     /* they could not be moved (code of the error) */

    /* Rows move. */
    KEEL_CAUSE_GAIN,     /* (cost, saving) */
    KEEL_CAUSE_ANY_COST, /* the policy does not ask what it costs */

    KEEL_CAUSE_CHANCE, /* the policy draws */
    KEEL_CAUSES
};

/* All words of 64 bits, so that it can travel in a message. */
struct keel_reason {
    uint64_t cause; /* enum keel_cause */
    double number[2];
};

#define KEEL_REASON_TEXT 120

/* Writes it as a person reads it: "gain 2 % is under the threshold of 5 %". No comma, so that it
 * can be a field of a line. moved: rows. Whatever the numbers are. */
void keel_reason_text(const struct keel_reason *reason, uint64_t moved,
                      char text[KEEL_REASON_TEXT]);

#endif
