/* The size of a sweep's blocks. */
#include "mpi_backend/rows/sweep/sizes.h"

#include <math.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/rows/sweep/link_probe.h"
#include "mpi_backend/rows/sweep/neighbours.h"
#include "schedules/arithmetic/arithmetic.h"

#define GROUP 256 /* bytes of a row, in some cache lines, that blocks are timed by */

void keel_mpi_sizes_open(struct keel_mpi_pipeline *pipeline, MPI_Comm comm)
{
    const struct keel_mpi_array *array = pipeline->array;
    double element = (double)array->element * (double)max_u64(1, array->halo);
    struct keel_mpi_peers *peers = &pipeline->rows->peers;

    if (pipeline->rows->ranks > 1) {
        pipeline->messages =
            keel_mpi_link_probe_measure(peers, comm, element * (double)array->length, element);
    }
    pipeline->costs.group = max_u64(1, GROUP / array->element);
    keel_mpi_async_reduce_open(&pipeline->reduction, peers, comm);
}

/* --- before a sweep --- */

#define LEARNING 2 /* sweeps that blocks of all widths are in */
#define NEAR 16    /* one sweep in so many has some blocks of other widths */

static enum keel_block_size_probe probe_of(const struct keel_mpi_pipeline *pipeline)
{
    return pipeline->fixed_size > 0       ? KEEL_BLOCK_SIZE_PLAIN
           : pipeline->sweeps <= LEARNING ? KEEL_BLOCK_SIZE_WIDE
           : pipeline->sweeps % NEAR == 0 ? KEEL_BLOCK_SIZE_NEAR
                                          : KEEL_BLOCK_SIZE_PLAIN;
}

void keel_mpi_sizes_cut(struct keel_mpi_pipeline *pipeline, uint64_t size)
{
    pipeline->size = size;
    pipeline->sweep.cut = keel_block_size_cut(pipeline->array->length, size, probe_of(pipeline),
                                              pipeline->costs.group);
}

static double filling_of(const struct keel_mpi_pipeline *pipeline, uint32_t workers)
{
    return workers > 1 ? keel_block_size_filling_steps(&pipeline->filling, workers) : 0;
}

uint64_t keel_mpi_sizes_choose(struct keel_mpi_pipeline *pipeline)
{
    uint32_t workers = keel_mpi_neighbours_ranks(pipeline);

    if (pipeline->sweeps <= LEARNING) {
        return pipeline->sweeps == 1 ? keel_block_size_first(workers, pipeline->array->length)
                                     : keel_block_size_second(&pipeline->messages, &pipeline->own,
                                                              workers, pipeline->array->length);
    }
    if (!pipeline->has_all) { /* the own figures are better than none */
        pipeline->all = pipeline->own;
    }
    return keel_block_size_next(&pipeline->messages, &pipeline->all, filling_of(pipeline, workers),
                                workers, pipeline->array->length, pipeline->size);
}

void keel_mpi_sizes_receive(struct keel_mpi_pipeline *pipeline)
{
    while (keel_mpi_async_reduce_take(&pipeline->reduction, &pipeline->all)) {
        pipeline->has_all = true;
        keel_block_size_filling_note(&pipeline->filling, &pipeline->all, pipeline->messages.hop_s);
    }
}

void keel_mpi_sizes_follow_rows(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_rows *rows = pipeline->rows;

    if (rows->report.movements == pipeline->movements) {
        return;
    }
    keel_block_size_rebalance(&pipeline->all, exp(rows->gained_log - pipeline->gained_log));
    keel_mpi_async_reduce_hasten(&pipeline->reduction, pipeline->sweeps);
    pipeline->movements = rows->report.movements;
    pipeline->gained_log = rows->gained_log;
}

/* --- after a sweep --- */

/* What messages take of a block in any case: the least that they took, and no more than that where
 * every block was waited for. */
static double messages_s(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    return fmin(sweep->receive_s, pipeline->messages.fixed_s) + sweep->send_s;
}

static struct keel_block_size_figures figures_of(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double blocks = (double)sweep->blocks;
    struct keel_block_size_figures figures = {
        .blocks = blocks,
        .busy_s = sweep->work_s + blocks * messages_s(pipeline),
        .span_s = blocks > 0 ? keel_mpi_clock_s() - sweep->sweep_begun_s : 0,
    };

    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        figures.block_s[i] = pipeline->costs.row_s[i] * (double)(sweep->last - sweep->first);
    }
    return figures;
}

/* Of sweeps that are cut alike, the one with least waiting counts, which others' computing and
 * reduction have disturbed least. */
static void note_figures(struct keel_mpi_pipeline *pipeline)
{
    struct keel_block_size_figures latest = figures_of(pipeline), *own = &pipeline->own;

    if (pipeline->own_size == pipeline->sweep.cut.size &&
        own->span_s - own->busy_s < latest.span_s - latest.busy_s) {
        latest.blocks = own->blocks;
        latest.busy_s = own->busy_s;
        latest.span_s = own->span_s;
    }
    *own = latest;
    pipeline->own_size = pipeline->sweep.cut.size;
}

void keel_mpi_sizes_note_sweep(struct keel_mpi_pipeline *pipeline)
{
    keel_block_size_costs_end(&pipeline->costs, pipeline->sweep.cut.size,
                              probe_of(pipeline) == KEEL_BLOCK_SIZE_WIDE);
    note_figures(pipeline);
    if (pipeline->fixed_size == 0 && pipeline->rows->ranks > 1 &&
        keel_mpi_async_reduce_is_due(&pipeline->reduction, pipeline->sweeps)) {
        keel_mpi_async_reduce_begin(&pipeline->reduction, pipeline->sweeps, &pipeline->own);
        pipeline->own_size = 0;
    }
}

/* Where the line through blocks of half the size and of the size begins. */
static double start_s(const struct keel_mpi_pipeline *pipeline, uint64_t size)
{
    const double *block_s = pipeline->own.block_s;

    return fmax(0, 2 * keel_block_size_time_s(block_s, size) -
                       keel_block_size_time_s(block_s, 2 * size));
}

void keel_mpi_sizes_report(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;
    struct keel_mpi_pipeline_report *report = &pipeline->report;
    uint64_t size = max_u64(1, sweep->cut.size);

    report->block = sweep->cut.size;
    report->blocks = sweep->blocks;
    report->sweeps = pipeline->sweeps;
    report->busy_s = sweep->work_s;
    report->waiting_s = sweep->wait_s;
    report->element_s = keel_block_size_time_s(pipeline->costs.row_s, size) / (double)size;
    report->start_s = start_s(pipeline, max_u64(1, size / 2));
    report->fixed_s = pipeline->messages.fixed_s;
    report->incr_s = pipeline->messages.incr_s;
    report->filling = filling_of(pipeline, keel_mpi_neighbours_ranks(pipeline));
}
