/* Records between ranks. */
#include "mpi_backend/objects/transport.h"

#include <stdlib.h>
#include <string.h>

#define TAG 1

/* First in each chunk. Pieces of large payloads have none: they follow the chunk that ends with
 * their record. */
struct head {
    uint32_t phase;
    uint32_t large; /* 1: the last record's payload follows in pieces */
};

/* What messages are sent from: freed when all of them have gone, in whatever order they do. */
struct source {
    void *memory;
    size_t messages;
};

/* A message of MPI, before it goes and on its way. */
struct keel_mpi_transport_message {
    struct keel_mpi_transport_message *next;
    struct source *source;
    const char *at;
    size_t bytes;
    uint32_t rank;
};

/* What has come before its phase. */
struct stashed {
    struct stashed *next;
    size_t bytes;
    char at[];
};

struct keel_mpi_transport_link {
    char *chunk; /* NULL: none is begun */
    size_t used;
    struct stashed *first, *last;
    /* The large payload that comes in pieces. */
    struct keel_mpi_object_record record;
    size_t come, wanted; /* bytes; wanted 0: none comes */
    char *payload;       /* NULL: no memory, pieces are dropped */
};

bool keel_mpi_transport_open(struct keel_mpi_transport *transport, struct keel_mpi_peers *peers)
{
    transport->peers = peers;
    transport->link = calloc(peers->ranks, sizeof *transport->link);
    transport->dirty = calloc(peers->ranks, sizeof *transport->dirty);
    for (unsigned i = 0; i < KEEL_MPI_TRANSPORT_SENDS; i++) {
        transport->request[i] = MPI_REQUEST_NULL;
    }
    return transport->link != NULL && transport->dirty != NULL;
}

static void free_link(struct keel_mpi_transport_link *link)
{
    while (link->first != NULL) {
        struct stashed *stashed = link->first;
        link->first = stashed->next;
        free(stashed);
    }
    free(link->chunk);
    free(link->payload);
}

void keel_mpi_transport_close(struct keel_mpi_transport *transport)
{
    if (transport->peers == NULL || keel_mpi_peers_code(transport->peers) != KEEL_MPI_OK) {
        return; /* never opened, or in use for ever */
    }
    for (uint32_t i = 0; transport->link != NULL && i < transport->peers->ranks; i++) {
        free_link(&transport->link[i]);
    }
    free(transport->link);
    free(transport->dirty);
}

/* --- putting --- */

static bool queue(struct keel_mpi_transport *transport, uint32_t rank, const char *at, size_t bytes,
                  struct source *source)
{
    struct keel_mpi_transport_message *message = malloc(sizeof *message);

    if (message == NULL) {
        return false;
    }
    *message = (struct keel_mpi_transport_message){NULL, source, at, bytes, rank};
    if (transport->waiting == NULL) {
        transport->waiting = message;
    } else {
        transport->last_waiting->next = message;
    }
    transport->last_waiting = message;
    source->messages++;
    return true;
}

static struct source *source_of(void *memory)
{
    struct source *source = malloc(sizeof *source);

    if (source != NULL) {
        *source = (struct source){memory, 0};
    }
    return source;
}

/* The rank's chunk is to be sent. */
static bool close_chunk(struct keel_mpi_transport *transport, uint32_t rank)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];

    if (link->chunk == NULL) {
        return true;
    }
    struct source *source = source_of(link->chunk);
    if (source == NULL || !queue(transport, rank, link->chunk, link->used, source)) {
        free(source);
        return false;
    }
    link->chunk = NULL;
    return true;
}

/* Room for that many bytes in the rank's chunk. */
static bool open_chunk(struct keel_mpi_transport *transport, uint32_t rank, size_t bytes)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];

    if (link->chunk != NULL && link->used + bytes > KEEL_MPI_TRANSPORT_CHUNK &&
        !close_chunk(transport, rank)) {
        return false;
    }
    if (link->chunk == NULL) {
        link->chunk = malloc(KEEL_MPI_TRANSPORT_CHUNK);
        if (link->chunk == NULL) {
            return false;
        }
        memcpy(link->chunk, &(struct head){transport->put_phase, 0}, sizeof(struct head));
        link->used = sizeof(struct head);
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
    size_t bytes = sizeof *record + keel_mpi_transport_padded(record->bytes);

    if (!open_chunk(transport, rank, bytes)) {
        return NULL;
    }
    char *at = link->chunk + link->used;
    memcpy(at, record, sizeof *record);
    link->used += bytes;
    return at + sizeof *record;
}

/* Takes back what has been queued since `last`. */
static void take_back(struct keel_mpi_transport *transport, struct keel_mpi_transport_message *last)
{
    while (last->next != NULL) {
        struct keel_mpi_transport_message *message = last->next;
        last->next = message->next;
        free(message);
    }
    transport->last_waiting = last;
}

