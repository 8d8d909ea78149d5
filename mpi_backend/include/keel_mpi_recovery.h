/* Loops, rows and objects that survive ranks that end in their course. Included by keel_mpi.h.
 *
 * A shared loop in the course of which ranks are lost (KEEL_MPI_RANKS_LOST) runs whole on each of
 * the others. Where its iterations may be executed again, which keel_mpi_repeatable() says, it ends
 * at once instead, and those that are left finish it together:
 *
 *     for (uint64_t step = 0; step < steps; step++)
 *         while ((code = loop(comm, step)) == KEEL_MPI_RANKS_LOST) // repeatable, share, gather
 *             keel_mpi_survivors(comm, &comm);                     // until it succeeds
 *
 * Rows come back from copies. With KEEL_MPI_COPIES=k, each k-th call of keel_mpi_rows_balance()
 * takes a copy of all rows, as they are after it: another rank, on another machine where there is
 * one, gets that of a rank's rows. One is kept, two while the next one is taken, and a rank keeps
 * its own rows as often: memory for twice its rows, or four times. Rows come back, when the process
 * of a rank has ended, from the last call whose copies are all there; what has happened since is
 * computed again:
 *
 *     uint64_t step = 0;
 *     while (step < steps) {
 *         int code = compute(rows, comm, step);   // exchanges, loops; ends early on an error
 *         if (code == KEEL_MPI_OK) code = keel_mpi_rows_balance(rows, NULL);
 *         if (code == KEEL_MPI_OK) {
 *             step++;
 *         } else if (code == KEEL_MPI_RANKS_LOST) {
 *             keel_mpi_survivors(comm, &comm);    // until it succeeds, as keel_mpi_rows_recover()
 *             keel_mpi_rows_recover(&rows, comm, &step);
 *             keel_mpi_rows_address(rows, 0, (void **)&old);
 *             if (step == 0) fill(rows, old);
 *         } else {
 *             MPI_Abort(MPI_COMM_WORLD, code);
 *         }
 *     }
 *
 * Ranks meet where copies are taken, and wait until these have come.
 * Calls within sweeps in which rows may move (keel_mpi_pipeline_hooks()) take none: the next call
 * between two sweeps does. After KEEL_MPI_NO_ROOM or KEEL_MPI_CALLBACK from taking a copy, which
 * the balance call then returns, none are taken any more; the last ones stay.
 *
 * Objects come back in the same way, where the functions size, pack and unpack are there: each k-th
 * phase of keel_mpi_objects_each() or keel_mpi_objects_wait() ends with a copy of all objects, as
 * they are at its end. One is kept, two while the next one is taken, for twice a rank's objects, or
 * four times. Messages that were sent between two phases, and what was changed there, are in no
 * copy but that of the next phase: the program does that again. Without the functions no copies are
 * taken, after a message.
 *
 * Codes, messages and waiting are as keel_mpi.h says. */
#ifndef KEEL_MPI_RECOVERY_H
#define KEEL_MPI_RECOVERY_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct keel_mpi_rows;
struct keel_mpi_objects;

/* Says that iterations of the next loop over `comm`, shared by keel_mpi_share() or begun by
 * keel_mpi_loop_begin() without KEEL_MPI_NOWAIT, may be executed again, on another rank, and that
 * their results stay valid until the loop has been finished: as of loops that write results to
 * places of their own, which they do not read. number: which loop it is, by the
 * program's count; another one for each, the same on all ranks.
 *
 * Where ranks are lost in its course, or in that of calls about its results, those that are left
 * end it early, with KEEL_MPI_RANKS_LOST. If the first repeatable loop over what
 * keel_mpi_survivors() gives has that number, and as many iterations and the same grain, only those
 * are executed that no survivor has executed. Those executed before count on their ranks for
 * keel_mpi_gather(), keel_mpi_loop_ranges(), keel_mpi_loop_last_rank(). A variable that is reduced
 * has to keep its value on this rank so far: the rest of the loop begins with that.
 *
 * Ranks may be at different loops when one of them ends: one waits for results which another
 * has. They can agree on the smallest number over the new communicator (MPI_Allreduce), as long as
 * that loop's results are where they were. A rank whose last loop had another number has executed
 * nothing of this one. A rank that is left alone executes what is left, too.
 *
 * KEEL_MPI_BUSY: a loop is running. Other codes as of keel_mpi_share(). Collective where `comm`
 * comes from keel_mpi_survivors() and this is the first call for it; local otherwise, but for the
 * first call of any function for a communicator. */
