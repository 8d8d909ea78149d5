/* The size of a sweep's blocks. */
#include "mpi_backend/rows/sweep/sweep.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_constants.h"
#include "mpi_backend/rows/rows_room.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- what messages between neighbouring ranks cost ---
 *
 * Overhead of a message: the processor time of sending and receiving it, measured by packet trains,
 * pipelines of 40 messages through all ranks. A message adds this time to each step of a sweep, as
 * receives are started ahead. Messages are not empty, as borders are not: some networks, and
 * SimGrid since version 4, carry empty ones for less than their headers. Latency: measured by
 * ping-pong between neighbours. It delays only the first of many messages. */

/* The ranks next to this one; MPI_PROC_NULL: none. */
struct place {
    struct keel_mpi_peers *peers;
    MPI_Comm comm;
    int rank, before, behind;
};

static struct place place_in(struct keel_mpi_peers *peers, MPI_Comm comm)
{
    struct place place = {.peers = peers, .comm = comm, .rank = (int)peers->rank};
    int ranks = (int)peers->ranks;

    place.before = place.rank > 0 ? place.rank - 1 : MPI_PROC_NULL;
    place.behind = place.rank < ranks - 1 ? place.rank + 1 : MPI_PROC_NULL;
    return place;
}

#define WHERE "while messages are measured"

static void await(const struct place *place, int count, MPI_Request *request)
{
    keel_mpi_peers_await(place->peers, WHERE, count, request);
}

static void start(const struct place *place, bool sends, void *at, int bytes, int rank,
                  MPI_Request *request)
{
    keel_mpi_rows_message_start(place->peers,
                                &(struct keel_mpi_rows_message){.sends = sends,
                                                                .at = at,
                                                                .bytes = (uint64_t)bytes,
                                                                .rank = rank,
                                                                .tag = KEEL_MPI_TAG_PROBE,
                                                                .comm = place->comm},
                                request);
}

/* --- packet trains --- */

struct train {
    const struct place *place;
    int bytes;
    MPI_Request in[KEEL_MPI_SWEEP_AHEAD], out[KEEL_MPI_SWEEP_AHEAD];
    char buffer[2][KEEL_MPI_SWEEP_BYTES]; /* the contents of messages are not used */
};

static void open_receive(struct train *train, int i)
{
    MPI_Request *request = &train->in[i % KEEL_MPI_SWEEP_AHEAD];

    if (i < KEEL_MPI_SWEEP_TRAIN_LENGTH) {
        start(train->place, false, train->buffer[0], train->bytes, train->place->before, request);
    }
}

/* A step of a pipeline in which nothing is computed. */
static void pass(struct train *train, int i)
{
    MPI_Request *request = &train->out[i % KEEL_MPI_SWEEP_AHEAD];

    await(train->place, 1, &train->in[i % KEEL_MPI_SWEEP_AHEAD]);
    open_receive(train, i + KEEL_MPI_SWEEP_AHEAD);
    await(train->place, 1, request);
    start(train->place, true, train->buffer[1], train->bytes, train->place->behind, request);
}

/* Returns the time of this rank for a message, s. */
static double run_train(const struct place *place, int bytes)
{
    static struct train train; /* stays while operations use it, after a failure */
    double begun_s = 0;

    train = (struct train){.place = place, .bytes = bytes};
    for (int i = 0; i < KEEL_MPI_SWEEP_AHEAD; i++) {
        train.out[i] = MPI_REQUEST_NULL;
        open_receive(&train, i);
    }
    for (int i = 0;
         i < KEEL_MPI_SWEEP_TRAIN_LENGTH && keel_mpi_peers_code(place->peers) == KEEL_MPI_OK; i++) {
        if (i == KEEL_MPI_SWEEP_SKIPPED) {
            begun_s = keel_mpi_clock_s();
        }
        pass(&train, i);
    }
    double time_s =
        (keel_mpi_clock_s() - begun_s) / (KEEL_MPI_SWEEP_TRAIN_LENGTH - KEEL_MPI_SWEEP_SKIPPED);
    await(place, KEEL_MPI_SWEEP_AHEAD, train.out);
    return time_s;
}

