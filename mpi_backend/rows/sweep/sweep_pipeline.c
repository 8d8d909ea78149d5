/* Pipelined sweeps over distributed rows: one sweep.
 *
 *   begin: old rows from behind ---> next: borders from before -> a block -> its border to behind
 *                                        ^                          |    |
 *                                        +--- block size <- times <-+    +-> hooks: rows move
 *                                             (sizes.c)
 *
 * The first rank of a sweep chooses the size of its blocks; the others know it by the length of the
 * first border that comes. So ranks need not agree about it before, and need not be at the same
 * sweep. */
#include "mpi_backend/rows/sweep/sweep.h"

#include <math.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "schedules/arithmetic/arithmetic.h"

static void await(struct keel_mpi_pipeline *pipeline, int count, MPI_Request *request)
{
    keel_mpi_peers_await(&pipeline->rows->peers, "in a pipelined sweep", count, request);
}

static bool is_broken(const struct keel_mpi_pipeline *pipeline)
{
    return keel_mpi_peers_code(&pipeline->rows->peers) != KEEL_MPI_OK;
}

/* --- balance calls within sweeps ---
 *
 * So many in each, spread evenly over the elements of a row, at the ends of the blocks there. So
 * ranks count them alike, whatever blocks they know of. */

/* Rows are about to move on all ranks: waits until no message reads or writes them. */
static void settle(void *of)
{
    struct keel_mpi_pipeline *pipeline = of;

    if (pipeline->sweep.first < pipeline->sweep.last) {
        keel_mpi_old_rows_await(pipeline);
    }
    keel_mpi_borders_flush(&pipeline->borders);
}

static void find_own_rows(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    sweep->before = sweep->behind = MPI_PROC_NULL;
    if (keel_mpi_placement_next(&pipeline->rows->placement, pipeline->rows->rank, 0, &sweep->first,
                                &sweep->last)) {
        keel_mpi_neighbours_find(pipeline);
    } else {
        sweep->first = sweep->last = 0;
    }
}

/* Ranks that had no rows do not know how far the others are. */
static bool learn_place(struct keel_mpi_pipeline *pipeline, uint64_t *size)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double place[] = {(double)*size, (double)sweep->to, (double)sweep->blocks};

    if (keel_mpi_rows_largest(&pipeline->rows->peers, "where rows move within a sweep", place, 3) !=
        KEEL_MPI_OK) {
        return false;
    }
    *size = (uint64_t)place[0];
    sweep->from = sweep->to = sweep->open_to = (uint64_t)place[1];
    sweep->blocks = (uint64_t)place[2];
    sweep->opened = sweep->received = (unsigned)sweep->blocks;
    return true;
}

/* Rows have moved on all ranks at this hook: the sweep goes on with those that are here now.
 * Collective. */
static void resume(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t size = sweep->cut.size;

    find_own_rows(pipeline);
    if (!learn_place(pipeline, &size) || sweep->first == sweep->last) {
        return;
    }
    if (sweep->cut.size == 0) {
        keel_mpi_sizes_cut(pipeline, size);
    }
    keel_mpi_old_rows_exchange(pipeline, sweep->to);
}

