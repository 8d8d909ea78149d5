/* Which rank holds whose copy, and which copies all ranks go back to when some have ended.
 *
 *   machines of all ranks -> [ring] -> each rank sends its copy to one rank, and holds one
 *   what all survivors have of copies -> [choose] -> a generation that is whole
 *
 * A recovery makes a new epoch: ranks get new numbers, and other ranks hold their copies. So ranks
 * are told apart by ids, which they keep: their numbers in the first epoch.
 *
 * Pure: no MPI. All ranks come to the same. */
#ifndef MPI_BACKEND_ROWS_COPIES_WHOLE_COPIES_H
#define MPI_BACKEND_ROWS_COPIES_WHOLE_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* holder[i]: the rank that holds the copy of rank i, which is never i. Each rank holds one.
 * It is on another machine for all ranks, if no machine has more than half of them; else for as
 * many as there are on other machines. machine[i] < ranks: equal where ranks i are on one.
 * ranks >= 2. False: no memory. O(ranks). */
bool keel_mpi_copies_ring(uint32_t ranks, const uint32_t *machine, uint32_t *holder);

/* Generations of copies that a rank can have: two of its epoch, two of the one before. */
#define KEEL_MPI_GENERATIONS 4

#define KEEL_MPI_NOBODY UINT64_MAX      /* no id */
#define KEEL_MPI_NO_SURVIVOR UINT32_MAX /* no number of a survivor */

/* What a rank has of one: its own rows or objects as they were after that step, which is a hook or
 * a phase. All words of 64 bits, as they are sent. */
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

#endif
