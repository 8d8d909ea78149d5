/* Pipelined sweeps over distributed rows: one sweep.
 *
 *   begin: old rows from behind ---> next: borders from before -> a block -> its border to behind
 *                                        ^                          |
 *                                        +--- block size <- times <-+   (sizes.h)
 *
 * The first rank of a sweep chooses the size of its blocks; the others know it by the length of the
 * first border that comes. So ranks need not agree about it before, and need not be at the same
 * sweep. */
#include "mpi_backend/rows/sweep/pipeline.h"

#include <math.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/sized.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/sweep/neighbours.h"
#include "mpi_backend/rows/sweep/sizes.h"
#include "omp_ext/support/message.h"

#define BLOCKS_APART 8 /* reductions are looked for after so many blocks */

bool keel_mpi_pipeline_exists(const struct keel_mpi_pipeline *pipeline, const char *function)
{
    if (pipeline == NULL) {
        keel_message("%s: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); "
                     "nothing is done",
                     function);
    }
    return pipeline != NULL;
}

static bool has_sweep(const struct keel_mpi_pipeline *pipeline, const char *function)
{
    if (!keel_mpi_pipeline_exists(pipeline, function)) {
        return false;
    }
    if (!pipeline->is_sweeping) {
        keel_message(
            "%s: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is "
            "done",
            function);
    }
    return pipeline->is_sweeping;
}

static void await(struct keel_mpi_pipeline *pipeline, int count, MPI_Request *request)
{
    keel_mpi_peers_await(&pipeline->rows->peers, "in a pipelined sweep", count, request);
}

static bool is_broken(const struct keel_mpi_pipeline *pipeline)
{
    return keel_mpi_peers_code(&pipeline->rows->peers) != KEEL_MPI_OK;
}

/* --- beginning a sweep --- */

static uint64_t piece_from(const struct keel_mpi_pipeline *pipeline, int piece)
{
    return piece == 0 ? 0 : piece == 1 ? pipeline->second_piece : pipeline->array->length;
}

static void open_old_rows(struct keel_mpi_pipeline *pipeline)
{
    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES; i++) {
        struct keel_mpi_patch part = keel_mpi_neighbours_part(
            pipeline, pipeline->sweep.old_in, piece_from(pipeline, i), piece_from(pipeline, i + 1));
        keel_mpi_borders_receive(&pipeline->borders, &part, pipeline->sweep.behind, (uint64_t)i,
                                 &pipeline->sweep.old_receive[i]);
    }
}

static void send_old_rows(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (sweep->last - sweep->first < sweep->old_out.last - sweep->old_out.first) {
        await(pipeline, KEEL_MPI_SWEEP_PIECES, sweep->old_receive); /* some of them are sent on */
    }
    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES; i++) {
        struct keel_mpi_patch part = keel_mpi_neighbours_part(
            pipeline, sweep->old_out, piece_from(pipeline, i), piece_from(pipeline, i + 1));
        keel_mpi_borders_send(&pipeline->borders, &part, sweep->before, (uint64_t)i,
                              &sweep->old_send[i]);
    }
}

static void begin_sweep(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    sweep->sweep_begun_s = keel_mpi_clock_s();
    keel_mpi_neighbours_find(pipeline);
    open_old_rows(pipeline);
    send_old_rows(pipeline);
    if (pipeline->fixed_size > 0) {
        keel_mpi_sizes_cut(pipeline, pipeline->fixed_size);
    } else if (sweep->before == MPI_PROC_NULL) {
        keel_mpi_sizes_cut(pipeline, keel_mpi_sizes_choose(pipeline));
    }
    sweep->wait_s = keel_mpi_clock_s() - sweep->sweep_begun_s;
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_begin(struct keel_mpi_pipeline *pipeline, int direction)
{
    if (!keel_mpi_pipeline_exists(pipeline, "keel_mpi_pipeline_begin")) {
        return KEEL_MPI_ARGUMENT;
    }
    int code = keel_mpi_rows_check(pipeline->rows);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (pipeline->is_sweeping) {
        keel_message("keel_mpi_pipeline_begin: a sweep has begun already, expected "
                     "keel_mpi_pipeline_end() before; that sweep goes on");
        return KEEL_MPI_BUSY;
    }
    if (direction != KEEL_MPI_FORWARD && direction != KEEL_MPI_BACKWARD) {
        keel_message("keel_mpi_pipeline_begin: direction %d, expected KEEL_MPI_FORWARD or "
                     "KEEL_MPI_BACKWARD; no sweep begins",
                     direction);
        return KEEL_MPI_ARGUMENT;
    }
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    *sweep = (struct keel_mpi_sweep){.forward = direction == KEEL_MPI_FORWARD};
    pipeline->is_sweeping = true;
    pipeline->rows->pipelines = true;
    pipeline->sweeps++;
    keel_mpi_sizes_receive(pipeline);
    if (keel_mpi_placement_next(&pipeline->rows->placement, pipeline->rows->rank, 0, &sweep->first,
                                &sweep->last)) {
        begin_sweep(pipeline);
    }
    return keel_mpi_peers_code(&pipeline->rows->peers);
}

/* --- blocks --- */

/* Waits for the first border, whose length is the size of blocks. */
static void learn_size(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    uint64_t size =
        keel_mpi_borders_probe(&pipeline->borders, sweep->border_in.last - sweep->border_in.first,
                               sweep->before, KEEL_MPI_SWEEP_PIECES);
    if (size > 0) {
        keel_mpi_sizes_cut(pipeline, size);
    }
}

/* Opens receives for borders of the blocks to come. */
static void open_borders(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    while (sweep->opened - sweep->received < KEEL_MPI_BORDERS_AHEAD &&
           sweep->open_to < pipeline->array->length) {
        uint64_t to = sweep->open_to + keel_block_size_width(&sweep->cut, sweep->open_to);
        struct keel_mpi_patch part =
            keel_mpi_neighbours_part(pipeline, sweep->border_in, sweep->open_to, to);
        keel_mpi_borders_receive(&pipeline->borders, &part, sweep->before,
                                 KEEL_MPI_SWEEP_PIECES + sweep->opened,
                                 &sweep->receive[sweep->opened % KEEL_MPI_BORDERS_AHEAD]);
        sweep->opened++;
        sweep->open_to = to;
    }
}

/* What the block needs of old rows has come, and what it overwrites of them has gone: the rank
 * before has needed it for the same block. True: there was something to wait for. */
static bool wait_for_old_rows(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    bool waits = false;

    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES && piece_from(pipeline, i) < sweep->to; i++) {
        waits = waits || sweep->old_receive[i] != MPI_REQUEST_NULL;
        await(pipeline, 1, &sweep->old_receive[i]);
        await(pipeline, 1, &sweep->old_send[i]);
    }
    return waits;
}

