/* Copies of the rows or objects of a rank at another one, so that they survive the ranks that have
 * them: what is the same for both.
 *
 *   rows/copies, objects: a snapshot -> [generations] ~~> its holder (whole_copies.h)
 *   a rank ends -> what each survivor has -> [generations] -> which copy all go back to
 *        (whole_copies.h)
 *        -> recover.c, recover_objects.c -> the new epoch
 *
 * Two generations: the older one stays until the newer is complete on all ranks, and all know that.
 * A rank keeps what it sends, too, as it has to go back with the others. Ranks wait until a copy
 * has come: where some end meanwhile, both that one and the one before are there.
 * tests/models/copies.pml */
#ifndef MPI_BACKEND_ROWS_COPIES_GENERATIONS_H
#define MPI_BACKEND_ROWS_COPIES_GENERATIONS_H

#include <mpi.h>

#include "mpi_backend/rows/copies/whole_copies.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/placement.h"

/* A snapshot. */
struct keel_mpi_copy_memory {
    char *data;         /* NULL: none */
    size_t bytes, room; /* in use, and all */
};

/* All rows or objects as they were after one step: a hook, or a phase. */
struct keel_mpi_copy {
    uint64_t step;                         /* 0: there is none */
    struct keel_mpi_placement placement;   /* of rows; of objects none */
    struct keel_mpi_copy_memory own, held; /* of this rank, and of held_of */
    bool complete;                         /* `held` is all there */
    MPI_Request request[2];                /* `own` to its holder, `held` from held_of */
};

struct keel_mpi_copies {
    uint64_t epoch;           /* from 1; each recovery makes a new one */
    uint64_t *id;             /* of all ranks: see whole_copies.h */
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
