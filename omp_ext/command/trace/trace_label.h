/* What people call the processes and threads of a trace, and files made of it. */
#ifndef OMP_EXT_COMMAND_TRACE_TRACE_LABEL_H
#define OMP_EXT_COMMAND_TRACE_TRACE_LABEL_H

#include <stdint.h>

#include "omp_ext/command/trace/trace_data.h"

#define KEEL_TRACE_LABEL_MAX 1100 /* bytes, with the 0 at the end */

/* "rank 0 on node: program", or "rank 0"; with the number of its file where two files have the same
 * rank. */
void keel_trace_label_process(const struct keel_trace_data *data, uint32_t process, char *label);

/* "thread 1" */
void keel_trace_label_thread(const struct keel_trace_data *data, uint32_t lane, char *label);

/* "run" for "results/run.json": what files that are made of the trace are called, without their
 * endings. */
void keel_trace_label_file(const char *path, char *label);

#endif
