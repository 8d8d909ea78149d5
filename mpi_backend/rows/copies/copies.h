/* Copies of rows, so that they survive the ranks that have them.
 *
 *   keel_mpi_rows_balance() -> is a copy due? -> [copies]
 *        -> are the last ones complete everywhere? -> snapshot.c ~~> its holder (ring.c)
 *   a rank ends -> recover.c -> recovery.c
 *
 * Two generations: the older one is overwritten when the newer is complete on all ranks, and all
 * know that. A rank keeps its own rows of both, too, as it has to go back with the others. Messages
 * with rows are on their way while computing goes on. */
#ifndef MPI_BACKEND_ROWS_COPIES_COPIES_H
#define MPI_BACKEND_ROWS_COPIES_COPIES_H

#include "mpi_backend/rows/state.h"

/* A snapshot; memory is kept for the next one. */
struct keel_mpi_copy_memory {
    char *data;
    size_t bytes, room;
};

/* All rows as they were after one hook. */
struct keel_mpi_copy {
    uint64_t hook; /* 0: there is none */
    struct keel_mpi_placement placement;
    struct keel_mpi_copy_memory own;  /* this rank's rows, */
    struct keel_mpi_copy_memory held; /* and those of the rank whose copies it holds, */
    bool complete;                    /* which are all there */
    MPI_Request request[2];           /* own ones to their holder, held ones from theirs */
};

struct keel_mpi_copies {
    uint64_t epoch;           /* from 1; each recovery makes a new one */
    uint64_t *id;             /* of all ranks: see recovery.h */
    uint32_t ranks, rank;     /* of this epoch */
    uint32_t holder, held_of; /* who holds this rank's copies, and whose it holds */
    uint64_t ring;            /* who holds whose, in one number */
    struct keel_mpi_copy copy[2];
    unsigned latest;    /* the one that was begun last */
    uint64_t confirmed; /* hook whose copies are complete on all ranks; 0: none */
    int failed;         /* what became of own rows in the last one: KEEL_MPI_OK, or a code */
    uint64_t size[2];   /* bytes of the next ones: own, held */
    bool asking;        /* messages use these sizes */
    struct keel_mpi_copies *before; /* those that rows came back from, until others are complete;
                                       NULL: there are none */
};

/* Copies of these rows from now on, where KEEL_MPI_COPIES asks for them and there are other ranks.
 * id: of each rank; NULL: their numbers. False: no memory. Local. */
bool keel_mpi_copies_begin(struct keel_mpi_rows *rows, uint64_t epoch, const uint64_t *id);

/* Takes a copy at this hook: KEEL_MPI_OK, or why there is none, on all ranks. Collective. */
int keel_mpi_copies_take(struct keel_mpi_rows *rows);

/* Whether the copy that was begun last has come, as far as can be seen without waiting. */
void keel_mpi_copies_look(struct keel_mpi_rows *rows);

/* No more are taken. Waits for messages on their way, if other ranks are there. Collective then. */
void keel_mpi_copies_end(struct keel_mpi_rows *rows);

/* Frees them, other than what messages on their way use. NULL will do. Local. */
void keel_mpi_copies_free(struct keel_mpi_copies *copies);

#endif
