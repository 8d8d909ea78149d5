/* The channel: small messages between ranks. */
#include "mpi_backend/job/channel.h"

#include <stdlib.h>
#include <time.h>

#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/machine/pause.h"

#define TAG 1

/* A message on its way. */
struct keel_mpi_outgoing {
    struct keel_mpi_outgoing *next;
    MPI_Request request;
    struct keel_mpi_message message;
};

static void receive(struct keel_mpi_channel *channel)
{
    if (!KEEL_MPI_CALL(channel->peers, MPI_Irecv, &channel->incoming, sizeof channel->incoming,
                       MPI_BYTE, MPI_ANY_SOURCE, TAG, channel->comm, &channel->receive)) {
        channel->receive = MPI_REQUEST_NULL;
    }
}

void keel_mpi_channel_open(struct keel_mpi_channel *channel, struct keel_mpi_peers *peers,
                           MPI_Comm comm)
{
    *channel = (struct keel_mpi_channel){.peers = peers, .comm = comm, .rank = (int)peers->rank};
    receive(channel);
}

/* Frees the messages that have gone. */
static void free_sent(struct keel_mpi_channel *channel, bool wait)
{
    struct keel_mpi_outgoing **link = &channel->sent;

    while (*link != NULL) {
        struct keel_mpi_outgoing *out = *link;
        if (wait) {
            keel_mpi_peers_await(channel->peers, "for messages to go", 1, &out->request);
        }
        if (keel_mpi_peers_test(channel->peers, &out->request)) {
            *link = out->next;
            free(out);
        } else {
            link = &out->next;
        }
    }
}

/* Whether something has come, in channel->incoming. */
static bool probe(struct keel_mpi_channel *channel)
{
    int there = 0;

    if (channel->waited) {
        channel->waited = false;
        return true;
    }
    return channel->receive != MPI_REQUEST_NULL &&
           KEEL_MPI_CALL(channel->peers, MPI_Test, &channel->receive, &there, MPI_STATUS_IGNORE) &&
           there;
}

bool keel_mpi_channel_receive(struct keel_mpi_channel *channel, struct keel_mpi_message *message)
{
    if (!probe(channel)) {
        return false;
    }
    *message = channel->incoming;
    receive(channel);
    return true;
}

/* Without memory: it may take until the receiver looks. */
static void send_and_wait(struct keel_mpi_channel *channel, uint32_t rank,
                          const struct keel_mpi_message *message)
{
    KEEL_MPI_CALL(channel->peers, MPI_Send, message, sizeof *message, MPI_BYTE, (int)rank, TAG,
                  channel->comm);
}

void keel_mpi_channel_send(struct keel_mpi_channel *channel, uint32_t rank,
                           const struct keel_mpi_message *message)
{
    struct keel_mpi_message copy = *message;

    if (keel_mpi_peers_code(channel->peers) != KEEL_MPI_OK) {
        return;
    }
    free_sent(channel, false);
    copy.from = (uint32_t)channel->rank;
    struct keel_mpi_outgoing *out = malloc(sizeof *out);
    if (out == NULL) {
        send_and_wait(channel, rank, &copy);
        return;
    }
    out->message = copy;
    if (!KEEL_MPI_CALL(channel->peers, MPI_Isend, &out->message, sizeof out->message, MPI_BYTE,
                       (int)rank, TAG, channel->comm, &out->request)) {
        free(out);
        return;
    }
    out->next = channel->sent;
    channel->sent = out;
}

#define PAUSES 8          /* of the processor, between two of the first looks */
#define SHORTEST_NS 10000 /* then a wait sleeps, longer from time to time */
#define LONGEST_NS 200000

#ifdef KEEL_SIMULATED
/* In a simulation of MPI, a wait costs nothing and ends at the right moment, and time passes only
 * in waits and sleeps. Collective operations get on only while they are tested there. */
static bool wait_otherwise(struct keel_mpi_channel *channel, const MPI_Request *request,
                           unsigned *backoff, bool alone)
{
    *backoff += KEEL_MPI_LOOKS;
    if (!alone || request == NULL || *request != MPI_REQUEST_NULL) {
        return false;
    }
    MPI_Wait(&channel->receive, MPI_STATUS_IGNORE);
    channel->waited = true;
    return true;
}
#else
static bool wait_otherwise(struct keel_mpi_channel *channel, const MPI_Request *request,
                           unsigned *backoff, bool alone)
{
    (void)channel;
    (void)request;
    (void)backoff;
    (void)alone;
    return false;
}
#endif

void keel_mpi_channel_wait(struct keel_mpi_channel *channel, MPI_Request *request, unsigned backoff,
                           bool alone)
{
    if (!wait_otherwise(channel, request, &backoff, alone)) {
        keel_mpi_channel_pause(backoff);
    }
}

void keel_mpi_channel_pause(unsigned backoff)
{
    if (backoff < KEEL_MPI_LOOKS) {
        for (unsigned i = 0; i < PAUSES; i++) {
            keel_pause();
        }
        return;
    }
    unsigned doublings = backoff - KEEL_MPI_LOOKS < 8 ? (backoff - KEEL_MPI_LOOKS) / 2 : 4;
    long time_ns = SHORTEST_NS << doublings;
    nanosleep(&(struct timespec){.tv_nsec = time_ns < LONGEST_NS ? time_ns : LONGEST_NS}, NULL);
}

/* Whether it is the one that this rank has sent to itself. */
static bool is_last(const struct keel_mpi_channel *channel, const MPI_Status *status)
{
    return channel->incoming.kind == KEEL_MPI_MESSAGE_CLOSE && status->MPI_SOURCE == channel->rank;
}

void keel_mpi_channel_close(struct keel_mpi_channel *channel)
{
    const struct keel_mpi_message last = {.kind = KEEL_MPI_MESSAGE_CLOSE};
    MPI_Status status;

    keel_mpi_channel_send(channel, (uint32_t)channel->rank, &last);
    while (channel->receive != MPI_REQUEST_NULL &&
           KEEL_MPI_CALL(channel->peers, MPI_Wait, &channel->receive, &status) &&
           !is_last(channel, &status)) {
        receive(channel);
    }
    free_sent(channel, true);
}