/* All messages of a payload, or none. The chunk before them is the last that waits. */
static bool queue_pieces(struct keel_mpi_transport *transport, uint32_t rank, char *payload,
                         size_t bytes)
{
    struct keel_mpi_transport_message *last = transport->last_waiting;
    struct source *source = source_of(payload);
    size_t most =
        bytes > KEEL_MPI_TRANSPORT_LONG ? KEEL_MPI_TRANSPORT_LONG : KEEL_MPI_TRANSPORT_CHUNK;

    for (size_t at = 0; source != NULL && at < bytes; at += most) {
        size_t piece = bytes - at < most ? bytes - at : most;
        if (!queue(transport, rank, payload + at, piece, source)) {
            take_back(transport, last);
            free(source);
            source = NULL;
        }
    }
    return source != NULL;
}

bool keel_mpi_transport_put_large(struct keel_mpi_transport *transport, uint32_t rank,
                                  const struct keel_mpi_object_record *record, void *payload)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];

    if (!open_chunk(transport, rank, sizeof *record)) {
        return false;
    }
    size_t before = link->used;
    char *chunk = link->chunk;
    memcpy(chunk + before, record, sizeof *record);
    link->used += sizeof *record;
    ((struct head *)chunk)->large = 1;
    if (!close_chunk(transport, rank)) {
        link->used = before;
        ((struct head *)chunk)->large = 0;
        return false;
    }
    struct keel_mpi_transport_message *message = transport->last_waiting;
    if (!queue_pieces(transport, rank, payload, record->bytes)) {
        message->bytes -= sizeof *record;
        ((struct head *)chunk)->large = 0;
        return false;
    }
    return true;
}

void keel_mpi_transport_set_phase(struct keel_mpi_transport *transport, uint32_t put_for,
                                  uint32_t take_up_to)
{
    if (put_for != transport->put_phase) {
        for (uint32_t i = 0; i < transport->dirties; i++) {
            if (!close_chunk(transport, transport->dirty[i])) {
                keel_mpi_peers_fail(transport->peers, KEEL_MPI_NO_ROOM);
            }
        }
        transport->dirties = 0;
    }
    transport->put_phase = put_for;
    transport->phase = take_up_to;
}

/* --- sending --- */

static void end_send(struct keel_mpi_transport_message *message)
{
    if (--message->source->messages == 0) {
        free(message->source->memory);
        free(message->source);
    }
    free(message);
}

static void finish_sends(struct keel_mpi_transport *transport)
{
    unsigned kept = 0;
    int done = 1;

    for (unsigned i = 0; i < transport->sends; i++) {
        if (!keel_mpi_check(transport->peers,
                            MPI_Test(&transport->request[i], &done, MPI_STATUS_IGNORE),
                            "MPI_Test")) {
            return;
        }
        if (done) {
            end_send(transport->sent[i]);
        } else {
            transport->request[kept] = transport->request[i];
            transport->sent[kept++] = transport->sent[i];
        }
    }
    transport->sends = kept;
}

static void start_sends(struct keel_mpi_transport *transport)
{
    while (transport->waiting != NULL && transport->sends < KEEL_MPI_TRANSPORT_SENDS) {
        struct keel_mpi_transport_message *message = transport->waiting;
        if (!keel_mpi_check(transport->peers,
                            MPI_Isend(message->at, (int)message->bytes, MPI_BYTE,
                                      (int)message->rank, TAG, transport->peers->comm,
                                      &transport->request[transport->sends]),
                            "MPI_Isend")) {
            return;
        }
        transport->waiting = message->next;
        transport->sent[transport->sends++] = message;
        transport->messages++;
    }
}

static void flush(struct keel_mpi_transport *transport)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < transport->dirties; i++) {
        if (!close_chunk(transport, transport->dirty[i])) {
            transport->dirty[kept++] = transport->dirty[i]; /* another time */
        }
    }
    transport->dirties = kept;
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

static void take_records(struct keel_mpi_transport *transport, struct keel_mpi_transport_link *link,
                         const char *chunk, size_t bytes)
{
    const struct head *head = (const struct head *)chunk;
    struct keel_mpi_object_record record;

    for (size_t at = sizeof *head; at + sizeof record <= bytes;) {
        memcpy(&record, chunk + at, sizeof record);
        at += sizeof record;
        if (head->large && at == bytes) {
            begin_large(link, &record);
            return;
        }
        transport->take(transport->context, &record, chunk + at);
        at += keel_mpi_transport_padded(record.bytes);
    }
}

