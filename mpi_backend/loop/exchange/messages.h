/* Messages of shared loops between ranks.
 *
 *   counter.c, transfers.c, termination.c -> keel_mpi_messages_send() -> channel
 *   channel -> message_check.c -> [early: deferred; late: answered] -> handler of its kind
 *
 * What messages do belongs to the layers above: progress.c owns the table of handlers, so that
 * nothing here calls upwards. Called under the channel lock, by threads that may call MPI. */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_MESSAGES_H
#define MPI_BACKEND_LOOP_EXCHANGE_MESSAGES_H

#include "mpi_backend/loop/state/loop.h"

/* What is done with messages of one kind; one of the two. */
struct keel_mpi_message_handler {
    /* Answers a request by what the node's window has; this rank need not have opened the loop.
     * False: the window is not open for that loop yet. */
    bool (*serve)(struct keel_mpi_job *job, const struct keel_mpi_message *message);
    /* Takes it in, in a loop that this rank has opened. */
    void (*take)(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);
};

/* Sends a message about the loop, whose number it fills in, to a rank. */
void keel_mpi_messages_send(struct keel_mpi_loop *loop, uint32_t rank,
                            struct keel_mpi_message message);

/* The answer to a request that was sent at that time has come: its round trip time goes into
 * job->answer_ns. */
void keel_mpi_messages_note_answer(struct keel_mpi_loop *loop, double sent_ns);

/* Handles all messages that have arrived, and those that were deferred, by handlers[kind]; waits
 * for nothing. Whether any have arrived. */
bool keel_mpi_messages_receive(struct keel_mpi_job *job,
                               const struct keel_mpi_message_handler *handlers);

/* Frees deferred messages. */
void keel_mpi_messages_free(struct keel_mpi_job *job);

#endif
