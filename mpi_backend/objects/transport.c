/* Records between ranks. */
#include "mpi_backend/objects/records.h"

#include <stdlib.h>
#include <string.h>

#define TAG 1

/* Data to be sent to a rank: in one MPI message, or in pieces. */
struct keel_mpi_transport_message {
    struct keel_mpi_transport_message *next;
    char *payload;  /* freed when all is sent; NULL: part of a chunk */
    const char *at; /* data not yet being sent, */
    size_t left;    /* its bytes, */
    size_t piece;   /* and the bytes of each MPI message */
    unsigned on_their_way;
    uint32_t rank;
};

/* Records that are sent to a rank together. */
struct keel_mpi_transport_chunk {
    struct keel_mpi_transport_message message; /* used when it is to be sent */
    char at[KEEL_MPI_PACKED_CHUNK];
};

/* Returns the bytes of the pieces, except the last one, of a large payload of `bytes`. */
static size_t piece_of(uint64_t bytes)
{
    return bytes > KEEL_MPI_TRANSPORT_LONG ? KEEL_MPI_TRANSPORT_LONG : KEEL_MPI_PACKED_CHUNK;
}

struct keel_mpi_transport_link {
    struct keel_mpi_transport_chunk *chunk; /* NULL: none */
    size_t used;
    /* The large payload that is received in pieces. */
    struct keel_mpi_object_record record;
    size_t come, wanted; /* bytes; wanted 0: none */
    char *payload;       /* NULL: no memory, pieces are discarded */
};

bool keel_mpi_transport_open(struct keel_mpi_transport *transport, struct keel_mpi_peers *peers)
{
    transport->peers = peers;
    transport->link = calloc(peers->ranks, sizeof *transport->link);
    transport->dirty = calloc(peers->ranks, sizeof *transport->dirty);
    transport->arrival = malloc(KEEL_MPI_TRANSPORT_LONG);
    transport->spare = malloc(sizeof *transport->spare);
    for (unsigned i = 0; i < KEEL_MPI_TRANSPORT_SENDS; i++) {
        transport->request[i] = MPI_REQUEST_NULL;
    }
    return transport->link != NULL && transport->dirty != NULL && transport->arrival != NULL &&
           transport->spare != NULL;
}

void keel_mpi_transport_close(struct keel_mpi_transport *transport)
{
    if (transport->peers == NULL || keel_mpi_peers_code(transport->peers) != KEEL_MPI_OK) {
        return; /* never opened, or pending operations use it */
    }
    for (uint32_t i = 0; transport->link != NULL && i < transport->peers->ranks; i++) {
        free(transport->link[i].chunk);
        free(transport->link[i].payload);
    }
    free(transport->link);
    free(transport->dirty);
    if (transport->coming == 0) { /* otherwise MPI may still write there */
        free(transport->arrival);
    }
    free(transport->spare);
}

/* --- putting --- */

static void queue(struct keel_mpi_transport *transport, struct keel_mpi_transport_message *message)
{
    message->next = NULL;
    if (transport->waiting == NULL) {
        transport->waiting = message;
    } else {
        transport->last_waiting->next = message;
    }
    transport->last_waiting = message;
}

/* Queues the rank's chunk to be sent. */
static void close_chunk(struct keel_mpi_transport *transport, uint32_t rank)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];
    struct keel_mpi_transport_chunk *chunk = link->chunk;

    if (chunk != NULL) {
        chunk->message = (struct keel_mpi_transport_message){
            .at = chunk->at, .left = link->used, .piece = link->used, .rank = rank};
        queue(transport, &chunk->message);
        link->chunk = NULL;
    }
}

/* The spare chunk serves if there is no memory, so that an answer can be sent. */
static struct keel_mpi_transport_chunk *make_chunk(struct keel_mpi_transport *transport)
{
    struct keel_mpi_transport_chunk *chunk = malloc(sizeof *chunk);

    if (chunk == NULL) {
        chunk = transport->spare;
        transport->spare = NULL;
    }
    return chunk;
}

static void free_chunk(struct keel_mpi_transport *transport, struct keel_mpi_transport_chunk *chunk)
{
    if (transport->spare == NULL) {
        transport->spare = chunk;
    } else {
        free(chunk);
    }
}

