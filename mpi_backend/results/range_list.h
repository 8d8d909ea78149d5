/* Which iterations a rank has executed: noted chunk by chunk, merged where they touch.
 *
 *   chunk -> [log of a thread] -> ranges of the rank -> gather. No MPI, no clock. */
#ifndef MPI_BACKEND_RESULTS_RANGE_LIST_H
#define MPI_BACKEND_RESULTS_RANGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"

/* All zero: empty. Written by one thread. */
struct keel_mpi_range_list {
    struct keel_mpi_range *range;
    size_t count, room;
    bool incomplete; /* there was no memory for some */
};

/* Memory for the first notes; false: there is none. */
bool keel_mpi_range_list_open(struct keel_mpi_range_list *ranges);

/* Notes [first, last), first < last; what continues the last note makes that longer. Memory grows
 * by doubling, so a chunk costs none as a rule. */
void keel_mpi_range_list_note(struct keel_mpi_range_list *ranges, uint64_t first, uint64_t last);

/* Adds all of `other`; false: no memory, and `ranges` is as before. */
bool keel_mpi_range_list_append(struct keel_mpi_range_list *ranges,
                                const struct keel_mpi_range_list *other);

/* Sorts, and merges what touches. */
void keel_mpi_range_list_merge(struct keel_mpi_range_list *ranges);

/* Of merged ranges: iterations in them. */
uint64_t keel_mpi_range_list_iterations(const struct keel_mpi_range_list *ranges);

/* Of merged ranges: how many end at `from` or before it. They are apart, so that the next one is
 * the only one that `from` may lie in. */
size_t keel_mpi_range_list_before(const struct keel_mpi_range_list *ranges, uint64_t from);

/* Of merged ranges: the first gap at or behind `from`, below `end`: iterations [*first, *last) that
 * are not in them; false: there is none. */
bool keel_mpi_range_list_gap(const struct keel_mpi_range_list *ranges, uint64_t from, uint64_t end,
                             uint64_t *first, uint64_t *last);

/* Empties it and keeps its memory. */
void keel_mpi_range_list_clear(struct keel_mpi_range_list *ranges);

void keel_mpi_range_list_free(struct keel_mpi_range_list *ranges);

#endif
