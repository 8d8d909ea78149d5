/* What a rank's rows weigh, from what they have taken on it.
 *
 *   time and weight of parts of own rows (times.h), where they came from
 *        -> [measure] -> the rank's speed, new weights of the parts
 *                     -> by how much rows that came weigh otherwise than was said -> scale.h
 *
 * A weight is time on a rank times the rank's speed. One time tells only the product: where all
 * parts take longer by the same factor, the rank has become slower; where some do, their rows cost
 * more. Pure. */
#ifndef SCHEDULES_ROWS_MEASURE_H
#define SCHEDULES_ROWS_MEASURE_H

#include <stdbool.h>

#include "schedules/rows/times.h"

/* Where rows of a part were when they were measured last. */
enum keel_row_origin {
    KEEL_ROW_HERE,
    KEEL_ROW_FROM_BELOW, /* on a rank with a lower number; of rows that are no blocks: elsewhere */
    KEEL_ROW_FROM_ABOVE,
    KEEL_ROW_ORIGINS
};

/* A part of own rows. */
struct keel_row_part {
    double rows;            /* that it has, > 0 */
    double weight;          /* theirs together, >= 0 */
    double time_s, error_s; /* of a phase, and what that may be off by */
    enum keel_row_origin origin;
};

/* What follows. */
struct keel_row_measurement {
    double speed;                  /* weight per s, > 0; 0: nothing was measured */
    bool differs;                  /* weights are other ones than they were */
    double factor[KEEL_ROW_PARTS]; /* of the weights of each part's rows; < 0: weights are to be
                                      spread evenly, -factor each */
    /* Of rows that came from there: log of (weight that they had / weight by the rows that were
     * here), and how far that is to be believed, 1 / its variance; 0: none came. */
    double shift[KEEL_ROW_ORIGINS], trust[KEEL_ROW_ORIGINS];
};

/* parts: 1 .. KEEL_ROW_PARTS. before: the rank's speed up to now; 0: not known. */
void keel_row_measure(const struct keel_row_part *part, unsigned parts, double before,
                      struct keel_row_measurement *measurement);

#endif
