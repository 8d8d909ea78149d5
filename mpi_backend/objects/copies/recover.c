/* Makes a bag anew over the ranks that are left, from copies of its objects.
 *
 *   what each survivor has -> which phase, whose objects from whom (rows/copies/recovery.h)
 *        -> unpack -> do all have theirs? -> the new bag -> a copy of it
 *
 * Nothing is sent: survivors go back to their own copies, and who holds those of a rank that has
 * ended gets its objects; balancing moves them from there. The old bag keeps its copies until all
 * have the new ones, as other ranks may end meanwhile. */
#include <stdlib.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/objects/copies/copies.h"
#include "mpi_backend/objects/copies/retire.h"
#include "mpi_backend/objects/phase.h"
#include "mpi_backend/rows/copies/recovery.h"
#include "omp_ext/support/message.h"

#define WHERE "in keel_mpi_objects_recover()"

struct recovery {
    struct keel_mpi_objects *old, *objects;
    struct keel_mpi_survivor own, *survivor;  /* of all; messages use both */
    uint64_t *had;                            /* of each rank before: 1 */
    uint64_t epoch;                           /* the new one */
    struct keel_mpi_objects_copies *source;   /* what objects come back from; NULL: nothing, */
    const struct keel_mpi_objects_copy *copy; /* and of that */
};

/* --- what survivors have --- */

/* The generations of this rank, in the order in which they are told. */
static size_t list_copies(const struct keel_mpi_objects *objects,
                          struct keel_mpi_objects_copies *set[KEEL_MPI_GENERATIONS],
                          const struct keel_mpi_objects_copy *copy[KEEL_MPI_GENERATIONS])
{
    size_t count = 0;

    for (struct keel_mpi_objects_copies *copies = objects->copies;
         copies != NULL && count < KEEL_MPI_GENERATIONS; copies = copies->before) {
        for (int i = 0; i < 2; i++) {
            if (copies->copy[i].phase > 0) {
                set[count] = copies;
                copy[count++] = &copies->copy[i];
            }
        }
    }
    return count;
}

static void describe(const struct keel_mpi_objects *objects, struct keel_mpi_survivor *own)
{
    struct keel_mpi_objects_copies *set[KEEL_MPI_GENERATIONS];
    const struct keel_mpi_objects_copy *copy[KEEL_MPI_GENERATIONS];
    size_t count = list_copies(objects, set, copy);
    const struct keel_mpi_objects_copies *copies = objects->copies;

    *own =
        (struct keel_mpi_survivor){.id = copies != NULL ? copies->id[copies->rank] : objects->rank};
    for (; copies != NULL; copies = copies->before) {
        own->epoch = copies->epoch > own->epoch ? copies->epoch : own->epoch;
        own->confirmed = copies->confirmed > own->confirmed ? copies->confirmed : own->confirmed;
    }
    for (size_t i = 0; i < count; i++) {
        own->generation[i] = (struct keel_mpi_generation){
            .epoch = set[i]->epoch,
            .hook = copy[i]->phase,
            .held = copy[i]->came ? set[i]->id[set[i]->held_of] : KEEL_MPI_NOBODY,
        };
    }
}

/* All survivors tell each other. */
static int meet(struct recovery *recovery)
{
    struct keel_mpi_peers *peers = &recovery->objects->peers;
    MPI_Request request;

    if (!keel_mpi_check(peers,
                        MPI_Iallgather(&recovery->own, (int)KEEL_MPI_SURVIVOR_WORDS, MPI_UINT64_T,
                                       recovery->survivor, (int)KEEL_MPI_SURVIVOR_WORDS,
                                       MPI_UINT64_T, peers->comm, &request),
                        "MPI_Iallgather")) {
        return keel_mpi_peers_code(peers);
    }
    return keel_mpi_peers_await(peers, WHERE, 1, &request);
}

/* The highest code of all survivors; *most becomes the most of them. */
static int agree(struct keel_mpi_objects *objects, int code, uint64_t *most)
{
    uint64_t word[] = {(uint64_t)code, *most};
    int all = keel_mpi_peers_maxima(&objects->peers, WHERE, word, 2);

    *most = all == KEEL_MPI_OK ? word[1] : *most;
    return all != KEEL_MPI_OK ? all : (int)word[0];
}

/* --- which copies --- */

/* Fills in source and copy; neither: there never was one. The code is the same on all ranks. */
static int choose(struct recovery *recovery)
{
    struct keel_mpi_epoch epoch[KEEL_MPI_GENERATIONS] = {0};
    struct keel_mpi_objects_copies *set[KEEL_MPI_GENERATIONS];
    const struct keel_mpi_objects_copy *copy[KEEL_MPI_GENERATIONS];
    uint32_t survivors = recovery->objects->ranks;
    size_t count = list_copies(recovery->old, set, copy);
    struct keel_mpi_gone gone;

    for (uint32_t i = 0; i < survivors; i++) {
        uint64_t other = recovery->survivor[i].epoch;
        recovery->epoch = other > recovery->epoch ? other : recovery->epoch;
    }
    recovery->epoch++;
    for (size_t i = 0; i < count; i++) {
        epoch[i] = (struct keel_mpi_epoch){set[i]->id, recovery->had, set[i]->ranks};
    }
    int chosen = keel_mpi_recovery_choose(recovery->survivor, survivors, recovery->objects->rank,
                                          epoch, &gone);
    if (chosen >= 0) {
        recovery->source = set[chosen];
        recovery->copy = copy[chosen];
        return KEEL_MPI_OK;
    }
    if (!keel_mpi_recovery_had_copies(recovery->survivor, survivors)) {
        return KEEL_MPI_OK;
    }
    if (recovery->objects->rank == 0) {
        keel_message("objects can't come back: rank %u and the rank that held the copy of its "
                     "objects have both ended",
                     gone.generation >= 0 ? gone.rank : 0);
    }
    return KEEL_MPI_RANKS_LOST;
}

