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
 *   moves.h -> transfers of all ranks -> [payloads: those of this rank] -> messages
 *
 * A movement is made in one or several rounds (movement.c). All messages of a round are pending at
 * once. */

/* A transfer that this rank sends or receives, and the items that go with its rows. */
struct keel_mpi_payload {
    const struct keel_mpi_transfer *transfer;
    bool sends;
    size_t number;   /* of its first message, among those between these two ranks in this round */
    uint64_t *size;  /* bytes of the items of each row, for each kind of items: rows x kinds */
    char *bytes;     /* the packed items */
    size_t total;    /* bytes of them */
    size_t unpacked; /* items, of those that were received */
};

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

static inline uint64_t keel_mpi_transfer_rows(const struct keel_mpi_transfer *transfer)
{
    return transfer->last - transfer->first;
}

/* Fills in the payloads and the placement after the round, and makes room for its messages. False:
 * no memory. keel_mpi_transfers_free() follows in any case. */
bool keel_mpi_transfers_prepare(struct keel_mpi_round *round);

/* Starts one message of a payload. */
void keel_mpi_transfers_start(struct keel_mpi_round *round, const struct keel_mpi_payload *payload,
                              void *at, uint64_t bytes, int tag);

/* Waits for all messages that were started: KEEL_MPI_OK, KEEL_MPI_LATE, or the code of the peers.
 * */
int keel_mpi_transfers_wait(struct keel_mpi_round *round);

/* Calls back messages on their way, after KEEL_MPI_LATE: nothing is received any more. False: that
 * can't be done, and the peers are done for. */
bool keel_mpi_transfers_call_back(struct keel_mpi_round *round);

/* Says that there is no memory for a movement. */
void keel_mpi_transfers_say_no_memory(void);

/* Frees what the round has allocated, other than what messages on their way use. */
void keel_mpi_transfers_free(struct keel_mpi_round *round);

/* --- round.c ---
 *
 * Makes one round of a movement.
 *
 *   transfers -> memory, items packed -> are all ranks ready? -> messages, all at once, from array
 *        to array -> items unpacked -> have all ranks everything? do all know?
 *        -> the new placement counts
 *
 * Until all ranks have everything, nothing is given up. Where one has no memory, a function of the
 * program fails, or a rank is late, what was received is dropped, and rows stay as they were before
 * the round, on all ranks. */

/* Room and memory for the rows of a round, whose transfers are filled in; nothing is sent. False:
 * no memory, which has been said. keel_mpi_transfers_free() follows in any case. Local. */
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

/* --- round.c ---
 *
 * Items of rows that move: what a program keeps of a row outside of arrays. Its functions give the
 * size of an item, pack it, unpack it and drop it (struct keel_mpi_rows_items).
 *
 *   sizes ~~> the other rank -> packed items ~~> (round.c) -> unpacked there, dropped here */

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
