/* One scale for the weights of all ranks' rows.
 *
 *   speed of each rank by its own weights, weights on both sides of each border, rows that came
 *   from others and what they weigh (measure.h) -> [scale] -> a factor for each rank's weights
 *
 * What a rank measures says which of its rows cost how much beside its other ones. Whether it is
 * slow or its rows are heavy, it does not say. Least squares find the likeliest answer for all
 * ranks at once, in logarithms. With e the log of a rank's factor, r of its speed, w of weights:
 *
 *   ranks are alike            r[p] + e[p] == the same for all        loosely
 *   costs go on over a border  w_high[p] + e[p] == w_low[p + 1] + e[p + 1]
 *                              the more loosely the rougher costs are along the rows; until rows
 *                              have moved: what lies at a border then was within a rank before
 *   rows that have moved       e[p] - e[q] == shift                  strictly: the same rows on two
 *                              ranks; known from then on
 *   changes of costs           go on over a border, too: where a rank seems to have become slower,
 *                              and rows beside it, on another one, heavier by as much, its rows
 *                              have become heavier
 *
 * Rows that are no blocks have no borders: mean weights of ranks take their place. O(P). Pure. */
#ifndef SCHEDULES_ROWS_SCALE_H
#define SCHEDULES_ROWS_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A rank. */
struct keel_row_scale_rank {
    double rows, work;         /* that it has, and the sum of their weights */
    double speed;              /* work per s; 0: not known */
    double low, high;          /* weight of a row at either end of its block; 0: not known */
    double rough;              /* mean square of differences of log weights along its rows */
    double shift[2], trust[2]; /* of rows from lower and from higher ranks, see measure.h */
};

/* What is known of the scales since rows moved: 2 P doubles; and ranks at the decision before, P of
 * them. All 0 at first. */
struct keel_row_scale {
    double *known, *since;
    struct keel_row_scale_rank *before;
    bool moved; /* rows have, since the first decision */
};

/* Bytes of scratch memory for P ranks, aligned as of malloc. */
size_t keel_row_scale_scratch(uint32_t ranks);

/* Writes the factors of P >= 1 ranks' weights, > 0; with them rows weigh 1 on average. All are 1
 * where that is about right. Returns whether one is not. */
bool keel_row_scale_find(struct keel_row_scale *scale, const struct keel_row_scale_rank *rank,
                         uint32_t ranks, bool blocks, double *factor, void *scratch);

/* Weights of a rank's rows were multiplied by `factor`, and its rate is `measured` by the new ones.
 * Returns what rates that were recorded before, `recorded` the last one, are to be multiplied by:
 * `factor` where weights were off all the time, 1 where costs have just changed; what comes nearer
 * to the measured rate. */
double keel_row_scale_recorded(double recorded, double measured, double factor);

#endif
