/* Rows that move within a sweep. */
#include "mpi_backend/rows/sweep/sweep.h"

#include "mpi_backend/process/mpi_clock.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/balance/balance.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- old rows --- */

static void await(struct keel_mpi_pipeline *pipeline, int count, MPI_Request *request)
{
    keel_mpi_peers_await(&pipeline->rows->peers, "in a pipelined sweep", count, request);
}

static void cut(struct keel_mpi_pipeline *pipeline, uint64_t from, uint64_t second)
{
    uint64_t *piece = pipeline->sweep.piece;

    piece[0] = from;
    piece[1] = second;
    piece[2] = pipeline->array->length;
}

static struct keel_mpi_patch part_of(const struct keel_mpi_pipeline *pipeline,
                                     struct keel_mpi_patch rows, int piece)
{
    const uint64_t *from = pipeline->sweep.piece;

    return keel_mpi_neighbours_part(pipeline, rows, from[piece], from[piece + 1]);
}

static void receive(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES; i++) {
        struct keel_mpi_patch part = part_of(pipeline, sweep->old_in, i);
        keel_mpi_borders_receive(&pipeline->borders, &part, sweep->behind, (uint64_t)i,
                                 &sweep->old_receive[i]);
    }
}

static void send(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (sweep->last - sweep->first < sweep->old_out.last - sweep->old_out.first) {
        await(pipeline, KEEL_MPI_SWEEP_PIECES, sweep->old_receive); /* some of them are sent on */
    }
    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES; i++) {
        struct keel_mpi_patch part = part_of(pipeline, sweep->old_out, i);
        keel_mpi_borders_send(&pipeline->borders, &part, sweep->before, (uint64_t)i,
                              &sweep->old_send[i]);
    }
}

void keel_mpi_old_rows_exchange(struct keel_mpi_pipeline *pipeline, uint64_t from, uint64_t second)
{
    cut(pipeline, from, second);
    receive(pipeline);
    send(pipeline);
}

void keel_mpi_old_rows_receive(struct keel_mpi_pipeline *pipeline, uint64_t from)
{
    cut(pipeline, from, pipeline->array->length);
    receive(pipeline);
}

void keel_mpi_old_rows_send(struct keel_mpi_pipeline *pipeline, uint64_t from)
{
    cut(pipeline, from, pipeline->array->length);
    send(pipeline);
}

void keel_mpi_old_rows_await_gone(struct keel_mpi_pipeline *pipeline, uint64_t to)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES && sweep->piece[i] < to; i++) {
        await(pipeline, 1, &sweep->old_send[i]);
    }
}

bool keel_mpi_old_rows_await(struct keel_mpi_pipeline *pipeline, uint64_t to)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    bool waits = false;

    for (int i = 0; i < KEEL_MPI_SWEEP_PIECES && sweep->piece[i] < to; i++) {
        waits = waits || sweep->old_receive[i] != MPI_REQUEST_NULL;
        await(pipeline, 1, &sweep->old_receive[i]);
    }
    keel_mpi_old_rows_await_gone(pipeline, to);
    return waits;
}

/* --- rows that move --- */

#define WHERE "where rows move within a sweep"

static bool is_broken(const struct keel_mpi_pipeline *pipeline)
{
    return keel_mpi_peers_code(&pipeline->rows->peers) != KEEL_MPI_OK;
}

void keel_mpi_strips_main_rows(const struct keel_mpi_sweep *sweep, uint64_t *first, uint64_t *last)
{
    *first = sweep->first;
    *last = sweep->last;
    if (keel_mpi_strips_are_late(sweep)) {
        *first = sweep->forward ? sweep->first : sweep->late.last;
        *last = sweep->forward ? sweep->late.first : sweep->last;
    }
}

/* --- rows that come late --- */

/* Time of moving, for the balancer's costs. */
static void note_time(struct keel_mpi_pipeline *pipeline, double begun_s)
{
    double time_s = keel_mpi_clock_s() - begun_s;

    pipeline->rows->report.movement_s += time_s;
    pipeline->rows->balance->moved_s += time_s;
}

void keel_mpi_strips_trail(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t depth = max_u64(1, pipeline->array->halo);

    if (pipeline->hooks > 0 && sweep->behind != MPI_PROC_NULL &&
        sweep->last - sweep->first > depth) {
        sweep->late = (struct keel_mpi_late){
            .first = sweep->forward ? sweep->last - depth : sweep->first,
            .last = sweep->forward ? sweep->last : sweep->first + depth,
            .trails = true,
        };
    }
}

/* Waits for rows that come late, and for the old ones behind them. */
static void receive_rows(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double begun_s = keel_mpi_clock_s();
    struct keel_mpi_handover_part part =
        keel_mpi_handover_start(&pipeline->handover, sweep->behind, false);

    keel_mpi_old_rows_receive(pipeline, sweep->late.to);
    keel_mpi_handover_await(&pipeline->handover, &part);
    keel_mpi_old_rows_await(pipeline, pipeline->array->length);
    keel_mpi_rows_update(pipeline->rows); /* their weights are here */
    note_time(pipeline, begun_s);
}

/* Waits for all that late rows need. */
static void receive_late(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (sweep->late.trails) {
        keel_mpi_old_rows_await(pipeline, sweep->to);
    } else {
        receive_rows(pipeline);
    }
    sweep->late.here = true;
}

