/* Copies of objects. */
#include "mpi_backend/objects/copies/copies.h"

#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/objects/movement.h"
#include "mpi_backend/rows/copies/holders.h"
#include "mpi_backend/rows/messages.h"
#include "omp_ext/support/message.h"

#define WHERE "where copies of objects are taken"

/* --- beginning --- */

static bool find_holders(struct keel_mpi_objects_copies *copies, const struct keel_mpi_peers *peers)
{
    uint32_t *holder = calloc(peers->ranks, sizeof *holder);
    bool room = holder != NULL && keel_mpi_holders_find(peers, holder);

    if (room) {
        copies->holder = holder[peers->rank];
        copies->held_of = keel_mpi_holders_held_of(holder, peers->ranks, peers->rank);
    }
    free(holder);
    return room;
}

bool keel_mpi_objects_copies_begin(struct keel_mpi_objects *objects, uint64_t epoch,
                                   const uint64_t *id)
{
    if (keel_mpi_settings()->copies == 0 || objects->ranks < 2) {
        return true;
    }
    struct keel_mpi_objects_copies *copies = calloc(1, sizeof *copies);
    if (copies == NULL || (copies->id = calloc(objects->ranks, sizeof *copies->id)) == NULL ||
        !find_holders(copies, &objects->peers)) {
        keel_mpi_objects_copies_free(copies);
        return false;
    }
    copies->epoch = epoch;
    copies->ranks = objects->ranks;
    copies->rank = objects->rank;
    for (uint32_t i = 0; i < objects->ranks; i++) {
        copies->id[i] = id != NULL ? id[i] : i;
    }
    objects->copies = copies;
    return true;
}

/* --- one copy --- */

static void start(struct keel_mpi_objects *objects, bool sends, enum keel_mpi_rows_tag kind,
                  void *at, uint64_t bytes, MPI_Request *request)
{
    const struct keel_mpi_objects_copies *copies = objects->copies;

    keel_mpi_rows_message_start(
        &objects->peers,
        &(struct keel_mpi_rows_message){.sends = sends,
                                        .at = at,
                                        .count = bytes,
                                        .type = MPI_BYTE,
                                        .rank = (int)(sends ? copies->holder : copies->held_of),
                                        .tag = keel_mpi_rows_tag(kind, objects->steps),
                                        .comm = objects->peers.comm},
        request);
}

/* Own bytes to the holder, those of the other rank from that. */
static int exchange(struct keel_mpi_objects *objects, enum keel_mpi_rows_tag kind, void *own,
                    uint64_t own_bytes, void *held, uint64_t held_bytes)
{
    MPI_Request request[2];

    start(objects, false, kind, held, held_bytes, &request[0]);
    start(objects, true, kind, own, own_bytes, &request[1]);
    int code = keel_mpi_peers_await(&objects->peers, WHERE, 2, request);
    code = code == KEEL_MPI_OK ? keel_mpi_peers_code(&objects->peers) : code;
    objects->copies->pending = objects->copies->pending || code != KEEL_MPI_OK;
    return code;
}

/* The highest code of all ranks. */
static int agree(struct keel_mpi_objects *objects, int code)
{
    uint64_t word = (uint64_t)code;
    int all = keel_mpi_peers_maxima(&objects->peers, WHERE, &word, 1);

    return all != KEEL_MPI_OK ? all : (int)word;
}

/* Packs own objects, and has memory for those of the other rank. */
static int prepare(struct keel_mpi_objects *objects, struct keel_mpi_objects_copy *next)
{
    struct keel_mpi_objects_copies *copies = objects->copies;
    int own = KEEL_MPI_ARGUMENT;

    if (keel_mpi_movement_is_possible(objects)) {
        own = keel_mpi_objects_snapshot_make(objects, &next->own);
    } else if (objects->rank == 0) {
        keel_mpi_misuse("copies of objects need the functions size, pack and unpack of "
                        "keel_mpi_objects_create()");
    }
    copies->own_bytes = next->own.bytes;
    int code = exchange(objects, KEEL_MPI_TAG_COPY_SIZES, &copies->own_bytes,
                        sizeof copies->own_bytes, &copies->held_bytes, sizeof copies->held_bytes);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    next->held.bytes = copies->held_bytes;
    next->held.data = malloc(copies->held_bytes);
    bool room = next->held.data != NULL || copies->held_bytes == 0;
    return agree(objects, own == KEEL_MPI_OK && !room ? KEEL_MPI_NO_ROOM : own);
}

static void drop(struct keel_mpi_objects_copy *copy)
{
    keel_mpi_objects_snapshot_free(&copy->own);
    keel_mpi_objects_snapshot_free(&copy->held);
    *copy = (struct keel_mpi_objects_copy){0};
}

static int take(struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_copies *copies = objects->copies;
    struct keel_mpi_objects_copy *next = &copies->copy[1 - copies->latest];
    int code = prepare(objects, next);

    if (code != KEEL_MPI_OK) {
        if (!copies->pending) {
            drop(next);
        }
        return code;
    }
    next->phase = objects->steps;
    copies->latest = 1 - copies->latest;
    code = exchange(objects, KEEL_MPI_TAG_COPIES, next->own.data, next->own.bytes, next->held.data,
                    next->held.bytes);
    next->came = code == KEEL_MPI_OK;
    code = code == KEEL_MPI_OK ? agree(objects, code) : code;
    if (code == KEEL_MPI_OK) { /* tests/models/copies.pml: confirm */
        copies->confirmed = next->phase;
        drop(&copies->copy[1 - copies->latest]);
        keel_mpi_objects_copies_free(copies->before);
        copies->before = NULL;
    }
    return code;
}

int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_copies *copies = objects->copies;
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
    const struct keel_mpi_objects_copy *last = &copies->copy[copies->latest];
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

/* --- ending --- */

void keel_mpi_objects_copies_free(struct keel_mpi_objects_copies *copies)
{
    while (copies != NULL && !copies->pending) {
        struct keel_mpi_objects_copies *before = copies->before;
        drop(&copies->copy[0]);
        drop(&copies->copy[1]);
        free(copies->id);
        free(copies);
        copies = before;
    }
}