/* A sweep begins. */
static void open_hooks(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_rows *rows = pipeline->rows;

    rows->sweeps++;
    pipeline->hook_code = KEEL_MPI_OK;
    if (pipeline->hooks > 0) {
        pipeline->open = (struct keel_mpi_open_sweep){
            .pipeline = pipeline,
            .settle = settle,
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
static void note_computed(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double elements = (double)(sweep->to - sweep->from) / (double)pipeline->array->length;

    sweep->hook_work += pipeline->rows->work * elements * (double)pipeline->hooks;
}

/* Whether the sweep is at its next hook. */
static bool is_at_hook(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    return sweep->hooks < pipeline->hooks &&
           (sweep->first == sweep->last || sweep->to >= place_of(pipeline, sweep->hooks + 1));
}

/* Blocks that begin before this element are the present rows': ranks meet at the hook that is due,
 * and rows may move there. */
static uint64_t hook_limit(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_rows *rows = pipeline->rows;
    uint64_t ahead = rows->due > rows->hooks ? rows->due - rows->hooks : 1;
    uint64_t made = pipeline->sweep.hooks;

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
    pipeline->open.skew_hooks = skew_of(pipeline);
    rows->work_before = sweep->hook_work;
    sweep->hook_work = 0;
    int code = keel_mpi_rows_balance(rows, &moved);
    if (pipeline->hook_code == KEEL_MPI_OK) {
        pipeline->hook_code = code;
    }
    if (moved > 0 && rows->late) { /* in a later one of several rounds; ranks meet no more */
        keel_mpi_peers_fail(&rows->peers, KEEL_MPI_LATE);
    } else if (moved > 0) {
        resume(pipeline);
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

/* --- beginning a sweep --- */

static void begin_sweep(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    sweep->sweep_begun_s = keel_mpi_clock_s();
    keel_mpi_neighbours_find(pipeline);
    keel_mpi_old_rows_exchange(pipeline, 0);
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

    *sweep = (struct keel_mpi_sweep){.forward = direction == KEEL_MPI_FORWARD,
                                     .before = MPI_PROC_NULL,
                                     .behind = MPI_PROC_NULL,
                                     .old_receive = MPI_REQUEST_NULL,
                                     .old_send = MPI_REQUEST_NULL};
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

    uint64_t size = keel_mpi_borders_probe(
        &pipeline->borders, sweep->border_in.last - sweep->border_in.first, sweep->before, 1);
    if (size > 0) {
        keel_mpi_sizes_cut(pipeline, size);
    }
}

/* Opens receives for borders of the blocks to come, but not where other rows may be here. */
static void open_borders(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t limit = hook_limit(pipeline);

    while (sweep->opened - sweep->received < KEEL_MPI_BORDERS_AHEAD && sweep->open_to < limit) {
        uint64_t to = sweep->open_to + keel_block_size_width(&sweep->cut, sweep->open_to);
        struct keel_mpi_patch part =
            keel_mpi_neighbours_part(pipeline, sweep->border_in, sweep->open_to, to);
        keel_mpi_borders_start(&pipeline->borders, &part, sweep->before, 1 + sweep->opened, false,
                               &sweep->receive[sweep->opened % KEEL_MPI_BORDERS_AHEAD]);
        sweep->opened++;
        sweep->open_to = to;
    }
}

static void keep_shortest(double *shortest_s, double time_s)
{
    *shortest_s = *shortest_s > 0 ? fmin(*shortest_s, time_s) : time_s;
}

/* The next block. False: there is none. */
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
    bool waits = keel_mpi_old_rows_await(pipeline);
    double time_s = keel_mpi_clock_s() - begun_s;
    sweep->wait_s += time_s;
    if (sweep->blocks++ > 0 && !waits) {
        keep_shortest(&sweep->receive_s, time_s);
    }
    return !is_broken(pipeline);
}

/* The next block of this rank, after the hooks before it; false: the sweep is over. */
static bool take_block(struct keel_mpi_pipeline *pipeline)
{
    while (!is_broken(pipeline)) {
        if (!is_at_hook(pipeline)) {
            return begin_block(pipeline);
        }
        make_hook(pipeline);
    }
    return false;
}

static void forward_border(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    struct keel_mpi_patch part =
        keel_mpi_neighbours_part(pipeline, sweep->border_out, sweep->from, sweep->to);
    double begun_s = keel_mpi_clock_s();

    keel_mpi_borders_forward(&pipeline->borders, &part, sweep->behind, sweep->blocks);
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
    note_computed(pipeline);
    keel_block_size_costs_note(&pipeline->costs, sweep->last - sweep->first,
                               sweep->to - sweep->from, time_s);
    forward_border(pipeline);
}

/* The next block is pipeline->sweep.from to .to. */
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
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;
    struct keel_mpi_patch rows = {.first = sweep->first, .last = sweep->last};

    return keel_mpi_neighbours_part(pipeline, rows, sweep->from, sweep->to);
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
