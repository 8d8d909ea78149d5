/* Items of rows that move: what a program keeps of a row outside of arrays. Its functions give the
 * size of an item, pack it, unpack it and drop it (struct keel_mpi_rows_items).
 *
 *   sizes ~~> the other rank -> packed items ~~> (round.c) -> unpacked there, dropped here */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_ITEMS_H
#define MPI_BACKEND_ROWS_MOVEMENT_ITEMS_H

#include "mpi_backend/rows/movement/row_transfers.h"

/* Bytes of the items of an own row, on average, as the program's functions tell them now; 0: there
 * are none. Of many rows, every so many-th: others in turn, by `turn`. */
double keel_mpi_items_row_bytes(const struct keel_mpi_rows *rows, uint64_t turn);

/* Exchanges the sizes of all items that go, with the ranks that get them. Waits. */
int keel_mpi_items_exchange_sizes(struct keel_mpi_round *round);

/* Memory for the items of each payload, with those packed that this rank sends. Returns the code of
 * this rank; what is wrong has been said. */
int keel_mpi_items_pack(struct keel_mpi_round *round);

/* Unpacks the items that were received. Returns the code of this rank; what is wrong has been said.
 * */
int keel_mpi_items_unpack(struct keel_mpi_round *round);

/* Drops again what has been unpacked: it stays where it was. */
void keel_mpi_items_drop_unpacked(struct keel_mpi_round *round);

/* Drops the items of rows that this rank has sent. */
void keel_mpi_items_drop_sent(struct keel_mpi_round *round);

#endif
