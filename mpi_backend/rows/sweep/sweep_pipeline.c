/* Pipelined sweeps over distributed rows: messages, sweeps, pipelines.
 *
 *   begin: old rows from behind ---> next: borders from before -> a block -> its border to behind
 *                                        ^                          |    |
 *                                        +--- block size <- times <-+    +-> balance calls: rows
 *                                        move
 *                                             (sizes.c)
 *
 * The first rank of a sweep chooses the size of its blocks; the others learn it from the length of
 * the first border. So ranks need not agree on it, and need not be at the same sweep. */
#include "mpi_backend/rows/sweep/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_constants.h"
#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- which rows --- */

static int owner_of(const struct keel_mpi_pipeline *pipeline, uint64_t row)
{
    const struct keel_mpi_placement *placement = &pipeline->rows->placement;

    return (int)placement->run[keel_mpi_placement_find(placement, row)].owner;
}

/* Up to `halo` rows below `row`, and from `row` on. */
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

/* Fills in the ranks before and behind this one, and the rows of borders and of old rows, from the
 * direction and the own rows of pipeline->sweep. If own rows are fewer than the halo, rows of the
 * ranks next to this one pass through. */
static void find_neighbours(struct keel_mpi_pipeline *pipeline)
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

/* Elements [from, to), in the order of the sweep, of the rows of `part`. */
static struct keel_mpi_patch part_of(const struct keel_mpi_pipeline *pipeline,
                                     struct keel_mpi_patch part, uint64_t from, uint64_t to)
{
    uint64_t length = pipeline->array->length;

    part.from = pipeline->sweep.forward ? from : length - to;
    part.to = pipeline->sweep.forward ? to : length - from;
    return part;
}

/* --- messages --- */

/* Starts to send or to receive a part, which must stay until the request is complete;
 * MPI_REQUEST_NULL for an empty part, for MPI_PROC_NULL, and if MPI has failed. number: of the
 * message in the sweep. */
static void start_border(struct keel_mpi_pipeline *pipeline, const struct keel_mpi_patch *part,
                         int rank, uint64_t number, bool sends, MPI_Request *request)
{
    const struct keel_mpi_array *array = pipeline->array;
    uint64_t row_bytes = keel_mpi_array_row_bytes(array);

    *request = MPI_REQUEST_NULL;
    if (part->first == part->last || part->from == part->to || rank == MPI_PROC_NULL) {
        return;
    }
    keel_mpi_rows_message_start(
        &pipeline->rows->peers,
        &(struct keel_mpi_rows_message){.sends = sends,
                                        .at = array->store.base + part->first * row_bytes +
                                              part->from * array->element,
                                        .bytes = (part->to - part->from) * array->element,
                                        .parts = part->last - part->first,
                                        .apart = row_bytes,
                                        .rank = rank,
                                        .tag = keel_mpi_rows_tag(KEEL_MPI_TAG_SWEEP, number),
                                        .comm = pipeline->comm},
        request);
}

#define WHERE "in a pipelined sweep"

/* Starts to send a part, which must stay until flush(). Waits if too many are pending. */
static void forward(struct keel_mpi_pipeline *pipeline, const struct keel_mpi_patch *part, int rank,
                    uint64_t number)
{
    MPI_Request *request = &pipeline->sent[pipeline->sends++ % KEEL_MPI_BORDERS_AHEAD];

    if (keel_mpi_peers_await(&pipeline->rows->peers, WHERE, 1, request) == KEEL_MPI_OK) {
        start_border(pipeline, part, rank, number, true, request);
    }
}

/* Waits until all messages of forward() are sent. */
static void flush(struct keel_mpi_pipeline *pipeline)
{
    keel_mpi_peers_await(&pipeline->rows->peers, WHERE, KEEL_MPI_BORDERS_AHEAD, pipeline->sent);
}

/* Waits until a message arrives. False: none will. */
static bool probe(struct keel_mpi_pipeline *pipeline, int rank, int tag, MPI_Status *status)
{
#ifdef KEEL_SIMULATED
    MPI_Probe(rank, tag, pipeline->comm, status);
    return true;
#else
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(&pipeline->rows->peers, WHERE);
    int there = 0;

    do {
        if (!KEEL_MPI_CALL(&pipeline->rows->peers, MPI_Iprobe, rank, tag, pipeline->comm, &there,
                           status)) {
            return false;
        }
        if (there) {
            return true;
        }
    } while (keel_mpi_wait_again(&wait));
    return false;
#endif
}

