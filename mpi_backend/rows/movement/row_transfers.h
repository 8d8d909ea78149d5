/* One round of a movement: which rows go from where to where, and the messages of this rank.
 *
 *   moves.h -> transfers of all ranks -> [payloads: those of this rank] -> messages
 *
 * A movement is made in one or several rounds (movement.c). All messages of a round are pending at
 * once. */
#ifndef MPI_BACKEND_ROWS_MOVEMENT_ROW_TRANSFERS_H
#define MPI_BACKEND_ROWS_MOVEMENT_ROW_TRANSFERS_H

#include "mpi_backend/rows/state.h"

/* Rows [first, last) go from rank to rank. */
struct keel_mpi_transfer {
    uint32_t from, to;
    uint64_t first, last;
};

/* A transfer that this rank sends or receives, and the items that go with its rows. */
struct keel_mpi_payload {
    const struct keel_mpi_transfer *transfer;
    bool sends;
    size_t number;     /* of its first message, among those between these two ranks in this round */
    uint64_t *size;    /* bytes of the items of each row, for each kind of items: rows x kinds */
    char *bytes;       /* the packed items */
    size_t total;      /* bytes of them */
    MPI_Datatype type; /* all of `bytes`; if total > 0 */
    size_t unpacked;   /* items, of those that were received */
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

/* Starts one message of a payload: `count` elements of `type` at `at`. */
void keel_mpi_transfers_start(struct keel_mpi_round *round, const struct keel_mpi_payload *payload,
                              void *at, uint64_t count, MPI_Datatype type, int tag);

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

#endif