/* Makes room for that many bytes in the rank's chunk. */
static bool open_chunk(struct keel_mpi_transport *transport, uint32_t rank, size_t bytes)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];

    if (link->chunk != NULL && link->used + bytes > KEEL_MPI_PACKED_CHUNK) {
        close_chunk(transport, rank);
    }
    if (link->chunk == NULL) {
        link->chunk = make_chunk(transport);
        if (link->chunk == NULL) {
            return false;
        }
        memcpy(link->chunk->at, &(struct keel_mpi_chunk_head){0},
               sizeof(struct keel_mpi_chunk_head));
        link->used = sizeof(struct keel_mpi_chunk_head);
        for (uint32_t i = 0; i < transport->dirties; i++) {
            if (transport->dirty[i] == rank) {
                return true;
            }
        }
        transport->dirty[transport->dirties++] = rank;
    }
    return true;
}

void *keel_mpi_transport_put(struct keel_mpi_transport *transport, uint32_t rank,
                             const struct keel_mpi_object_record *record)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];
    size_t bytes = sizeof *record + keel_mpi_packed_padded(record->bytes);

    if (!open_chunk(transport, rank, bytes)) {
        return NULL;
    }
    char *at = link->chunk->at + link->used;
    memcpy(at, record, sizeof *record);
    link->used += bytes;
    return at + sizeof *record;
}

bool keel_mpi_transport_put_large(struct keel_mpi_transport *transport, uint32_t rank,
                                  const struct keel_mpi_object_record *record, void *payload)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];
    struct keel_mpi_transport_message *message = malloc(sizeof *message);

    if (message == NULL || !open_chunk(transport, rank, sizeof *record)) {
        free(message);
        return false;
    }
    memcpy(link->chunk->at + link->used, record, sizeof *record);
    link->used += sizeof *record;
    ((struct keel_mpi_chunk_head *)link->chunk->at)->large = 1;
    close_chunk(transport, rank);
    *message = (struct keel_mpi_transport_message){.payload = payload,
                                                   .at = payload,
                                                   .left = record->bytes,
                                                   .piece = piece_of(record->bytes),
                                                   .rank = rank};
    queue(transport, message);
    return true;
}

/* --- sending --- */

/* One of its MPI messages has been sent. */
static void end_send(struct keel_mpi_transport *transport,
                     struct keel_mpi_transport_message *message)
{
    if (--message->on_their_way > 0 || message->left > 0) {
        return;
    }
    if (message->payload == NULL) {
        free_chunk(transport, (struct keel_mpi_transport_chunk *)message);
    } else {
        free(message->payload);
        free(message);
    }
}

static void finish_sends(struct keel_mpi_transport *transport)
{
    unsigned kept = 0;
    int done = 1;

    for (unsigned i = 0; i < transport->sends; i++) {
        if (!KEEL_MPI_CALL(transport->peers, MPI_Test, &transport->request[i], &done,
                           MPI_STATUS_IGNORE)) {
            return;
        }
        if (done) {
            end_send(transport, transport->sent[i]);
        } else {
            transport->request[kept] = transport->request[i];
            transport->sent[kept++] = transport->sent[i];
        }
    }
    transport->sends = kept;
}

static void start_as_many_as_fit(struct keel_mpi_transport *transport)
{
    while (transport->waiting != NULL && transport->sends < KEEL_MPI_TRANSPORT_SENDS) {
        struct keel_mpi_transport_message *message = transport->waiting;
        size_t bytes = message->left < message->piece ? message->left : message->piece;
        if (!KEEL_MPI_CALL(transport->peers, MPI_Isend, message->at, (int)bytes, MPI_BYTE,
                           (int)message->rank, TAG, transport->peers->comm,
                           &transport->request[transport->sends])) {
            return;
        }
        message->at += bytes;
        message->left -= bytes;
        message->on_their_way++;
        if (message->left == 0) {
            transport->waiting = message->next;
        }
        transport->sent[transport->sends++] = message;
        transport->messages++;
    }
}

#define ROUNDS 16 /* of KEEL_MPI_TRANSPORT_SENDS, at most, before other work */

/* Short pieces of objects are sent eagerly: starts the next ones at once, as this rank may not
 * return here before its present object is done. Not so for chunks, as receivers would need memory
 * for many. */
static void start_sends(struct keel_mpi_transport *transport)
{
    start_as_many_as_fit(transport);
    for (unsigned i = 1;
         i < ROUNDS && transport->waiting != NULL && transport->waiting->payload != NULL; i++) {
        finish_sends(transport);
        if (transport->sends == KEEL_MPI_TRANSPORT_SENDS ||
            keel_mpi_peers_code(transport->peers) != KEEL_MPI_OK) {
            break;
        }
        start_as_many_as_fit(transport);
    }
}