/* What has come from that rank, in its turn; false: it is of a later phase. */
static bool take_message(struct keel_mpi_transport *transport, struct keel_mpi_transport_link *link,
                         const char *at, size_t bytes)
{
    if (link->wanted > 0) {
        if (link->payload != NULL && bytes <= link->wanted - link->come) {
            memcpy(link->payload + link->come, at, bytes);
        }
        link->come += bytes;
        if (link->come >= link->wanted) {
            end_large(transport, link);
        }
        return true;
    }
    if (((const struct head *)at)->phase > transport->phase) {
        return false;
    }
    take_records(transport, link, at, bytes);
    return true;
}

static void take_stashed(struct keel_mpi_transport *transport)
{
    transport->holding = false;
    for (uint32_t i = 0; i < transport->peers->ranks; i++) {
        struct keel_mpi_transport_link *link = &transport->link[i];
        while (link->first != NULL) {
            struct stashed *stashed = link->first;
            if (!take_message(transport, link, stashed->at, stashed->bytes)) {
                transport->holding = true;
                break;
            }
            link->first = stashed->next;
            free(stashed);
        }
    }
}

/* A message on its way to this rank. */
struct keel_mpi_transport_incoming {
    uint32_t rank;
    size_t bytes;
    struct stashed *stashed; /* where it goes; NULL: to its place in a payload */
};

/* It has come. */
static void end_receive(struct keel_mpi_transport *transport)
{
    struct keel_mpi_transport_incoming incoming = *transport->incoming;
    struct keel_mpi_transport_link *link = &transport->link[incoming.rank];
    struct stashed *stashed = incoming.stashed;

    free(transport->incoming);
    transport->incoming = NULL;
    if (stashed == NULL) {
        link->come += incoming.bytes;
        if (link->come == link->wanted) {
            end_large(transport, link);
        }
        return;
    }
    stashed->next = NULL;
    stashed->bytes = incoming.bytes;
    if (link->first == NULL && take_message(transport, link, stashed->at, stashed->bytes)) {
        free(stashed);
        return;
    }
    *(link->first != NULL ? &link->last->next : &link->first) = stashed;
    link->last = stashed;
    transport->holding = true;
}

/* A message of that many bytes waits for this rank. False: no memory, or MPI has failed. */
static bool begin_receive(struct keel_mpi_transport *transport, uint32_t rank, size_t bytes)
{
    struct keel_mpi_transport_link *link = &transport->link[rank];
    bool direct =
        link->first == NULL && link->payload != NULL && bytes <= link->wanted - link->come;
    struct keel_mpi_transport_incoming *incoming = malloc(sizeof *incoming);
    struct stashed *stashed = direct ? NULL : malloc(sizeof *stashed + bytes);

    if (incoming == NULL || (!direct && stashed == NULL)) {
        free(incoming);
        free(stashed);
        keel_mpi_peers_fail(transport->peers, KEEL_MPI_NO_ROOM);
        return false;
    }
    *incoming = (struct keel_mpi_transport_incoming){rank, bytes, stashed};
    transport->incoming = incoming;
    return keel_mpi_check(transport->peers,
                          MPI_Irecv(direct ? link->payload + link->come : stashed->at, (int)bytes,
                                    MPI_BYTE, (int)rank, TAG, transport->peers->comm,
                                    &transport->receive),
                          "MPI_Irecv");
}

/* Whether the message that has begun to come is there, and has been taken. */
static bool test_receive(struct keel_mpi_transport *transport)
{
    int done = 0;

    if (!keel_mpi_check(transport->peers, MPI_Test(&transport->receive, &done, MPI_STATUS_IGNORE),
                        "MPI_Test") ||
        !done) {
        return false;
    }
    end_receive(transport);
    return true;
}

/* Whether a message has begun to come. */
static bool look(struct keel_mpi_transport *transport)
{
    MPI_Status status;
    int there = 0, bytes;

    return keel_mpi_peers_code(transport->peers) == KEEL_MPI_OK &&
           keel_mpi_check(transport->peers,
                          MPI_Iprobe(MPI_ANY_SOURCE, TAG, transport->peers->comm, &there, &status),
                          "MPI_Iprobe") &&
           there &&
           keel_mpi_check(transport->peers, MPI_Get_count(&status, MPI_BYTE, &bytes),
                          "MPI_Get_count") &&
           begin_receive(transport, (uint32_t)status.MPI_SOURCE, (size_t)bytes);
}

#define AT_ONCE 64 /* messages that are taken before others have a turn */

bool keel_mpi_transport_progress(struct keel_mpi_transport *transport)
{
    bool any = false;

    finish_sends(transport);
    flush(transport);
    start_sends(transport);
    if (transport->holding) {
        take_stashed(transport);
        any = !transport->holding;
    }
    for (unsigned i = 0; i < AT_ONCE; i++) {
        /* a look that finds nothing makes MPI look: the next one finds what has come by then */
        if ((transport->incoming == NULL && !look(transport) &&
             (i > 0 || !transport->seldom || !look(transport))) ||
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
