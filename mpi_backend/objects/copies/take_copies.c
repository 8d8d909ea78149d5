/* Copies of objects. */
#include "mpi_backend/objects/copies/object_copies.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_clock.h"
#include "mpi_backend/process/errors.h"
#include "mpi_backend/process/mpi_settings.h"
#include "mpi_backend/objects/objects.h"
#include "omp_ext/support/message.h"

#define WHERE "where copies of objects are taken"

/* Own bytes to the holder, those of the other rank from that. */
static int exchange(struct keel_mpi_objects *objects, enum keel_mpi_rows_tag kind, void *own,
                    uint64_t own_bytes, void *held, uint64_t held_bytes, MPI_Request request[2])
{
    struct keel_mpi_peers *peers = &objects->peers;
    const struct keel_mpi_copies *copies = objects->copies;

    keel_mpi_copies_start(copies, peers, false, kind, objects->steps, held, held_bytes,
                          &request[1]);
    keel_mpi_copies_start(copies, peers, true, kind, objects->steps, own, own_bytes, &request[0]);
    int code = keel_mpi_peers_await(peers, WHERE, 2, request);
    return code == KEEL_MPI_OK ? keel_mpi_peers_code(peers) : code;
}

/* The highest code of all ranks. */
static int agree(struct keel_mpi_objects *objects, int code)
{
    uint64_t word = (uint64_t)code;
    int all = keel_mpi_peers_maxima(&objects->peers, WHERE, &word, 1);

    return all != KEEL_MPI_OK ? all : (int)word;
}

/* Packs own objects, and has memory for those of the other rank. */
static int prepare(struct keel_mpi_objects *objects, struct keel_mpi_copy *next)
{
    struct keel_mpi_copies *copies = objects->copies;
    MPI_Request request[2];
    int own = KEEL_MPI_ARGUMENT;

    if (keel_mpi_movement_is_possible(objects)) {
        own = keel_mpi_objects_snapshot_make(objects, &next->own);
    } else if (objects->rank == 0) {
        keel_mpi_misuse("copies of objects need the functions size, pack and unpack of "
                        "keel_mpi_objects_create()");
    }
    copies->size[0] = next->own.bytes;
    copies->asking = true;
    int code = exchange(objects, KEEL_MPI_TAG_COPY_SIZES, &copies->size[0], sizeof copies->size[0],
                        &copies->size[1], sizeof copies->size[1], request);
    copies->asking = code != KEEL_MPI_OK;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    next->held.bytes = next->held.room = copies->size[1];
    next->held.data = malloc(copies->size[1]);
    bool room = next->held.data != NULL || copies->size[1] == 0;
    return agree(objects, own == KEEL_MPI_OK && !room ? KEEL_MPI_NO_ROOM : own);
}

static int take(struct keel_mpi_objects *objects)
{
    struct keel_mpi_copies *copies = objects->copies;
    struct keel_mpi_copy *next = &copies->copy[1 - copies->latest];
    int code = prepare(objects, next);

    if (code != KEEL_MPI_OK) {
        keel_mpi_copy_drop(next);
        return code;
    }
    next->step = objects->steps;
    copies->latest = 1 - copies->latest;
    code = exchange(objects, KEEL_MPI_TAG_COPIES, next->own.data, next->own.bytes, next->held.data,
                    next->held.bytes, next->request);
    next->complete = code == KEEL_MPI_OK;
    code = code == KEEL_MPI_OK ? agree(objects, code) : code;
    if (code == KEEL_MPI_OK) { /* tests/models/copies.pml: confirm */
        keel_mpi_copies_confirm(copies, next->step);
        keel_mpi_copy_drop(&copies->copy[1 - copies->latest]);
    }
    return code;
}

int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects)
{
    struct keel_mpi_copies *copies = objects->copies;
    double began_s = keel_mpi_clock_s();
    int code = take(objects);

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
