/* Weights of rows: which loops run over them, their times, and one scale for all ranks.
 *
 *   loops of a phase -> [match, times] -> time of parts -> [measure] -> weights -> [scale, flow]
 *
 * Pure. */
#ifndef SCHEDULES_ROWS_ROW_WEIGHTS_H
#define SCHEDULES_ROWS_ROW_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/rows/row_constants.h"

/* --- loops over rows ---
 *
 * Which loops run over the rows that a rank has, and which iteration belongs to which row.
 *
 *   first value, step and number of iterations of a loop, own rows -> [match] -> rows of iterations
 *
 * Values may be numbers of rows, counted from 0 or, as in Fortran, from 1; indices of own rows; or
 * either times the same number of iterations for each row, as in collapsed loops. Pure. */

/* A loop as it starts. */
struct keel_row_loop {
    uint64_t start;      /* first value of its variable */
    int64_t step;        /* from one iteration to the next, not 0 */
    uint64_t iterations; /* >= 1 */
};

/* The rows that a rank has. */
struct keel_own_rows {
    bool block;     /* they are neighbours: [first, first + count) */
    uint64_t first; /* of a block, counted from 0 */
    uint64_t count;
    uint64_t all; /* rows of all ranks */
};

/* Iteration k belongs to own row number place + k * pace, in the order of rows. Both bounds of an
 * iteration lie in 0 .. count, or a step beyond it. */
struct keel_row_match {
    double place;
    double pace; /* not 0; < 0: the loop counts down */
};

/* Whether the loop is one over own rows: its values are among their numbers, and span at least half
 * of them; or it has as many iterations as there are own rows, or a multiple of it that is not the
 * number of all rows. */
bool keel_row_match(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                    struct keel_row_match *match);

/* --- times of parts ---
 *
 * Times of own rows in the last phases, in up to KEEL_ROW_PARTS parts.
 *
 *   times of parts in each measured phase -> [times] -> common time of each -> weights of parts
 *
 * In a single phase another program may have had the processor during any part, for a quantum of
 * time, which may be many times as long as the part. So the time of a part is that of most phases;
 * if its cost has changed, that of the last two. Pure. */

/* Rows in a part; the last part may have fewer. rows >= 1. */
static inline uint64_t keel_row_part_rows(uint64_t rows)
{
    return (rows + KEEL_ROW_PARTS - 1) / KEEL_ROW_PARTS;
}

/* Number of parts of `rows` rows, 1 .. KEEL_ROW_PARTS. */
static inline unsigned keel_row_parts(uint64_t rows)
{
    uint64_t each = keel_row_part_rows(rows);

    return (unsigned)((rows + each - 1) / each);
}

/* Begins as {0}. */
struct keel_row_times {
    unsigned phases; /* recorded so far */
    double time_s[KEEL_ROW_PHASES][KEEL_ROW_PARTS];
};

/* Records a phase: time of each of `parts` parts, s. */
void keel_row_times_note(struct keel_row_times *times, const double *time_s, unsigned parts);

/* Whether the phases are enough to know the times of rows: three of them, or one that is so long
 * that quanta of time are short beside it. */
bool keel_row_times_are_known(const struct keel_row_times *times, unsigned parts);

/* Writes the time of each part in a phase, s, and its error: the median of the last phases, or the
 * last two if these agree and differ from all before; of one or two phases, the median of the
 * part's and its neighbours'. */
void keel_row_times_common(const struct keel_row_times *times, unsigned parts, double *time_s,
                           double *error_s);

/* --- weights of parts ---
 *
 * The weights of a rank's rows, from their times on it.
 *
 *   time, weight and origin of parts of own rows
 *        -> [measure] -> the rank's speed, new weights of the parts
 *                     -> ratio of the weights of rows that came, there and here -> one scale
 *
 * A weight is time on a rank times the rank's speed. One time shows only the product: if all parts
 * take longer by the same factor, the rank has become slower; if some do, their rows cost more.
 * Pure. */

/* Where rows of a part were at their last measurement. */
enum keel_row_origin {
    KEEL_ROW_HERE,
    KEEL_ROW_FROM_BELOW, /* on a rank with a lower number; of rows that are no blocks: elsewhere */
    KEEL_ROW_FROM_ABOVE,
    KEEL_ROW_ORIGINS
};

/* A part of own rows. */
struct keel_row_part {
    double rows;            /* number of rows, > 0 */
    double weight;          /* sum of their weights, >= 0 */
    double time_s, error_s; /* of a phase, and its error */
    enum keel_row_origin origin;
};

/* The results. */
struct keel_row_measurement {
    double speed;                  /* weight per s, > 0; 0: nothing was measured */
    bool differs;                  /* weights have changed */
    double factor[KEEL_ROW_PARTS]; /* of the weights of each part's rows; < 0: weights are to be
                                      spread evenly, -factor each */
    /* Of rows of that origin: log of (weight that they had / weight by the rows that were here),
     * and its trust, 1 / its variance; 0: none came. */
    double shift[KEEL_ROW_ORIGINS], trust[KEEL_ROW_ORIGINS];
};

