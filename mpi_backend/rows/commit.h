/* When rows that have moved come to count: at once on all ranks, or on none, whoever is late. Data
 * and rules alone, without MPI.
 *
 *   MOVING -> READY -> [have all ranks everything?] -> BOUND -> [do all know that?] -> TAKEN
 *                \                                       \-----------------------------> KEPT
 *                 \---------------------------------------------------------------------> KEPT
 *
 * Ranks agree in meetings (agree.c), which are numbered alike on all of them: one is complete, on
 * any rank, only if all ranks have come to it. A rank that has waited too long withdraws: it comes
 * to no later meeting, and tells all others to how many it has come. One that is bound does not
 * withdraw, as others may have taken their rows already.
 *
 * So rows are taken on one rank only if all were bound: nobody has withdrawn before the last
 * meeting, and nobody does any more. And where a rank has withdrawn, no rank completes the last
 * meeting: those that wait there learn it (keel_mpi_meeting_is_in_vain(), job/peers.h), and keep
 * what they had. Functions of the program are called, and rows are sent, before a rank is bound:
 * whatever takes long there, all ranks can end it. tests/models/commit.pml is searched for a case
 * in which that is not so. */
#ifndef MPI_BACKEND_ROWS_COMMIT_H
#define MPI_BACKEND_ROWS_COMMIT_H

#include <stdbool.h>

enum keel_mpi_commit {
    KEEL_MPI_COMMIT_MOVING, /* rows are on their way to this rank, or from it */
    KEEL_MPI_COMMIT_READY,  /* this rank has all that it is to get, or knows that it has not */
    KEEL_MPI_COMMIT_BOUND,  /* all ranks were ready; do all of them know? */
    KEEL_MPI_COMMIT_TAKEN,  /* the new placement counts, here and on all ranks */
    KEEL_MPI_COMMIT_KEPT    /* the old one does, here and on all ranks */
};

/* What follows `state` where its step has ended, well or not: from READY on, on all ranks that have
 * come to an end of it. TAKEN and KEPT stay. */
enum keel_mpi_commit keel_mpi_commit_next(enum keel_mpi_commit state, bool well);

/* Whether a rank in that state may wait no longer for others. */
bool keel_mpi_commit_may_withdraw(enum keel_mpi_commit state);

#endif
