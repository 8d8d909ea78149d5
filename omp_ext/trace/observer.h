/* Regions, loops, chunks and waits, as they are observed, for the trace in JSON.
 *
 *   observe/observe.h -> [events] -> trace_notes.h -> timeline of the thread -> file
 */
#ifndef OMP_EXT_TRACE_OBSERVER_H
#define OMP_EXT_TRACE_OBSERVER_H

#include "omp_ext/observe/observe.h"

extern const struct keel_observer keel_trace_observer;

#endif
