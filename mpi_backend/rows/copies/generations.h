/* Which rank holds whose copy, and to which copies all ranks go back when some have ended.
 *
 *   machines of all ranks -> [ring] -> each rank sends its copy to one rank, and holds one
 *   copies that survivors have -> [choose] -> a generation that is complete
 *
 * A recovery makes a new epoch: ranks get new numbers, and other ranks hold their copies. So ranks
 * are identified by ids, which they keep: their numbers in the first epoch.
 *
 * Pure: no MPI. All ranks get the same results. */
#ifndef MPI_BACKEND_ROWS_COPIES_GENERATIONS_H
#define MPI_BACKEND_ROWS_COPIES_GENERATIONS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/rows/placement.h"
#include "mpi_backend/rows/rows_room.h"

/* Fills in holder[i] != i, the rank that holds the copy of rank i. Each rank holds one copy. The
 * holder is on another machine for all ranks, if no machine has more than half of them; otherwise
 * for as many as there are on other machines. machine[i] < ranks: equal for ranks on the same
 * machine. ranks >= 2. False: no memory. O(ranks). */
bool keel_mpi_copies_ring(uint32_t ranks, const uint32_t *machine, uint32_t *holder);

/* Generations of copies that a rank can have: two of its epoch, two of the one before. */
#define KEEL_MPI_GENERATIONS 4

#define KEEL_MPI_NO_ID UINT64_MAX       /* no id */
#define KEEL_MPI_NO_SURVIVOR UINT32_MAX /* no number of a survivor */

/* A generation of a rank: its own rows or objects as they were after a step, which is a balance
 * call or a phase. All words of 64 bits, as they are sent. */
struct keel_mpi_generation {
    uint64_t epoch; /* from 1; 0: there is none */
    uint64_t step;
    uint64_t held; /* id of the rank whose copy it also has; KEEL_MPI_NO_ID: none */
};

struct keel_mpi_survivor {
    uint64_t id;
    uint64_t epoch;     /* its present epoch */
    uint64_t confirmed; /* last step whose copies it knows to be complete on all ranks; 0: none */
    struct keel_mpi_generation generation[KEEL_MPI_GENERATIONS];
};

/* The ranks of an epoch in the order of their numbers, after a step. */
struct keel_mpi_epoch {
    const uint64_t *id;
    const uint64_t *owned; /* rows of each; NULL: assume that each had some data */
    uint32_t ranks;
};

/* Data that no survivor has. */
struct keel_mpi_gone {
    int generation; /* of survivor `own`; -1: not known */
    uint32_t rank;  /* of that epoch, whose rows or objects are lost */
};

/* Chooses the generation of survivor `own` from which all come back: the latest one that each
 * survivor has, and of which survivors have the copy of each other rank that had data. epoch[g]:
 * the ranks in generation g of `own`, if it exists. Returns its index; -1 if there is none: then
 * *gone is missing data of the oldest generation. O(ranks * survivors). */
int keel_mpi_copies_choose(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                           uint32_t own, const struct keel_mpi_epoch *epoch,
                           struct keel_mpi_gone *gone);

/* Whether some survivor knows that copies were once complete on all ranks. */
bool keel_mpi_copies_were_whole(const struct keel_mpi_survivor *survivor, uint32_t survivors);

/* Returns the number of the survivor with that id, or KEEL_MPI_NO_SURVIVOR. */
uint32_t keel_mpi_copies_find(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                              uint64_t id);

/* Returns the survivor that has the data of rank `id` in that generation: itself or a holder; or
 * KEEL_MPI_NO_SURVIVOR. */
uint32_t keel_mpi_copies_provider(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                                  uint64_t epoch, uint64_t step, uint64_t id);

/* --- pieces ---
 *
 * Which rank gets which rows from which rank when a distribution is restored on fewer ranks.
 *
 *   the placement of a copy, who has ended -> [pieces] -> pieces of rows -> recover.c: rows move
 *
 * Pure: no MPI. All survivors get the same results. */

/* How the rows of an epoch are placed on survivors. Survivors keep their own rows. */
struct keel_mpi_recovery {
    const struct keel_mpi_placement *before;
    const uint32_t *survivor; /* of each rank before: its number now, or KEEL_MPI_NO_SURVIVOR; in
                                 the same order */
    const uint32_t *provider; /* of each rank before that had rows: the survivor that has them */
    uint32_t survivors;       /* >= 1 */
    bool adjacent; /* rows of ended ranks go to the survivors next to them, one half to each;
                      otherwise in equal parts to all */
};

/* Returns an upper bound of the number of pieces. */
static inline size_t keel_mpi_recovery_room(const struct keel_mpi_recovery *recovery)
{
    return 2 * recovery->before->count + recovery->survivors;
}

/* Lists all rows in order, by the survivor that has them and the one that gets them, which may be
 * the same. Returns the number of pieces. */
size_t keel_mpi_recovery_pieces(const struct keel_mpi_recovery *recovery,
                                struct keel_mpi_transfer *piece);

/* Makes the placement before pieces move, in which survivors own the rows that they provide. False:
 * no memory, and *placement is empty. */
bool keel_mpi_recovery_placement(const struct keel_mpi_recovery *recovery,
                                 const struct keel_mpi_transfer *piece, size_t pieces,
                                 struct keel_mpi_placement *placement);

