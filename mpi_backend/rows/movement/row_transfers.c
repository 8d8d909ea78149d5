/* One round of a movement: transfers and messages. */
#include "mpi_backend/rows/movement/movement_room.h"

#include <stdlib.h>

#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"

/* --- what goes --- */

/* Messages between two ranks are numbered in the order of their transfers. */
static void add_payload(struct keel_mpi_round *round, const struct keel_mpi_transfer *transfer,
                        size_t parts)
{
    struct keel_mpi_payload *payload = &round->payload[round->payloads];

    *payload = (struct keel_mpi_payload){.transfer = transfer,
                                         .sends = transfer->from == round->rows->rank};
    for (size_t i = 0; i < round->payloads; i++) {
        const struct keel_mpi_transfer *other = round->payload[i].transfer;
        payload->number += other->from == transfer->from && other->to == transfer->to ? parts : 0;
    }
    round->payloads++;
}

static bool is_own(const struct keel_mpi_round *round, const struct keel_mpi_transfer *transfer)
{
    return transfer->from == round->rows->rank || transfer->to == round->rows->rank;
}

bool keel_mpi_transfers_prepare(struct keel_mpi_round *round)
{
    size_t parts = keel_mpi_rows_count_arrays(round->rows) + 2; /* weights, and items */
    size_t own = 1;                                             /* malloc(0) may be NULL */

    for (size_t i = 0; i < round->transfers; i++) {
        own += is_own(round, &round->transfer[i]);
    }
    round->kinds = keel_mpi_rows_count_kinds(round->rows);
    round->payload = calloc(own, sizeof *round->payload);
    round->request = malloc(own * parts * sizeof *round->request);
    round->receives = malloc(own * parts * sizeof *round->receives);
    if (round->payload == NULL || round->request == NULL || round->receives == NULL ||
        !keel_mpi_placement_copy(&round->after, &round->rows->placement) ||
        !keel_mpi_placement_assign(&round->after, round->transfer, round->transfers)) {
        return false;
    }
    for (size_t i = 0; i < round->transfers; i++) {
        if (is_own(round, &round->transfer[i])) {
            add_payload(round, &round->transfer[i], parts);
        }
    }
    return true;
}

void keel_mpi_transfers_free(struct keel_mpi_round *round)
{
    keel_mpi_placement_free(&round->after);
    if (round->requests > 0 || keel_mpi_peers_code(&round->rows->peers) != KEEL_MPI_OK) {
        return;
    }
    for (size_t i = 0; round->payload != NULL && i < round->payloads; i++) {
        free(round->payload[i].size);
        free(round->payload[i].bytes);
    }
    free(round->payload);
    free(round->request);
    free(round->receives);
}

void keel_mpi_transfers_say_no_memory(void)
{
    keel_message("no memory for rows that were to move; rows stay where they are");
}

/* --- messages --- */

void keel_mpi_transfers_start(struct keel_mpi_round *round, const struct keel_mpi_payload *payload,
                              void *at, uint64_t bytes, int tag)
{
    const struct keel_mpi_transfer *transfer = payload->transfer;
    struct keel_mpi_peers *peers = &round->rows->peers;

    round->receives[round->requests] = !payload->sends;
    keel_mpi_rows_message_start(peers,
                                &(struct keel_mpi_rows_message){
                                    .sends = payload->sends,
                                    .at = at,
                                    .bytes = bytes,
                                    .rank = (int)(payload->sends ? transfer->to : transfer->from),
                                    .tag = tag,
                                    .comm = peers->comm},
                                &round->request[round->requests++]);
}

#define WHERE "where rows move"

int keel_mpi_transfers_wait(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;
    int code = keel_mpi_rows_await_messages(rows, WHERE, (int)round->requests, round->request);

    if (code == KEEL_MPI_OK) {
        round->requests = 0;
        code = keel_mpi_peers_code(&rows->peers);
    }
    return code;
}

/* A message that has begun to come can't be called back: it comes, unless its sender has stopped.
 * */
static bool call_back_receive(struct keel_mpi_peers *peers, MPI_Request *request)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(peers, WHERE);

    wait.gives_up = true;
    return KEEL_MPI_CALL(peers, MPI_Cancel, request) &&
           keel_mpi_wait_for(&wait, 1, request) == KEEL_MPI_OK;
}

bool keel_mpi_transfers_call_back(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    for (size_t i = 0; i < round->requests; i++) {
        if (round->request[i] == MPI_REQUEST_NULL) {
            continue;
        }
        if (!round->receives[i]) {
            rows->sending = true;
        } else if (!call_back_receive(&rows->peers, &round->request[i])) {
            keel_mpi_peers_fail(&rows->peers, KEEL_MPI_LATE);
            return false;
        }
    }
    return true;
}
