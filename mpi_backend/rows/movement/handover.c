/* Moves rows between neighbours without all ranks meeting. */
#include "mpi_backend/rows/movement/movement_room.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

#define WHERE "where rows move within a sweep"

/* --- before --- */

bool keel_mpi_handover_is_possible(const struct keel_mpi_rows *rows, const uint64_t *shares,
                                   uint64_t least)
{
    const uint64_t *owned = rows->placement.owned;
    uint64_t present = 0, wanted = 0;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        uint64_t first = max_u64(present, wanted);
        if (owned[i] == 0 || shares[i] > rows->placement.rows - wanted) {
            return false;
        }
        present += owned[i];
        wanted += shares[i];
        uint64_t last = min_u64(present, wanted);
        if (last < first || last - first < least) {
            return false;
        }
    }
    return wanted == rows->placement.rows && rows->items == NULL;
}

/* A transfer for each border between two ranks that changes. */
static void list_transfers(struct keel_mpi_handover *handover, const uint64_t *shares)
{
    struct keel_mpi_round *round = &handover->round;
    uint64_t present = 0, wanted = 0;

    for (uint32_t i = 0; i + 1 < handover->rows->ranks; i++) {
        present += handover->rows->placement.owned[i];
        wanted += shares[i];
        if (present != wanted) {
            round->transfer[round->transfers++] = (struct keel_mpi_transfer){
                .from = wanted > present ? i + 1 : i,
                .to = wanted > present ? i : i + 1,
                .first = min_u64(present, wanted),
                .last = max_u64(present, wanted),
            };
        }
    }
}

static bool prepare(struct keel_mpi_handover *handover, const uint64_t *shares)
{
    struct keel_mpi_rows *rows = handover->rows;

    handover->transfer = malloc(rows->ranks * sizeof *handover->transfer);
    handover->round = (struct keel_mpi_round){.rows = rows, .transfer = handover->transfer};
    if (handover->transfer == NULL) {
        keel_mpi_transfers_say_no_memory();
        return false;
    }
    list_transfers(handover, shares);
    return keel_mpi_round_prepare(&handover->round);
}

static uint64_t rows_to_move(const struct keel_mpi_round *round)
{
    uint64_t count = 0;

    for (size_t i = 0; i < round->transfers; i++) {
        count += keel_mpi_transfer_rows(&round->transfer[i]);
    }
    return count;
}

/* The words are those of keel_mpi_rows_agree(). */
uint64_t keel_mpi_handover_begin(struct keel_mpi_handover *handover, const uint64_t *shares)
{
    struct keel_mpi_rows *rows = handover->rows;
    uint64_t code = prepare(handover, shares) ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM;
    uint64_t digest = keel_mpi_rows_digest(shares, rows->ranks);

    memcpy(handover->word[0], (uint64_t[]){code, digest, ~digest, rows->weighted},
           sizeof handover->word[0]);
    handover->agreement = MPI_REQUEST_NULL;
    handover->pending = keel_mpi_check(&rows->peers,
                                       MPI_Iallreduce(handover->word[0], handover->word[1],
                                                      KEEL_MPI_AGREED_WORDS, MPI_UINT64_T, MPI_MAX,
                                                      rows->peers.comm, &handover->agreement),
                                       "MPI_Iallreduce");
    handover->meeting = ++rows->meetings;
    return handover->transfer != NULL ? rows_to_move(&handover->round) : 0;
}

/* --- when they move --- */

static bool is_agreed(struct keel_mpi_handover *handover)
{
    const uint64_t *all = handover->word[1];
    struct keel_mpi_rows *rows = handover->rows;

    /* All ranks were ready when they came to it, and computed on: none withdraws (commit.h). */
    if (!keel_mpi_rows_await_bound(rows, WHERE, handover->meeting, &handover->agreement)) {
        return false;
    }
    rows->weighted = all[3] != 0;
    if (all[0] == KEEL_MPI_OK && all[1] != ~all[2] && rows->rank == 0) {
        keel_message("ranks want different shares of rows, expected the same on all of them; rows "
                     "stay where they are");
    }
    return all[0] == KEEL_MPI_OK && all[1] == ~all[2];
}

bool keel_mpi_handover_agree(struct keel_mpi_handover *handover)
{
    handover->pending = false;
    handover->began = keel_mpi_rows_event_now(handover->rows);
    if (is_agreed(handover)) {
        handover->placed = true;
        keel_mpi_round_place(&handover->round);
        handover->rows->report.movements++;
    } else if (!handover->rows->late &&
               keel_mpi_peers_code(&handover->rows->peers) == KEEL_MPI_OK) {
        keel_mpi_handover_end(handover);
    }
    return handover->placed;
}

const struct keel_mpi_payload *keel_mpi_handover_find(const struct keel_mpi_handover *handover,
                                                      int rank, bool sends)
{
    for (size_t i = 0; handover->placed && i < handover->round.payloads; i++) {
        const struct keel_mpi_payload *payload = &handover->round.payload[i];
        uint32_t other = sends ? payload->transfer->to : payload->transfer->from;
        if (payload->sends == sends && (int)other == rank) {
            return payload;
        }
    }
    return NULL;
}

struct keel_mpi_handover_part keel_mpi_handover_start(struct keel_mpi_handover *handover, int rank,
                                                      bool sends)
{
    struct keel_mpi_handover_part part = {.payload = keel_mpi_handover_find(handover, rank, sends),
                                          .first = handover->round.requests};

    if (part.payload != NULL) {
        keel_mpi_round_start_arrays(&handover->round, part.payload);
        part.count = handover->round.requests - part.first;
    }
    return part;
}

/* The first message of a payload is there before, or with, the others. */
bool keel_mpi_handover_is_there(struct keel_mpi_handover *handover, int rank)
{
    struct keel_mpi_peers *peers = &handover->rows->peers;
    const struct keel_mpi_payload *payload = keel_mpi_handover_find(handover, rank, false);
    int there = 0;

    return payload != NULL &&
           keel_mpi_check(peers,
                          MPI_Iprobe(rank, keel_mpi_rows_tag(KEEL_MPI_TAG_ROWS, payload->number),
                                     peers->comm, &there, MPI_STATUS_IGNORE),
                          "MPI_Iprobe") &&
           there;
}

void keel_mpi_handover_await(struct keel_mpi_handover *handover,
                             const struct keel_mpi_handover_part *part)
{
    if (part->count > 0 &&
        keel_mpi_peers_await(&handover->rows->peers, WHERE, (int)part->count,
                             &handover->round.request[part->first]) == KEEL_MPI_OK) {
        keel_mpi_round_tell(&handover->round, part->payload, handover->began);
    }
}

void keel_mpi_handover_end(struct keel_mpi_handover *handover)
{
    struct keel_mpi_rows *rows = handover->rows;

    if (keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) { /* else pending operations use it */
        handover->round.requests = 0;
        keel_mpi_transfers_free(&handover->round);
        free(handover->transfer);
        *handover = (struct keel_mpi_handover){.rows = rows};
    }
}
