/* Copies of objects, so that they survive the ranks that have them.
 *
 *   a phase ends -> is a copy due? -> [copies] -> snapshot.c ~~> its holder (rows/copies/holders.h)
 *        -> has it come everywhere? the one before is freed
 *   a rank ends -> recover.c -> rows/copies/recovery.h
 *
 * A rank keeps what it sends, too, as it has to go back with the others. Where ranks end while a
 * copy is taken, both that one and the one before are there: no rank frees the older one before it
 * knows that all have the newer one. */
#ifndef MPI_BACKEND_OBJECTS_COPIES_COPIES_H
#define MPI_BACKEND_OBJECTS_COPIES_COPIES_H

#include "mpi_backend/objects/copies/snapshot.h"

/* All objects as they were after one phase. */
struct keel_mpi_objects_copy {
    uint64_t phase;                             /* 0: there is none */
    struct keel_mpi_objects_snapshot own, held; /* this rank's, and those of held_of */
    bool came;                                  /* `held` is all there */
};

struct keel_mpi_objects_copies {
    uint64_t epoch; /* from 1; each recovery makes a new one */
    uint64_t *id;   /* of all ranks: see rows/copies/recovery.h */
    uint32_t ranks, rank;
    uint32_t holder, held_of; /* who holds this rank's copies, and whose it holds */
    struct keel_mpi_objects_copy copy[2];
    unsigned latest;    /* the one that was begun last */
    uint64_t confirmed; /* the last phase whose copies all ranks have, as this one knows; 0: none */
    bool over;          /* none are taken any more */
    bool pending;       /* operations use the copies: they stay for ever */
    uint64_t own_bytes, held_bytes; /* of the next copy, as messages send and receive them */
    struct keel_mpi_objects_copies *before; /* those that objects came back from, until others are
                                               there; NULL: there are none */
};

/* Copies of these objects from now on, where KEEL_MPI_COPIES asks for them and there are other
 * ranks. id: of each rank; NULL: their numbers. False: no memory. Local. */
bool keel_mpi_objects_copies_begin(struct keel_mpi_objects *objects, uint64_t epoch,
                                   const uint64_t *id);

/* A phase has ended well: counts it, and takes a copy if one is due. KEEL_MPI_OK, or why there is
 * none, on all ranks. Collective. */
int keel_mpi_objects_copies_note_phase(struct keel_mpi_objects *objects);

/* Takes one. Collective. */
int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects);

/* NULL will do. Local. */
void keel_mpi_objects_copies_free(struct keel_mpi_objects_copies *copies);

#endif
