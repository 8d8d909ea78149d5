/* The objects that a rank has, by their index. No MPI.
 *
 *   insert, an object that comes -> [table] -> found by messages; gone through in the order in
 *                                              which objects came
 *
 * Bounded memory: an object takes 80 bytes, in blocks that are used again; the table 10 to 15 bytes
 * for each. Called by one thread at a time. */
#ifndef MPI_BACKEND_OBJECTS_TABLES_TABLES_H
#define MPI_BACKEND_OBJECTS_TABLES_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/objects/object_route.h"

struct keel_mpi_object_message;
struct keel_mpi_object_network;

struct keel_mpi_object_message_list {
    struct keel_mpi_object_message *first, *last;
    uint32_t count;
};

enum keel_mpi_object_state {
    KEEL_MPI_OBJECT_NONE,   /* no object: memory to use again */
    KEEL_MPI_OBJECT_RESTS,  /* nothing is to do */
    KEEL_MPI_OBJECT_READY,  /* work waits; it is in the list of ready objects */
    KEEL_MPI_OBJECT_RUNS,   /* a thread works on it */
    KEEL_MPI_OBJECT_LEAVES, /* it was sent to another rank, which has not said yet whether it could
                                take it */
};

struct keel_mpi_object {
    uint64_t index;
    void *data;                                   /* the program's */
    struct keel_mpi_object_message_list messages; /* that wait, in their order */
    struct keel_mpi_object *before, *next;   /* in the list of ready objects; next: also of unused
                                              ones */
    struct keel_mpi_object_network *network; /* what came through the network in this phase; NULL:
                                                nothing */
    float weight; /* of computing it, by this rank's measure; 1 at first */
    float told_s; /* common seconds (schedules/objects/pace.h) that computing it takes, as the rank
                     told that gave it; 0: it did not, or it has been computed here */
    uint32_t epoch;  /* schedules/objects/object_route.h */
    uint8_t state;   /* enum keel_mpi_object_state */
    bool to_compute; /* by the keel_mpi_objects_each() that runs */
    bool stated : 1; /* the weight is the program's word */
    bool stays : 1;  /* it could not move, in this phase */
    bool behind : 1; /* messages of this rank to it may be on their way through the network */
};

/* Common seconds that it takes, where that says more of it than its weight; else 0. */
static inline double keel_mpi_object_told_s(const struct keel_mpi_object *object)
{
    return object->stated ? 0 : object->told_s;
}

struct keel_mpi_object_block;

struct keel_mpi_table {
    struct keel_mpi_object **slot;
    size_t slots, count;
    struct keel_mpi_object_block *first_block, *last_block;
    struct keel_mpi_object *unused;
};

/* The object; NULL: there is none. */
struct keel_mpi_object *keel_mpi_table_find(const struct keel_mpi_table *table, uint64_t index);

/* Adds one, of which all is 0 but the index; none has that index. NULL: no memory. */
struct keel_mpi_object *keel_mpi_table_add(struct keel_mpi_table *table, uint64_t index);

/* Takes it out; its memory is used again. */
void keel_mpi_table_remove(struct keel_mpi_table *table, struct keel_mpi_object *object);

/* Calls `visit` for each object. It may remove the one that it is called for. */
void keel_mpi_table_visit(const struct keel_mpi_table *table,
                          void (*visit)(void *context, struct keel_mpi_object *object),
                          void *context);

/* One of the objects, by a number that is drawn; NULL: there are none. */
struct keel_mpi_object *keel_mpi_table_draw(const struct keel_mpi_table *table, uint64_t number);

/* Bytes of memory. */
size_t keel_mpi_table_bytes(const struct keel_mpi_table *table);

/* Frees the table, not what objects point to. It is empty then. */
void keel_mpi_table_free(struct keel_mpi_table *table);

/* --- locations ---
 *
 * What a rank knows of objects that it has not, by their index; and other pairs of numbers. No MPI.
 *
 * 16 bytes each, in a table that is filled to between 1/2 and 4/5. Called by one thread at a time.
 */

struct keel_mpi_location_entry {
    uint64_t index;
    struct keel_location location; /* epoch 0: no entry */
};

struct keel_mpi_locations {
    struct keel_mpi_location_entry *slot;
    size_t slots, count;
};

/* The entry's location, which may be changed, but not to epoch 0; NULL: there is none. */
struct keel_location *keel_mpi_locations_find(const struct keel_mpi_locations *locations,
                                              uint64_t index);

/* Sets it. False: no memory, nothing has changed. */
bool keel_mpi_locations_set(struct keel_mpi_locations *locations, uint64_t index,
                            struct keel_location location);

/* Takes it out, if it is there. */
void keel_mpi_locations_remove(struct keel_mpi_locations *locations, uint64_t index);

/* Takes out those of objects that are on that rank. */
void keel_mpi_locations_remove_all_of(struct keel_mpi_locations *locations, uint32_t rank);

/* Takes out all, and their memory. */
void keel_mpi_locations_clear(struct keel_mpi_locations *locations);

#endif
