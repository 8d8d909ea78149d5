/* Which rank holds whose copy, and which copies all ranks go back to when some have ended.
 *
 *   machines of all ranks -> [ring] -> each rank sends its copy to one rank, and holds one
 *   what all survivors have of copies -> [choose] -> a generation that is whole
 *
 * A recovery makes a new epoch: ranks get new numbers, and other ranks hold their copies. So ranks
 * are told apart by ids, which they keep: their numbers in the first epoch.
 *
 * Pure: no MPI. All ranks come to the same. */
#ifndef MPI_BACKEND_ROWS_COPIES_GENERATIONS_H
#define MPI_BACKEND_ROWS_COPIES_GENERATIONS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/rows/placement.h"
#include "mpi_backend/rows/rows_room.h"

/* holder[i]: the rank that holds the copy of rank i, which is never i. Each rank holds one.
 * It is on another machine for all ranks, if no machine has more than half of them; else for as
 * many as there are on other machines. machine[i] < ranks: equal where ranks i are on one.
 * ranks >= 2. False: no memory. O(ranks). */
bool keel_mpi_copies_ring(uint32_t ranks, const uint32_t *machine, uint32_t *holder);

/* Generations of copies that a rank can have: two of its epoch, two of the one before. */
#define KEEL_MPI_GENERATIONS 4

#define KEEL_MPI_NOBODY UINT64_MAX      /* no id */
#define KEEL_MPI_NO_SURVIVOR UINT32_MAX /* no number of a survivor */

/* What a rank has of one: its own rows or objects as they were after that step, which is a balance
 * call or a phase. All words of 64 bits, as they are sent. */
struct keel_mpi_generation {
    uint64_t epoch; /* from 1; 0: there is none */
    uint64_t step;
    uint64_t held; /* id of the rank whose copy it has, too; KEEL_MPI_NOBODY: of none */
};

struct keel_mpi_survivor {
    uint64_t id;
    uint64_t epoch;     /* that it is in */
    uint64_t confirmed; /* the last step whose copies it knows to be complete on all ranks; 0: none
                         */
    struct keel_mpi_generation generation[KEEL_MPI_GENERATIONS];
};

/* The ranks of an epoch in the order of their numbers, after a step. */
struct keel_mpi_epoch {
    const uint64_t *id;
    const uint64_t *owned; /* rows of each; NULL: each had something */
    uint32_t ranks;
};

/* What no survivor has. */
struct keel_mpi_gone {
    int generation; /* of survivor `own`; -1: not known */
    uint32_t rank;  /* of that epoch, whose rows or objects they were */
};

/* Which generation of survivor `own` all come back from: the latest one which each survivor has,
 * and where one of them has the copy of each other rank that had something. epoch[g]: the ranks in
 * generation g of `own`, if it has that. Returns its index; -1: there is none, and *gone is what is
 * missing of the one that was complete for the longest time. O(ranks * survivors). */
int keel_mpi_copies_choose(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                           uint32_t own, const struct keel_mpi_epoch *epoch,
                           struct keel_mpi_gone *gone);

/* Whether some survivor knows that copies were complete on all ranks once. */
bool keel_mpi_copies_were_whole(const struct keel_mpi_survivor *survivor, uint32_t survivors);

/* The number of the survivor that has that id, or KEEL_MPI_NO_SURVIVOR. */
uint32_t keel_mpi_copies_find(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                              uint64_t id);

/* The survivor that has what rank `id` had in that generation: itself, or a holder; or
 * KEEL_MPI_NO_SURVIVOR. */
uint32_t keel_mpi_copies_provider(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                                  uint64_t epoch, uint64_t step, uint64_t id);

/* --- pieces ---
 *
 * Which rank gets which rows from whom when a distribution comes back over fewer ranks.
 *
 *   the placement of a copy, who has ended -> [pieces] -> pieces of rows -> recover.c: rows move
 *
 * Pure: no MPI. All survivors come to the same. */

/* How the rows of an epoch are placed on survivors. Survivors keep theirs. */
struct keel_mpi_recovery {
    const struct keel_mpi_placement *before;
    const uint32_t *survivor; /* of each rank before: its number now, or KEEL_MPI_NO_SURVIVOR; in
                                 the same order */
    const uint32_t *provider; /* of each rank before that had rows: which survivor has them */
    uint32_t survivors;       /* >= 1 */
    bool adjacent; /* rows of ranks that have ended go to the survivors next to them, one half to
                      each; else in equal parts to all */
};

/* Room for so many pieces will do. */
static inline size_t keel_mpi_recovery_room(const struct keel_mpi_recovery *recovery)
{
    return 2 * recovery->before->count + recovery->survivors;
}

/* Lists all rows, in their order, by the survivor that has them and the one that gets them, who may
 * be the same. Returns how many pieces there are. */
size_t keel_mpi_recovery_pieces(const struct keel_mpi_recovery *recovery,
                                struct keel_mpi_transfer *piece);

/* The placement in which survivors have the rows that they give. False: no memory, and *placement
 * is empty. */
bool keel_mpi_recovery_placement(const struct keel_mpi_recovery *recovery,
                                 const struct keel_mpi_transfer *piece, size_t pieces,
                                 struct keel_mpi_placement *placement);

