/* Which processor is to have which task, for policies that stop all of them to decide.
 *
 *   weights, owners -> [partition] -> owners
 *
 * Pure: who decides from the same figures decides the same. */
#ifndef BENCH_PAPER_PREMA05_POLICIES_PARTITION_H
#define BENCH_PAPER_PREMA05_POLICIES_PARTITION_H

#include <stdint.h>

/* Moves tasks from who has most to who has least, as long as that lowers the larger of their two
 * loads. owner[i]: of task i, in 0 .. ranks - 1; or negative: it is none of these any more. */
void partition_refine(uint32_t tasks, const double *weight, int ranks, int *owner);

#endif
