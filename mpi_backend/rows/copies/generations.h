/* Copies of the rows or objects of a rank at another one, so that they survive the ranks that have
 * them: what is the same for both.
 *
 *   rows/copies, objects/copies: a snapshot -> [generations] ~~> its holder (whole_copies.h)
 *   a rank ends -> what each survivor has -> [generations] -> which copy all go back to
 *        (whole_copies.h)
 *        -> recover.c, recover_objects.c -> the new epoch
 *
 * Two generations: the older one stays until the newer is complete on all ranks, and all know that.
 * A rank keeps what it sends, too, as it has to go back with the others. tests/models/copies.pml */
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
    int failed;         /* rows: what became of own ones in the last one: KEEL_MPI_OK, or a code */
    bool over;          /* objects: none are taken any more */
    uint64_t size[2];   /* bytes of the next ones: own, held */
    bool asking;        /* messages use these sizes */
    struct keel_mpi_copies *before; /* those that all came back from, until others are complete;
                                       NULL: there are none */
};

/* Whether a snapshot was made in that memory, which has one; NULL: wherever there is memory. */
typedef bool keel_mpi_copy_check(const void *data, size_t bytes);

/* --- taking them --- */

/* Copies from now on, where KEEL_MPI_COPIES asks for them and there are other ranks; else *copies
 * becomes NULL. id: of each rank; NULL: their numbers. False: no memory. Local. */
bool keel_mpi_copies_open(struct keel_mpi_copies **copies, const struct keel_mpi_peers *peers,
                          uint64_t epoch, const uint64_t *id);

/* Sends to the holder, or receives from held_of. step: of all messages of a kind. */
void keel_mpi_copies_start(const struct keel_mpi_copies *copies, struct keel_mpi_peers *peers,
                           bool sends, enum keel_mpi_rows_tag kind, uint64_t step, void *at,
                           size_t bytes, MPI_Request *request);

/* Copies of that step are complete on all ranks: what was before the epoch is not needed. */
void keel_mpi_copies_confirm(struct keel_mpi_copies *copies, uint64_t step);

/* Frees what it has, other than what messages on their way use. Local. */
void keel_mpi_copy_drop(struct keel_mpi_copy *copy);

/* The same with all of them. NULL will do. Local. */
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
                               const char *where, struct keel_mpi_copies *copies, uint32_t rank,
                               keel_mpi_copy_check *is_made);

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
