/* Which rows a sweep brings from which rank to which. */
#include "mpi_backend/rows/sweep/neighbours.h"

#include "schedules/arithmetic/arithmetic.h"

static int owner_of(const struct keel_mpi_pipeline *pipeline, uint64_t row)
{
    const struct keel_mpi_placement *placement = &pipeline->rows->placement;

    return (int)placement->run[keel_mpi_placement_find(placement, row)].owner;
}

/* Up to halo rows below `row`, and from it on. */
static struct keel_mpi_patch rows_below(const struct keel_mpi_pipeline *pipeline, uint64_t row)
{
    return (struct keel_mpi_patch){.first = row - min_u64(pipeline->array->halo, row), .last = row};
}

static struct keel_mpi_patch rows_from(const struct keel_mpi_pipeline *pipeline, uint64_t row)
{
    uint64_t left = pipeline->rows->placement.rows - row;

    return (struct keel_mpi_patch){.first = row,
                                   .last = row + min_u64(pipeline->array->halo, left)};
}

/* Where an own block is less deep than the halo, rows of the ranks beside it pass through. */
void keel_mpi_neighbours_find(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    int below = sweep->first > 0 ? owner_of(pipeline, sweep->first - 1) : MPI_PROC_NULL;
    int above = sweep->last < pipeline->rows->placement.rows ? owner_of(pipeline, sweep->last)
                                                             : MPI_PROC_NULL;

    if (sweep->forward) {
        sweep->before = below;
        sweep->behind = above;
        sweep->border_in = rows_below(pipeline, sweep->first);
        sweep->border_out = rows_below(pipeline, sweep->last);
        sweep->old_in = rows_from(pipeline, sweep->last);
        sweep->old_out = rows_from(pipeline, sweep->first);
    } else {
        sweep->before = above;
        sweep->behind = below;
        sweep->border_in = rows_from(pipeline, sweep->last);
        sweep->border_out = rows_from(pipeline, sweep->first);
        sweep->old_in = rows_below(pipeline, sweep->first);
        sweep->old_out = rows_below(pipeline, sweep->last);
    }
}

struct keel_mpi_patch keel_mpi_neighbours_part(const struct keel_mpi_pipeline *pipeline,
                                               struct keel_mpi_patch part, uint64_t from,
                                               uint64_t to)
{
    uint64_t length = pipeline->array->length;

    part.from = pipeline->sweep.forward ? from : length - to;
    part.to = pipeline->sweep.forward ? to : length - from;
    return part;
}

uint32_t keel_mpi_neighbours_ranks(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_placement *placement = &pipeline->rows->placement;
    uint32_t count = 0;

    for (uint32_t i = 0; i < placement->ranks; i++) {
        count += placement->owned[i] > 0;
    }
    return count;
}
