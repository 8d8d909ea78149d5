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
#include "schedules/loop/schedule.h"

enum keel_mpi_message_kind {
    KEEL_MPI_MESSAGE_NONE,
    KEEL_MPI_MESSAGE_CLAIM,    /* to the home node of a counter: move it on */
    KEEL_MPI_MESSAGE_GRANT,    /* its answer: the counter before */
    KEEL_MPI_MESSAGE_REQUEST,  /* to a victim: transfer iterations to the sender's node */
    KEEL_MPI_MESSAGE_QUERY,    /* how many iterations does your node have left? */
    KEEL_MPI_MESSAGE_TRANSFER, /* the answer to both; later without a request, to a node that kept
                                  waiting */
    KEEL_MPI_MESSAGE_COUNT,    /* up the tree of nodes: so many iterations have been begun */
    KEEL_MPI_MESSAGE_END,      /* down that tree: how the loop has ended */
    KEEL_MPI_MESSAGE_CLOSE     /* to oneself: the channel closes */
};

/* Sizes and positions are in units of the loop's grain. */
struct keel_mpi_message_claim {
    uint64_t known;        /* the counter as far as the sender knows */
    uint64_t amount;       /* to add to it, >= 1 */
    uint32_t sized;        /* 1: the amount was worked out for what is left at `known` */
    uint32_t wants_paces;  /* 1: the grant is to have the paces of the ranks */
    struct keel_pace pace; /* of the sender; 0: not known */
};

struct keel_mpi_message_grant {
    uint64_t first;          /* the counter before; UINT64_MAX: the loop is over */
    uint64_t amount;         /* that was added to it */
    double looks_ns;         /* how long the sender is away between two looks for messages: an
                                iteration of it; 0: not known */
    struct keel_paces paces; /* of the ranks of the job, where that was wanted */
};

/* REQUEST and QUERY. */
struct keel_mpi_message_request {
    uint64_t left;    /* that the sender's node has left */
    double speed;     /* of the sender's node, units per ns; 0: not known */
    double sent_ns;   /* by the sender's clock; comes back with the answer */
    uint32_t keep;    /* enum keel_victim_keep: who gives nothing keeps the request, and serves it
                         when iterations come */
    uint32_t retried; /* inside a rank only: it was answered when it came, before its loop was open,
                         and kept; on the wire 0 */
};

struct keel_mpi_message_transfer {
    uint64_t first, last; /* units [first, last); 0, 0: none */
    uint64_t check;       /* of the loop that they are of (loop_state.h) */
    uint64_t left;        /* that the sender's node has left */
    double sent_ns;       /* of the request that it answers; 0: of none */
    uint32_t unasked;     /* 1: it is not the answer to the last request */
    uint32_t kept;        /* 1: the request is kept */
};

struct keel_mpi_message_count {
    uint64_t begun;     /* units begun on the node and on those below, since its last count */
    uint32_t is_first;  /* 1: the node's first one */
    uint32_t cancelled; /* 1: the loop is cancelled */
};

struct keel_mpi_message_end {
    uint64_t how; /* enum keel_mpi_window_end: OVER or CANCELLED */
};

/* All ranks run the same program on like machines: messages go as they lie in memory. The first arm
 * is as long as any, so that an initializer without an arm sets all to 0. */
struct keel_mpi_message {
    uint32_t kind; /* enum keel_mpi_message_kind: says which arm of the union holds */
    uint32_t from; /* rank; filled in by keel_mpi_channel_send() */
    uint64_t loop; /* number of the loop that it is about */
    union {
        struct keel_mpi_message_grant grant;
        struct keel_mpi_message_claim claim;
        struct keel_mpi_message_request request;
        struct keel_mpi_message_transfer transfer;
        struct keel_mpi_message_count count;
        struct keel_mpi_message_end end;
    };
};

struct keel_mpi_outgoing;

struct keel_mpi_channel {
    struct keel_mpi_peers *peers; /* record failures of MPI; nothing is sent or received after one
                                     */
    MPI_Comm comm;
    int rank;
    MPI_Request receive;
    struct keel_mpi_message incoming;
    bool waited;                    /* simulations: `incoming` has come */
    struct keel_mpi_outgoing *sent; /* not known to have gone yet */
};

/* Opens the channel over `comm`, which belongs to Keel and stays. */
void keel_mpi_channel_open(struct keel_mpi_channel *channel, struct keel_mpi_peers *peers,
                           MPI_Comm comm);

/* The next message that has arrived; false: none has. */
bool keel_mpi_channel_receive(struct keel_mpi_channel *channel, struct keel_mpi_message *message);

/* Sends it on its way. Without memory it waits until an earlier message has gone. */
void keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t rank,
                           const struct keel_mpi_message *message);

/* Waits a little for a message, or for `request` (MPI_REQUEST_NULL: none), without keeping a
 * processor busy. backoff: how many times in a row nothing has come; waits longer by that. alone:
 * only a message or the request can end the wait. */
void keel_mpi_channel_wait(struct keel_mpi_channel *channel, MPI_Request *request, unsigned backoff,
                           bool alone);

/* Waits a little, longer by `backoff`, which counts how often in a row nothing has come. Any
 * thread and no MPI. */
void keel_mpi_channel_pause(unsigned backoff);

/* Closes it. All messages to this rank have been taken. */
void keel_mpi_channel_close(struct keel_mpi_channel *channel);

#endif
