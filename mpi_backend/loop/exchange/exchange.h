/* What ranks that share a loop exchange, and what of it goes into messages and traces.
 *
 *   loop_messages.c: to and from the channel, by a table of handlers
 *   loop_agreement.c: do all run the same loop? the summary of all ranks, blocks by their rates
 *   identity.c: what each rank came with, for the message where ranks came with different loops;
 *               events of the trace */
#ifndef MPI_BACKEND_LOOP_EXCHANGE_EXCHANGE_H
#define MPI_BACKEND_LOOP_EXCHANGE_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/channel.h"
#include "mpi_backend/loop/state/loop_state.h"

/* --- loop_messages.c: under the channel lock, by threads that may call MPI --- */

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

/* --- loop_messages.c: waits for other ranks (job/peers.h); by threads that may call MPI --- */

struct keel_mpi_wait_state keel_mpi_loop_wait_begin(const struct keel_mpi_loop *loop);

/* To be called again and again in the course of the wait; looks: how often in a row nothing has
 * come. False: other ranks are late, or MPI has failed. Takes the channel lock. */
bool keel_mpi_loop_wait_goes_on(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                                unsigned looks);

/* --- loop_agreement.c: nothing waits; under the channel lock, by threads that may call MPI --- */

/* Asks all ranks whether they run the same loop, once, and tests whether the answers have come. */
void keel_mpi_agreement_advance(struct keel_mpi_loop *loop);

/* Whether it is known if all ranks run the same loop and, if not, a message says so. No lock is
 * needed: an older answer is as good. */
bool keel_mpi_agreement_is_known(const struct keel_mpi_loop *loop);

/* Sends loop->measurements of this rank, once. */
void keel_mpi_agreement_exchange(struct keel_mpi_loop *loop);

/* Whether agreement, summary and shares are complete, or the job has failed. */
bool keel_mpi_agreement_is_exchanged(struct keel_mpi_loop *loop);

/* What is waited for next. */
MPI_Request *keel_mpi_agreement_request(struct keel_mpi_loop *loop);

/* When the job goes: what its exchanges needed. */
void keel_mpi_agreement_free(struct keel_mpi_job *job);

/* --- identity.c --- */

/* Notes what this rank comes with, in loop->identity. */
void keel_mpi_identity_note(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start);

/* Ranks came with different loops, which are in loop->came: writes which loop it is and what each
 * rank came with. Ends the program where KEEL_MPI_ON_ERROR asks for that. By one rank. */
void keel_mpi_identity_report_mismatch(const struct keel_mpi_loop *loop);

/* Writes the name of the loop that this rank runs: "mandel.c:42 (render)", or its place in its
 * module. For messages. */
#define KEEL_MPI_LOOP_NAME_MAX 160
void keel_mpi_identity_loop_name(const struct keel_mpi_loop *loop,
                                 char name[KEEL_MPI_LOOP_NAME_MAX]);

/* --- identity.c: of loops that are observed; any thread --- */

/* The loop's name in the trace; NULL: there is none, or nothing is traced. */
const char *keel_mpi_loop_event_name(const struct keel_mpi_loop *loop);

/* Units [first, last) have come from that rank, which sent so many bytes; 0: through memory. */
void keel_mpi_loop_event_move(const struct keel_mpi_loop *loop, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes);

/* The loop has ended: what this rank has had of it, and how fast it was. */
void keel_mpi_loop_event_end(const struct keel_mpi_loop *loop);

/* What has been learned from it: where blocks of the next instance lie. */
void keel_mpi_loop_event_blocks(const struct keel_mpi_loop *loop,
                                enum keel_blocks_decision decision);

#endif
