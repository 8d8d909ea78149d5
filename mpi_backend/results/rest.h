/* The rest of a loop in the course of which ranks were lost: what those that are left have not
 * executed. No MPI, no clock.
 *
 *   what each rank has executed -> [rest] -> a loop over the rest, numbered from 0 -> units
 *
 * Units are those of the loop's grain (schedules/claim/grain.h). */
#ifndef MPI_BACKEND_RESULTS_REST_H
#define MPI_BACKEND_RESULTS_REST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/results/range_list.h"

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

#endif