static void keep_shortest(double *shortest_s, double time_s)
{
    *shortest_s = *shortest_s > 0 ? fmin(*shortest_s, time_s) : time_s;
}

/* The next block, if there is one. */
static bool begin_block(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double begun_s = keel_mpi_clock_s();

    if (sweep->first == sweep->last || sweep->to == pipeline->array->length) {
        return false;
    }
    if (sweep->cut.size == 0) {
        learn_size(pipeline);
    }
    if (is_broken(pipeline)) {
        return false;
    }
    open_borders(pipeline);
    sweep->from = sweep->to;
    sweep->to += keel_block_size_width(&sweep->cut, sweep->from);
    await(pipeline, 1, &sweep->receive[sweep->received++ % KEEL_MPI_BORDERS_AHEAD]);
    bool waits = wait_for_old_rows(pipeline);
    if (is_broken(pipeline)) {
        return false;
    }
    double time_s = keel_mpi_clock_s() - begun_s;
    sweep->wait_s += time_s;
    if (sweep->blocks++ > 0 && !waits) {
        keep_shortest(&sweep->receive_s, time_s);
    }
    return true;
}

static void forward_border(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    struct keel_mpi_patch part =
        keel_mpi_neighbours_part(pipeline, sweep->border_out, sweep->from, sweep->to);
    double begun_s = keel_mpi_clock_s();

    keel_mpi_borders_forward(&pipeline->borders, &part, sweep->behind,
                             KEEL_MPI_SWEEP_PIECES + sweep->blocks - 1);
    keep_shortest(&sweep->send_s, keel_mpi_clock_s() - begun_s);
}

/* The block that was given has been computed. */
static void finish_block(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double time_s = keel_mpi_clock_s() - sweep->begun_s;

    keel_mpi_rows_work_end(pipeline->rows);
    sweep->is_given = false;
    sweep->work_s += time_s;
    keel_block_size_costs_note(&pipeline->costs, sweep->last - sweep->first,
                               sweep->to - sweep->from, time_s);
    forward_border(pipeline);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_next(struct keel_mpi_pipeline *pipeline, uint64_t *first,
                                           uint64_t *last)
{
    if (!has_sweep(pipeline, "keel_mpi_pipeline_next")) {
        return 0;
    }
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    if (sweep->is_given) {
        finish_block(pipeline);
    }
    if (sweep->blocks % BLOCKS_APART == 0) { /* reductions may make progress only here */
        keel_mpi_sizes_receive(pipeline);
    }
    if (!begin_block(pipeline)) {
        return 0;
    }
    struct keel_mpi_patch part =
        keel_mpi_neighbours_part(pipeline, sweep->border_in, sweep->from, sweep->to);
    *first = part.from;
    *last = part.to;
    sweep->is_given = true;
    keel_mpi_rows_work_begin(pipeline->rows);
    sweep->begun_s = keel_mpi_clock_s();
    return 1;
}

/* --- ending a sweep --- */

KEEL_MPI_PUBLIC int keel_mpi_pipeline_end(struct keel_mpi_pipeline *pipeline)
{
    if (!has_sweep(pipeline, "keel_mpi_pipeline_end")) {
        return KEEL_MPI_ARGUMENT;
    }
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    if (sweep->is_given) {
        finish_block(pipeline);
    }
    while (begin_block(pipeline)) { /* not computed: others wait for what comes of it */
        forward_border(pipeline);
    }
    keel_mpi_borders_flush(&pipeline->borders);
    if (!is_broken(pipeline)) {
        keel_mpi_sizes_note_sweep(pipeline);
    }
    pipeline->is_sweeping = false;
    if (!is_broken(pipeline)) {
        keel_mpi_sizes_report(pipeline);
    }
    return keel_mpi_peers_code(&pipeline->rows->peers);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_report(const struct keel_mpi_pipeline *pipeline,
                                             struct keel_mpi_pipeline_report *report)
{
    if (!keel_mpi_pipeline_exists(pipeline, "keel_mpi_pipeline_report") ||
        !keel_mpi_sized_check(report, sizeof report->struct_size, "keel_mpi_pipeline_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    keel_mpi_sized_give(report, &pipeline->report, sizeof pipeline->report);
    return KEEL_MPI_OK;
}
