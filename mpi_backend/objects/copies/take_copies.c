/* Copies of objects. */
#include "mpi_backend/objects/copies/object_copies.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/objects/objects.h"
#include "omp_ext/support/message.h"

#define WHERE "where copies of objects are taken"

static int pack(void *of, struct keel_mpi_copy *copy)
{
    struct keel_mpi_objects *objects = of;

    if (keel_mpi_movement_is_possible(objects)) {
        return keel_mpi_objects_snapshot_make(objects, &copy->own);
    }
    if (objects->rank == 0) {
        keel_mpi_misuse("copies of objects need the functions size, pack and unpack of "
                        "keel_mpi_objects_create()");
    }
    return KEEL_MPI_ARGUMENT;
}

static int await(void *of, int count, MPI_Request *request)
{
    struct keel_mpi_objects *objects = of;

    return keel_mpi_peers_await(&objects->peers, WHERE, count, request);
}

static int agree(void *of, int code)
{
    struct keel_mpi_objects *objects = of;
    uint64_t word = (uint64_t)code;
    int all = keel_mpi_peers_maxima(&objects->peers, WHERE, &word, 1);

    return all != KEEL_MPI_OK ? all : (int)word;
}

int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects)
{
    struct keel_mpi_copies *copies = objects->copies;
    double began_s = keel_mpi_clock_s();
    int code = keel_mpi_copies_take(copies, &(struct keel_mpi_copy_taking){.of = objects,
                                                                           .peers = &objects->peers,
                                                                           .step = objects->steps,
                                                                           .pack = pack,
                                                                           .await = await,
                                                                           .agree = agree});

    objects->report.copies_s += keel_mpi_clock_s() - began_s;
    if (code != KEEL_MPI_OK) {
        copies->over = true;
        if (code == KEEL_MPI_ARGUMENT) {
            return KEEL_MPI_OK; /* no functions: it has been said, and the phase is as right */
        }
        if (objects->rank == 0 && keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
            keel_message("copies of objects can't be taken any more (%s): the last ones are those "
                         "of phase %llu",
                         keel_mpi_error_name(code), (unsigned long long)copies->confirmed);
        }
        return code;
    }
    const struct keel_mpi_copy *last = &copies->copy[copies->latest];
    objects->report.copies++;
    objects->report.copies_sent_bytes += last->own.bytes;
    objects->report.copies_bytes = last->own.bytes + last->held.bytes;
    return KEEL_MPI_OK;
}

int keel_mpi_objects_copies_note_phase(struct keel_mpi_objects *objects)
{
    objects->steps++;
    if (objects->copies == NULL || objects->copies->over ||
        objects->steps % keel_mpi_settings()->copies != 0) {
        return KEEL_MPI_OK;
    }
    return keel_mpi_objects_copies_take(objects);
}