/* --- ping-pong --- */

static double ping_pong(const struct place *place, int other, bool first)
{
    static char buffer[2]; /* stays while operations use it, after a failure */
    double begun_s = keel_mpi_clock_s();

    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        bool sends = (i == 0) == first;
        start(place, sends, &buffer[sends], 1, other, &request);
        await(place, 1, &request);
    }
    return first ? (keel_mpi_clock_s() - begun_s) / 2 : 0;
}

/* Returns half of the shortest round trip to the rank behind, s; even ranks first. */
static double measure_latency(const struct place *place)
{
    double shortest_s = 0;

    for (int turn = 0; turn < 2; turn++) {
        bool first = place->rank % 2 == turn;
        int other = first ? place->behind : place->before;
        for (int i = 0; i < KEEL_MPI_SWEEP_ROUND_TRIPS && other != MPI_PROC_NULL; i++) {
            double time_s = ping_pong(place, other, first);
            if (first) {
                shortest_s = i == 0 ? time_s : fmin(shortest_s, time_s);
            }
        }
    }
    return shortest_s;
}

/* Returns the largest costs of all ranks, the same on all. longest: bytes of the longest message,
 * >= 1; element: bytes that each element adds to a message. Collective over `comm`, in which no
 * other messages are pending. */
static struct keel_block_size_messages measure_messages(struct keel_mpi_peers *peers, MPI_Comm comm,
                                                        double longest, double element)
{
    struct place place = place_in(peers, comm);
    int bytes = (int)fmin(KEEL_MPI_SWEEP_BYTES, longest);
    double most[] = {INFINITY, INFINITY, measure_latency(&place)};

    for (int i = 0; i < KEEL_MPI_SWEEP_TRAINS; i++) {
        most[0] = fmin(most[0], run_train(&place, 1));
        most[1] = fmin(most[1], run_train(&place, bytes));
    }
    keel_mpi_rows_largest(peers, WHERE, most, 3);
    return keel_block_size_messages_of(most[0], most[1], bytes, element, most[2]);
}

/* --- sizes --- */

void keel_mpi_sizes_open(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_array *array = pipeline->array;
    double element = (double)array->element * (double)max_u64(1, array->halo);
    struct keel_mpi_peers *peers = &pipeline->rows->peers;

    if (pipeline->rows->ranks > 1) {
        pipeline->messages =
            measure_messages(peers, pipeline->comm, element * (double)array->length, element);
    }
    pipeline->costs.group = max_u64(1, KEEL_MPI_SWEEP_GROUP / array->element);
    pipeline->reduction = (struct keel_mpi_async_reduce){.due = KEEL_MPI_SWEEP_FIRST_REDUCTION};
}

/* --- before a sweep --- */

static bool learns(const struct keel_mpi_pipeline *pipeline)
{
    return pipeline->fixed_size == 0 && pipeline->sweeps <= KEEL_MPI_SWEEP_LEARNING;
}

void keel_mpi_sizes_cut(struct keel_mpi_pipeline *pipeline, uint64_t size)
{
    pipeline->size = size;
    pipeline->sweep.cut =
        keel_block_size_cut(pipeline->array->length, size, learns(pipeline), pipeline->costs.group);
}

/* How many ranks have rows. O(ranks). */
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

uint64_t keel_mpi_sizes_choose(struct keel_mpi_pipeline *pipeline)
{
    uint32_t workers = ranks_with_rows(pipeline);

    if (pipeline->sweeps <= KEEL_MPI_SWEEP_LEARNING) {
        return pipeline->sweeps == 1 ? keel_block_size_first(workers, pipeline->array->length)
                                     : keel_block_size_second(&pipeline->messages, &pipeline->own,
                                                              workers, pipeline->array->length);
    }
    if (!pipeline->has_all) { /* the own measurements are better than none */
        pipeline->all = pipeline->own;
    }
    return keel_block_size_next(&pipeline->messages, &pipeline->all, filling_of(pipeline, workers),
                                workers, pipeline->array->length, pipeline->size);
}

