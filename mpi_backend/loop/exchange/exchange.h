/* What ranks that share a loop exchange, and its parts in messages and traces.
 *
 *   loop_messages.c: to and from the channel, by a table of handlers
 *   loop_agreement.c: do all run the same loop? the summary of all ranks, blocks by their rates
 *   identity.c: the loop of each rank, for the message if ranks have different loops;
 *               events of the trace */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_EXCHANGE_H
#define MPI_BACKEND_LOOP_EXCHANGE_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/channel.h"
#include "mpi_backend/loop/state/loop_state.h"

/* --- loop_messages.c: under the channel lock, by threads that may call MPI --- */

/* How messages of one kind are handled; one of the two is set. */
struct keel_mpi_message_handler {
    /* Answers a request from the node's window; this rank need not have opened the loop. False: the
     * window is not open for that loop yet. */
    bool (*serve)(struct keel_mpi_job *job, const struct keel_mpi_message *message);
    /* Handles it, in a loop that this rank has opened. */
    void (*take)(struct keel_mpi_loop *loop, const struct keel_mpi_message *message);
};

/* Sends a message about the loop, whose number it fills in, to a rank. */
void keel_mpi_messages_send(struct keel_mpi_loop *loop, uint32_t rank,
                            struct keel_mpi_message message);

/* Adds the round trip time of a request sent at that time, whose answer has arrived, to
 * job->answer_ns. */
void keel_mpi_messages_note_answer(struct keel_mpi_loop *loop, double sent_ns);

/* Handles all messages that have arrived, and deferred ones, by handlers[kind]. Does not wait. True
 * if any have arrived. */
bool keel_mpi_messages_receive(struct keel_mpi_job *job,
                               const struct keel_mpi_message_handler *handlers);

/* Frees deferred messages. */
void keel_mpi_messages_free(struct keel_mpi_job *job);

/* --- loop_messages.c: waits for other ranks (job/peers.h); by threads that may call MPI --- */

struct keel_mpi_wait_state keel_mpi_loop_wait_begin(const struct keel_mpi_loop *loop);

/* To be called repeatedly during the wait; looks: how often in a row nothing was received. False:
 * other ranks are late, or MPI has failed. Takes the channel lock. */
bool keel_mpi_loop_wait_goes_on(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                                unsigned looks);

/* --- loop_agreement.c: never waits; under the channel lock, by threads that may call MPI --- */

/* Asks all ranks once whether they run the same loop, and tests whether all have answered. */
void keel_mpi_agreement_advance(struct keel_mpi_loop *loop);

/* Whether it is known if all ranks run the same loop and, if they do not, that is reported. No lock
 * is needed: an older answer is as good. */
bool keel_mpi_agreement_is_known(const struct keel_mpi_loop *loop);

/* Sends loop->measurements of this rank, once. */
void keel_mpi_agreement_exchange(struct keel_mpi_loop *loop);

/* Whether agreement, summary and shares are complete, or the job has failed. */
bool keel_mpi_agreement_is_exchanged(struct keel_mpi_loop *loop);

/* Returns the request to wait for next. */
MPI_Request *keel_mpi_agreement_request(struct keel_mpi_loop *loop);

/* Frees the datatype and operation of exchanges, with the job. */
void keel_mpi_agreement_free(struct keel_mpi_job *job);

/* --- identity.c --- */

/* Records this rank's loop in loop->identity. */
void keel_mpi_identity_note(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

/* Prints which loop it is and which loops ranks have, from loop->came, if these differ. Ends the
 * program if KEEL_MPI_ON_ERROR asks for that. By one rank. */
void keel_mpi_identity_report_mismatch(const struct keel_mpi_loop *loop);

/* Writes the name of this rank's loop: "mandel.c:42 (render)", or its place in its module. For
 * messages. */
#define KEEL_MPI_LOOP_NAME_MAX 160
void keel_mpi_identity_loop_name(const struct keel_mpi_loop *loop,
                                 char name[KEEL_MPI_LOOP_NAME_MAX]);

/* --- identity.c: events of loops in the trace; any thread --- */

/* Returns the loop's name in the trace; NULL: it has none, or there is no trace. */
const char *keel_mpi_loop_event_name(const struct keel_mpi_loop *loop);

/* Units [first, last) arrived from that rank, in `bytes` bytes; 0: through memory. */
void keel_mpi_loop_event_move(const struct keel_mpi_loop *loop, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes);

/* The loop has ended: this rank's share and rate. */
void keel_mpi_loop_event_end(const struct keel_mpi_loop *loop);

/* What was learned from it: the blocks of the next instance. */
void keel_mpi_loop_event_blocks(const struct keel_mpi_loop *loop,
                                enum keel_blocks_decision decision);

#endif