int keel_mpi_repeatable(MPI_Comm comm, uint64_t number);

/* Makes a distribution anew over `survivors`: ranks of its communicator, in the order that they
 * had, as keel_mpi_survivors() gives them. Arrays and items are registered as before, in the same
 * order; keel_mpi_rows_address() gives the arrays' new addresses. Policies, weights and the number
 * of calls that are still expected are as before, too.
 *
 * *hook: the number of the call of keel_mpi_rows_balance(), from 1, after which rows were
 * as they are now; that call and those before it count as made. 0: no copy was ever complete, and
 * all is as keel_mpi_rows_create() and keel_mpi_rows_array() make it; also without KEEL_MPI_COPIES.
 *
 * Survivors keep their rows of that call. Those of the other ranks go to the survivors next to
 * them, one half to each, or, with KEEL_MPI_ANY, in equal parts to all. Items of all present rows
 * are dropped, and those of the copies unpacked. Halos have to be exchanged again.
 *
 * KEEL_MPI_OK: *rows is the new distribution. What the old one had, its arrays too, is not to be
 * used any more: operations on it may be on their way, so its memory stays until the process ends.
 * Pipelines over it have to be created anew; of the old ones, keel_mpi_pipeline_free() forgets all.
 *
 * KEEL_MPI_RANKS_LOST: another rank has ended meanwhile, and keel_mpi_survivors(), with those that
 * are left, and this function can be tried again; or both a rank and the one that held the copy of
 * its rows have ended: then a message says which rows are gone, and trying again does not help.
 * KEEL_MPI_ARGUMENT: `survivors` has another order. KEEL_MPI_CALLBACK: unpack() failed in some
 * rank. On any error *rows is as before, but for items, which may have been dropped. Collective
 * over `survivors`. */
int keel_mpi_rows_recover(struct keel_mpi_rows **rows, MPI_Comm survivors, uint64_t *hook);

/* Where the number-th array begins, counted from 0 in the order in which they were added.
 * KEEL_MPI_ARGUMENT: there is none; *array is NULL. Local. */
int keel_mpi_rows_address(const struct keel_mpi_rows *rows, size_t number, void **array);

/* Makes an object set anew over `survivors`, as keel_mpi_survivors() gives them, with the
 * functions and the policy of the one before. Not to be called in a phase.
 *
 * *phase: the number of phases of keel_mpi_objects_each() and keel_mpi_objects_wait(), from 1,
 * after which objects were as they are now. 0: no copy was ever complete, and the set is empty;
 * also without KEEL_MPI_COPIES.
 *
 * All objects that a survivor has are dropped, and unpacked again from its copy. Those of ranks
 * that have ended come back on the rank that held their copies, and move from there as others do.
 * Weights are as they were; indices of keel_mpi_objects_new_index() are not given twice.
 *
 * KEEL_MPI_OK: *objects is the new set; the old one is not to be used any more. Its memory, other
 * than objects and copies, stays until the process ends. KEEL_MPI_RANKS_LOST: another rank has
 * ended meanwhile, and keel_mpi_survivors(), with those that are left, and this function can be
 * tried again; or both a rank and the one that held its copy have ended: then a message says so,
 * and trying again does not help. KEEL_MPI_CALLBACK: unpack() failed on some rank. On any error
 * *objects is as before, but for objects, which may have been dropped. Collective over `survivors`.
 */
int keel_mpi_objects_recover(struct keel_mpi_objects **objects, MPI_Comm survivors,
                             uint64_t *phase);

#ifdef __cplusplus
}
#endif

#endif
