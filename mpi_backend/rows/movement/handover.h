/* Moves rows between neighbours without all ranks meeting: each rank gives its rows away, and gets
 * others, when it comes to the place in the program where they move.
 *
 *   shares -> transfers, memory -> [agreement on its way ~~ computing goes on] -> placement
 *        -> messages with either neighbour, started and awaited one by one (sweep/strips.c)
 *
 * All that can fail comes before the agreement. What it does not do, movement.c does: rows that go
 * further than to neighbours, items, ranks without rows. */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_HANDOVER_H
#define MPI_BACKEND_ROWS_MOVEMENT_HANDOVER_H

#include "mpi_backend/rows/movement/row_transfers.h"

/* Begins as {.rows = }. */
struct keel_mpi_handover {
    struct keel_mpi_rows *rows;
    bool pending; /* prepared, and not agreed on yet */
    bool placed;  /* agreed on: payloads are on their way */
    struct keel_mpi_round round;
    struct keel_mpi_transfer *transfer;
    uint64_t word[2][KEEL_MPI_AGREED_WORDS]; /* of the agreement: this rank's, maxima of all */
    MPI_Request agreement;
    uint64_t meeting; /* its number */
    uint64_t began;   /* for the trace */
};

/* Messages of a payload: so many requests of the round, from the first on. */
struct keel_mpi_handover_part {
    const struct keel_mpi_payload *payload; /* NULL: there is none */
    size_t first, count;
};

/* Whether rows can move so that rank r has shares[r]: each rank has rows and keeps at least `least`
 * >= 1 of them. The same on all ranks. Pure. O(ranks). */
bool keel_mpi_handover_is_possible(const struct keel_mpi_rows *rows, const uint64_t *shares,
                                   uint64_t least);

/* Prepares it and begins the agreement, where it is possible. Returns how many rows will move, in
 * the whole job. */
uint64_t keel_mpi_handover_begin(struct keel_mpi_handover *handover, const uint64_t *shares);

/* Waits for the agreement. True: the new placement counts. False: rows stay where they are. */
bool keel_mpi_handover_agree(struct keel_mpi_handover *handover);

/* Starts to send rows to a neighbour, or to receive rows from it. */
struct keel_mpi_handover_part keel_mpi_handover_start(struct keel_mpi_handover *handover, int rank,
                                                      bool sends);

/* The payload to that rank, or from it; NULL: there is none. rank: MPI_PROC_NULL will do. */
const struct keel_mpi_payload *keel_mpi_handover_find(const struct keel_mpi_handover *handover,
                                                      int rank, bool sends);

/* Whether rows from that rank have begun to come. */
bool keel_mpi_handover_is_there(struct keel_mpi_handover *handover, int rank);

/* Waits for these messages. */
void keel_mpi_handover_await(struct keel_mpi_handover *handover,
                             const struct keel_mpi_handover_part *part);

/* Frees what it has allocated; all messages have been awaited. Memory of rows that have gone stays
 * until keel_mpi_round_trim(). */
void keel_mpi_handover_end(struct keel_mpi_handover *handover);

#endif