/* Waits for a message with parts of `rows` >= 1 rows, and returns the number of elements of each; 0
 * if none will arrive, as the code of the peers shows. */
static uint64_t probe_border(struct keel_mpi_pipeline *pipeline, uint64_t rows, int rank,
                             uint64_t number)
{
    MPI_Status status;
    MPI_Count bytes;
    int count;

    if (!probe(pipeline, rank, keel_mpi_rows_tag(KEEL_MPI_TAG_SWEEP, number), &status) ||
        !KEEL_MPI_CALL(&pipeline->rows->peers, MPI_Get_count, &status, MPI_BYTE, &count)) {
        return 0;
    }
    bytes = count;
    if (count == MPI_UNDEFINED && /* more than an int counts */
        !KEEL_MPI_CALL(&pipeline->rows->peers, MPI_Get_elements_x, &status, MPI_BYTE, &bytes)) {
        return 0;
    }
    return (uint64_t)bytes / rows / pipeline->array->element;
}

/* --- old rows --- */

static void await(struct keel_mpi_pipeline *pipeline, int count, MPI_Request *request)
{
    keel_mpi_peers_await(&pipeline->rows->peers, WHERE, count, request);
}

/* Starts to receive old rows from behind, and to send own ones to the rank before, from element
 * `from` on. */
static void exchange_old_rows(struct keel_mpi_pipeline *pipeline, uint64_t from)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t length = pipeline->array->length;
    struct keel_mpi_patch in = part_of(pipeline, sweep->old_in, from, length);
    struct keel_mpi_patch out = part_of(pipeline, sweep->old_out, from, length);

    start_border(pipeline, &in, sweep->behind, 0, false, &sweep->old_receive);
    if (sweep->last - sweep->first < out.last - out.first) {
        await(pipeline, 1, &sweep->old_receive); /* some of them are sent on */
    }
    start_border(pipeline, &out, sweep->before, 0, true, &sweep->old_send);
}

/* Waits until old rows that the sweep reads are received, and those that it overwrites are sent.
 * True if a receive was pending. */
static bool await_old_rows(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    bool waits = sweep->old_receive != MPI_REQUEST_NULL;

    await(pipeline, 1, &sweep->old_receive);
    await(pipeline, 1, &sweep->old_send);
    return waits;
}

static bool is_broken(const struct keel_mpi_pipeline *pipeline)
{
    return keel_mpi_peers_code(&pipeline->rows->peers) != KEEL_MPI_OK;
}

/* --- balance calls within sweeps ---
 *
 * Each sweep has pipeline->calls of them, spread evenly over the elements of a row, at the next
 * ends of blocks. So ranks number them alike, even if their blocks differ. */

/* Called when rows are about to move on all ranks: waits until no message reads or writes them. */
static void settle(void *of)
{
    struct keel_mpi_pipeline *pipeline = of;

    if (pipeline->sweep.first < pipeline->sweep.last) {
        await_old_rows(pipeline);
    }
    flush(pipeline);
}

static void find_own_rows(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    sweep->before = sweep->behind = MPI_PROC_NULL;
    if (keel_mpi_placement_next(&pipeline->rows->placement, pipeline->rows->rank, 0, &sweep->first,
                                &sweep->last)) {
        find_neighbours(pipeline);
    } else {
        sweep->first = sweep->last = 0;
    }
}

/* Finds out how far the sweep is, which ranks without rows do not know. Collective. */
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

/* Continues the sweep with the present rows, after rows have moved on all ranks at this balance
 * call. Collective. */
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
    exchange_old_rows(pipeline, sweep->to);
}

/* To be called when a sweep begins. */
static void open_calls(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_rows *rows = pipeline->rows;

    rows->sweeps++;
    pipeline->call_code = KEEL_MPI_OK;
    if (pipeline->calls > 0) {
        pipeline->open = (struct keel_mpi_open_sweep){
            .pipeline = pipeline,
            .settle = settle,
        };
        rows->open_sweep = &pipeline->open;
    }
}

/* To be called when it has ended. */
static void close_calls(struct keel_mpi_pipeline *pipeline)
{
    pipeline->rows->sweeps--;
    if (pipeline->rows->open_sweep == &pipeline->open) {
        pipeline->rows->open_sweep = NULL;
    }
}

