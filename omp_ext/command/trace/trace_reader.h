/* Files of KEEL_TRACE: which form they have, and what is said of those that are damaged. */
#ifndef OMP_EXT_COMMAND_TRACE_TRACE_READER_H
#define OMP_EXT_COMMAND_TRACE_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/trace/trace_data.h"

/* Reads `count` files, in JSON or in CSV, into one data, which is to be ended. For FILE, what the
 * ranks of a job have written to FILE.0, FILE.1, ... is read where that is newer. A file that is
 * cut off tells what it holds until there; lines that hold no events are left out; both are said.
 * False, and a message: a file can't be read, or nothing in it is a span. */
bool keel_trace_reader_read(struct keel_trace_data *data, char *const *path, size_t count);

#endif
