/* One line of a trace in CSV: a chunk, without its start.
 *
 *   loop,instance,thread,first,last,time_ns */
#ifndef OMP_EXT_COMMAND_TRACE_CSV_CHUNK_H
#define OMP_EXT_COMMAND_TRACE_CSV_CHUNK_H

#include <stdbool.h>

#include "omp_ext/command/trace/trace_data.h"

/* The line that such a trace begins with. */
#define KEEL_CSV_CHUNK_HEADER "loop,instance,thread,first,last,time_ns"

/* Adds the chunk of a line to the data, at time 0, as one of file `file`. Empty lines and
 * comments (#) are passed over. `line` is changed. False: the line holds no chunk. */
bool keel_csv_chunk_take(struct keel_trace_data *data, unsigned file, char *line);

#endif
