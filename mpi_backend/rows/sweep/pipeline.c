/* Pipelined sweeps over distributed rows.
 *
 *   begin: old rows from behind ---> next: borders from before -> a block -> its border to behind
 *                                        ^                          |
 *                                        +--- block size <- times <-+   (block_size.h)
 *
 * The first rank of a sweep chooses the size of its blocks; the others know it by the length of the
 * first border that comes. So ranks need not agree about it before, and need not be at the same
 * sweep. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/loop/lender.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/balance/async_reduce.h"
#include "mpi_backend/rows/balance/link_probe.h"
#include "mpi_backend/rows/rows.h"
#include "mpi_backend/rows/sweep/borders.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

#define AHEAD KEEL_MPI_BORDERS_AHEAD
#define BLOCKS_APART 8 /* blocks from one look to the next for what others tell */
#define GROUP 256      /* bytes of a row, in some cache lines, that blocks are timed by */
/* Of the old rows behind, so that the first block need not wait for all of them. They go as the
 * first messages of a sweep; those of the blocks follow. */
#define PIECES 2

/* Elements are counted in the order of the sweep, unless they are of a keel_mpi_patch. */
struct sweep {
    bool forward;
    uint64_t first, last; /* own rows */
    int before, behind;   /* ranks; MPI_PROC_NULL: there is none */
    struct keel_mpi_patch border_in, border_out, old_in, old_out; /* rows of these */
    struct keel_block_size_cut cut;                               /* size 0: not known yet */
    uint64_t from, to; /* the block that was given last; both 0: none yet */
    bool given;        /* it is being computed */
    bool ending;       /* blocks pass without being computed */
    uint64_t blocks;   /* begun so far */
    uint64_t open_to;  /* up to there borders are expected, or have come */
    unsigned opened, taken;
    MPI_Request receive[AHEAD];
    MPI_Request old_receive[PIECES], old_send[PIECES];
    double sweep_begun_s, begun_s; /* the sweep, the block */
    double work_s;                 /* computing so far */
    double wait_s;                 /* waiting so far */
    double receive_s, send_s;      /* shortest times of a block for both; 0: none had but these */
};

struct keel_mpi_pipeline {
    struct keel_mpi_rows *rows;
    const struct keel_mpi_array *array;
    uint64_t fixed; /* size of blocks; 0: chosen */
    uint64_t piece; /* where the second piece of old rows begins */
    struct keel_block_size_messages messages;
    struct keel_mpi_borders borders;
    struct keel_mpi_async_reduce reduction;
    struct keel_block_size_costs costs;
    struct keel_block_size_filling filling;
    struct keel_block_size_figures own; /* of the sweeps since they were told */
    uint64_t own_size;                  /* of these sweeps' blocks; 0: there are none */
    struct keel_block_size_figures all; /* told last */
    bool told;                          /* anything was */
    uint64_t size;                      /* in the last sweep; 0: not known */
    uint64_t sweeps;                    /* begun */
    bool sweeping;
    struct sweep sweep;
    struct keel_mpi_pipeline_report report;
};

static double seconds(void)
{
    return keel_mpi_clock_ns() * 1e-9;
}

/* --- making and ending --- */

static uint64_t rows_count(const struct keel_mpi_pipeline *pipeline)
{
    return pipeline->rows->placement.rows;
}

/* What is wrong with sweeping over that array, which is said; NULL: something. */
static const struct keel_mpi_array *suitable_array(const struct keel_mpi_rows *rows,
                                                   const void *base)
{
    const struct keel_mpi_array *array = keel_mpi_rows_find_array(rows, base);

    if (array != NULL && !rows->adjacent) {
        keel_message(
            "keel_mpi_pipeline_create: rows of a KEEL_MPI_ANY distribution are in no order of "
            "ranks, expected KEEL_MPI_ADJACENT; no pipeline is made");
        return NULL;
    }
    if (array != NULL &&
        ((array->halo == 0 && rows->placement.rows > 0) || array->halo > INT_MAX)) {
        keel_message("keel_mpi_pipeline_create: the array has a halo of %llu, expected 1 to %d; no "
                     "pipeline is made",
                     (unsigned long long)array->halo, INT_MAX);
        return NULL;
    }
    return array;
}

