/* Moving rows: functions that the files of this room share. */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_MOVEMENT_ROOM_H
#define MPI_BACKEND_ROWS_MOVEMENT_MOVEMENT_ROOM_H

#include "mpi_backend/rows/rows_state.h"

/* --- movement.c ---
 *
 * Moves rows from rank to rank, with all their data. */

/* The result of a movement. */
struct keel_mpi_moved {
    uint64_t rows; /* moved by all ranks; a row that passes through a rank counts twice */
    double time_s; /* on this rank */
};

/* Moves rows so that each rank has shares[rank] of them. Collective; returns the same code on all
 * ranks that were not too late. */
int keel_mpi_movement_make(struct keel_mpi_rows *rows, const uint64_t *shares,
                           struct keel_mpi_moved *moved);

/* --- round.c ---
 *
 * One round of a movement: which rows go from where to where, and the messages of this rank.
 *
 *   moves.h -> transfers of all ranks -> memory, items packed -> are all ranks ready? -> messages,
 *        all at once, from array to array -> items unpacked -> have all ranks everything? do all
 *        know? -> the new placement counts
 *
 * A movement has one or several rounds (movement.c). Senders keep their rows until all ranks have
 * received everything. If memory is short, a function of the program fails, or a rank is late,
 * received rows are dropped, and all rows stay as they were before the round, on all ranks. */

struct keel_mpi_round {
    struct keel_mpi_rows *rows;
    struct keel_mpi_transfer *transfer; /* of all ranks */
    size_t transfers;
    struct keel_mpi_placement after;  /* the placement after the round */
    struct keel_mpi_payload *payload; /* of this rank */
    size_t payloads;
    size_t kinds; /* of items */
    MPI_Request *request;
    bool *receives;  /* whether request i receives */
    size_t requests; /* on their way */
};

/* Prints a message that there is no memory for a movement. */
void keel_mpi_transfers_say_no_memory(void);

/* Allocates memory for the rows of a round, whose transfers are filled in; sends nothing. False,
 * after a message, if there is no memory. keel_mpi_round_make() follows in any case. Local. */
bool keel_mpi_round_prepare(struct keel_mpi_round *round);

/* Carries out a prepared round, and frees it. agreed: the code on which all ranks have agreed
 * since; unless it is KEEL_MPI_OK, nothing moves. Collective; returns the same code on all
 * ranks. */
int keel_mpi_round_make(struct keel_mpi_round *round, int agreed);

/* --- packed items ---
 *
 * Their layout in memory: each begins at a multiple of KEEL_MPI_PACKED_ALIGNED. */

#define KEEL_MPI_PACKED_ALIGNED 16

/* A multiple of that, below PTRDIFF_MAX. */
#define KEEL_MPI_PACKED_MOST (SIZE_MAX / 2 / KEEL_MPI_PACKED_ALIGNED * KEEL_MPI_PACKED_ALIGNED)

/* Returns the bytes that an item of `size` takes, with padding. size: one that
 * keel_mpi_packed_total() accepts. */
static inline size_t keel_mpi_packed_bytes(uint64_t size)
{
    return (size_t)((size + KEEL_MPI_PACKED_ALIGNED - 1) / KEEL_MPI_PACKED_ALIGNED *
                    KEEL_MPI_PACKED_ALIGNED);
}

/* Sums the padded bytes of items of these sizes, which another rank may have sent. False: more than
 * memory can hold; the sizes must not be used. A size that fits also fits with its padding. */
static inline bool keel_mpi_packed_total(const uint64_t *size, size_t count, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        if (size[i] > KEEL_MPI_PACKED_MOST - *total) {
            return false;
        }
        *total += keel_mpi_packed_bytes(size[i]);
    }
    return true;
}

/* --- round.c: items ---
 *
 * Items of rows that move: data of a row that the program keeps outside of arrays. Its functions
 * return the size of an item, pack it, unpack it and drop it (struct keel_mpi_rows_items).
 *
 *   sizes ~~> the other rank -> packed items ~~> (round.c) -> unpacked there, dropped here */

/* Returns the average bytes of the items of an own row, from the sizes that the program's functions
 * return now; 0 if there are none. If rows are many, asks every n-th one; `turn` selects which. */
double keel_mpi_items_row_bytes(const struct keel_mpi_rows *rows, uint64_t turn);

#endif
