/* The first element of a trace in JSON: which job the file is of, and on which clock.
 *
 * A job is what its launcher says; without one it is the process, also after exec. */
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

/* What others have written. */
struct keel_trace_head {
    int64_t epoch_us;  /* of the file's clock, see below; 0: not known */
    bool is_elsewhere; /* begun on another machine */
    bool is_of_rank_0; /* the file's clock is CLOCK_MONOTONIC of rank 0 */
};

void keel_trace_head_find(struct keel_trace_machine *own);

/* What CLOCK_MONOTONIC is off the time of day, us, which nodes have in common more or less. */
int64_t keel_trace_head_epoch_us(void);

/* Writes the element into head[size], with a NUL. offset_ns: from CLOCK_MONOTONIC to the file's
 * clock; told: that is rank 0's for certain. Returns the length of what is
 * the same for all processes of the job. */
size_t keel_trace_head_write(char *head, size_t size, const struct keel_trace_machine *own,
                             bool told, int64_t offset_ns);

struct keel_trace_head keel_trace_head_read(const char *head, const struct keel_trace_machine *own);

#endif
