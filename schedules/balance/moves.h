/* From shares of work to whole rows, and back.
 *
 *   present rows and their work, wanted work -> [whole rows] -> rows of each worker -> moves
 *                                                            -> the work of these rows
 *
 * Each worker's rows count as equal: a worker's work over its rows is the weight of each. Pure. */
#ifndef SCHEDULES_BALANCE_MOVES_H
#define SCHEDULES_BALANCE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows and work of P >= 1 workers. The sum of rows is less than 2^53, work is >= 0 and finite, and
 * 0 without rows. */
struct keel_whole_rows {
    uint32_t workers;
    bool adjacent; /* rows are in blocks, by rising number of the worker (see below) */
    const uint64_t *present;
    const double *work;
};

/* Writes the rows that each worker is to have so that it has about the work that is wanted (P
 * values >= 0, which add up to all work): P values that add up to all rows. Blocks: bounds lie
 * within half a row of the exact ones. Others: a worker with more work than wanted gives rows, one
 * with less takes a part of them. leave_none: workers may be left without rows; otherwise this
 * happens only if there are fewer rows than workers. O(P). */
void keel_whole_rows_cut(const struct keel_whole_rows *present, const double *wanted,
                         bool leave_none, uint64_t *rows);

/* Writes the work that each worker has with such rows. O(P). */
void keel_whole_rows_work(const struct keel_whole_rows *present, const uint64_t *rows,
                          double *work);

/* --- moves ---
 *
 * Which worker sends which rows to which one, so that shares become as wanted (PAPERS.md S14).
 *
 *   present and wanted shares -> moves -> messages of each worker
 *
 * Rows that depend on their neighbours stay in blocks, and move between neighbours only:
 * keel_moves_adjacent_*. Others go directly from surplus to shortage: keel_moves_any_*.
 *
 * Pure, and no memory is taken. Every list is in one order that all workers share; all messages of
 * a round may be on their way at once. */

/* One message. */
struct keel_move {
    uint32_t from, to; /* workers, different ones */
    uint64_t first;    /* adjacent: the first row. any: its place among the rows of `from` */
    uint64_t rows;     /* >= 1 */
};

/* For the cost of a movement (profit.h). */
struct keel_moves_sum {
    uint64_t rows;      /* moved in all; rows that pass through a worker count each time */
    uint64_t most_rows; /* sent and received by the worker that sends and receives most */
    uint32_t rounds;    /* 0: nothing is moved */
};

/* --- between neighbours ---
 *
 * Worker w has the rows from present[w] up to present[w + 1], and is to have those from wanted[w]:
 * blocks of the same number of rows, by P >= 1 workers. In a round, a worker hands the rows that it
 * has and is not to keep to its next neighbour, on either side. Bound b lies, after t rounds, where
 * it is wanted, but not beyond the bounds t places from it:
 *
 *     bound(b, t) = median(present[b - t], wanted[b], present[b + t])
 *
 * Each row takes the shortest way; the number of rounds is that of the steps of the farthest row.
 * In all, sum of |present[b] - wanted[b]| rows are moved: no other way moves fewer. */

/* The number of rounds, 0 .. P - 1. O(P log P). */
uint32_t keel_moves_adjacent_rounds(uint32_t workers, const uint64_t *present,
                                    const uint64_t *wanted);

/* Lists the moves of round 0 .. Rows must have arrived before those of the next round are sent.
 * Returns how many there are, 0 .. P - 1. O(P). */
size_t keel_moves_adjacent_round(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                                 uint32_t round, struct keel_move *move);

/* O(P log P). */
struct keel_moves_sum keel_moves_adjacent_sum(uint32_t workers, const uint64_t *present,
                                              const uint64_t *wanted);

/* --- from surplus to shortage ---
 *
 * Worker w has present[w] rows, in an order of its own, and is to have wanted[w], the same sum.
 * A worker with too many keeps its first wanted[w] and gives the others; one with too few appends
 * what it gets. In one round: no worker both gives and gets. Half the sum of |present - wanted|
 * rows are moved, in at most P - 1 moves; the first surplus goes to the first shortage, so moves
 * are short where workers of near numbers are near. */

/* Goes through the moves. Begins with the shares. */
struct keel_moves_walk {
    uint32_t workers;
    const uint64_t *present, *wanted;
    uint32_t from, to;
    uint64_t given, taken; /* by `from` and `to` so far */
};

/* Writes the next move; false if there is none. */
bool keel_moves_any_next(struct keel_moves_walk *walk, struct keel_move *move);

/* Lists the moves. Returns how many there are. O(P). */
size_t keel_moves_any(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                      struct keel_move *move);

struct keel_moves_sum keel_moves_any_sum(uint32_t workers, const uint64_t *present,
                                         const uint64_t *wanted);

#endif
