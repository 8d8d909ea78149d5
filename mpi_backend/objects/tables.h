/* The objects of a rank, by their index. No MPI.
 *
 *   insert, an object that arrives -> [table] -> found by messages; visited in the order of
 *                                              their blocks
 *
 * Bounded memory: an object takes 80 bytes, in blocks that are reused; the table 10 to 15 bytes for
 * each. Called by one thread at a time. */
#ifndef MPI_BACKEND_OBJECTS_TABLES_H
#define MPI_BACKEND_OBJECTS_TABLES_H

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
    KEEL_MPI_OBJECT_NONE,   /* no object: free memory */
    KEEL_MPI_OBJECT_RESTS,  /* has no work */
    KEEL_MPI_OBJECT_READY,  /* has work, and is in the list of ready objects */
    KEEL_MPI_OBJECT_RUNS,   /* a thread works on it */
    KEEL_MPI_OBJECT_LEAVES, /* sent to another rank, which has not answered yet whether it could
                               take it */
};

struct keel_mpi_object {
    uint64_t index;
    void *data;                                   /* the program's */
    struct keel_mpi_object_message_list messages; /* waiting messages in order */
    struct keel_mpi_object *before, *next;   /* in the list of ready objects; next: also of unused
                                                ones */
    struct keel_mpi_object_network *network; /* messages through the network in this phase; NULL:
                                                none */
    float weight;   /* of computing it, in units of this rank; initially 1 */
    float known_s;  /* common seconds (schedules/objects/pace.h) that computing it takes, known from
                     the rank that sent it; 0: not known, or computed here since */
    uint32_t epoch; /* schedules/objects/object_route.h */
    uint8_t state;  /* enum keel_mpi_object_state */
    bool to_compute; /* by the keel_mpi_objects_each() that runs */
    bool stated : 1; /* the weight was set by the program */
    bool stays : 1;  /* it could not move in this phase */
    bool behind : 1; /* messages of this rank to it may be in the network */
};

/* Common seconds that it takes; 0 if not known, or if the program has set its weight. */
static inline double keel_mpi_object_known_s(const struct keel_mpi_object *object)
{
    return object->stated ? 0 : object->known_s;
}

struct keel_mpi_object_block;

struct keel_mpi_table {
    struct keel_mpi_object **slot;
    size_t slots, count;
    struct keel_mpi_object_block *first_block, *last_block;
    struct keel_mpi_object *unused;
};

/* Returns the object; NULL: there is none. */
struct keel_mpi_object *keel_mpi_table_find(const struct keel_mpi_table *table, uint64_t index);

/* Adds an object, which rests, with all other fields 0; the index must be new. NULL: no memory. */
struct keel_mpi_object *keel_mpi_table_add(struct keel_mpi_table *table, uint64_t index);

/* Removes it; its memory is reused. */
void keel_mpi_table_remove(struct keel_mpi_table *table, struct keel_mpi_object *object);

/* Calls `visit` for each object, which it may remove. */
void keel_mpi_table_visit(const struct keel_mpi_table *table,
                          void (*visit)(void *context, struct keel_mpi_object *object),
                          void *context);

/* Returns an object chosen by a random number; NULL: there are none. */
struct keel_mpi_object *keel_mpi_table_draw(const struct keel_mpi_table *table, uint64_t number);

/* Returns the bytes of its memory. */
size_t keel_mpi_table_bytes(const struct keel_mpi_table *table);

/* Frees the table, but not the data of objects. It is empty then. */
void keel_mpi_table_free(struct keel_mpi_table *table);

/* --- locations ---
 *
 * Where objects on other ranks are, by their index; also other pairs of numbers. No MPI.
 *
 * 16 bytes each, in a table that is filled to between 1/2 and 4/5. One thread at a time. */

struct keel_mpi_location_entry {
    uint64_t index;
    struct keel_location location; /* epoch 0: no entry */
};

struct keel_mpi_locations {
    struct keel_mpi_location_entry *slot;
    size_t slots, count;
};

/* Returns the entry's location, which may be changed, but not to epoch 0; NULL: there is none. */
struct keel_location *keel_mpi_locations_find(const struct keel_mpi_locations *locations,
                                              uint64_t index);

/* Sets a location. False: no memory, nothing has changed. */
bool keel_mpi_locations_set(struct keel_mpi_locations *locations, uint64_t index,
                            struct keel_location location);

/* Removes the entry, if there is one. */
void keel_mpi_locations_remove(struct keel_mpi_locations *locations, uint64_t index);

/* Removes the entries of all objects on that rank. */
void keel_mpi_locations_remove_all_of(struct keel_mpi_locations *locations, uint32_t rank);

/* Removes all entries, and frees their memory. */
void keel_mpi_locations_clear(struct keel_mpi_locations *locations);

#endif
