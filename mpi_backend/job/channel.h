/* The channel: small messages between ranks. The only file that sends point-to-point messages for
 * the protocol of shared loops.
 *
 *   loop -> keel_mpi_channel_send() ~~> keel_mpi_channel_receive() -> loop of the other rank
 *
 * One receive is always open, so a message costs a test to find and never waits for its receiver.
 * Called by one thread of a process at a time, which may call MPI. */
#ifndef MPI_BACKEND_JOB_CHANNEL_H
#define MPI_BACKEND_JOB_CHANNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"

enum keel_mpi_message_kind {
    KEEL_MPI_MESSAGE_NONE,
    KEEL_MPI_MESSAGE_CLAIM,    /* to the home node: move the loop's counter on */
    KEEL_MPI_MESSAGE_GRANT,    /* from there: where it stood */
    KEEL_MPI_MESSAGE_REQUEST,  /* give me iterations */
    KEEL_MPI_MESSAGE_QUERY,    /* how many do you have left? */
    KEEL_MPI_MESSAGE_TRANSFER, /* the answer to both; later once more, to who asked in vain */
    KEEL_MPI_MESSAGE_COUNT,    /* up the tree of nodes: so many iterations have been begun */
    KEEL_MPI_MESSAGE_END,      /* down that tree: how the loop has ended */
    KEEL_MPI_MESSAGE_CLOSE     /* to oneself: the channel closes */
};

/* All ranks run the same program on like machines: messages go as they lie in memory. */
struct keel_mpi_message {
    uint32_t kind;
    uint32_t from;        /* rank; filled in by keel_mpi_channel_send() */
    uint64_t loop;        /* number of the loop that it is about */
    uint64_t first, last; /* GIVE: iterations. GRANT: first is the counter, last what was added.
                               DRAW: first is how far the sender knew it, last what to add.
                               COUNT: first is how many, last 1 if it is the node's first */
    uint64_t left;        /* ASK, GIVE: iterations that the sender's node has left. END: how.
                             DRAW: 1 if the amount goes by what is left */
    /* GRANT: ranks whose pace is known. DRAW: 1 if that is wanted. GIVE: 1 if it is no answer to
     * an ASK. ASK: 1 if it has been answered already. */
    uint64_t measured;
    double speed; /* ASK, GIVE: iterations per ns of the sender's node. GRANT: of all ranks */
    double mean_ns, spread; /* DRAW: pace of the rank and its variance. GRANT: sum of the spreads */
};

struct keel_mpi_outgoing;

struct keel_mpi_channel {
    struct keel_mpi_peers *peers; /* told of failures of MPI; nothing is sent or taken after one */
    MPI_Comm comm;
    int rank;
    MPI_Request receive;
    struct keel_mpi_message incoming;
    bool waited;                    /* simulations: `incoming` has come, by `status` */
    MPI_Status status;              /* the same */
    bool complained;                /* of a message that was none */
    struct keel_mpi_outgoing *sent; /* not known to have gone yet */
    uint64_t messages;              /* sent so far */
};

/* Opens the channel over `comm`, which belongs to Keel and stays. */
void keel_mpi_channel_open(struct keel_mpi_channel *channel, struct keel_mpi_peers *peers,
                           MPI_Comm comm);

/* The next message that has arrived; false: none has. What is no message at all by its length is
 * dropped, with one message. */
bool keel_mpi_channel_receive(struct keel_mpi_channel *channel, struct keel_mpi_message *message);

/* Sends it on its way. Without memory it waits until an earlier message has gone. */
void keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t rank,
                           const struct keel_mpi_message *message);

/* Whether it is complete, or MPI_REQUEST_NULL. */
bool keel_mpi_channel_test(struct keel_mpi_peers *peers, MPI_Request *request);

/* Waits a little for a message, or for `request` (MPI_REQUEST_NULL: none), without keeping a
 * processor busy. backoff: how many times in a row nothing has come; waits longer by that. alone:
 * nothing else than a message or the request can end the wait. */
void keel_mpi_channel_wait(struct keel_mpi_channel *channel, MPI_Request *request, unsigned backoff,
                           bool alone);

/* Waits a little, longer by `backoff`, which counts the looks in a row that were in vain. Any
 * thread and no MPI. */
void keel_mpi_channel_pause(unsigned backoff);

/* Closes it. All messages to this rank have been taken. */
void keel_mpi_channel_close(struct keel_mpi_channel *channel);

#endif
