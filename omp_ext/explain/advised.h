/* Suggestions in the figures of this process: what sites have learned, and the advice that follows.
 *
 *   figures (recorder/live.h) -> [advised] -> the report
 */
#ifndef OMP_EXT_EXPLAIN_ADVISED_H
#define OMP_EXT_EXPLAIN_ADVISED_H

#include "omp_ext/report/figures.h"

struct keel_advised;

/* Fills in what was measured at each loop of the process, and its suggestion and gain. They last
 * until what is returned is freed. NULL: memory is short, and the figures are as they were. Takes
 * keel_slow_lock. */
struct keel_advised *keel_advise_process(struct keel_report_process *process);

void keel_advised_free(struct keel_advised *advised);

#endif
