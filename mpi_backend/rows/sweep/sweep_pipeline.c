/* Pipelined sweeps over distributed rows: one sweep.
 *
 *   begin: old rows from behind ---> next: borders from before -> a block -> its border to behind
 *                                        ^                          |    |
 *                                        +--- block size <- times <-+    +-> hooks: rows move
 *                                             (sizes.h)                      (hooks.h, strips.h)
 *
 * The first rank of a sweep chooses the size of its blocks; the others know it by the length of the
 * first border that comes. So ranks need not agree about it before, and need not be at the same
 * sweep. */
#include "mpi_backend/rows/sweep/sweep.h"

#include <math.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/process/mpi_clock.h"
#include "mpi_backend/process/errors.h"
#include "mpi_backend/process/sized.h"
#include "mpi_backend/rows/rows_room.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- balance calls within sweeps ---
 *
 * So many in each, spread evenly over the elements of a row, at the ends of the blocks there. So
 * ranks count them alike, whatever blocks they know of. */

/* A sweep begins. */
static void open_hooks(struct keel_mpi_pipeline *pipeline)
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

/* It has ended. */
static void close_hooks(struct keel_mpi_pipeline *pipeline)
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
static void note_computed(struct keel_mpi_pipeline *pipeline, const struct keel_mpi_patch *part)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double rows = (double)(part->last - part->first) / (double)(sweep->last - sweep->first);
    double elements = (double)(part->to - part->from) / (double)pipeline->array->length;

    sweep->hook_work += pipeline->rows->work * rows * elements * (double)pipeline->hooks;
}

/* Whether the sweep is at its next hook. */
static bool is_at_hook(const struct keel_mpi_pipeline *pipeline)
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

/* Whether ranks may wait for each other at the next hook, so that this one must owe nothing. */
static bool meets_at_hook(const struct keel_mpi_pipeline *pipeline)
{
    return hooks_ahead(pipeline) == 1;
}

/* Blocks that begin before this element are the present rows'. */
static uint64_t hook_limit(const struct keel_mpi_pipeline *pipeline)
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

/* Makes that hook; rows may move. Collective where it meets. */
static void make_hook(struct keel_mpi_pipeline *pipeline)
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

/* --- blocks --- */

#define BLOCKS_APART 8 /* reductions are looked for after so many blocks */

