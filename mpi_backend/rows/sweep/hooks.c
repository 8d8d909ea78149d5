/* Hooks within sweeps. */
#include "mpi_backend/rows/sweep/hooks.h"

#include <math.h>

#include "mpi_backend/rows/sweep/strips.h"
#include "schedules/arithmetic/arithmetic.h"

void keel_mpi_hooks_open(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_rows *rows = pipeline->rows;

    rows->sweeps++;
    pipeline->hook_code = KEEL_MPI_OK;
    if (pipeline->hooks > 0) {
        pipeline->open = (struct keel_mpi_open_sweep){
            .pipeline = pipeline,
            .settle = keel_mpi_strips_settle,
            .defer = keel_mpi_strips_defer,
        };
        rows->open_sweep = &pipeline->open;
    }
}

void keel_mpi_hooks_close(struct keel_mpi_pipeline *pipeline)
{
    pipeline->rows->sweeps--;
    if (pipeline->rows->open_sweep == &pipeline->open) {
        pipeline->rows->open_sweep = NULL;
    }
}

/* The element at which hook number `hook` >= 1 of a sweep is made, or behind it where a block goes
 * on: hook / hooks of the elements, rounded up. */
static uint64_t place_of(const struct keel_mpi_pipeline *pipeline, uint64_t hook)
{
    uint64_t elements = pipeline->array->length, hooks = pipeline->hooks;

    return elements / hooks * hook + (elements % hooks * hook + hooks - 1) / hooks;
}

/* 1 / hooks of the elements of all own rows is the work of these rows. */
void keel_mpi_hooks_note(struct keel_mpi_pipeline *pipeline, const struct keel_mpi_patch *part)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double rows = (double)(part->last - part->first) / (double)(sweep->last - sweep->first);
    double elements = (double)(part->to - part->from) / (double)pipeline->array->length;

    sweep->hook_work += pipeline->rows->work * rows * elements * (double)pipeline->hooks;
}

bool keel_mpi_hooks_is_here(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    return sweep->hooks < pipeline->hooks &&
           (sweep->first == sweep->last || sweep->to >= place_of(pipeline, sweep->hooks + 1));
}

/* Hooks until ranks meet, >= 1. */
static uint64_t hooks_ahead(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_rows *rows = pipeline->rows;
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t due = rows->due > rows->hooks ? rows->due - rows->hooks : 1;

    return pipeline->handover.pending ? min_u64(due, sweep->handover_hook - sweep->hooks) : due;
}

bool keel_mpi_hooks_meets(const struct keel_mpi_pipeline *pipeline)
{
    return hooks_ahead(pipeline) == 1;
}

uint64_t keel_mpi_hooks_limit(const struct keel_mpi_pipeline *pipeline)
{
    uint64_t ahead = hooks_ahead(pipeline), made = pipeline->sweep.hooks;

    return made < pipeline->hooks && ahead <= pipeline->hooks - made
               ? place_of(pipeline, made + ahead)
               : pipeline->array->length;
}

/* A rank is a block behind the one before it. */
static uint64_t skew_of(const struct keel_mpi_pipeline *pipeline)
{
    double blocks = (double)pipeline->rows->ranks - 1;
    double part = (double)pipeline->sweep.cut.size / (double)pipeline->array->length;

    return (uint64_t)ceil(blocks * part * (double)pipeline->hooks);
}

void keel_mpi_hooks_make(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_rows *rows = pipeline->rows;
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t moved = 0;

    sweep->hooks++;
    if (pipeline->handover.pending && sweep->hooks == sweep->handover_hook) {
        keel_mpi_strips_hand_over(pipeline);
    }
    pipeline->open.skew_hooks = skew_of(pipeline);
    rows->work_before = sweep->hook_work;
    sweep->hook_work = 0;
    int code = keel_mpi_rows_balance(rows, &moved);
    if (pipeline->hook_code == KEEL_MPI_OK) {
        pipeline->hook_code = code;
    }
    if (moved > 0 && rows->late) { /* in a later one of several rounds; ranks meet no more */
        keel_mpi_peers_fail(&rows->peers, KEEL_MPI_LATE);
    } else if (moved > 0 && !pipeline->handover.pending) {
        keel_mpi_strips_resume(pipeline);
    }
}
