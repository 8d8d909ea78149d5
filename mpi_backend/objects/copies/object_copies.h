/* Copies of objects, so that they survive the ranks that have them.
 *
 *   a phase ends -> is a copy due? -> take_copies.c -> pack_objects.c ~~> its holder
 *        (rows/copies/generations.h, as for rows)
 *   a rank ends -> recover_objects.c */
#ifndef MPI_BACKEND_OBJECTS_COPIES_OBJECT_COPIES_H
#define MPI_BACKEND_OBJECTS_COPIES_OBJECT_COPIES_H

#include "mpi_backend/rows/copies/generations.h"
#include "mpi_backend/objects/objects_state.h"

/* A phase has ended well: counts it, and takes a copy if one is due. KEEL_MPI_OK, or why there is
 * none, on all ranks. Collective. */
int keel_mpi_objects_copies_note_phase(struct keel_mpi_objects *objects);

/* Takes one. Collective. */
int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects);

/* Packs all objects of this rank in one piece, between two phases. KEEL_MPI_OK, KEEL_MPI_NO_ROOM,
 * or KEEL_MPI_CALLBACK; then *snapshot has none. Local. */
int keel_mpi_objects_snapshot_make(struct keel_mpi_objects *objects,
                                   struct keel_mpi_copy_memory *snapshot);

/* Unpacks its objects, which become `objects`'. On an error some of them are there. Local. */
int keel_mpi_objects_snapshot_restore(struct keel_mpi_objects *objects,
                                      const struct keel_mpi_copy_memory *snapshot);

/* Drops all objects that are here, with the messages that wait for them. Local. */
void keel_mpi_objects_drop_all(struct keel_mpi_objects *objects);

#endif