bool keel_mpi_pipeline_exists(const struct keel_mpi_pipeline *pipeline, const char *function)
{
    if (pipeline == NULL) {
        keel_mpi_misuse("%s: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); "
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
        keel_mpi_misuse(
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

static void begin_sweep(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    sweep->sweep_begun_s = keel_mpi_clock_s();
    keel_mpi_neighbours_find(pipeline);
    keel_mpi_old_rows_exchange(pipeline, 0, pipeline->second_piece);
    keel_mpi_strips_trail(pipeline);
    if (pipeline->fixed_size > 0) {
        keel_mpi_sizes_cut(pipeline, pipeline->fixed_size);
    } else if (sweep->before == MPI_PROC_NULL) {
        keel_mpi_sizes_cut(pipeline, keel_mpi_sizes_choose(pipeline));
    }
    sweep->wait_s = keel_mpi_clock_s() - sweep->sweep_begun_s;
}

static void open_sweep(struct keel_mpi_pipeline *pipeline, int direction)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    *sweep = (struct keel_mpi_sweep){
        .forward = direction == KEEL_MPI_FORWARD, .before = MPI_PROC_NULL, .behind = MPI_PROC_NULL};
    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES; i++) {
        sweep->old_receive[i] = sweep->old_send[i] = MPI_REQUEST_NULL;
    }
    pipeline->is_sweeping = true;
    pipeline->rows->pipelines = true;
    pipeline->sweeps++;
    keel_mpi_sizes_follow_rows(pipeline);
    open_hooks(pipeline);
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
        keel_mpi_misuse("keel_mpi_pipeline_begin: a sweep has begun already, expected "
                        "keel_mpi_pipeline_end() before; that sweep goes on");
        return KEEL_MPI_BUSY;
    }
    if (pipeline->rows->sweeps > 0 && (pipeline->hooks > 0 || pipeline->rows->open_sweep != NULL)) {
        keel_mpi_misuse("keel_mpi_pipeline_begin: another sweep over the same rows has begun, and "
                        "rows may move in one of them, expected its end before; no sweep begins");
        return KEEL_MPI_BUSY;
    }
    if (direction != KEEL_MPI_FORWARD && direction != KEEL_MPI_BACKWARD) {
        keel_mpi_misuse("keel_mpi_pipeline_begin: direction %d, expected KEEL_MPI_FORWARD or "
                        "KEEL_MPI_BACKWARD; no sweep begins",
                        direction);
        return KEEL_MPI_ARGUMENT;
    }
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    open_sweep(pipeline, direction);
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

/* Opens receives for borders of the blocks to come, but not where other rows may be here. */
static void open_borders(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t limit = hook_limit(pipeline);

    keel_mpi_strips_await_before(pipeline); /* borders may come to where these rows are */
    while (sweep->opened - sweep->received < KEEL_MPI_BORDERS_AHEAD && sweep->open_to < limit) {
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

static void keep_shortest(double *shortest_s, double time_s)
{
    *shortest_s = *shortest_s > 0 ? fmin(*shortest_s, time_s) : time_s;
}

/* Those of the block that begins. True: it waited. */
static bool await_old_rows(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (sweep->late.trails) {
        keel_mpi_old_rows_await_gone(pipeline, sweep->to);
        return false;
    }
    return keel_mpi_old_rows_await(pipeline, sweep->to);
}

/* The next block of most own rows. False: there is none. */
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
    bool waits = await_old_rows(pipeline);
    sweep->given = (struct keel_mpi_given){.number = sweep->blocks};
    keel_mpi_strips_main_rows(sweep, &sweep->given.part.first, &sweep->given.part.last);
    sweep->given.part.from = sweep->from;
    sweep->given.part.to = sweep->to;
    double time_s = keel_mpi_clock_s() - begun_s;
    sweep->wait_s += time_s;
    if (sweep->blocks++ > 0 && !waits) {
        keep_shortest(&sweep->receive_s, time_s);
    }
    return !is_broken(pipeline);
}

/* Late rows are waited for, where all else is done or ranks may meet. Those that trail are a block
 * behind at most, or the rank behind would wait for their border. */
static bool catch_up(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double begun_s = keel_mpi_clock_s();
    bool owes = keel_mpi_strips_are_late(sweep) && sweep->late.to < sweep->to;
    bool waits = (owes && sweep->late.trails) ||
                 (owes && is_at_hook(pipeline) && meets_at_hook(pipeline)) ||
                 (sweep->to == pipeline->array->length && sweep->hooks == pipeline->hooks);
    bool has = keel_mpi_strips_catch_up(pipeline, waits);

    sweep->wait_s += keel_mpi_clock_s() - begun_s;
    return has;
}

/* The next block of this rank, after the hooks before it; false: the sweep is over. */
static bool take_block(struct keel_mpi_pipeline *pipeline)
{
    while (!is_broken(pipeline)) {
        if (catch_up(pipeline)) {
            return true;
        }
        if (!is_at_hook(pipeline)) {
            return begin_block(pipeline);
        }
        make_hook(pipeline);
    }
    return false;
}

/* Rows that are late go on to the rank behind with the others: who is behind waits for them. */
static void forward_border(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    const struct keel_mpi_given *given = &sweep->given;
    struct keel_mpi_patch part =
        keel_mpi_neighbours_part(pipeline, sweep->border_out, given->part.from, given->part.to);
    double begun_s = keel_mpi_clock_s();

    if (!given->late && keel_mpi_strips_are_late(sweep)) {
        return;
    }
    keel_mpi_borders_forward(&pipeline->borders, &part, sweep->behind,
                             KEEL_MPI_SWEEP_PIECES + given->number);
    keep_shortest(&sweep->send_s, keel_mpi_clock_s() - begun_s);
}

/* The block that was given has been computed. */
static void finish_block(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    const struct keel_mpi_patch *part = &sweep->given.part;
    double time_s = keel_mpi_clock_s() - sweep->begun_s;

    keel_mpi_rows_work_end(pipeline->rows);
    sweep->is_given = false;
    sweep->work_s += time_s;
    note_computed(pipeline, part);
    if (!sweep->given.late) {
        keel_block_size_costs_note(&pipeline->costs, part->last - part->first,
                                   part->to - part->from, time_s);
    }
    forward_border(pipeline);
}

/* The next block, in pipeline->sweep.given. */
static bool next_block(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (sweep->is_given) {
        finish_block(pipeline);
    }
    if (sweep->blocks % BLOCKS_APART == 0) { /* reductions may make progress only here */
        keel_mpi_sizes_receive(pipeline);
    }
    if (!take_block(pipeline)) {
        return false;
    }
    sweep->is_given = true;
    keel_mpi_rows_work_begin(pipeline->rows);
    sweep->begun_s = keel_mpi_clock_s();
    return true;
}

static struct keel_mpi_patch given_part(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_patch *part = &pipeline->sweep.given.part;

    return keel_mpi_neighbours_part(pipeline, *part, part->from, part->to);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_next(struct keel_mpi_pipeline *pipeline, uint64_t *first,
                                           uint64_t *last)
{
    if (!has_sweep(pipeline, "keel_mpi_pipeline_next")) {
        return 0;
    }
    if (pipeline->hooks > 0) {
        keel_mpi_misuse("keel_mpi_pipeline_next: rows may move within this sweep, expected "
                        "keel_mpi_pipeline_next_rows(); there are no elements");
        return 0;
    }
    if (!next_block(pipeline)) {
        return 0;
    }
    struct keel_mpi_patch part = given_part(pipeline);
    *first = part.from;
    *last = part.to;
    return 1;
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_next_rows(struct keel_mpi_pipeline *pipeline,
                                                uint64_t *first_row, uint64_t *last_row,
                                                uint64_t *first, uint64_t *last)
{
    if (!has_sweep(pipeline, "keel_mpi_pipeline_next_rows") || !next_block(pipeline)) {
        return 0;
    }
    struct keel_mpi_patch part = given_part(pipeline);
    *first_row = part.first;
    *last_row = part.last;
    *first = part.from;
    *last = part.to;
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
    while (take_block(pipeline)) { /* not computed: others wait for what comes of it */
        forward_border(pipeline);
    }
    keel_mpi_borders_flush(&pipeline->borders);
    keel_mpi_strips_end(pipeline);
    if (!is_broken(pipeline)) {
        keel_mpi_sizes_note_sweep(pipeline);
    }
    pipeline->is_sweeping = false;
    close_hooks(pipeline);
    if (!is_broken(pipeline)) {
        keel_mpi_sizes_report(pipeline);
        return pipeline->hook_code;
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