/* What all ranks come to; *made is NULL unless it is KEEL_MPI_OK. */
static int make(struct keel_mpi_rows *rows, const void *base, uint64_t block,
                struct keel_mpi_pipeline **made)
{
    const struct keel_mpi_array *array = suitable_array(rows, base);
    struct keel_mpi_pipeline *pipeline = array != NULL ? calloc(1, sizeof *pipeline) : NULL;
    int code = pipeline != NULL ? KEEL_MPI_OK
               : array != NULL  ? KEEL_MPI_NO_ROOM
                                : KEEL_MPI_ARGUMENT;
    int all = keel_mpi_rows_agree(rows, code, block);

    if (code == KEEL_MPI_NO_ROOM) {
        keel_message("no memory for a pipeline; none is made");
    }
    if (all == KEEL_MPI_MISMATCH && rows->rank == 0) {
        keel_message(
            "keel_mpi_pipeline_create: ranks came with different block sizes, %llu on rank "
            "0, expected the same on all; no pipeline is made",
            (unsigned long long)block);
    }
    if (all != KEEL_MPI_OK) {
        free(pipeline);
        return all;
    }
    pipeline->rows = rows;
    pipeline->array = array;
    pipeline->fixed = block;
    *made = pipeline;
    return KEEL_MPI_OK;
}

/* Old rows go in two messages where the first block would otherwise wait longer for all of them. */
static uint64_t first_piece(const struct keel_mpi_pipeline *pipeline)
{
    uint64_t length = pipeline->array->length, piece = div_ceil(length, 16);
    double saved_s = pipeline->messages.incr_s * (double)(length - piece);

    return saved_s > pipeline->messages.fixed_s ? piece : length;
}

static int prepare(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_array *array = pipeline->array;
    double element = (double)array->element * (double)max_u64(1, array->halo);
    struct keel_mpi_peers *peers = &pipeline->rows->peers;
    MPI_Comm comm;

    if (keel_mpi_peers_copy(peers->comm, "in keel_mpi_pipeline_create()", &comm) != KEEL_MPI_OK) {
        keel_mpi_peers_fail(peers, KEEL_MPI_ERROR);
        return KEEL_MPI_ERROR;
    }
    if (pipeline->rows->ranks > 1) {
        pipeline->messages =
            keel_mpi_link_probe_measure(peers, comm, element * (double)array->length, element);
    }
    pipeline->piece = first_piece(pipeline);
    pipeline->costs.group = max_u64(1, GROUP / array->element);
    keel_mpi_borders_open(&pipeline->borders, peers, comm, array);
    keel_mpi_async_reduce_open(&pipeline->reduction, peers, comm);
    return keel_mpi_peers_code(peers);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_create(struct keel_mpi_rows *rows, void *array,
                                             uint64_t block, struct keel_mpi_pipeline **pipeline)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    int code = keel_mpi_rows_check(rows);

    if (pipeline == NULL) {
        keel_message("keel_mpi_pipeline_create: no place for the pipeline, expected an address; "
                     "none is made");
        return KEEL_MPI_ARGUMENT;
    }
    *pipeline = NULL;
    if (code == KEEL_MPI_OK) {
        code = make(rows, array, settings->block > 0 ? settings->block : block, pipeline);
    }
    if (code == KEEL_MPI_OK && (code = prepare(*pipeline)) != KEEL_MPI_OK) {
        *pipeline = NULL; /* operations on their way use it */
    }
    return code;
}

/* Whether there is a pipeline, which is said otherwise. */
static bool exists(const struct keel_mpi_pipeline *pipeline, const char *function)
{
    if (pipeline == NULL) {
        keel_message("%s: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); "
                     "nothing is done",
                     function);
    }
    return pipeline != NULL;
}

static bool is_sweeping(const struct keel_mpi_pipeline *pipeline, const char *function)
{
    if (!exists(pipeline, function)) {
        return false;
    }
    if (!pipeline->sweeping) {
        keel_message(
            "%s: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is "
            "done",
            function);
    }
    return pipeline->sweeping;
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_free(struct keel_mpi_pipeline **pipeline)
{
    if (!exists(pipeline != NULL ? *pipeline : NULL, "keel_mpi_pipeline_free")) {
        return KEEL_MPI_ARGUMENT;
    }
    int code = keel_mpi_rows_check((*pipeline)->rows);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if ((*pipeline)->sweeping) {
        keel_mpi_pipeline_end(*pipeline);
    }
    keel_mpi_async_reduce_close(&(*pipeline)->reduction);
    keel_mpi_borders_close(&(*pipeline)->borders);
    struct keel_mpi_peers *peers = &(*pipeline)->rows->peers;
    if (keel_mpi_peers_code(peers) == KEEL_MPI_OK) { /* else operations on their way use it */
        keel_mpi_check(peers, MPI_Comm_free(&(*pipeline)->borders.comm), "MPI_Comm_free");
        free(*pipeline);
    }
    *pipeline = NULL;
    return keel_mpi_peers_code(peers);
}

/* --- what goes where --- */

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
    uint64_t left = rows_count(pipeline) - row;

    return (struct keel_mpi_patch){.first = row,
                                   .last = row + min_u64(pipeline->array->halo, left)};
}

