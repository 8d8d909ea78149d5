/* A phase: all ranks work on objects, and answer each other, until nothing is left to do.
 *
 *   begin -> ready objects -> idle: ask, receive, join a wave of schedules/objects/delivery.h
 *     ^                          |
 *     +---- objects, messages ---+--> ended: codes of all ranks -> between phases
 */
#ifndef MPI_BACKEND_OBJECTS_PHASE_H
#define MPI_BACKEND_OBJECTS_PHASE_H

#include "mpi_backend/objects/state.h"

/* KEEL_MPI_OK: a function that wants a phase may begin it, or do what has to be done between
 * phases. where: its name, for messages. */
int keel_mpi_phase_check(const struct keel_mpi_objects *objects, const char *where);

/* The phase becomes that of the caller: from here on others are heard. */
void keel_mpi_phase_begin(struct keel_mpi_objects *objects, enum keel_mpi_objects_phase kind);

/* Goes through it. The highest code of all ranks. Collective. */
int keel_mpi_phase_run(struct keel_mpi_objects *objects, const char *where);

#endif
