/* One line of a trace in JSON: one event in Chrome's Trace Event Format, or the brackets around
 * them.
 *
 *   {"name":"hydro.c:42","cat":"chunk","ph":"X","pid":0,"tid":1,"ts":10.250,"dur":3.125,
 *    "args":{"instance":4,"first":128,"last":160}} */
#ifndef OMP_EXT_COMMAND_TRACE_JSON_EVENT_H
#define OMP_EXT_COMMAND_TRACE_JSON_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/trace/trace_data.h"

/* Adds the event of a line to the data, as one of file `file`. Events of kinds that Keel does
 * not write are passed over. `line` has `length` bytes, without a line feed, and is changed. False:
 * the line holds no event. */
bool keel_json_event_take(struct keel_trace_data *data, unsigned file, char *line, size_t length);

#endif
