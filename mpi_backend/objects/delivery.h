/* Messages to objects: they find them wherever they are, in the order of each sender.
 *
 *   send -> the object is here: its list
 *        -> else a number -> what is known of it, or its home rank ~~> arrive -> due? -> its list
 *
 * Order. A message to an object that is here, none of whose messages from this rank can be on their
 * way, goes to the end of the object's list: what this rank sent before is in front of it, or has
 * been handled. All others are numbered, by sender and object, from 0 in each phase; wherever they
 * arrive, the object's list takes only the one that is due, and keeps the others until it comes.
 * The list and the counts of what was due move with the object. While an object leaves, what comes
 * for it waits beside its list, and follows it, or joins the list if it could not go. When a phase
 * ends no message is on its way, so that numbers begin again on all ranks alike.
 *
 * Called under the bag's lock. */
#ifndef MPI_BACKEND_OBJECTS_DELIVERY_H
#define MPI_BACKEND_OBJECTS_DELIVERY_H

#include "mpi_backend/objects/state.h"

/* Puts a record whose payload is copied; large ones, too. Counts it. False: no memory. */
bool keel_mpi_delivery_put(struct keel_mpi_objects *objects, uint32_t rank,
                           const struct keel_mpi_object_record *record, const void *payload);

/* The same with a payload that malloc() gave, which it takes over, also where there is no
 * memory. */
bool keel_mpi_delivery_put_own(struct keel_mpi_objects *objects, uint32_t rank,
                               const struct keel_mpi_object_record *record, void *payload);

/* The same without a payload; where there is no memory the bag has failed. */
void keel_mpi_delivery_tell(struct keel_mpi_objects *objects, uint32_t rank,
                            const struct keel_mpi_object_record *record);

/* Where there was no memory, tells the others that nothing is collective any more. By a thread that
 * may call MPI. */
void keel_mpi_delivery_tell_failure(struct keel_mpi_objects *objects);

/* A message of this rank. KEEL_MPI_OK or KEEL_MPI_NO_ROOM. */
int keel_mpi_delivery_send(struct keel_mpi_objects *objects, uint64_t index, uint32_t handler,
                           const void *message, uint64_t bytes);

/* A numbered message that is on this rank now: to its object, or on. Takes it over. */
void keel_mpi_delivery_route(struct keel_mpi_objects *objects, struct keel_mpi_parcel *parcel);

/* Records MESSAGE and RETURNED. */
void keel_mpi_delivery_take(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload);

/* An object is here now, from wherever: whether its messages from here are numbered, and it gets
 * what was held for it. */
void keel_mpi_delivery_welcome(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* There is news of where an object is, for the home rank (home) or another one. */
void keel_mpi_delivery_note(struct keel_mpi_objects *objects, uint64_t index,
                            struct keel_location location, bool home);

/* An object was deleted here: all that it had goes back. */
void keel_mpi_delivery_forget(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* Nothing is going on any more but that messages wait: those to objects that nobody has go back,
 * and those before whose turn others went back are due. */
void keel_mpi_delivery_give_up(struct keel_mpi_objects *objects);

/* The phase has ended, and nothing waits: numbers begin again, and hints go. */
void keel_mpi_delivery_reset(struct keel_mpi_objects *objects);

/* The home rank of an object. */
uint32_t keel_mpi_delivery_home(const struct keel_mpi_objects *objects, uint64_t index);

/* Adds an object of the program, as keel_mpi_objects_insert() says. */
int keel_mpi_delivery_insert(struct keel_mpi_objects *objects, uint64_t index, void *data);

#endif
