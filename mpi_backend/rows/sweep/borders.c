/* Messages of a pipelined sweep. */
#include "mpi_backend/rows/sweep/sweep.h"

#include <sched.h>

#include "mpi_backend/rows/rows_room.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- which rows --- */

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

/* --- messages --- */

#define CALM 64 /* tests of a message until the processor is given to others between two of them */

void keel_mpi_borders_open(struct keel_mpi_borders *borders, struct keel_mpi_peers *peers,
                           MPI_Comm comm, const struct keel_mpi_array *array)
{
    *borders = (struct keel_mpi_borders){.peers = peers, .comm = comm, .array = array};
    for (unsigned i = 0; i < KEEL_MPI_BORDERS_AHEAD; i++) {
        borders->sent[i] = MPI_REQUEST_NULL;
    }
}

void keel_mpi_borders_start(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                            int rank, uint64_t number, bool sends, MPI_Request *request)
{
    const struct keel_mpi_array *array = borders->array;
    uint64_t row_bytes = keel_mpi_array_row_bytes(array);

    *request = MPI_REQUEST_NULL;
    if (keel_mpi_patch_is_empty(part) || rank == MPI_PROC_NULL) {
        return;
    }
    keel_mpi_rows_message_start(
        borders->peers,
        &(struct keel_mpi_rows_message){.sends = sends,
                                        .at = array->store.base + part->first * row_bytes +
                                              part->from * array->element,
                                        .bytes = (part->to - part->from) * array->element,
                                        .parts = part->last - part->first,
                                        .apart = row_bytes,
                                        .rank = rank,
                                        .tag = keel_mpi_rows_tag(KEEL_MPI_TAG_SWEEP, number),
                                        .comm = borders->comm},
        request);
}

#define WHERE "in a pipelined sweep"

void keel_mpi_borders_forward(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                              int rank, uint64_t number)
{
    MPI_Request *request = &borders->sent[borders->sends++ % KEEL_MPI_BORDERS_AHEAD];

    if (keel_mpi_peers_await(borders->peers, WHERE, 1, request) == KEEL_MPI_OK) {
        keel_mpi_borders_start(borders, part, rank, number, true, request);
    }
}

void keel_mpi_borders_flush(struct keel_mpi_borders *borders)
{
    keel_mpi_peers_await(borders->peers, WHERE, KEEL_MPI_BORDERS_AHEAD, borders->sent);
}

/* Waits for a message to come; false: there will be none. */
static bool probe(struct keel_mpi_borders *borders, int rank, int tag, MPI_Status *status)
{
#ifdef KEEL_SIMULATED
    MPI_Probe(rank, tag, borders->comm, status);
    return true;
#else
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(borders->peers, WHERE);
    int there = 0;

    for (unsigned looks = 0;; looks++) {
        if (!KEEL_MPI_CALL(borders->peers, MPI_Iprobe, rank, tag, borders->comm, &there, status)) {
            return false;
        }
        if (there) {
            return true;
        }
        if (looks >= CALM && !keel_mpi_wait_goes_on(&wait)) {
            return false;
        }
        if (looks >= CALM) {
            sched_yield();
        }
    }
#endif
}

uint64_t keel_mpi_borders_probe(struct keel_mpi_borders *borders, uint64_t rows, int rank,
                                uint64_t number)
{
    MPI_Status status;
    MPI_Count bytes;
    int count;

    if (!probe(borders, rank, keel_mpi_rows_tag(KEEL_MPI_TAG_SWEEP, number), &status) ||
        !KEEL_MPI_CALL(borders->peers, MPI_Get_count, &status, MPI_BYTE, &count)) {
        return 0;
    }
    bytes = count;
    if (count == MPI_UNDEFINED && /* more than an int counts */
        !KEEL_MPI_CALL(borders->peers, MPI_Get_elements_x, &status, MPI_BYTE, &bytes)) {
        return 0;
    }
    return (uint64_t)bytes / rows / borders->array->element;
}

/* --- old rows --- */

static void await(struct keel_mpi_pipeline *pipeline, int count, MPI_Request *request)
{
    keel_mpi_peers_await(&pipeline->rows->peers, WHERE, count, request);
}

void keel_mpi_old_rows_exchange(struct keel_mpi_pipeline *pipeline, uint64_t from)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    uint64_t length = pipeline->array->length;
    struct keel_mpi_patch in = keel_mpi_neighbours_part(pipeline, sweep->old_in, from, length);
    struct keel_mpi_patch out = keel_mpi_neighbours_part(pipeline, sweep->old_out, from, length);

    keel_mpi_borders_start(&pipeline->borders, &in, sweep->behind, 0, false, &sweep->old_receive);
    if (sweep->last - sweep->first < out.last - out.first) {
        await(pipeline, 1, &sweep->old_receive); /* some of them are sent on */
    }
    keel_mpi_borders_start(&pipeline->borders, &out, sweep->before, 0, true, &sweep->old_send);
}

bool keel_mpi_old_rows_await(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_sweep *sweep = &pipeline->sweep;
    bool waits = sweep->old_receive != MPI_REQUEST_NULL;

    await(pipeline, 1, &sweep->old_receive);
    await(pipeline, 1, &sweep->old_send);
    return waits;
}
