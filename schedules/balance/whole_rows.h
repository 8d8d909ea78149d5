/* From shares of work to whole rows, and back.
 *
 *   present rows and their work, wanted work -> [whole rows] -> rows of each worker -> moves.h
 *                                                            -> the work that these come to
 *
 * Each worker's rows count as alike: a worker's work over its rows is the weight of each. Pure. */
#ifndef SCHEDULES_BALANCE_WHOLE_ROWS_H
#define SCHEDULES_BALANCE_WHOLE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* What each of P >= 1 workers has. The sum of rows is less than 2^53, work is >= 0 and finite, and
 * 0 where there are no rows. */
struct keel_whole_rows {
    uint32_t workers;
    bool adjacent; /* rows are in blocks, by rising number of the worker (moves.h) */
    const uint64_t *present;
    const double *work;
};

/* Writes the rows that each worker is to have so that it has about the work that is wanted (P
 * values >= 0, which add up to all work): P values that add up to all rows. Blocks: bounds lie
 * within half a row of where they should. Others: who has more work than is wanted gives rows,
 * who has less takes a part of them. leave_none: workers may be left without rows, else only
 * where there are fewer rows than workers. O(P). */
void keel_whole_rows_cut(const struct keel_whole_rows *present, const double *wanted,
                         bool leave_none, uint64_t *rows);

/* Writes the work that each worker has with such rows. O(P). */
void keel_whole_rows_work(const struct keel_whole_rows *present, const uint64_t *rows,
                          double *work);

#endif
