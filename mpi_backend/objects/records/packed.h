/* How objects lie in messages and in copies, where they are written and read
 * (object_movement.c, copies/pack_objects.c) and looked at (packed_check.h). Each part begins at a
 * multiple of 8. */
#ifndef MPI_BACKEND_OBJECTS_RECORDS_PACKED_H
#define MPI_BACKEND_OBJECTS_RECORDS_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