static void note_maxima(struct keel_mpi_pipeline *pipeline)
{
    memcpy(&pipeline->all, pipeline->reduction.all, sizeof pipeline->all);
    pipeline->reduction.pending = false;
    pipeline->has_all = true;
    keel_block_size_filling_note(&pipeline->filling, &pipeline->all, pipeline->messages.hop_s);
}

void keel_mpi_sizes_receive(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_async_reduce *reduction = &pipeline->reduction;

    if (reduction->pending && keel_mpi_peers_test(&pipeline->rows->peers, &reduction->request)) {
        note_maxima(pipeline);
    }
}

void keel_mpi_sizes_close(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_async_reduce *reduction = &pipeline->reduction;

    if (reduction->pending && keel_mpi_peers_await(&pipeline->rows->peers, "for times of sweeps", 1,
                                                   &reduction->request) == KEEL_MPI_OK) {
        note_maxima(pipeline);
    }
}

void keel_mpi_sizes_follow_rows(struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_rows *rows = pipeline->rows;

    if (rows->report.movements == pipeline->movements) {
        return;
    }
    if (pipeline->sweeps >= KEEL_MPI_SWEEP_FIRST_REDUCTION) { /* the same on all ranks */
        pipeline->reduction.due = min_u64(pipeline->reduction.due, pipeline->sweeps);
    }
    pipeline->movements = rows->report.movements;
}

/* --- after a sweep --- */

/* The unavoidable time of a block's messages: the shortest times of this sweep, and for receiving
 * at most the measured overhead, as every block may have been waited for. */
static double messages_s(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;

    return fmin(sweep->receive_s, pipeline->messages.fixed_s) + sweep->send_s;
}

static struct keel_block_size_measurements measurements_of(const struct keel_mpi_pipeline *pipeline)
{
    const struct keel_mpi_sweep *sweep = &pipeline->sweep;
    double blocks = (double)sweep->blocks;
    struct keel_block_size_measurements measurements = {
        .blocks = blocks,
        .busy_s = sweep->work_s + blocks * messages_s(pipeline),
        .span_s = blocks > 0 ? keel_mpi_clock_s() - sweep->sweep_begun_s : 0,
    };

    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        measurements.block_s[i] = pipeline->costs.row_s[i] * (double)(sweep->last - sweep->first);
    }
    return measurements;
}

/* Reductions are at least two sweeps apart, so that they do not disturb the last one. */
static void reduce_measurements(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_async_reduce *reduction = &pipeline->reduction;
    uint64_t sweep = pipeline->sweeps;

    keel_mpi_sizes_close(pipeline);
    if (keel_mpi_peers_code(&pipeline->rows->peers) != KEEL_MPI_OK) {
        return;
    }
    /* numbers >= 0 are in the order of their representations */
    memcpy(reduction->own, &pipeline->own, sizeof pipeline->own);
    reduction->pending =
        keel_mpi_peers_start_maxima(&pipeline->rows->peers, pipeline->comm, reduction->own,
                                    reduction->all, KEEL_MPI_SWEEP_VALUES, &reduction->request);
    reduction->due = sweep + max_u64(2, min_u64(sweep / 2, KEEL_MPI_SWEEP_DISTANCE));
}

void keel_mpi_sizes_note_sweep(struct keel_mpi_pipeline *pipeline)
{
    keel_block_size_costs_end(&pipeline->costs, pipeline->sweep.cut.size, learns(pipeline));
    pipeline->own = measurements_of(pipeline);
    if (pipeline->fixed_size == 0 && pipeline->rows->ranks > 1 &&
        pipeline->sweeps == pipeline->reduction.due) {
        reduce_measurements(pipeline);
    }
}

/* The intercept of the line through the times of blocks of `size` and of 2 * size. */
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
    report->filling = filling_of(pipeline, ranks_with_rows(pipeline));
}
