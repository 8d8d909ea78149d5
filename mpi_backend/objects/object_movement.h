/* An object goes to another rank.
 *
 *   packed, with its messages ~~> unpacked there: TAKEN ~~> dropped here, late messages follow
 *                              or no memory, unpack() failed: STAYS ~~> goes on here
 *
 * The giver keeps the object until the answer comes, so that it is never lost. It belongs to the
 * receiver as soon as that has unpacked it. Until the answer the giver does not work on it. An
 * answer counts by its epoch: an object may have come back, and gone again, before it.
 *
 * A phase ends well only when every record has arrived, so both know by then whether it has moved.
 * Where a rank is late, they know later; where it has ended or is stopped for good, the phase ends
 * with an error on all ranks, and the giver alone may be in doubt: it works on the object no more,
 * and has its data still. tests/models/movement.pml is searched for a case in which an object is
 * lost, or on two ranks. Called under the bag's lock. */
#ifndef MPI_BACKEND_OBJECTS_OBJECT_MOVEMENT_H
#define MPI_BACKEND_OBJECTS_OBJECT_MOVEMENT_H

#include "mpi_backend/objects/records/packed_check.h"
#include "mpi_backend/objects/state.h"

/* What records are looked at by. */
struct keel_mpi_packed_view keel_mpi_movement_view(const struct keel_mpi_objects *objects);

/* Bytes of an object when it is packed, by the program's word; with its messages. */
double keel_mpi_movement_bytes(const struct keel_mpi_objects *objects,
                               const struct keel_mpi_object *object);

/* Whether the program has given functions to move objects by. */
bool keel_mpi_movement_is_possible(const struct keel_mpi_objects *objects);

/* What this rank has computed; with the object that runs, where others may be like it. */
struct keel_work keel_mpi_movement_computing(const struct keel_mpi_objects *objects);

/* Sends an object that rests or is ready. False: it could not be packed, and stays as it was. */
bool keel_mpi_movement_give(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            uint32_t rank);

/* Records OBJECT, TAKEN and STAYS. The object that has come; NULL: it could not be taken. */
struct keel_mpi_object *keel_mpi_movement_take(struct keel_mpi_objects *objects,
                                               const struct keel_mpi_object_record *record,
                                               const void *payload);
void keel_mpi_movement_taken(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record);
void keel_mpi_movement_stays(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record);

#endif