/* The element at which balance call number `call` >= 1 of a sweep is made, or at the next end of a
 * block: call / calls of the elements, rounded up. */
static uint64_t place_of(const struct keel_mpi_pipeline *pipeline, uint64_t call)
{
    uint64_t elements = pipeline->array->length, calls = pipeline->calls;

    return elements / calls * call + (elements % calls * call + calls - 1) / calls;
}

/* Adds the work of a block: 1 / calls of the elements of all own rows is the work of these rows. */
static void note_computed(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double elements = (double)(sweep->to - sweep->from) / (double)pipeline->array->length;

    sweep->call_work += pipeline->rows->work * elements * (double)pipeline->calls;
}

/* Whether the sweep is at its next balance call. */
static bool is_at_call(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    return sweep->calls < pipeline->calls &&
           (sweep->first == sweep->last || sweep->to >= place_of(pipeline, sweep->calls + 1));
}

/* Returns the element up to which blocks certainly belong to the present rows: at the balance call
 * that is due, ranks meet, and rows may move. */
static uint64_t call_limit(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_rows *rows = pipeline->rows;
    uint64_t ahead = rows->due > rows->calls ? rows->due - rows->calls : 1;
    uint64_t made = pipeline->sweep.calls;

    return made < pipeline->calls && ahead <= pipeline->calls - made
               ? place_of(pipeline, made + ahead)
               : pipeline->array->length;
}

/* Balance calls from the first rank to the last one: each is a block behind the one before it. */
static uint64_t skew_of(const struct keel_mpi_pipeline *pipeline)
{
    double blocks = (double)pipeline->rows->ranks - 1;
    double part = (double)pipeline->sweep.cut.size / (double)pipeline->array->length;

    return (uint64_t)ceil(blocks * part * (double)pipeline->calls);
}

/* Makes the next balance call; rows may move. Collective if it is due. */
static void make_call(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_rows *rows = pipeline->rows;
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t moved = 0;

    sweep->calls++;
    pipeline->open.skew_calls = skew_of(pipeline);
    rows->work_before = sweep->call_work;
    sweep->call_work = 0;
    int code = keel_mpi_rows_balance(rows, &moved);
    if (pipeline->call_code == KEEL_MPI_OK) {
        pipeline->call_code = code;
    }
    if (moved > 0 && rows->late) { /* in a later round; ranks can't meet any more */
        keel_mpi_peers_fail(&rows->peers, KEEL_MPI_LATE);
    } else if (moved > 0) {
        resume(pipeline);
    }
}

/* --- checks of calls --- */

