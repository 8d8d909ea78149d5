/* Moving rows: what the files of this room do for each other. */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_MOVEMENT_ROOM_H
#define MPI_BACKEND_ROWS_MOVEMENT_MOVEMENT_ROOM_H

#include "mpi_backend/rows/rows_state.h"

/* --- movement.c ---
 *
 * Moves rows from rank to rank, with all that they have. */

/* What a movement came to. */
struct keel_mpi_moved {
    uint64_t rows; /* moved by all ranks; one that passes through a rank counts again */
    double time_s; /* on this rank */
};

/* Moves rows so that each rank has shares[rank] of them. Collective; returns the same code on all
 * ranks unless they came too late. */
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
 * A movement is made in one or several rounds (movement.c). Until all ranks have everything,
 * nothing is given up. Where one has no memory, a function of the program fails, or a rank is late,
 * what was received is dropped, and rows stay as they were before the round, on all ranks. */

struct keel_mpi_round {
    struct keel_mpi_rows *rows;
    struct keel_mpi_transfer *transfer; /* of all ranks */
    size_t transfers;
    struct keel_mpi_placement after;  /* the placement when the round has been made */
    struct keel_mpi_payload *payload; /* of this rank */
    size_t payloads;
    size_t kinds; /* of items */
    MPI_Request *request;
    bool *receives;  /* whether that request does */
    size_t requests; /* on their way */
};

/* Says that there is no memory for a movement. */
void keel_mpi_transfers_say_no_memory(void);

/* Room and memory for the rows of a round, whose transfers are filled in; nothing is sent. False:
 * no memory, which has been said. keel_mpi_round_make() follows in any case. Local. */
bool keel_mpi_round_prepare(struct keel_mpi_round *round);

/* Makes a round that was prepared, and frees it. agreed: the code to which all ranks have come
 * since; unless it is KEEL_MPI_OK, nothing is moved. Collective; returns the same code on all
 * ranks. */
int keel_mpi_round_make(struct keel_mpi_round *round, int agreed);

/* --- packed items ---
 *
 * Where they lie in memory: each begins at a multiple of KEEL_MPI_PACKED_ALIGNED. */

#define KEEL_MPI_PACKED_ALIGNED 16

/* A multiple of that, below PTRDIFF_MAX. */
#define KEEL_MPI_PACKED_MOST (SIZE_MAX / 2 / KEEL_MPI_PACKED_ALIGNED * KEEL_MPI_PACKED_ALIGNED)

/* Bytes that an item of `size` takes, up to where the next one begins. Of sizes that
 * keel_mpi_packed_total() accepts. */
static inline size_t keel_mpi_packed_bytes(uint64_t size)
{
    return (size_t)((size + KEEL_MPI_PACKED_ALIGNED - 1) / KEEL_MPI_PACKED_ALIGNED *
                    KEEL_MPI_PACKED_ALIGNED);
}

/* Bytes that items of these sizes, perhaps another rank's, take together. False: more than memory
 * can hold; the sizes are not to be used. What fits, fits with its padding. */
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
 * Items of rows that move: what a program keeps of a row outside of arrays. Its functions give the
 * size of an item, pack it, unpack it and drop it (struct keel_mpi_rows_items).
 *
 *   sizes ~~> the other rank -> packed items ~~> (round.c) -> unpacked there, dropped here */

/* Bytes of the items of an own row, on average, as the program's functions tell them now; 0: there
 * are none. Of many rows, every so many-th: others in turn, by `turn`. */
double keel_mpi_items_row_bytes(const struct keel_mpi_rows *rows, uint64_t turn);

#endif
