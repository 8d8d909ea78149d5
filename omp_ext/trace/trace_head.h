/* The first element of a trace in JSON: which job the file is of, and on which clock.
 *
 * A job is what its launcher says; without one it is the process. */
#ifndef OMP_EXT_TRACE_TRACE_HEAD_H
#define OMP_EXT_TRACE_TRACE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/machine/launch.h"

/* Where the process runs. */
struct keel_trace_machine {
    int rank, ranks;               /* 0 of 1 without a launcher */
    char job[KEEL_LAUNCH_JOB_MAX]; /* "": no launcher tells */
    char host[65];
    char boot[40]; /* the same for all whose CLOCK_MONOTONIC is the same */
};

void keel_trace_head_find(struct keel_trace_machine *own);

/* Writes the element into head[size], with a NUL. offset_ns: from CLOCK_MONOTONIC to the clock of
 * the events that follow; told: that is rank 0's for certain. */
void keel_trace_head_write(char *head, size_t size, const struct keel_trace_machine *own, bool told,
                           int64_t offset_ns);

#endif
