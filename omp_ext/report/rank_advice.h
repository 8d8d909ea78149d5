/* What to do about ranks that wait for each other in MPI.
 *
 *   figures of all ranks -> [advice] -> a sentence of the text
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_RANK_ADVICE_H
#define OMP_EXT_REPORT_RANK_ADVICE_H

#include "omp_ext/report/report_job.h"

#define KEEL_RANK_ADVICE_MAX 200 /* bytes that hold any of these texts, terminator included */

/* Writes what to do, and what that gains at most: to share the cores of a node, where its ranks
 * have unequal work, or to balance the ranks, where nodes have. "": MPI takes less than 5 % of the
 * job, or not all is known of all ranks. In the C locale. */
void keel_rank_advice_write(const struct keel_report_job *job, char *text);

#endif
