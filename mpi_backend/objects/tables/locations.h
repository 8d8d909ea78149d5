/* What a rank knows of objects that it has not, by their index; and other pairs of numbers. No MPI.
 *
 * 16 bytes each, in a table that is filled to between 1/2 and 4/5. Called by one thread at a time.
 */
#ifndef MPI_BACKEND_OBJECTS_TABLES_LOCATIONS_H
#define MPI_BACKEND_OBJECTS_TABLES_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/objects/object_route.h"

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

/* Calls `visit` for each. */
void keel_mpi_locations_visit(const struct keel_mpi_locations *locations,
                              void (*visit)(void *context, uint64_t index,
                                            struct keel_location *location),
                              void *context);

/* Takes out all, and their memory. */
void keel_mpi_locations_clear(struct keel_mpi_locations *locations);

#endif
