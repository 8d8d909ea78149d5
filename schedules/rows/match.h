/* Which loops run over the rows that a rank has, and which iteration is of which row.
 *
 *   first value, step and number of iterations of a loop, own rows -> [match] -> rows of iterations
 *
 * Values may be numbers of rows, counted from 0 or, as in Fortran, from 1; places among own rows;
 * or either times the same number of iterations for each row, as in loops that are collapsed. Pure.
 */
#ifndef SCHEDULES_ROWS_MATCH_H
#define SCHEDULES_ROWS_MATCH_H

#include <stdbool.h>
#include <stdint.h>

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

/* Loops with several iterations for each row have to be over so many own rows: with fewer, too many
 * numbers of iterations are multiples by chance. */
#define KEEL_ROW_MATCH_LEAST 8

/* Whether the loop is one over own rows: its values lie among their numbers, and reach from one end
 * of at least half of them to the other; or it has as many iterations as there are own rows, or a
 * multiple of it that is not the number of all rows. */
bool keel_row_match(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                    struct keel_row_match *match);

#endif
