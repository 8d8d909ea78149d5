/* How objects lie in messages and in copies, which object_movement.c and
 * object_copies.c write and read. Each part begins at a multiple of 8. */
#ifndef MPI_BACKEND_OBJECTS_RECORDS_RECORDS_H
#define MPI_BACKEND_OBJECTS_RECORDS_RECORDS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"

/* Bytes of a message of MPI: short enough to go at once, without an answer of the receiver, which
 * the sender would see only when it has done with the object that it computes. */
#define KEEL_MPI_PACKED_CHUNK ((size_t)4000)

/* Whether the payload of a record does not fit beside others. */
static inline bool keel_mpi_packed_is_large(uint64_t bytes)
{
    return bytes > KEEL_MPI_PACKED_CHUNK / 2;
}

/* Bytes that `bytes` of payload take, in chunks and wherever else they lie one behind the other: a
 * multiple of 8. */
static inline uint64_t keel_mpi_packed_padded(uint64_t bytes)
{
    return (bytes + 7) & ~UINT64_C(7);
}

/* An object on its way: this, counts of messages by sender (struct keel_order_entry), messages that
 * wait, early ones, the program's bytes. */
struct keel_mpi_packed_object {
    uint64_t bytes; /* of the program */
    uint32_t orders, messages, early;
    float weight;
    float common_s; /* that it is expected to take (schedules/objects/pace.h); 0: not known */
    uint8_t to_compute, stated;
    uint8_t measured; /* common_s follows from what was measured of others, or of it */
    uint8_t unused[1];
};

/* Its bytes follow, up to a multiple of 8. */
struct keel_mpi_packed_message {
    uint64_t bytes;
    uint32_t handler, sender, number, unused;
};

/* All objects of a rank: this, and for each object an entry and what was packed, up to a multiple
 * of 8. */
struct keel_mpi_packed_set {
    uint64_t objects;
    uint64_t new_indices; /* all that this rank has given are less than that above 2^63 */
};

struct keel_mpi_packed_entry {
    uint64_t index, bytes;
    float weight;
    uint32_t stated;
};

/* --- transport.c ---
 *
 * Records between ranks: small ones together in one message of MPI, large ones in pieces.
 *
 *   put -> chunk of the receiver -> MPI_Isend ~~> MPI_Iprobe, MPI_Recv -> take(record)
 *
 * Between two ranks records arrive in the order in which they were put. Putting one calls no MPI,
 * so that any thread may, one at a time; keel_mpi_transport_progress() is for threads that may call
 * MPI. At most KEEL_MPI_TRANSPORT_SENDS messages are on their way at once; others wait here.
 *
 * All that comes is of the receiver's phase, or of one that has ended: ranks leave a phase when all
 * have stopped to receive in it. */

/* First in each chunk. Pieces of large payloads have none: they follow the chunk that ends with
 * their record. */
struct keel_mpi_chunk_head {
    uint64_t large; /* 1: the last record's payload follows in pieces */
};

/* All ranks run the same program on like machines: records go as they lie in memory. */
struct keel_mpi_object_record {
    uint64_t index;         /* of the object, or what the kind says */
    uint64_t bytes;         /* of the payload, which follows */
    uint32_t kind, handler; /* the caller's */
    uint32_t sender, number;
    uint32_t rank, epoch;
};

#define KEEL_MPI_TRANSPORT_SENDS 64

/* Payloads that are longer go in long pieces, for which ranks wait in the background. */
#define KEEL_MPI_TRANSPORT_LONG ((size_t)1 << 20)

struct keel_mpi_transport_chunk;
struct keel_mpi_transport_message;
struct keel_mpi_transport_link;

struct keel_mpi_transport {
    struct keel_mpi_peers *peers; /* told of failures of MPI; nothing is sent or taken after one */
    struct keel_mpi_transport_link *link; /* to and from each rank */
    uint32_t *dirty;                      /* ranks whose chunk is not empty */
    uint32_t dirties;
    bool seldom; /* set by the caller: progress is rare, and is to find all that has come */
    struct keel_mpi_transport_message *waiting, *last_waiting; /* to be sent */
    unsigned sends;
    MPI_Request request[KEEL_MPI_TRANSPORT_SENDS];
    struct keel_mpi_transport_message *sent[KEEL_MPI_TRANSPORT_SENDS];
    uint64_t messages;                      /* sent so far */
    uint32_t from;                          /* a message that has begun to come: its sender, */
    size_t coming;                          /* its bytes; 0: none has begun, */
    char *to;                               /* where they go: to their place in a payload, or */
    char *arrival;                          /* here: KEEL_MPI_TRANSPORT_LONG bytes */
    MPI_Request receive;                    /* of it */
    struct keel_mpi_transport_chunk *spare; /* NULL: it is in use */
    /* A record has come. payload: `record->bytes` bytes, aligned to 8; NULL: there was no memory
     * for a large one. */
    void (*take)(void *context, const struct keel_mpi_object_record *record, const void *payload);
    void *context;
};

/* `take` and `context` are set by the caller. False: no memory. */
bool keel_mpi_transport_open(struct keel_mpi_transport *transport, struct keel_mpi_peers *peers);

/* Frees what it has. Nothing is on its way, or `peers` have failed: then buffers stay. */
void keel_mpi_transport_close(struct keel_mpi_transport *transport);

/* Puts a record for another rank; returns where its payload is to be written, at once; NULL: no
 * memory, nothing is sent. For payloads up to KEEL_MPI_PACKED_CHUNK / 2. */
void *keel_mpi_transport_put(struct keel_mpi_transport *transport, uint32_t rank,
                             const struct keel_mpi_object_record *record);

/* The same for a payload of any size >= 1, which malloc() gave and which is freed when it has gone.
 * False: no memory, nothing is sent, and the payload is the caller's. */
bool keel_mpi_transport_put_large(struct keel_mpi_transport *transport, uint32_t rank,
                                  const struct keel_mpi_object_record *record, void *payload);

/* Whether messages of it are on their way, or wait to be. */
static inline bool keel_mpi_transport_carries(const struct keel_mpi_transport *transport)
{
    return transport->sends > 0 || transport->waiting != NULL || transport->coming > 0;
}

/* Sends what was put, and takes what has come. Returns whether anything has come. */
bool keel_mpi_transport_progress(struct keel_mpi_transport *transport);

#endif