/* The rest of late rows is up to what other rows have come to. */
static bool has_caught_up(const struct keel_mpi_sweep *sweep)
{
    return sweep->late.here && sweep->late.to == sweep->to;
}

bool keel_mpi_strips_catch_up(struct keel_mpi_pipeline *pipeline, bool waits)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    struct keel_mpi_late *late = &sweep->late;

    if (!keel_mpi_strips_are_late(sweep)) {
        return false;
    }
    if (!late->here && (waits || keel_mpi_handover_is_there(&pipeline->handover, sweep->behind))) {
        receive_late(pipeline);
    }
    if (has_caught_up(sweep)) {
        *late = (struct keel_mpi_late){0};
    }
    if (!late->here || is_broken(pipeline)) {
        return false;
    }
    uint64_t from = late->to;
    late->to += keel_block_size_width(&sweep->cut, from);
    sweep->given = (struct keel_mpi_given){
        .part = {late->first, late->last, from, late->to}, .number = late->blocks++, .late = true};
    return true;
}

/* --- rows that go --- */

void keel_mpi_strips_await_before(struct keel_mpi_pipeline *pipeline)
{
    keel_mpi_handover_await(&pipeline->handover, &pipeline->sweep.to_before);
    pipeline->sweep.to_before.count = 0;
}

/* All rows of the last movement are where they are to be. */
static void end_handover(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (keel_mpi_strips_are_late(sweep) && !sweep->late.here) {
        receive_late(pipeline);
    }
    if (keel_mpi_strips_are_late(sweep) && has_caught_up(sweep)) {
        sweep->late = (struct keel_mpi_late){0};
    }
    keel_mpi_strips_await_before(pipeline);
    keel_mpi_handover_await(&pipeline->handover, &sweep->to_behind);
    sweep->to_behind.count = 0;
    if (pipeline->handover.placed && !is_broken(pipeline)) {
        keel_mpi_handover_end(&pipeline->handover);
    }
}

bool keel_mpi_strips_defer(void *of, const uint64_t *shares, uint64_t ahead, uint64_t *moved)
{
    struct keel_mpi_pipeline *pipeline = of;
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t least = max_u64(1, pipeline->array->halo);

    if (sweep->hooks >= pipeline->hooks || /* there is no later one */
        !keel_mpi_handover_is_possible(pipeline->rows, shares, least)) {
        return false;
    }
    end_handover(pipeline);
    sweep->handover_hook = min_u64(sweep->hooks + ahead, pipeline->hooks);
    *moved = keel_mpi_handover_begin(&pipeline->handover, shares);
    return true;
}

void keel_mpi_strips_settle(void *of)
{
    struct keel_mpi_pipeline *pipeline = of;

    end_handover(pipeline);
    if (pipeline->sweep.first < pipeline->sweep.last) {
        keel_mpi_old_rows_await(pipeline, pipeline->array->length);
    }
    keel_mpi_borders_flush(&pipeline->borders);
}

/* --- where rows move --- */

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

static void expect_late(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    const struct keel_mpi_payload *payload =
        keel_mpi_handover_find(&pipeline->handover, sweep->behind, false);

    if (payload != NULL) {
        sweep->late = (struct keel_mpi_late){.first = payload->transfer->first,
                                             .last = payload->transfer->last,
                                             .to = sweep->to,
                                             .blocks = sweep->blocks};
    }
}

void keel_mpi_strips_hand_over(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_handover *handover = &pipeline->handover;
    struct keel_mpi_sweep *sweep = &pipeline->sweep;

    if (!keel_mpi_handover_agree(handover)) {
        return;
    }
    double begun_s = keel_mpi_clock_s();
    keel_mpi_old_rows_await(pipeline, pipeline->array->length);
    sweep->to_before = keel_mpi_handover_start(handover, sweep->before, true);
    sweep->to_behind = keel_mpi_handover_start(handover, sweep->behind, true);
    struct keel_mpi_handover_part from_before =
        keel_mpi_handover_start(handover, sweep->before, false);
    keel_mpi_handover_await(handover, &from_before);
    find_own_rows(pipeline);
    keel_mpi_rows_update(pipeline->rows);
    if (sweep->to_before.count > 0) {
        keel_mpi_old_rows_send(pipeline, sweep->to);
    }
    expect_late(pipeline);
    sweep->has_gone = true;
    note_time(pipeline, begun_s);
}

/* --- after a movement of all ranks --- */

/* Ranks that had no rows do not know how far the others are. */
static bool learn_place(struct keel_mpi_pipeline *pipeline, uint64_t *size)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double place[] = {(double)*size, (double)sweep->to, (double)sweep->blocks};

    if (keel_mpi_rows_largest(&pipeline->rows->peers, WHERE, place, 3) != KEEL_MPI_OK) {
        return false;
    }
    *size = (uint64_t)place[0];
    sweep->from = sweep->to = sweep->open_to = (uint64_t)place[1];
    sweep->blocks = (uint64_t)place[2];
    sweep->opened = sweep->received = (unsigned)sweep->blocks;
    return true;
}

void keel_mpi_strips_resume(struct keel_mpi_pipeline *pipeline)
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
    keel_mpi_old_rows_exchange(pipeline, sweep->to, pipeline->array->length);
}

void keel_mpi_strips_end(struct keel_mpi_pipeline *pipeline)
{
    end_handover(pipeline);
    if (pipeline->sweep.has_gone && !is_broken(pipeline)) {
        keel_mpi_round_trim(pipeline->rows);
    }
}
