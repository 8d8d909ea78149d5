/* Messages of a pipelined sweep: parts of rows, from array to array by datatypes.
 *
 *   pipeline.c -> [borders] ~~> the array of the other rank
 *
 * Several are pending at once. */
#ifndef MPI_BACKEND_ROWS_SWEEP_BORDERS_H
#define MPI_BACKEND_ROWS_SWEEP_BORDERS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/rows/state.h"

#define KEEL_MPI_BORDERS_AHEAD 8
#define KEEL_MPI_BORDERS_TYPES 8

/* Elements [from, to) of rows [first, last). */
struct keel_mpi_patch {
    uint64_t first, last, from, to;
};

static inline bool keel_mpi_patch_is_empty(const struct keel_mpi_patch *part)
{
    return part->first == part->last || part->from == part->to;
}

struct keel_mpi_borders {
    struct keel_mpi_peers *peers;
    MPI_Comm comm; /* of this pipeline alone, so that messages keep its order */
    const struct keel_mpi_array *array;
    struct {
        uint64_t rows, width;
        MPI_Datatype type;
    } kind[KEEL_MPI_BORDERS_TYPES];
    unsigned kinds; /* made so far; a new one takes the place of the oldest */
    MPI_Request sent[KEEL_MPI_BORDERS_AHEAD]; /* MPI_REQUEST_NULL: none */
    unsigned sends;                           /* so far */
};

void keel_mpi_borders_open(struct keel_mpi_borders *borders, struct keel_mpi_peers *peers,
                           MPI_Comm comm, const struct keel_mpi_array *array);

/* Sends a part, which must stay until the request is complete; MPI_REQUEST_NULL for an empty part,
 * and to MPI_PROC_NULL. number: of the message in the sweep. */
void keel_mpi_borders_send(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                           int rank, uint64_t number, MPI_Request *request);

/* The same, until keel_mpi_borders_flush(). Waits if too many are pending. */
void keel_mpi_borders_forward(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                              int rank, uint64_t number);

/* Waits for all that keel_mpi_borders_forward() has sent. */
void keel_mpi_borders_flush(struct keel_mpi_borders *borders);

/* Starts to receive a part; else as keel_mpi_borders_send(). */
void keel_mpi_borders_receive(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                              int rank, uint64_t number, MPI_Request *request);

/* Waits for a message with parts of `rows` >= 1 rows: how many elements it has of each. 0: there
 * will be none, as the code of the peers says. */
uint64_t keel_mpi_borders_probe(struct keel_mpi_borders *borders, uint64_t rows, int rank,
                                uint64_t number);

/* Frees the datatypes. No message is pending. */
void keel_mpi_borders_close(struct keel_mpi_borders *borders);

#endif
