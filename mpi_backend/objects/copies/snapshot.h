/* All objects of a rank, packed into one piece of memory, and objects again from that. */
#ifndef MPI_BACKEND_OBJECTS_COPIES_SNAPSHOT_H
#define MPI_BACKEND_OBJECTS_COPIES_SNAPSHOT_H

#include "mpi_backend/objects/state.h"

struct keel_mpi_objects_snapshot {
    char *data; /* NULL: none */
    uint64_t bytes;
};

/* Packs all objects, between two phases. KEEL_MPI_OK, KEEL_MPI_NO_ROOM, or KEEL_MPI_CALLBACK; then
 * *snapshot has none. Local. */
int keel_mpi_objects_snapshot_make(struct keel_mpi_objects *objects,
                                   struct keel_mpi_objects_snapshot *snapshot);

/* Unpacks its objects, which become `objects`'. On an error some of them are there. Local. */
int keel_mpi_objects_snapshot_restore(struct keel_mpi_objects *objects,
                                      const struct keel_mpi_objects_snapshot *snapshot);

void keel_mpi_objects_snapshot_free(struct keel_mpi_objects_snapshot *snapshot);

#endif
