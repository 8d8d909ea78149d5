/* Makes and frees pipelines. */
#include <limits.h>
#include <stdlib.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/sweep/sweep.h"
#include "omp_ext/support/message.h"

#define HOOKS_MAX 1000000

/* The array that begins there; NULL: a sweep over it is not possible, which has been said. */
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

/* The same code on all ranks; *made is NULL unless it is KEEL_MPI_OK. Collective. */
static int make(struct keel_mpi_rows *rows, const void *base, uint64_t block,
                struct keel_mpi_pipeline **made)
{
    const struct keel_mpi_array *array = suitable_array(rows, base);
    struct keel_mpi_pipeline *pipeline = array != NULL ? calloc(1, sizeof *pipeline) : NULL;
    int code = pipeline != NULL ? KEEL_MPI_OK
               : array != NULL  ? KEEL_MPI_NO_ROOM
                                : KEEL_MPI_ARGUMENT;
    int all = keel_mpi_rows_agree_for_good(rows, code, block);

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
    pipeline->fixed_size = block;
    *made = pipeline;
    return KEEL_MPI_OK;
}

static int prepare(struct keel_mpi_pipeline *pipeline)
{
    struct keel_mpi_peers *peers = &pipeline->rows->peers;
    MPI_Comm comm;

    int code = keel_mpi_peers_copy(peers, "in keel_mpi_pipeline_create()", &comm);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_sizes_open(pipeline, comm);
    keel_mpi_borders_open(&pipeline->borders, peers, comm, pipeline->array);
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
        return KEEL_MPI_ARGUMENT;
    }
    *pipeline = NULL;
    if (code == KEEL_MPI_OK) {
        code = make(rows, array, settings->block > 0 ? settings->block : block, pipeline);
    }
    if (code == KEEL_MPI_OK && (code = prepare(*pipeline)) != KEEL_MPI_OK) {
        *pipeline = NULL; /* pending operations use it */
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_hooks(struct keel_mpi_pipeline *pipeline, uint64_t hooks)
{
    if (!keel_mpi_pipeline_exists(pipeline, "keel_mpi_pipeline_hooks")) {
        return KEEL_MPI_ARGUMENT;
    }
    if (hooks > HOOKS_MAX) {
        keel_mpi_misuse("keel_mpi_pipeline_hooks: %llu hooks, expected 0 to %d; it counts as not "
                        "called",
                        (unsigned long long)hooks, HOOKS_MAX);
        return KEEL_MPI_ARGUMENT;
    }
    if (pipeline->is_sweeping) {
        keel_mpi_misuse(
            "keel_mpi_pipeline_hooks: a sweep has begun, expected keel_mpi_pipeline_end() "
            "before; it counts as not called");
        return KEEL_MPI_BUSY;
    }
    pipeline->hooks = hooks;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_pipeline_free(struct keel_mpi_pipeline **pipeline)
{
    if (!keel_mpi_pipeline_exists(pipeline != NULL ? *pipeline : NULL, "keel_mpi_pipeline_free")) {
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
    if (keel_mpi_peers_code(peers) == KEEL_MPI_OK) { /* else pending operations use it */
        KEEL_MPI_CALL(peers, MPI_Comm_free, &(*pipeline)->borders.comm);
        if (!(*pipeline)->rows->late) { /* else an agreement that was left may use it */
            free(*pipeline);
        }
    }
    *pipeline = NULL;
    return keel_mpi_peers_code(peers);
}
