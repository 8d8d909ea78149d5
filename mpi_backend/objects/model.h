/* What phases of a bag of objects take, beside what the model says of them, for reports.
 *
 *   phase begins -> work of each rank; phase ends -> figures of all ranks -> objects_online.h
 *        -> bounds of this phase, by what it has shown, and of the next one -> report/reported.h
 *
 * Where some rank wants a report; then ranks exchange figures at the end of a phase that computes
 * objects, and else nothing is done. By the thread that called the phase's function. */
#ifndef MPI_BACKEND_OBJECTS_MODEL_H
#define MPI_BACKEND_OBJECTS_MODEL_H

#include "mpi_backend/objects/state.h"
#include "mpi_backend/report/reported.h"

/* KEEL_MPI_OK or KEEL_MPI_NO_ROOM. All ranks have to come to the same. read: figures of a bag. */
int keel_mpi_model_open(struct keel_mpi_objects *objects, keel_mpi_reader *read);

/* A phase begins. */
void keel_mpi_model_begin(struct keel_mpi_objects *objects);

/* Objects that it computes are known. */
void keel_mpi_model_note_work(struct keel_mpi_objects *objects);

/* How long it has lasted; 0: no report is wanted. */
uint64_t keel_mpi_model_took_ns(const struct keel_mpi_objects *objects);

/* A phase that computes objects has ended, on all ranks. took_ns, longest_ns: the maxima of all
 * ranks, of the phase and of an object. KEEL_MPI_OK, or what has gone wrong among ranks.
 * Collective. */
int keel_mpi_model_end(struct keel_mpi_objects *objects, const char *where, uint64_t took_ns,
                       uint64_t longest_ns);

/* The bag is about to go: its figures are kept for the report. */
void keel_mpi_model_forget(struct keel_mpi_objects *objects);

void keel_mpi_model_free(struct keel_mpi_objects *objects);

#endif
