/* Makes one round of a movement.
 *
 *   transfers -> memory, items packed -> are all ranks ready? -> messages, all at once, from array
 *        to array -> items unpacked -> have all ranks everything? do all know? (commit.h)
 *        -> the new placement counts
 *
 * Until all ranks have everything, nothing is given up. Where one has no memory, a function of the
 * program fails, or a rank is late, what was received is dropped, and rows stay as they were before
 * the round, on all ranks. */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_ROUND_H
#define MPI_BACKEND_ROWS_MOVEMENT_ROUND_H

#include "mpi_backend/rows/movement/row_transfers.h"

/* Room and memory for the rows of a round, whose transfers are filled in; nothing is sent. False:
 * no memory, which has been said. keel_mpi_transfers_free() follows in any case. Local. */
bool keel_mpi_round_prepare(struct keel_mpi_round *round);

/* Starts the messages of a payload: its part of all arrays, and weights if there are some. */
void keel_mpi_round_start_arrays(struct keel_mpi_round *round,
                                 const struct keel_mpi_payload *payload);

/* The placement after the round counts from now on; round->after becomes the one before. */
void keel_mpi_round_place(struct keel_mpi_round *round);

/* Tells the trace of the rows that a payload has brought since `began`, keel_mpi_rows_event_now()
 * then. */
void keel_mpi_round_tell(const struct keel_mpi_round *round, const struct keel_mpi_payload *payload,
                         uint64_t began);

/* Gives back memory of rows that are not here. No message uses them. */
void keel_mpi_round_trim(struct keel_mpi_rows *rows);

/* Makes a round that was prepared, and frees it. agreed: the code to which all ranks have come
 * since; unless it is KEEL_MPI_OK, nothing is moved. Collective; returns the same code on all
 * ranks. */
int keel_mpi_round_make(struct keel_mpi_round *round, int agreed);

#endif
