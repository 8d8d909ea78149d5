/* The recorder behind KEEL_REPORT and KEEL_EXPLAIN: sums up where the time of all regions and loops
 * goes.
 *
 *   events (observe/observe.h) -> recorder -> recording (recording_format.h)
 *     -> figures (recording_reader.h) -> report
 */
#ifndef OMP_EXT_RECORDER_RECORDER_H
#define OMP_EXT_RECORDER_RECORDER_H

#include "omp_ext/observe/observe.h"

extern const struct keel_observer keel_recorder;

/* When the library is loaded: notes the time, and the thread that begins the program. */
void keel_recorder_begin(void);

/* Whether this process records. Not in children of fork(): what they do does not count. */
bool keel_recorder_records(void);

#endif