/* Where an own block is less deep than the halo, rows of the ranks beside it pass through. */
static void find_neighbours(struct keel_mpi_pipeline *pipeline)
{
    struct sweep *sweep = &pipeline->sweep;
    int below = sweep->first > 0 ? owner_of(pipeline, sweep->first - 1) : MPI_PROC_NULL;
    int above =
        sweep->last < rows_count(pipeline) ? owner_of(pipeline, sweep->last) : MPI_PROC_NULL;

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

/* Elements [from, to) of the sweep's order, of the rows of a part. */
static struct keel_mpi_patch cut_out(const struct keel_mpi_pipeline *pipeline,
                                     struct keel_mpi_patch part, uint64_t from, uint64_t to)
{
    uint64_t length = pipeline->array->length;

    part.from = pipeline->sweep.forward ? from : length - to;
    part.to = pipeline->sweep.forward ? to : length - from;
    return part;
}

/* --- beginning a sweep --- */

#define LEARNING 2 /* sweeps that blocks of all widths are in */
#define NEAR 16    /* one sweep in so many has some blocks of other widths */

static enum keel_block_size_probe probe_of(const struct keel_mpi_pipeline *pipeline)
{
    return pipeline->fixed > 0            ? KEEL_BLOCK_SIZE_PLAIN
           : pipeline->sweeps <= LEARNING ? KEEL_BLOCK_SIZE_WIDE
           : pipeline->sweeps % NEAR == 0 ? KEEL_BLOCK_SIZE_NEAR
                                          : KEEL_BLOCK_SIZE_PLAIN;
}

static void cut_sweep(struct keel_mpi_pipeline *pipeline, uint64_t size)
{
    pipeline->size = size;
    pipeline->sweep.cut = keel_block_size_cut(pipeline->array->length, size, probe_of(pipeline),
                                              pipeline->costs.group);
}

static uint32_t ranks_with_rows(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_placement *placement = &pipeline->rows->placement;
    uint32_t count = 0;

    for (uint32_t i = 0; i < placement->ranks; i++) {
        count += placement->owned[i] > 0;
    }
    return count;
}

static double filling_of(const struct keel_mpi_pipeline *pipeline, uint32_t workers)
{
    return workers > 1 ? keel_block_size_filling_steps(&pipeline->filling, workers) : 0;
}

/* Of the first rank. */
static uint64_t choose_size(struct keel_mpi_pipeline *pipeline)
{
    uint32_t workers = ranks_with_rows(pipeline);

    if (pipeline->sweeps <= LEARNING) {
        return keel_block_size_first(workers, pipeline->array->length);
    }
    if (!pipeline->told) { /* the own figures are better than none */
        pipeline->all = pipeline->own;
    }
    return keel_block_size_next(&pipeline->messages, &pipeline->all, filling_of(pipeline, workers),
                                workers, pipeline->array->length, pipeline->size);
}

/* What other ranks have told. */
static void take_figures(struct keel_mpi_pipeline *pipeline)
{
    while (keel_mpi_async_reduce_take(&pipeline->reduction, &pipeline->all)) {
        pipeline->told = true;
        keel_block_size_filling_note(&pipeline->filling, &pipeline->all, pipeline->messages.hop_s);
    }
}

static uint64_t piece_from(const struct keel_mpi_pipeline *pipeline, int piece)
{
    return piece == 0 ? 0 : piece == 1 ? pipeline->piece : pipeline->array->length;
}

static void await(struct keel_mpi_pipeline *pipeline, int count, MPI_Request *request)
{
    keel_mpi_peers_await(&pipeline->rows->peers, "in a pipelined sweep", count, request);
}

static bool is_broken(const struct keel_mpi_pipeline *pipeline)
{
    return keel_mpi_peers_code(&pipeline->rows->peers) != KEEL_MPI_OK;
}

static void open_old_rows(struct keel_mpi_pipeline *pipeline)
{
    for (int i = 0; i < PIECES; i++) {
        struct keel_mpi_patch part = cut_out(pipeline, pipeline->sweep.old_in,
                                             piece_from(pipeline, i), piece_from(pipeline, i + 1));
        keel_mpi_borders_receive(&pipeline->borders, &part, pipeline->sweep.behind, (uint64_t)i,
                                 &pipeline->sweep.old_receive[i]);
    }
}

static void send_old_rows(struct keel_mpi_pipeline *pipeline)
{
    struct sweep *sweep = &pipeline->sweep;

    if (sweep->last - sweep->first < sweep->old_out.last - sweep->old_out.first) {
        await(pipeline, PIECES, sweep->old_receive); /* some of them pass on */
    }
    for (int i = 0; i < PIECES; i++) {
        struct keel_mpi_patch part =
            cut_out(pipeline, sweep->old_out, piece_from(pipeline, i), piece_from(pipeline, i + 1));
        keel_mpi_borders_send(&pipeline->borders, &part, sweep->before, (uint64_t)i,
                              &sweep->old_send[i]);
    }
}

static void begin_sweep(struct keel_mpi_pipeline *pipeline)
{
    struct sweep *sweep = &pipeline->sweep;

    sweep->sweep_begun_s = seconds();
    find_neighbours(pipeline);
    open_old_rows(pipeline);
    send_old_rows(pipeline);
    if (pipeline->fixed > 0) {
        cut_sweep(pipeline, pipeline->fixed);
    } else if (sweep->before == MPI_PROC_NULL) {
        cut_sweep(pipeline, choose_size(pipeline));
    }
    sweep->wait_s = seconds() - sweep->sweep_begun_s;
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_begin(struct keel_mpi_pipeline *pipeline, int direction)
{
    if (!exists(pipeline, "keel_mpi_pipeline_begin")) {
        return KEEL_MPI_ARGUMENT;
    }
    int code = keel_mpi_rows_check(pipeline->rows);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (pipeline->sweeping) {
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
    struct sweep *sweep = &pipeline->sweep;
    *sweep = (struct sweep){.forward = direction == KEEL_MPI_FORWARD};
    pipeline->sweeping = true;
    pipeline->rows->pipelines = true;
    pipeline->sweeps++;
    take_figures(pipeline);
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
    const struct sweep *sweep = &pipeline->sweep;

    uint64_t size = keel_mpi_borders_probe(
        &pipeline->borders, sweep->border_in.last - sweep->border_in.first, sweep->before, PIECES);
    if (size > 0) {
        cut_sweep(pipeline, size);
    }
}

/* Opens receives for borders of the blocks to come. */
static void open_borders(struct keel_mpi_pipeline *pipeline)
{
    struct sweep *sweep = &pipeline->sweep;

    while (sweep->opened - sweep->taken < AHEAD && sweep->open_to < pipeline->array->length) {
        uint64_t to = sweep->open_to + keel_block_size_width(&sweep->cut, sweep->open_to);
        struct keel_mpi_patch part = cut_out(pipeline, sweep->border_in, sweep->open_to, to);
        keel_mpi_borders_receive(&pipeline->borders, &part, sweep->before, PIECES + sweep->opened,
                                 &sweep->receive[sweep->opened % AHEAD]);
        sweep->opened++;
        sweep->open_to = to;
    }
}

/* What the block needs of old rows has come, and what it overwrites of them has gone: the rank
 * before has needed it for the same block. True: there was something to wait for. */
static bool wait_for_old_rows(struct keel_mpi_pipeline *pipeline)
{
    struct sweep *sweep = &pipeline->sweep;
    bool waits = false;

    for (int i = 0; i < PIECES && piece_from(pipeline, i) < sweep->to; i++) {
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
    struct sweep *sweep = &pipeline->sweep;
    double begun_s = seconds();

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
    await(pipeline, 1, &sweep->receive[sweep->taken++ % AHEAD]);
    bool waits = wait_for_old_rows(pipeline);
    if (is_broken(pipeline)) {
        return false;
    }
    double time_s = seconds() - begun_s;
    sweep->wait_s += time_s;
    if (sweep->blocks++ > 0 && !waits) {
        keep_shortest(&sweep->receive_s, time_s);
    }
    return true;
}

static void forward_border(struct keel_mpi_pipeline *pipeline)
{
    struct sweep *sweep = &pipeline->sweep;
    struct keel_mpi_patch part = cut_out(pipeline, sweep->border_out, sweep->from, sweep->to);
    double begun_s = seconds();

    keel_mpi_borders_forward(&pipeline->borders, &part, sweep->behind, PIECES + sweep->blocks - 1);
    keep_shortest(&sweep->send_s, seconds() - begun_s);
}

/* The block that was given has been computed. */
static void finish_block(struct keel_mpi_pipeline *pipeline)
{
    struct sweep *sweep = &pipeline->sweep;
    double time_s = seconds() - sweep->begun_s;

    keel_mpi_rows_work_end(pipeline->rows);
    sweep->given = false;
    sweep->work_s += time_s;
    keel_block_size_costs_note(&pipeline->costs, sweep->last - sweep->first,
                               sweep->to - sweep->from, time_s);
    forward_border(pipeline);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_next(struct keel_mpi_pipeline *pipeline, uint64_t *first,
                                           uint64_t *last)
{
    if (!is_sweeping(pipeline, "keel_mpi_pipeline_next")) {
        return 0;
    }
    struct sweep *sweep = &pipeline->sweep;
    if (sweep->given) {
        finish_block(pipeline);
    }
    if (sweep->blocks % BLOCKS_APART == 0) { /* what is told may need that to get on */
        take_figures(pipeline);
    }
    if (!begin_block(pipeline)) {
        return 0;
    }
    struct keel_mpi_patch part = cut_out(pipeline, sweep->border_in, sweep->from, sweep->to);
    *first = part.from;
    *last = part.to;
    sweep->given = true;
    keel_mpi_rows_work_begin(pipeline->rows);
    sweep->begun_s = seconds();
    return 1;
}

/* --- ending a sweep --- */

/* What messages take of a block in any case: the least that they took, and no more than that where
 * every block was waited for. */
static double messages_s(const struct keel_mpi_pipeline *pipeline)
{
    const struct sweep *sweep = &pipeline->sweep;

    return fmin(sweep->receive_s, pipeline->messages.fixed_s) + sweep->send_s;
}

static struct keel_block_size_figures figures_of(const struct keel_mpi_pipeline *pipeline)
{
    const struct sweep *sweep = &pipeline->sweep;
    double blocks = (double)sweep->blocks;
    struct keel_block_size_figures figures = {
        .blocks = blocks,
        .busy_s = sweep->work_s + blocks * messages_s(pipeline),
        .span_s = blocks > 0 ? seconds() - sweep->sweep_begun_s : 0,
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

static void tell(struct keel_mpi_pipeline *pipeline)
{
    note_figures(pipeline);
    if (pipeline->fixed == 0 && pipeline->rows->ranks > 1 &&
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

static void report_sweep(struct keel_mpi_pipeline *pipeline)
{
    const struct sweep *sweep = &pipeline->sweep;
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
    report->filling = filling_of(pipeline, ranks_with_rows(pipeline));
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_end(struct keel_mpi_pipeline *pipeline)
{
    if (!is_sweeping(pipeline, "keel_mpi_pipeline_end")) {
        return KEEL_MPI_ARGUMENT;
    }
    struct sweep *sweep = &pipeline->sweep;
    if (sweep->given) {
        finish_block(pipeline);
    }
    while (begin_block(pipeline)) { /* not computed: others wait for what comes of it */
        forward_border(pipeline);
    }
    keel_mpi_borders_flush(&pipeline->borders);
    if (!is_broken(pipeline)) {
        keel_block_size_costs_end(&pipeline->costs, sweep->cut.size,
                                  probe_of(pipeline) == KEEL_BLOCK_SIZE_WIDE);
        tell(pipeline);
    }
    pipeline->sweeping = false;
    if (!is_broken(pipeline)) {
        report_sweep(pipeline);
    }
    return keel_mpi_peers_code(&pipeline->rows->peers);
}

/* --- figures --- */

KEEL_MPI_PUBLIC int keel_mpi_pipeline_report(const struct keel_mpi_pipeline *pipeline,
                                             struct keel_mpi_pipeline_report *report)
{
    if (!exists(pipeline, "keel_mpi_pipeline_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    *report = pipeline->report;
    return KEEL_MPI_OK;
}