/* --- generations ---
 *
 * Copies of the rows or objects of a rank at another one, so that they survive the end of their
 * rank: the common part.
 *
 *   rows/copies, objects: a snapshot -> [generations] ~~> its holder
 *   a rank ends -> copies of each survivor -> [generations] -> the copy to which all go back
 *        -> recover.c, recover_objects.c -> the new epoch
 *
 * Two generations: the older one stays until the newer is complete on all ranks, and all know that.
 * A rank also keeps the copy that it sends, as it has to go back with the others. Ranks wait until
 * a copy is received: if some end meanwhile, the copy before is still there.
 * tests/models/copies.pml */

/* A snapshot. */
struct keel_mpi_copy_memory {
    char *data;         /* NULL: none */
    size_t bytes, room; /* in use, allocated */
};

/* All rows or objects as they were after one step: a balance call, or a phase. */
struct keel_mpi_copy {
    uint64_t step;                         /* 0: none */
    struct keel_mpi_placement placement;   /* of rows; of objects none */
    struct keel_mpi_copy_memory own, held; /* of this rank, and of rank held_of */
    bool complete;                         /* `held` has been received */
    MPI_Request request[2];                /* `own` to its holder, `held` from held_of */
};

struct keel_mpi_copies {
    uint64_t epoch;           /* from 1; each recovery makes a new one */
    uint64_t *id;             /* of all ranks, see above */
    uint32_t ranks, rank;     /* of this epoch */
    uint32_t holder, held_of; /* ranks that hold this rank's copy, and whose it holds */
    uint64_t ring;            /* digest of all holders */
    struct keel_mpi_copy copy[2];
    unsigned latest;    /* index of the copy begun last */
    uint64_t confirmed; /* last step whose copies are known here to be on all ranks; 0: none */
    bool over;          /* no copies are taken any more */
    uint64_t size[2];   /* bytes of the next copies: own, held */
    bool asking;        /* pending messages use these sizes */
    struct keel_mpi_copies *before; /* copies of the last recovery, until new ones are complete;
                                       NULL: none */
};

/* --- taking them --- */

/* Makes *copies, if KEEL_MPI_COPIES asks for them and there are other ranks; otherwise it becomes
 * NULL. id: of each rank; NULL: their numbers. False: no memory. Local. */
bool keel_mpi_copies_open(struct keel_mpi_copies **copies, const struct keel_mpi_peers *peers,
                          uint64_t epoch, const uint64_t *id);

/* How a copy is taken. */
struct keel_mpi_copy_taking {
    void *of; /* the rows or objects */
    struct keel_mpi_peers *peers;
    uint64_t step;
    /* Packs all that is here. Returns KEEL_MPI_OK, or an error: then copy->own is empty. */
    int (*pack)(void *of, struct keel_mpi_copy *copy);
    /* Waits for messages. */
    int (*await)(void *of, int count, MPI_Request *request);
    /* Returns the highest code of all ranks. */
    int (*agree)(void *of, int code);
};

/* Takes a copy. Returns KEEL_MPI_OK, or why there is none, on all ranks. Collective. */
int keel_mpi_copies_take(struct keel_mpi_copies *copies, const struct keel_mpi_copy_taking *taking);

/* Frees copies, except memory that pending messages use. NULL: no effect. Local. */
void keel_mpi_copies_free(struct keel_mpi_copies *copies);

/* --- going back to them --- */

struct keel_mpi_going_back {
    struct keel_mpi_survivor own, *survivor; /* of all; messages use both */
    uint64_t *id;                            /* of all survivors */
    uint32_t survivors;
    uint64_t epoch;                 /* the new one */
    struct keel_mpi_copies *source; /* copies from which all come back; NULL: none, */
    struct keel_mpi_copy *copy;     /* the chosen one of these */
    struct keel_mpi_copy *gone;     /* KEEL_MPI_RANKS_LOST: the incomplete copy; NULL: not known, */
    uint32_t gone_rank;             /* and the rank of its epoch whose data is missing */
};

/* False: no memory. Local. */
bool keel_mpi_going_back_open(struct keel_mpi_going_back *back, uint32_t survivors);

/* Over the communicator of survivors: finds the copy to which all go back; back->source is NULL if
 * there never was one. rank: the id of this rank if it has no copies. Returns KEEL_MPI_RANKS_LOST
 * if no copy is complete. Collective; returns the same code on all ranks, unless MPI fails. */
int keel_mpi_going_back_choose(struct keel_mpi_going_back *back, struct keel_mpi_peers *peers,
                               const char *where, struct keel_mpi_copies *copies, uint32_t rank);

/* Makes *copies for the new epoch. KEEL_MPI_NO_ROOM: no memory. Local. */
int keel_mpi_going_back_begin(const struct keel_mpi_going_back *back,
                              struct keel_mpi_copies **copies, const struct keel_mpi_peers *peers);

/* To be called when all have come back: the old copies from which they came are kept behind the new
 * ones; the others are freed. Local. */
void keel_mpi_going_back_end(const struct keel_mpi_going_back *back, struct keel_mpi_copies **old,
                             struct keel_mpi_copies *copies);

/* pending: messages may be pending. Local. */
void keel_mpi_going_back_free(struct keel_mpi_going_back *back, bool pending);

#endif
