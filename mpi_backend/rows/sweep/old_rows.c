/* Old rows of a sweep. */
#include "mpi_backend/rows/sweep/old_rows.h"

#include "mpi_backend/rows/sweep/neighbours.h"

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
