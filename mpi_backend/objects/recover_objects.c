/* Restores a set on the surviving ranks, from copies of its objects.
 *
 *   copies of survivors -> which phase, which objects from where (rows/copies/generations.h)
 *        -> unpack -> do all have theirs? -> the new set -> a copy of it
 *
 * No objects are sent: survivors go back to their own copies, and the holder of an ended rank's
 * copy gets its objects; balancing moves them from there. The old set keeps its copies until all
 * have the new ones, as other ranks may end meanwhile. */
#include "mpi_backend/objects/objects.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"

#define WHERE "in keel_mpi_objects_recover()"

struct recovery {
    struct keel_mpi_objects *old, *objects;
    struct keel_mpi_going_back back;
};

/* --- the old set --- */

/* Retires a set: every function returns KEEL_MPI_RANKS_LOST for it. All its memory except its
 * objects stays, as pending operations may use it. */
static void retire(struct keel_mpi_objects *objects)
{
    int none = KEEL_MPI_OK;

    keel_mpi_objects_unlist(objects);
    keel_mpi_model_forget(objects);
    atomic_compare_exchange_strong(&objects->peers.code, &none, KEEL_MPI_RANKS_LOST);
}

/* --- which copies --- */

/* Fills in back->source and ->copy; NULL if there never was one. All ranks get the same code. */
static int choose(struct recovery *recovery)
{
    struct keel_mpi_objects *objects = recovery->objects;
    struct keel_mpi_going_back *back = &recovery->back;
    int code = keel_mpi_going_back_choose(back, &objects->peers, WHERE, recovery->old->copies,
                                          recovery->old->rank);

    if (code == KEEL_MPI_RANKS_LOST && objects->rank == 0 &&
        keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
        keel_message("objects can't come back: rank %u and the rank that held the copy of its "
                     "objects have both ended",
                     back->gone != NULL ? back->gone_rank : 0);
    }
    return code;
}

/* Returns the highest code of all survivors, and the highest *most in *most. */
static int agree(struct keel_mpi_objects *objects, int code, uint64_t *most)
{
    uint64_t word[] = {(uint64_t)code, *most};
    int all = keel_mpi_peers_maxima(&objects->peers, WHERE, word, 2);

    *most = all == KEEL_MPI_OK ? word[1] : *most;
    return all != KEEL_MPI_OK ? all : (int)word[0];
}

/* --- restoring objects --- */

/* Restores own objects, and those of ended ranks whose copies are here. */
static int restore(struct recovery *recovery)
{
    const struct keel_mpi_going_back *back = &recovery->back;
    const struct keel_mpi_copies *source = back->source;
    int code = keel_mpi_objects_snapshot_restore(recovery->objects, &back->copy->own);

    for (uint32_t i = 0; i < source->ranks && code == KEEL_MPI_OK; i++) {
        uint64_t id = source->id[i];
        bool lost =
            keel_mpi_copies_find(back->survivor, back->survivors, id) == KEEL_MPI_NO_SURVIVOR;
        if (lost && keel_mpi_copies_provider(back->survivor, back->survivors, source->epoch,
                                             back->copy->step, id) == recovery->objects->rank) {
            code = keel_mpi_objects_snapshot_restore(recovery->objects, &back->copy->held);
        }
    }
    return code;
}

/* KEEL_MPI_OK: the new set is complete. Otherwise the old one is as it was, without its objects. */
static int recover(struct recovery *recovery)
{
    struct keel_mpi_objects *objects = recovery->objects;
    const struct keel_mpi_copy *copy;
    int code = choose(recovery);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    copy = recovery->back.copy;
    keel_mpi_objects_drop_all(recovery->old);
    objects->policy = recovery->old->policy;
    objects->steps = copy != NULL ? copy->step : 0;
    code = copy != NULL ? restore(recovery) : KEEL_MPI_OK;
    if (code == KEEL_MPI_OK) {
        code = keel_mpi_going_back_begin(&recovery->back, &objects->copies, &objects->peers);
    }
    return agree(objects, code, &objects->new_indices);
}

/* Frees `recovery`. pending: operations may use it. */
static void end(struct recovery *recovery, bool pending)
{
    if (recovery != NULL) {
        keel_mpi_going_back_free(&recovery->back, pending);
        if (!pending) {
            free(recovery);
        }
    }
}

KEEL_MPI_PUBLIC int keel_mpi_objects_recover(struct keel_mpi_objects **set, MPI_Comm survivors,
                                             uint64_t *phase)
{
    struct keel_mpi_objects *old = *set, *objects;
    int code = keel_mpi_phase_check(old, "keel_mpi_objects_recover");
    uint64_t none = 0;

    *phase = 0;
    if (old == NULL || code == KEEL_MPI_BUSY) {
        return code;
    }
    struct keel_mpi_objects_functions functions = old->call;
    functions.handler = old->handler;
    code = keel_mpi_objects_create(survivors, &functions, &objects);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    struct recovery *recovery = calloc(1, sizeof *recovery);
    bool room = recovery != NULL && keel_mpi_going_back_open(&recovery->back, objects->ranks);
    if (recovery != NULL) {
        recovery->old = old;
        recovery->objects = objects;
    }
    code = agree(objects, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, &none);
    code = code == KEEL_MPI_OK ? recover(recovery) : code;
    if (code == KEEL_MPI_OK) {
        *phase = objects->steps;
        keel_mpi_going_back_end(&recovery->back, &old->copies, objects->copies);
        retire(old);
        *set = objects;
        if (objects->steps > 0 && objects->copies != NULL) {
            keel_mpi_objects_copies_take(objects); /* the next phase returns its errors */
        }
    } else if (keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
        keel_mpi_objects_destroy(&objects);
    } else {
        keel_mpi_objects_drop_all(objects);
        retire(objects);
        end(recovery, true);
        return keel_mpi_error_return(code);
    }
    end(recovery, false);
    return keel_mpi_error_return(code);
}