/* parts: 1 .. KEEL_ROW_PARTS. */
void keel_row_measure(const struct keel_row_part *part, unsigned parts,
                      struct keel_row_measurement *measurement);

/* --- work that went over borders ---
 *
 * The weights of rows that have gone over borders between ranks, if only the time of each rank is
 * known.
 *
 *   work and time of each rank before rows moved, and after -> [flow] -> work of each rank, and the
 *   factor of the weights of rows that went over each border
 *
 * If a rank was as fast before and after, the difference of its times is that of the rows that came
 * and went. All ranks together show whether that is so: the work gained by some was lost by others.
 * If that holds for the speeds that follow from the weights, these are true; if it holds for equal
 * speeds, ranks are equally fast, and some have heavier rows; if for neither, speeds have changed
 * meanwhile, and nothing follows. For rows in blocks. Pure. */

/* A rank, before rows moved and after. */
struct keel_row_flow_rank {
    double work_before, time_before_s; /* sum of weights, and time of a phase */
    double work, time_s;               /* by the same weights of rows */
};

/* The results for a rank. */
struct keel_row_flow {
    double work;   /* present work */
    double factor; /* of the weights of rows that came over its lower border, from either side */
};

enum keel_row_flow_result {
    KEEL_ROW_FLOW_UNKNOWN,     /* times or work are not known */
    KEEL_ROW_FLOW_AS_SUPPOSED, /* weights were about right, or hardly anything has changed */
    KEEL_ROW_FLOW_DOUBTFUL,    /* speeds have changed; or they differ, and costs do, too */
    KEEL_ROW_FLOW_FOUND        /* flow[] is filled in */
};

/* noise: mean relative difference of a rank's times if no rows have moved, >= 0; changes that this
 * explains are ignored. speed: room for P values. */
enum keel_row_flow_result keel_row_flow_find(const struct keel_row_flow_rank *rank, uint32_t ranks,
                                             double noise, double *speed,
                                             struct keel_row_flow *flow);

/* --- one scale for all ranks ---
 *
 * One scale for the weights of all ranks' rows.
 *
 *   speed of each rank by its own weights, weights on both sides of each border, shifts of rows
 *   that came from others -> [scale] -> a factor for each rank's weights
 *
 * Measurements of a rank show the relative cost of its own rows. They do not show whether it is
 * slow or its rows are heavy. Least squares find the likeliest answer for all ranks at once, in
 * logarithms. With e the log of a rank's factor, r of its speed, w of weights:
 *
 *   ranks are equal            r[p] + e[p] == the same for all        loosely
 *   costs are continuous       w_high[p] + e[p] == w_low[p + 1] + e[p + 1]
 *                              the more loosely the rougher costs are along the rows; until rows
 *                              have moved: rows at a border then were within a rank before
 *   rows that have moved       e[p] - e[q] == shift                  strictly: the same rows on two
 *                              ranks; known from then on
 *   changes of costs           are continuous, too: if a rank seems to have become slower,
 *                              and rows beside it, on another one, heavier by as much, its rows
 *                              have become heavier
 *
 * Rows that are no blocks have no borders: mean weights of ranks replace them. O(P). Pure. */

/* A rank. */
struct keel_row_scale_rank {
    double rows, work;         /* present rows, and the sum of their weights */
    double speed;              /* work per s; 0: not known */
    double low, high;          /* weight of a row at either end of its block; 0: not known */
    double rough;              /* mean square of differences of log weights along its rows */
    double shift[2], trust[2]; /* of rows from lower and from higher ranks, see above */
};

/* Known differences of scales since rows moved: 2 P doubles; and ranks at the decision before, P of
 * them. All 0 at first. */
struct keel_row_scale {
    double *known, *since;
    struct keel_row_scale_rank *before;
    bool moved; /* rows have, since the first decision */
};

/* Bytes of scratch memory for P ranks, aligned as by malloc. */
size_t keel_row_scale_scratch(uint32_t ranks);

/* Writes the factors of P >= 1 ranks' weights, > 0; with them rows weigh 1 on average. All are 1 if
 * that is about right. Returns whether one is not. */
bool keel_row_scale_find(struct keel_row_scale *scale, const struct keel_row_scale_rank *rank,
                         uint32_t ranks, bool blocks, double *factor, void *scratch);

/* Weights of a rank's rows were multiplied by `factor`, and its rate is `measured` by the new ones.
 * Returns the factor of earlier recorded rates, of which `recorded` is the last: `factor` if
 * weights were wrong all the time, 1 if costs have just changed; the one that is nearer to the
 * measured rate. */
double keel_row_scale_recorded(double recorded, double measured, double factor);

#endif