static void flush(struct keel_mpi_transport *transport)
{
    for (uint32_t i = 0; i < transport->dirties; i++) {
        close_chunk(transport, transport->dirty[i]);
    }
    transport->dirties = 0;
}

/* --- taking --- */

static void begin_large(struct keel_mpi_transport_link *link,
                        const struct keel_mpi_object_record *record)
{
    link->record = *record;
    link->come = 0;
    link->wanted = record->bytes;
    link->payload = malloc(record->bytes);
}

static void end_large(struct keel_mpi_transport *transport, struct keel_mpi_transport_link *link)
{
    link->wanted = 0;
    transport->take(transport->context, &link->record, link->payload);
    free(link->payload);
    link->payload = NULL;
}

/* The next piece has been received. */
static void note_piece(struct keel_mpi_transport *transport, struct keel_mpi_transport_link *link,
                       size_t bytes)
{
    link->come += bytes;
    if (link->come == link->wanted) {
        end_large(transport, link);
    }
}

static void take_records(struct keel_mpi_transport *transport, struct keel_mpi_transport_link *link,
                         const char *chunk, size_t bytes)
{
    const struct keel_mpi_chunk_head *head = (const struct keel_mpi_chunk_head *)chunk;
    struct keel_mpi_object_record record;

    for (size_t at = sizeof *head; at + sizeof record <= bytes;) {
        memcpy(&record, chunk + at, sizeof record);
        at += sizeof record;
        if (head->large && at == bytes) {
            begin_large(link, &record);
            return;
        }
        transport->take(transport->context, &record, chunk + at);
        at += keel_mpi_packed_padded(record.bytes);
    }
}

/* Takes a message from that rank that was received in transport->arrival. */
static void take_message(struct keel_mpi_transport *transport, struct keel_mpi_transport_link *link,
                         size_t bytes)
{
    if (link->wanted > 0) { /* a piece without memory for its payload */
        note_piece(transport, link, bytes);
    } else {
        take_records(transport, link, transport->arrival, bytes);
    }
}

/* The message has been received. */
static void end_receive(struct keel_mpi_transport *transport)
{
    struct keel_mpi_transport_link *link = &transport->link[transport->from];
    size_t bytes = transport->coming;

    transport->coming = 0;
    if (transport->to != transport->arrival) {
        note_piece(transport, link, bytes);
    } else {
        take_message(transport, link, bytes);
    }
}

/* Starts to receive a message of that many bytes. False: MPI has failed. */
static bool begin_receive(struct keel_mpi_transport *transport, uint32_t rank, size_t bytes)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];

    transport->from = rank;
    transport->coming = bytes;
    transport->to = link->payload != NULL ? link->payload + link->come : transport->arrival;
    return KEEL_MPI_CALL(transport->peers, MPI_Irecv, transport->to, (int)bytes, MPI_BYTE,
                         (int)rank, TAG, transport->peers->comm, &transport->receive);
}

/* True if the started receive is complete; then takes the message. */
static bool test_receive(struct keel_mpi_transport *transport)
{
    bool there = keel_mpi_peers_test(transport->peers, &transport->receive);

    if (there) {
        end_receive(transport);
    }
    return there;
}

/* True if a message waits; then starts to receive it. */
static bool look(struct keel_mpi_transport *transport)
{
    MPI_Status status;
    int there = 0, bytes;

    return keel_mpi_peers_code(transport->peers) == KEEL_MPI_OK &&
           KEEL_MPI_CALL(transport->peers, MPI_Iprobe, MPI_ANY_SOURCE, TAG, transport->peers->comm,
                         &there, &status) &&
           there && KEEL_MPI_CALL(transport->peers, MPI_Get_count, &status, MPI_BYTE, &bytes) &&
           begin_receive(transport, (uint32_t)status.MPI_SOURCE, (size_t)bytes);
}

#define AT_ONCE 64 /* messages that are taken before other work */

bool keel_mpi_transport_progress(struct keel_mpi_transport *transport)
{
    bool any = false;

    finish_sends(transport);
    if (keel_mpi_peers_code(transport->peers) != KEEL_MPI_OK) {
        return false; /* sent messages may still be in the list */
    }
    flush(transport);
    start_sends(transport);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        /* a probe that finds nothing makes MPI progress: the next one finds new messages */
        if ((transport->coming == 0 && !look(transport) &&
             (!transport->seldom || !look(transport))) ||
            !test_receive(transport)) {
            break;
        }
        any = true;
    }
    if (any) {
        flush(transport); /* answers */
        start_sends(transport);
    }
    return any;
}
