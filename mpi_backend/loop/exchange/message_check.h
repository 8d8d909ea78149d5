/* Whether a message can be right: what is in it is looked at before anybody uses it. No MPI.
 *
 *   channel.c: its length, and its sender -> [messages] -> loop_messages.c */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_MESSAGE_CHECK_H
#define MPI_BACKEND_LOOP_EXCHANGE_MESSAGE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/channel.h"

#define KEEL_MPI_MESSAGE_UNKNOWN UINT64_MAX

/* What the receiver knows. */
struct keel_mpi_message_view {
    uint32_t ranks, nodes;
    uint32_t node;        /* of the receiver ... */
    bool leads;           /* ... which is its first rank */
    uint32_t sender_node; /* of message->from, which is below `ranks` */
    bool sender_leads;
    uint64_t newest;     /* number of the latest loop that this rank has begun */
    uint64_t ahead;      /* loops that others may be ahead of that */
    uint64_t iterations; /* N of the loop, in what messages count; KEEL_MPI_MESSAGE_UNKNOWN */
};

/* What is wrong with it, for a message; NULL: nothing that can be seen. */
const char *keel_mpi_message_problem(const struct keel_mpi_message *message,
                                     const struct keel_mpi_message_view *view);

#endif
