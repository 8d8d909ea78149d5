/* The figures of this process, and its report at the end. */
#ifndef OMP_EXT_EXPLAIN_LIVE_REPORT_H
#define OMP_EXT_EXPLAIN_LIVE_REPORT_H

#include "omp_ext/report/report_figures.h"

/* The figures of what this process has recorded so far, with names from the program's source. NULL:
 * it records nothing, or memory is short. Free them by keel_recording_figures_free() (reader.h).
 * Any thread, without locks. */
struct keel_report_process *keel_live_figures(void);

/* At exit: ends the recording, writes the report that KEEL_REPORT asks for, and removes the
 * recording. quickly: what stands in stdio's buffers stays there. Without locks. */
void keel_live_report(bool quickly);

#endif
