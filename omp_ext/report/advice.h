/* What to do about the loops of a report, by their figures alone.
 *
 *   figures -> [advice] -> schedules/forecast/advice.h -> suggestion and gain of each loop
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_ADVICE_H
#define OMP_EXT_REPORT_ADVICE_H

#include "omp_ext/report/figures.h"
#include "schedules/forecast/advice_text.h"

/* Whether what stands in loop `index` of the process, a region, is listed by itself. */
bool keel_report_holds_loops(const struct keel_report_process *process, size_t index);

/* The advice on a loop. Takes up to some ms where costs are known along the loop, as schedules are
 * forecast; else nothing to speak of. */
struct keel_advice keel_report_advice_of(const struct keel_report_loop *loop, bool holds_loops);

#endif
