/* The layout of objects in messages and in copies, which object_movement.c and object_copies.c
 * write and read. Each part begins at a multiple of 8. */
#ifndef MPI_BACKEND_OBJECTS_RECORDS_H
#define MPI_BACKEND_OBJECTS_RECORDS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"

/* Bytes of an MPI message: short enough for eager sending, without an answer of the receiver, which
 * the sender would see only after the object that it computes. */
#define KEEL_MPI_PACKED_CHUNK ((size_t)4000)

/* Whether the payload of a record is too large for a chunk with others. */
static inline bool keel_mpi_packed_is_large(uint64_t bytes)
{
    return bytes > KEEL_MPI_PACKED_CHUNK / 2;
}

/* Returns the bytes that a payload of `bytes` takes in chunks and packed objects: a multiple of
 * 8. */
static inline uint64_t keel_mpi_packed_padded(uint64_t bytes)
{
    return (bytes + 7) & ~UINT64_C(7);
}

/* A moving object: this, counts of messages by sender (struct keel_order_entry), waiting messages,
 * early ones, the program's bytes. */
struct keel_mpi_packed_object {
    uint64_t bytes; /* of the program */
    uint32_t orders, messages, early;
    float weight;
    float common_s; /* its expected time (schedules/objects/pace.h); 0: not known */
    uint8_t to_compute, stated;
    uint8_t measured; /* common_s follows from measurements of it or of others */
    uint8_t unused[1];
};

/* Followed by its bytes, up to a multiple of 8. */
struct keel_mpi_packed_message {
    uint64_t bytes;
    uint32_t handler, sender, number, unused;
};

/* All objects of a rank: this, and for each object an entry and its packed data, up to a multiple
 * of 8. */
struct keel_mpi_packed_set {
    uint64_t objects;
    uint64_t new_indices; /* new indices of this rank are < 2^63 + new_indices */
};

struct keel_mpi_packed_entry {
    uint64_t index, bytes;
    float weight;
    uint32_t stated;
};

/* --- transport.c ---
 *
 * Records between ranks: small ones together in one MPI message, large ones in pieces.
 *
 *   put -> chunk of the receiver -> MPI_Isend ~~> MPI_Iprobe, MPI_Recv -> take(record)
 *
 * Between two ranks records arrive in the order in which they were put. Putting one calls no MPI,
 * so that any thread may, one at a time; keel_mpi_transport_progress() is for threads that may call
 * MPI. At most KEEL_MPI_TRANSPORT_SENDS messages are pending at once; others wait here.
 *
 * Received records are of the receiver's phase, or of one that has ended: a rank begins the next
 * phase when all have ended this one. */

/* First in each chunk. Pieces of large payloads have no head: they follow the chunk that ends with
 * their record. */
struct keel_mpi_chunk_head {
    uint64_t large; /* 1: the last record's payload follows in pieces */
};

/* All ranks run the same program on like machines: records are sent as they are in memory. */
struct keel_mpi_object_record {
    uint64_t index;         /* of the object, or as the kind defines */
    uint64_t bytes;         /* of the payload, which follows */
    uint32_t kind, handler; /* the caller's */
    uint32_t sender, number;
    uint32_t rank, epoch;
};

#define KEEL_MPI_TRANSPORT_SENDS 64

/* Longer payloads are sent in pieces of this size, which need the receiver's answer. */
#define KEEL_MPI_TRANSPORT_LONG ((size_t)1 << 20)

struct keel_mpi_transport_chunk;
struct keel_mpi_transport_message;
struct keel_mpi_transport_link;

struct keel_mpi_transport {
    struct keel_mpi_peers *peers; /* they record MPI failures; nothing is sent or taken after one */
    struct keel_mpi_transport_link *link; /* to and from each rank */
    uint32_t *dirty;                      /* ranks whose chunk is not empty */
    uint32_t dirties;
    bool seldom; /* set by the caller: progress is rare, and has to find all messages */
    struct keel_mpi_transport_message *waiting, *last_waiting; /* to be sent */
    unsigned sends;
    MPI_Request request[KEEL_MPI_TRANSPORT_SENDS];
    struct keel_mpi_transport_message *sent[KEEL_MPI_TRANSPORT_SENDS];
    uint64_t messages;                      /* sent so far */
    uint32_t from;                          /* of the message being received: its sender, */
    size_t coming;                          /* its bytes; 0: none, */
    char *to;                               /* destination: within a payload, or */
    char *arrival;                          /* this buffer of KEEL_MPI_TRANSPORT_LONG bytes */
    MPI_Request receive;                    /* its request */
    struct keel_mpi_transport_chunk *spare; /* NULL: it is in use */
    /* Called for each received record. payload: `record->bytes` bytes, aligned to 8; NULL: there
     * was no memory for a large one. */
    void (*take)(void *context, const struct keel_mpi_object_record *record, const void *payload);
    void *context;
};

/* `take` and `context` are set by the caller. False: no memory. */
bool keel_mpi_transport_open(struct keel_mpi_transport *transport, struct keel_mpi_peers *peers);

/* Frees its memory when no message is pending; if `peers` have failed, buffers stay. */
void keel_mpi_transport_close(struct keel_mpi_transport *transport);

/* Puts a record for another rank; returns where its payload is to be written before the next call;
 * NULL: no memory, nothing is sent. For payloads up to KEEL_MPI_PACKED_CHUNK / 2. */
void *keel_mpi_transport_put(struct keel_mpi_transport *transport, uint32_t rank,
                             const struct keel_mpi_object_record *record);

/* The same for a payload from malloc() of any size >= 1, which is freed when it has been sent.
 * False: no memory, nothing is sent, and the payload stays the caller's. */
bool keel_mpi_transport_put_large(struct keel_mpi_transport *transport, uint32_t rank,
                                  const struct keel_mpi_object_record *record, void *payload);

/* Whether messages are pending or wait to be sent. */
static inline bool keel_mpi_transport_carries(const struct keel_mpi_transport *transport)
{
    return transport->sends > 0 || transport->waiting != NULL || transport->coming > 0;
}

/* Sends records that were put, and takes received ones. True if there were any of the latter. */
bool keel_mpi_transport_progress(struct keel_mpi_transport *transport);

#endif
