/* Whether a call is right, and whether all ranks make the same one.
 *
 *   public function -> keel_mpi_rows_check() -> what is wrong here -> keel_mpi_rows_agree()
 *        ~~> the highest code of all ranks, which all of them return
 *
 * Called by the thread that uses the distribution. */
#ifndef MPI_BACKEND_ROWS_AGREE_H
#define MPI_BACKEND_ROWS_AGREE_H

#include "mpi_backend/rows/state.h"

/* Whether there is no distribution, which is then said. */
bool keel_mpi_rows_is_missing(const struct keel_mpi_rows *rows);

/* KEEL_MPI_OK: MPI may be called for `rows` here and now. Else what is wrong with that, or what has
 * gone wrong for good; it has been said. */
int keel_mpi_rows_check(const struct keel_mpi_rows *rows);

/* Waits for `request`, to which all ranks come, without keeping a processor busy: for
 * KEEL_MPI_DEADLINE, or for ten times as long as ranks have not met, whichever is longer. False: it
 * is not complete, and this rank waits for others no more, which they learn; or it has learned that
 * of another. What the request reads and writes has to stay for ever. */
bool keel_mpi_rows_await(struct keel_mpi_rows *rows, MPI_Request *request);

/* The same for messages between some ranks, and for what is not waited for alone. where: for
 * messages of Keel. KEEL_MPI_OK, KEEL_MPI_LATE, or what has gone wrong for good. */
int keel_mpi_rows_await_messages(struct keel_mpi_rows *rows, const char *where, int count,
                                 MPI_Request *request);

/* The same for meeting number `meeting`, in which this rank is bound (commit.h): it waits
 * until all have come, or one has withdrawn before. */
bool keel_mpi_rows_await_bound(struct keel_mpi_rows *rows, const char *where, uint64_t meeting,
                               MPI_Request *request);

/* Whether no rank has withdrawn, as far as is known here: it has been said otherwise, and
 * keel_mpi_rows_late_code() is why. Waits for nothing. */
bool keel_mpi_rows_all_are_there(struct keel_mpi_rows *rows);

/* Why keel_mpi_rows_await() was in vain: KEEL_MPI_LATE, or what has gone wrong for good. */
int keel_mpi_rows_late_code(const struct keel_mpi_rows *rows);

/* The highest code of all ranks; KEEL_MPI_LATE where one has not come in time. KEEL_MPI_MISMATCH
 * where all are KEEL_MPI_OK, but ranks came with different numbers. Collective. */
int keel_mpi_rows_agree(struct keel_mpi_rows *rows, int code, uint64_t number);

/* The meeting in which all ranks, that were ready, are bound (commit.h). Collective. */
int keel_mpi_rows_agree_bound(struct keel_mpi_rows *rows);

/* As keel_mpi_rows_agree() where there is nothing to stay with, if a rank does not come in time:
 * KEEL_MPI_LATE is the code of all later calls on all ranks then. Collective. */
int keel_mpi_rows_agree_for_good(struct keel_mpi_rows *rows, int code, uint64_t number);

/* The same with `count` numbers, the arguments of a function; rank 0 says where they differ.
 * Collective. */
int keel_mpi_rows_agree_on(struct keel_mpi_rows *rows, int code, const uint64_t *number,
                           size_t count);

/* One number for several, so that ranks can compare them (a digest). */
uint64_t keel_mpi_rows_digest(const uint64_t *number, size_t count);

/* The largest values of all ranks, each >= 0, in place; up to KEEL_MPI_MAXIMA_MAX. where: for
 * messages, as of keel_mpi_peers_maxima(), whose code is returned. Collective. */
int keel_mpi_rows_largest(struct keel_mpi_peers *peers, const char *where, double *value,
                          int count);

/* The same, with waiting as keel_mpi_rows_await_messages() does. Collective. */
int keel_mpi_rows_largest_in_time(struct keel_mpi_rows *rows, const char *where, double *value,
                                  int count);

#endif
