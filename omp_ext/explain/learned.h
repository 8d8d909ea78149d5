/* What sites know of loops goes into the figures of a report: numbers, and with KEEL_EXPLAIN lines.
 *
 *   sites -> [learned.c] -> figures (live_report.c) -> report/ */
#ifndef OMP_EXT_EXPLAIN_LEARNED_H
#define OMP_EXT_EXPLAIN_LEARNED_H

#include "omp_ext/report/report_document.h"

/* Fills in `measured` of the loops of a process whose figures keel_recording_figures() has made;
 * where it is to be explained, `learned`, too. Takes keel_slow_lock. */
void keel_learned_fill_in(struct keel_report_document *document,
                          const struct keel_report_process *process, bool explained);

#endif
