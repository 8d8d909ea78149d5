/* What follows from the figures of a process: the time that chunks have cost, and what to do.
 *
 *   figures -> [complete] -> schedules/forecast/advice.h -> the same figures with `claiming_s`,
 *     `suggestion` and `gain_s` -> text, JSON
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_REPORT_ADVICE_H
#define OMP_EXT_REPORT_REPORT_ADVICE_H

#include "omp_ext/report/report_document.h"
#include "schedules/forecast/advice.h"

/* The schedule in force, with the parameters that were measured; libgomp's own as that of Keel with
 * the same chunks, or nearly. False: it is not known, several were, or its chunks are not those of
 * single iterations. */
bool keel_report_schedule_of(const struct keel_report_loop *loop, struct keel_spec *spec);

/* The advice on a loop of the process. Takes up to some ms where costs are known along the loop, as
 * schedules are forecast; else nothing to speak of. */
struct keel_advice keel_report_advice_of(const struct keel_report_process *process,
                                         const struct keel_report_loop *loop);

/* Takes what chunks have cost from the time that threads have recorded as busy, and gives loops
 * their suggestions. process: of the document, as it was recorded. */
void keel_report_complete(struct keel_report_document *document,
                          const struct keel_report_process *process);

#endif
