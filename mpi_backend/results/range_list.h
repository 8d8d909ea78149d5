/* The iterations that a rank has executed: recorded chunk by chunk, merged where they touch.
 *
 *   chunk -> [log of a thread] -> ranges of the rank -> gather. No MPI, no clock. */
#ifndef MPI_BACKEND_RESULTS_RANGE_LIST_H
#define MPI_BACKEND_RESULTS_RANGE_LIST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/peers.h"

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

/* --- rests ---
 *
 * The rest of a loop in the course of which ranks were lost: what those that are left have not
 * executed. No MPI, no clock.
 *
 *   what each rank has executed -> [rest] -> a loop over the rest, numbered from 0 -> units
 *
 * Units are those of the loop's grain (schedules/claim/plan.h). */

struct keel_mpi_rest {
    uint64_t iterations, grain, units;  /* of the loop */
    struct keel_mpi_range_list own;     /* units that this rank has executed */
    struct keel_mpi_range_list missing; /* that no rank has */
    uint64_t *before;                   /* of each range of `missing`, units in those before it */
    uint64_t count;                     /* of missing units */
};

/* own, all: iterations that this rank, and all ranks, have executed; merged afterwards. False: no
 * memory, and nothing has to be freed. */
bool keel_mpi_rest_open(struct keel_mpi_rest *rest, uint64_t iterations, uint64_t grain,
                        struct keel_mpi_range_list *own, struct keel_mpi_range_list *all);

void keel_mpi_rest_free(struct keel_mpi_rest *rest);

/* Of missing units number `first` to `last` - 1, first < last: the units [*from, *to) that the
 * first ones are, up to where others have been executed in between. */
void keel_mpi_rest_piece(const struct keel_mpi_rest *rest, uint64_t first, uint64_t last,
                         uint64_t *from, uint64_t *to);

/* Numbers of missing units that this rank has executed since, merged, become units, those that it
 * had executed before among them; `incomplete` where memory lacks. */
void keel_mpi_rest_complete(const struct keel_mpi_rest *rest, struct keel_mpi_range_list *executed);

/* --- gathering ---
 *
 * Brings together what a loop has computed, from wherever it was computed.
 *
 *   ranges of each rank -> one datatype per rank -> one message per pair, from buffer to buffer */

#define KEEL_MPI_GATHER_ALL INT_MIN /* in place of a root: the result goes to all ranks */

/* Gathers the loop of `iterations` that the ranks of `peers` have executed, `own` (merged) on the
 * calling one: see keel_mpi_gather(). Their communicator is for no other messages meanwhile. Checks
 * arguments, and that each iteration has been executed once, before anything is moved. Returns a
 * KEEL_MPI_... code, the same on all ranks unless MPI fails or they come too late; an error has
 * written one message. Collective. */
int keel_mpi_gather_ranges(struct keel_mpi_peers *peers, uint64_t iterations,
                           const struct keel_mpi_range_list *own, void *buffer, size_t count,
                           MPI_Datatype type, int root);

/* What all ranks have executed, on all of them: `own` of each, one behind the other. False, on all
 * ranks alike: there is no memory, or MPI has failed; *all is as before. Collective. */
bool keel_mpi_gather_lists(struct keel_mpi_peers *peers, const struct keel_mpi_range_list *own,
                           struct keel_mpi_range_list *all);

#endif
