/* The list of ready objects, and lists of messages. Called under the bag's lock. */
#ifndef MPI_BACKEND_OBJECTS_LISTS_H
#define MPI_BACKEND_OBJECTS_LISTS_H

#include "mpi_backend/objects/state.h"

/* A copy of a message; NULL: no memory. */
struct keel_mpi_parcel *keel_mpi_parcel_make(uint64_t index, uint32_t handler, const void *message,
                                             uint64_t bytes);

void keel_mpi_parcels_append(struct keel_mpi_parcel_list *list, struct keel_mpi_parcel *parcel);

/* The first one, taken out; NULL: there is none. */
struct keel_mpi_parcel *keel_mpi_parcels_take(struct keel_mpi_parcel_list *list);

/* Frees all. */
void keel_mpi_parcels_free(struct keel_mpi_parcel_list *list);

/* What came through the network for an object, made if there is none; NULL: no memory. */
struct keel_mpi_object_network *keel_mpi_object_network_of(struct keel_mpi_objects *objects,
                                                           struct keel_mpi_object *object);

/* Frees what is left of it. */
void keel_mpi_object_network_free(struct keel_mpi_object *object);

/* A message that is the object's next one. */
void keel_mpi_object_append(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            struct keel_mpi_parcel *parcel);

/* The object is here and rests: it becomes ready if it has work. In phases that compute nothing it
 * does, too, and waits. */
void keel_mpi_object_settle(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* The first ready object, to be worked on; NULL: there is none. */
struct keel_mpi_object *keel_mpi_ready_take(struct keel_mpi_objects *objects);

/* That ready object is the next one to be worked on. */
void keel_mpi_ready_go_first(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* Takes a ready object out of the list; it rests. */
void keel_mpi_ready_remove(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

#endif
