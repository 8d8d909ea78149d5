/* Point-to-point messages of distributed rows: their tags, their datatypes, starting one.
 *
 *   halo.c, movement/, sweep/ -> [a message] ~~> memory of the other rank
 *
 * Messages go from array to array; nothing is copied. */
#ifndef MPI_BACKEND_ROWS_MESSAGES_H
#define MPI_BACKEND_ROWS_MESSAGES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"

/* Over one communicator. Messages of one kind between two ranks are sent and received in the same
 * order. 0 is left to results/gather.c. */
enum keel_mpi_rows_tag {
    KEEL_MPI_TAG_HALO = 1,
    KEEL_MPI_TAG_SIZES, /* of the items of rows that move */
    KEEL_MPI_TAG_ROWS,
    KEEL_MPI_TAG_ITEMS,
    KEEL_MPI_TAG_SWEEP, /* borders of a pipelined sweep */
    KEEL_MPI_TAG_PROBE, /* measures messages */
    KEEL_MPI_TAG_COPY_SIZES,
    KEEL_MPI_TAG_COPIES /* of rows */
};

/* The tag of message `number` of that kind between two ranks, both of which number them alike:
 * SMPI takes messages of one tag out of turn where only some of them are long. MPI promises tags up
 * to 32767. */
#define KEEL_MPI_TAG_KINDS 16
static inline int keel_mpi_rows_tag(enum keel_mpi_rows_tag kind, size_t number)
{
    return (int)kind + KEEL_MPI_TAG_KINDS * (int)(number % 2048);
}

/* `count` >= 1 elements of `type` in a row, more than an int counts or not; committed.
 * MPI_DATATYPE_NULL: MPI has failed. */
MPI_Datatype keel_mpi_rows_type_of(struct keel_mpi_peers *peers, uint64_t count, MPI_Datatype type);

struct keel_mpi_rows_message {
    bool sends;     /* else it is received */
    void *at;       /* stays until the message is complete */
    uint64_t count; /* elements of `type`, any number */
    MPI_Datatype type;
    int rank, tag; /* of the other side */
    MPI_Comm comm;
};

/* Starts it. MPI_REQUEST_NULL in *request: MPI has failed, which the code of `peers` says. */
void keel_mpi_rows_message_start(struct keel_mpi_peers *peers,
                                 const struct keel_mpi_rows_message *message, MPI_Request *request);

#endif
