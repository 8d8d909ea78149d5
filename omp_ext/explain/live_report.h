/* The report of this process, at its end. */
#ifndef OMP_EXT_EXPLAIN_LIVE_REPORT_H
#define OMP_EXT_EXPLAIN_LIVE_REPORT_H

#include <stdbool.h>

/* At exit: ends the recording, writes the report that KEEL_REPORT or KEEL_EXPLAIN asks for, and
 * removes the recording. quickly: what stands in stdio's buffers stays there. Without locks. */
void keel_live_report(bool quickly);

#endif
