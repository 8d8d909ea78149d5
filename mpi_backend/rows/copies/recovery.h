/* What a distribution comes back to after ranks have ended: the hook whose copies are whole, and
 * which rank gets which rows from whom.
 *
 *   what all survivors have of copies -> [recovery] -> a hook, pieces of rows -> recover.c
 *
 * A recovery makes a new epoch: ranks get new numbers, and other ranks hold their copies. So ranks
 * are told apart by ids, which they keep: their numbers in the first epoch.
 *
 * Pure: no MPI. All survivors come to the same. */
#ifndef MPI_BACKEND_ROWS_COPIES_RECOVERY_H
#define MPI_BACKEND_ROWS_COPIES_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/rows/placement.h"

/* Generations of copies that a rank can have: two of its epoch, two of the one before. */
#define KEEL_MPI_GENERATIONS 4

#define KEEL_MPI_NOBODY UINT64_MAX      /* no id */
#define KEEL_MPI_NO_SURVIVOR UINT32_MAX /* no number of a survivor */

/* What a rank has of one: its own rows as they were at that hook. All words of 64 bits, as they are
 * sent. */
struct keel_mpi_generation {
    uint64_t epoch; /* from 1; 0: there is none */
    uint64_t hook;
    uint64_t held; /* id of the rank whose rows it has, too; KEEL_MPI_NOBODY: of none */
};

struct keel_mpi_survivor {
    uint64_t id;
    uint64_t epoch;     /* that it is in */
    uint64_t confirmed; /* the last hook whose copies it knows to be complete on all ranks; 0: none
                         */
    struct keel_mpi_generation generation[KEEL_MPI_GENERATIONS];
};

#define KEEL_MPI_SURVIVOR_WORDS (sizeof(struct keel_mpi_survivor) / sizeof(uint64_t))

/* The ranks of an epoch in the order of their numbers, at a hook. */
struct keel_mpi_epoch {
    const uint64_t *id;
    const uint64_t *owned; /* rows of each */
    uint32_t ranks;
};

/* Rows that nobody has any more. */
struct keel_mpi_gone {
    int generation; /* of survivor `own`; -1: not known */
    uint32_t rank;  /* of that epoch, whose rows they were */
};

/* Which generation of survivor `own` all rows come back from: the latest one which each survivor
 * has, and where one of them has the rows of each other rank. epoch[g]: the ranks in generation g
 * of `own`, if it has that. Returns its index; -1: there is none, and *gone is what is missing of
 * the one that was complete for the longest time. O(ranks * survivors). */
int keel_mpi_recovery_choose(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                             uint32_t own, const struct keel_mpi_epoch *epoch,
                             struct keel_mpi_gone *gone);

/* Whether some survivor knows that copies were complete once. */
bool keel_mpi_recovery_had_copies(const struct keel_mpi_survivor *survivor, uint32_t survivors);

/* The number of the survivor that has that id, or KEEL_MPI_NO_SURVIVOR. */
uint32_t keel_mpi_recovery_find(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                                uint64_t id);

/* The survivor that has the rows of rank `id` in that generation: itself, or a holder; or
 * KEEL_MPI_NO_SURVIVOR. */
uint32_t keel_mpi_recovery_provider(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                                    uint64_t epoch, uint64_t hook, uint64_t id);

/* Rows [first, last) that rank `of` of the epoch had: survivor `from` has them, `to` gets them. */
struct keel_mpi_piece {
    uint64_t first, last;
    uint32_t of, from, to;
};

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

/* Lists all rows, in their order. Returns how many pieces there are. */
size_t keel_mpi_recovery_pieces(const struct keel_mpi_recovery *recovery,
                                struct keel_mpi_piece *piece);

/* The placement that they make. False: no memory, and *placement is empty. */
bool keel_mpi_recovery_placement(const struct keel_mpi_recovery *recovery,
                                 const struct keel_mpi_piece *piece, size_t pieces,
                                 struct keel_mpi_placement *placement);

#endif