/* True if there is a pipeline, otherwise prints a message. function: the program's call. */
static bool exists(const struct keel_mpi_pipeline *pipeline, const char *function)
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
    if (!exists(pipeline, function)) {
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
    find_neighbours(pipeline);
    exchange_old_rows(pipeline, 0);
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
    open_calls(pipeline);
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
    if (pipeline->is_sweeping) {
        keel_mpi_misuse("keel_mpi_pipeline_begin: a sweep has begun already, expected "
                        "keel_mpi_pipeline_end() before; that sweep goes on");
        return KEEL_MPI_BUSY;
    }
    if (pipeline->rows->sweeps > 0 && (pipeline->calls > 0 || pipeline->rows->open_sweep != NULL)) {
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

/* Waits for the first border, whose length is the size of blocks, and cuts the sweep. */
static void learn_size(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    uint64_t size =
        probe_border(pipeline, sweep->border_in.last - sweep->border_in.first, sweep->before, 1);
    if (size > 0) {
        keel_mpi_sizes_cut(pipeline, size);
    }
}

/* Starts receives of borders of the next blocks, up to where rows may have moved. */
static void open_receives(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t limit = call_limit(pipeline);

    while (sweep->opened - sweep->received < KEEL_MPI_BORDERS_AHEAD && sweep->open_to < limit) {
        uint64_t to = sweep->open_to + keel_block_size_width(&sweep->cut, sweep->open_to);
        struct keel_mpi_patch part = part_of(pipeline, sweep->border_in, sweep->open_to, to);
        start_border(pipeline, &part, sweep->before, 1 + sweep->opened, false,
                     &sweep->receive[sweep->opened % KEEL_MPI_BORDERS_AHEAD]);
        sweep->opened++;
        sweep->open_to = to;
    }
}

static void keep_shortest(double *shortest_s, double time_s)
{
    *shortest_s = *shortest_s > 0 ? fmin(*shortest_s, time_s) : time_s;
}

/* Begins the next block. False: there is none. */
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
    open_receives(pipeline);
    sweep->from = sweep->to;
    sweep->to += keel_block_size_width(&sweep->cut, sweep->from);
    await(pipeline, 1, &sweep->receive[sweep->received++ % KEEL_MPI_BORDERS_AHEAD]);
    bool waits = await_old_rows(pipeline);
    double time_s = keel_mpi_clock_s() - begun_s;
    sweep->wait_s += time_s;
    if (sweep->blocks++ > 0 && !waits) {
        keep_shortest(&sweep->receive_s, time_s);
    }
    return !is_broken(pipeline);
}

/* Begins this rank's next block, after the balance calls before it. False: the sweep is over. */
static bool take_block(struct keel_mpi_pipeline *pipeline)
{
    while (!is_broken(pipeline)) {
        if (!is_at_call(pipeline)) {
            return begin_block(pipeline);
        }
        make_call(pipeline);
    }
    return false;
}

static void forward_border(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    struct keel_mpi_patch part = part_of(pipeline, sweep->border_out, sweep->from, sweep->to);
    double begun_s = keel_mpi_clock_s();

    forward(pipeline, &part, sweep->behind, sweep->blocks);
    keep_shortest(&sweep->send_s, keel_mpi_clock_s() - begun_s);
}

/* To be called when the program has computed its block. */
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

/* Gives the program the next block, pipeline->sweep.from to .to. False: the sweep is over. */
static bool next_block(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (sweep->is_given) {
        finish_block(pipeline);
    }
    if (sweep->blocks % KEEL_MPI_SWEEP_BLOCKS_APART == 0) {
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

    return part_of(pipeline, rows, sweep->from, sweep->to);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_next(struct keel_mpi_pipeline *pipeline, uint64_t *first,
                                           uint64_t *last)
{
    if (!has_sweep(pipeline, "keel_mpi_pipeline_next")) {
        return 0;
    }
    if (pipeline->calls > 0) {
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
    while (take_block(pipeline)) { /* not computed, but others wait for their borders */
        forward_border(pipeline);
    }
    flush(pipeline);
    if (!is_broken(pipeline)) {
        keel_mpi_sizes_note_sweep(pipeline);
    }
    pipeline->is_sweeping = false;
    close_calls(pipeline);
    if (!is_broken(pipeline)) {
        keel_mpi_sizes_report(pipeline);
        return pipeline->call_code;
    }
    return keel_mpi_peers_code(&pipeline->rows->peers);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_report(const struct keel_mpi_pipeline *pipeline,
                                             struct keel_mpi_pipeline_report *report)
{
    if (!exists(pipeline, "keel_mpi_pipeline_report") ||
        !keel_mpi_sized_check(report, sizeof report->struct_size, "keel_mpi_pipeline_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    keel_mpi_sized_give(report, &pipeline->report, sizeof pipeline->report);
    return KEEL_MPI_OK;
}

/* --- making and freeing --- */

#define CALLS_MAX 1000000

/* Returns the array that begins at `base`; NULL, after a message, if no sweep over it is
 * possible. */
static const struct keel_mpi_array *suitable_array(const struct keel_mpi_rows *rows,
                                                   const void *base)
{
    const struct keel_mpi_array *array = keel_mpi_rows_find_array(rows, base);

    if (array != NULL && !rows->adjacent) {
        keel_mpi_misuse(
            "keel_mpi_pipeline_create: rows of a KEEL_MPI_ANY distribution are in no order of "
            "ranks, expected KEEL_MPI_ADJACENT; no pipeline is made");
        return NULL;
    }
    if (array != NULL &&
        ((array->halo == 0 && rows->placement.rows > 0) || array->halo > INT_MAX)) {
        keel_mpi_misuse(
            "keel_mpi_pipeline_create: the array has a halo of %llu, expected 1 to %d; no "
            "pipeline is made",
            (unsigned long long)array->halo, INT_MAX);
        return NULL;
    }
    return array;
}

/* Returns the same code on all ranks, KEEL_MPI_ARGUMENT if `made` is NULL on one of them; *made
 * stays NULL unless it is KEEL_MPI_OK. Collective. */
static int make(struct keel_mpi_rows *rows, const void *base, uint64_t block,
                struct keel_mpi_pipeline **made)
{
    const struct keel_mpi_array *array = made != NULL ? suitable_array(rows, base) : NULL;
    struct keel_mpi_pipeline *pipeline = array != NULL ? calloc(1, sizeof *pipeline) : NULL;
    int code = pipeline != NULL ? KEEL_MPI_OK
               : array != NULL  ? KEEL_MPI_NO_ROOM
                                : KEEL_MPI_ARGUMENT;
    const uint64_t number[] = {block, keel_mpi_rows_array_number(rows, array)};
    int all = keel_mpi_rows_agree_for_good(rows, code, keel_mpi_rows_digest(number, 2));

    if (code == KEEL_MPI_NO_ROOM) {
        keel_message("no memory for a pipeline; none is made");
    }
    if (all == KEEL_MPI_MISMATCH && rows->rank == 0) {
        keel_message(
            "keel_mpi_pipeline_create: ranks came with different arrays or block sizes, rank 0 "
            "with array number %llu and blocks of %llu, expected the same on all; no pipeline is "
            "made",
            (unsigned long long)number[1], (unsigned long long)block);
    }
    if (all != KEEL_MPI_OK) {
        free(pipeline);
        return all;
    }
    pipeline->rows = rows;
    pipeline->array = array;
    pipeline->fixed_size = block;
    *made = pipeline;
    return KEEL_MPI_OK;
}

static int prepare(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_peers *peers = &pipeline->rows->peers;

    int code = keel_mpi_peers_copy(peers, "in keel_mpi_pipeline_create()", &pipeline->comm);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    for (unsigned i = 0; i < KEEL_MPI_BORDERS_AHEAD; i++) {
        pipeline->sent[i] = MPI_REQUEST_NULL;
    }
    keel_mpi_sizes_open(pipeline);
    return keel_mpi_peers_code(peers);
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_create(struct keel_mpi_rows *rows, void *array,
                                             uint64_t block, struct keel_mpi_pipeline **pipeline)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    int code = keel_mpi_rows_check(rows);

    if (pipeline == NULL) {
        keel_mpi_misuse("keel_mpi_pipeline_create: no place for the pipeline, expected an address; "
                        "none is made");
    } else {
        *pipeline = NULL;
    }
    if (code == KEEL_MPI_OK) {
        code = make(rows, array, settings->block > 0 ? settings->block : block, pipeline);
    }
    if (code == KEEL_MPI_OK && (code = prepare(*pipeline)) != KEEL_MPI_OK) {
        *pipeline = NULL; /* pending operations use it */
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_hooks(struct keel_mpi_pipeline *pipeline, uint64_t calls)
{
    if (!exists(pipeline, "keel_mpi_pipeline_hooks")) {
        return KEEL_MPI_ARGUMENT;
    }
    if (calls > CALLS_MAX) {
        keel_mpi_misuse("keel_mpi_pipeline_hooks: %llu hooks, expected 0 to %d; it counts as not "
                        "called",
                        (unsigned long long)calls, CALLS_MAX);
        return KEEL_MPI_ARGUMENT;
    }
    if (pipeline->is_sweeping) {
        keel_mpi_misuse(
            "keel_mpi_pipeline_hooks: a sweep has begun, expected keel_mpi_pipeline_end() "
            "before; it counts as not called");
        return KEEL_MPI_BUSY;
    }
    pipeline->calls = calls;
    return KEEL_MPI_OK;
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
    if ((*pipeline)->is_sweeping) {
        keel_mpi_pipeline_end(*pipeline);
    }
    keel_mpi_sizes_close(*pipeline);
    struct keel_mpi_peers *peers = &(*pipeline)->rows->peers;
    if (keel_mpi_peers_code(peers) == KEEL_MPI_OK) { /* otherwise pending operations use it */
        KEEL_MPI_CALL(peers, MPI_Comm_free, &(*pipeline)->comm);
        if (!(*pipeline)->rows->late) { /* otherwise an abandoned agreement may use it */
            free(*pipeline);
        }
    }
    *pipeline = NULL;
    return keel_mpi_peers_code(peers);
}
