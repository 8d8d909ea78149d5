/* Which part of a trace a picture shows. */
#ifndef OMP_EXT_COMMAND_PLOT_EXTRACT_H
#define OMP_EXT_COMMAND_PLOT_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/command/trace/trace_data.h"

struct keel_extract {
    const struct keel_trace_data *data;
    const char *place;                      /* what loops are called; NULL: all */
    bool needs_loop;                        /* there is nothing to draw without one */
    uint64_t first_instance, last_instance; /* both are shown */
    int64_t from_ns, to_ns;                 /* since the trace began */
    bool *wanted;                           /* by name, data->names.count of them */
    uint32_t loop; /* of the wanted ones, that with most work; KEEL_NAME_LIST_NONE: no loop */
};

/* With all but `wanted` and `loop` set: finds the loops of that name. That is the whole name; else
 * its end behind a '/', "hydro.c:42"; else a part of it. False, and a message: there is none of
 * that name, or none at all where one is needed, or there is no memory. */
bool keel_extract_begin(struct keel_extract *extract, const struct keel_trace_data *data);

/* Whether a span is of a wanted loop and instance, and stands in the time. Waits are where their
 * loops are, in all instances. */
bool keel_extract_has(const struct keel_extract *extract, const struct keel_span *span);

/* Whether a span is a chunk of the one loop, in the instances and the time. */
bool keel_extract_is_chunk(const struct keel_extract *extract, const struct keel_span *span);

void keel_extract_end(struct keel_extract *extract);

#endif