/* --- generations ---
 *
 * Copies of the rows or objects of a rank at another one, so that they survive the ranks that have
 * them: what is the same for both.
 *
 *   rows/copies, objects: a snapshot -> [generations] ~~> its holder
 *   a rank ends -> what each survivor has -> [generations] -> which copy all go back to
 *        -> recover.c, recover_objects.c -> the new epoch
 *
 * Two generations: the older one stays until the newer is complete on all ranks, and all know that.
 * A rank keeps what it sends, too, as it has to go back with the others. Ranks wait until a copy
 * has come: where some end meanwhile, both that one and the one before are there.
 * tests/models/copies.pml */

/* A snapshot. */
struct keel_mpi_copy_memory {
    char *data;         /* NULL: none */
    size_t bytes, room; /* in use, and all */
};

/* All rows or objects as they were after one step: a balance call, or a phase. */
struct keel_mpi_copy {
    uint64_t step;                         /* 0: there is none */
    struct keel_mpi_placement placement;   /* of rows; of objects none */
    struct keel_mpi_copy_memory own, held; /* of this rank, and of held_of */
    bool complete;                         /* `held` is all there */
    MPI_Request request[2];                /* `own` to its holder, `held` from held_of */
};

struct keel_mpi_copies {
    uint64_t epoch;           /* from 1; each recovery makes a new one */
    uint64_t *id;             /* of all ranks: see above */
    uint32_t ranks, rank;     /* of this epoch */
    uint32_t holder, held_of; /* who holds this rank's copies, and whose it holds */
    uint64_t ring;            /* who holds whose, in one number */
    struct keel_mpi_copy copy[2];
    unsigned latest;    /* the one that was begun last */
    uint64_t confirmed; /* the last step whose copies all ranks have, as this one knows; 0: none */
    bool over;          /* none are taken any more */
    uint64_t size[2];   /* bytes of the next ones: own, held */
    bool asking;        /* messages use these sizes */
    struct keel_mpi_copies *before; /* those that all came back from, until others are complete;
                                       NULL: there are none */
};

/* --- taking them --- */

/* Copies from now on, where KEEL_MPI_COPIES asks for them and there are other ranks; else *copies
 * becomes NULL. id: of each rank; NULL: their numbers. False: no memory. Local. */
bool keel_mpi_copies_open(struct keel_mpi_copies **copies, const struct keel_mpi_peers *peers,
                          uint64_t epoch, const uint64_t *id);

/* How one is taken. */
struct keel_mpi_copy_taking {
    void *of; /* the rows, or objects */
    struct keel_mpi_peers *peers;
    uint64_t step;
    /* Packs all that is here; KEEL_MPI_OK, or a code: then copy->own has nothing. */
    int (*pack)(void *of, struct keel_mpi_copy *copy);
    /* Waits for messages. */
    int (*await)(void *of, int count, MPI_Request *request);
    /* The highest code of all ranks. */
    int (*agree)(void *of, int code);
};

/* Takes one: KEEL_MPI_OK, or why there is none, on all ranks. Collective. */
int keel_mpi_copies_take(struct keel_mpi_copies *copies, const struct keel_mpi_copy_taking *taking);

/* Frees all that they have, other than what messages on their way use. NULL will do. Local. */
void keel_mpi_copies_free(struct keel_mpi_copies *copies);

/* --- going back to them --- */

struct keel_mpi_going_back {
    struct keel_mpi_survivor own, *survivor; /* of all; messages use both */
    uint64_t *id;                            /* of all survivors */
    uint32_t survivors;
    uint64_t epoch;                 /* the new one */
    struct keel_mpi_copies *source; /* what all come back from; NULL: nothing, */
    struct keel_mpi_copy *copy;     /* and of that */
    struct keel_mpi_copy *gone;     /* KEEL_MPI_RANKS_LOST: there something is missing, */
    uint32_t gone_rank;             /* that this rank of its epoch had; NULL: not known */
};

/* False: no memory. Local. */
bool keel_mpi_going_back_open(struct keel_mpi_going_back *back, uint32_t survivors);

/* Over the communicator of survivors: finds what all go back to; no source: there never was a copy.
 * rank: what this one was without copies. KEEL_MPI_RANKS_LOST: no copies are whole. Collective; all
 * get the same code, unless MPI fails. */
int keel_mpi_going_back_choose(struct keel_mpi_going_back *back, struct keel_mpi_peers *peers,
                               const char *where, struct keel_mpi_copies *copies, uint32_t rank);

/* Copies of the new epoch begin. KEEL_MPI_NO_ROOM: no memory. Local. */
int keel_mpi_going_back_begin(const struct keel_mpi_going_back *back,
                              struct keel_mpi_copies **copies, const struct keel_mpi_peers *peers);

/* All have come back: of the old copies, those that they came back from go on behind the new ones;
 * the others are not needed. Local. */
void keel_mpi_going_back_end(const struct keel_mpi_going_back *back, struct keel_mpi_copies **old,
                             struct keel_mpi_copies *copies);

/* pending: messages may be on their way. Local. */
void keel_mpi_going_back_free(struct keel_mpi_going_back *back, bool pending);

#endif
