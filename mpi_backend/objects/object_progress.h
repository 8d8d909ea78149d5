/* What comes from other ranks, and what has to be told to them. By threads that may call MPI. */
#ifndef MPI_BACKEND_OBJECTS_OBJECT_PROGRESS_H
#define MPI_BACKEND_OBJECTS_OBJECT_PROGRESS_H

#include "mpi_backend/objects/state.h"

/* Whether a record can be right (keel_mpi_transport's check). */
const char *keel_mpi_progress_check_record(void *context,
                                           const struct keel_mpi_object_record *record);

/* A record has come (keel_mpi_transport's take). Under the lock. */
void keel_mpi_progress_take_record(void *context, const struct keel_mpi_object_record *record,
                                   const void *payload);

/* Receives, answers and sends; asks if that is due. Under the lock. Whether anything has come. */
bool keel_mpi_objects_progress(struct keel_mpi_objects *objects, double now_s);

/* The same if it was not done for a while and nobody else has the lock. now_s: by clock.h. */
void keel_mpi_objects_progress_if_due(struct keel_mpi_objects *objects, double now_s);

/* Of all bags that are in a phase, if it is time; for keel_mpi_poll(). */
void keel_mpi_objects_poll_all(void);

/* The bag is there from now on, or goes. */
void keel_mpi_objects_enlist(struct keel_mpi_objects *objects);
void keel_mpi_objects_unlist(struct keel_mpi_objects *objects);

#endif
