/* Whether what comes from another rank about objects can be right: it is looked at before anybody
 * uses it, so that no number in it leads out of the memory that it is in. No MPI is called.
 *
 *   transport.c: message of MPI -> [chunk] -> [record] -> object_progress.c -> [object]
 *        -> object_movement.c
 *   a copy -> [set] -> copies/pack_objects.c
 *
 * Each function returns what was expected, for a message; NULL: it can be right. */
#ifndef MPI_BACKEND_OBJECTS_RECORDS_PACKED_CHECK_H
#define MPI_BACKEND_OBJECTS_RECORDS_PACKED_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/objects/records/transport.h"

/* What the receiver knows. */
struct keel_mpi_packed_view {
    uint32_t rank, ranks;
    unsigned handlers; /* of the program */
    size_t questions;  /* of keel_mpi_objects_owner(), whose answers may come */
    size_t pace;       /* bytes of what an idle rank tells of itself, */
    size_t digest;     /* and of that with what it knows of others */
};

/* A message of `bytes` that begins with records: each lies within it. newest: the phase that they
 * may be of. */
const char *keel_mpi_packed_chunk_problem(const void *chunk, size_t bytes, uint32_t newest);

/* A record, without its payload. */
const char *keel_mpi_packed_record_problem(const struct keel_mpi_object_record *record,
                                           const struct keel_mpi_packed_view *view);

/* What a rank tells of others, view->digest bytes. */
const char *keel_mpi_packed_digest_problem(const void *payload,
                                           const struct keel_mpi_packed_view *view);

/* An object on its way. */
const char *keel_mpi_packed_object_problem(const void *payload, uint64_t bytes,
                                           const struct keel_mpi_packed_view *view);

/* A copy of all objects of a rank. */
const char *keel_mpi_packed_set_problem(const void *data, uint64_t bytes);

#endif