/* --- objects again --- */

/* Own ones, and those of ranks that have ended and whose copies are here. */
static int restore(struct recovery *recovery)
{
    const struct keel_mpi_objects_copies *source = recovery->source;
    uint32_t survivors = recovery->objects->ranks;
    int code = keel_mpi_objects_snapshot_restore(recovery->objects, &recovery->copy->own);

    for (uint32_t i = 0; i < source->ranks && code == KEEL_MPI_OK; i++) {
        bool lost = keel_mpi_recovery_find(recovery->survivor, survivors, source->id[i]) ==
                    KEEL_MPI_NO_SURVIVOR;
        if (lost && keel_mpi_recovery_provider(recovery->survivor, survivors, source->epoch,
                                               recovery->copy->phase,
                                               source->id[i]) == recovery->objects->rank) {
            code = keel_mpi_objects_snapshot_restore(recovery->objects, &recovery->copy->held);
        }
    }
    return code;
}

static int begin_copies(struct recovery *recovery)
{
    uint32_t survivors = recovery->objects->ranks;
    uint64_t *id = calloc(survivors, sizeof *id);

    for (uint32_t i = 0; id != NULL && i < survivors; i++) {
        id[i] = recovery->survivor[i].id;
    }
    keel_mpi_objects_copies_free(recovery->objects->copies); /* those of a bag by itself */
    recovery->objects->copies = NULL;
    bool room = id != NULL && keel_mpi_objects_copies_begin(recovery->objects, recovery->epoch, id);
    free(id);
    return room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM;
}

/* Those of the old bag that objects came back from go on; the others are not needed. */
static void hand_copies_on(struct recovery *recovery)
{
    struct keel_mpi_objects_copies **link = &recovery->old->copies, *source = recovery->source;

    while (*link != NULL && *link != source) {
        link = &(*link)->before;
    }
    *link = NULL;
    keel_mpi_objects_copies_free(recovery->old->copies);
    recovery->old->copies = NULL;
    if (source != NULL) {
        keel_mpi_objects_copies_free(source->before);
        source->before = NULL;
    }
    if (recovery->objects->copies != NULL) {
        recovery->objects->copies->before = source;
    } else {
        keel_mpi_objects_copies_free(source);
    }
}

/* Of so many ranks, each had something: a copy without objects is one, too. */
static uint64_t *all_had_something(const struct keel_mpi_objects *objects)
{
    uint32_t ranks = objects->ranks;

    for (const struct keel_mpi_objects_copies *i = objects->copies; i != NULL; i = i->before) {
        ranks = i->ranks > ranks ? i->ranks : ranks;
    }
    uint64_t *had = calloc(ranks, sizeof *had);
    for (uint32_t i = 0; had != NULL && i < ranks; i++) {
        had[i] = 1;
    }
    return had;
}

/* KEEL_MPI_OK: the new bag is all there. Else the old one is as it was, but for its objects. */
static int recover(struct recovery *recovery)
{
    struct keel_mpi_objects *objects = recovery->objects;

    describe(recovery->old, &recovery->own);
    int code = meet(recovery);
    code = code == KEEL_MPI_OK ? choose(recovery) : code;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_objects_drop_all(recovery->old);
    objects->policy = recovery->old->policy;
    objects->steps = recovery->copy != NULL ? recovery->copy->phase : 0;
    code = recovery->copy != NULL ? restore(recovery) : KEEL_MPI_OK;
    code = code == KEEL_MPI_OK ? begin_copies(recovery) : code;
    return agree(objects, code, &objects->new_indices);
}

/* Memory for it, which operations on their way may use; NULL: there is none. */
static struct recovery *begin(struct keel_mpi_objects *old, struct keel_mpi_objects *objects)
{
    struct recovery *recovery = calloc(1, sizeof *recovery);

    if (recovery != NULL) {
        *recovery =
            (struct recovery){.old = old,
                              .objects = objects,
                              .survivor = calloc(objects->ranks, sizeof(struct keel_mpi_survivor)),
                              .had = all_had_something(old)};
    }
    return recovery;
}

static void end(struct recovery *recovery)
{
    if (recovery != NULL) {
        free(recovery->survivor);
        free(recovery->had);
        free(recovery);
    }
}

KEEL_MPI_PUBLIC int keel_mpi_objects_recover(struct keel_mpi_objects **bag, MPI_Comm survivors,
                                             uint64_t *phase)
{
    struct keel_mpi_objects *old = *bag, *objects;
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
    struct recovery *recovery = begin(old, objects);
    bool room = recovery != NULL && recovery->survivor != NULL && recovery->had != NULL;
    code = agree(objects, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, &none);
    code = code == KEEL_MPI_OK ? recover(recovery) : code;
    if (code == KEEL_MPI_OK) {
        *phase = objects->steps;
        hand_copies_on(recovery);
        keel_mpi_objects_retire(old);
        *bag = objects;
        if (objects->steps > 0 && objects->copies != NULL) {
            keel_mpi_objects_copies_take(objects); /* what goes wrong, the next phase returns */
        }
    } else if (keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
        keel_mpi_objects_destroy(&objects);
    } else {
        keel_mpi_objects_drop_all(objects);
        keel_mpi_objects_retire(objects);
        return keel_mpi_error_return(code); /* operations use the rest */
    }
    end(recovery);
    return keel_mpi_error_return(code);
}
