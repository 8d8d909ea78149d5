/* An idle rank asks others for objects; the asked one gives some, if both end earlier for it.
 *
 *   idle, or soon -> schedules/balance/victim.h: whom -> ASK ~~> what to give (objects/gift.h)
 *        -> objects ~~> GAVE ~~> another round, or a pause
 *
 * Called under the set's lock, in phases. */
#ifndef MPI_BACKEND_OBJECTS_ASKING_ASKING_H
#define MPI_BACKEND_OBJECTS_ASKING_ASKING_H

#include "mpi_backend/objects/objects_state.h"

/* Takes the policy that holds, once, before the first phase. KEEL_MPI_OK or KEEL_MPI_NO_ROOM. */
int keel_mpi_asking_open(struct keel_mpi_objects *objects);

/* Whether idle ranks ask others, and objects can go there. */
bool keel_mpi_asking_is_on(const struct keel_mpi_objects *objects);

/* A phase begins. */
void keel_mpi_asking_begin(struct keel_mpi_objects *objects);

/* Asks, if the rank has too little work and nobody is asked already. */
void keel_mpi_asking_if_due(struct keel_mpi_objects *objects);

/* Whether what is left is not begun yet, but after answers, or as soon as some time has passed: as
 * the one before is done, others are known to have heavier ones that wait. After a rank's first
 * object others are looked at, too, as nothing can be known before. */
bool keel_mpi_asking_holds(struct keel_mpi_objects *objects);

/* An object begins at now_s: tells a rank that is known to have nothing of those that wait behind
 * it. */
void keel_mpi_asking_offer(struct keel_mpi_objects *objects, double now_s);

/* Records ASK, LOOK, GAVE and OFFER. */
void keel_mpi_asking_answer(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload);
void keel_mpi_asking_take(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record, const void *payload);
void keel_mpi_asking_hear(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record, const void *payload);

/* An object has come, unless it is NULL: it goes before those that take less. */
void keel_mpi_asking_place(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* An object is about to be taken from the list: where those left are few, the last one is the next,
 * once in a phase. Objects that lie together are often alike: it shows what those before it may
 * take while others still can have them. */
void keel_mpi_asking_sample(struct keel_mpi_objects *objects);

#endif
