/* Makes one round of a movement. */
#include "mpi_backend/rows/movement/movement_room.h"

#include <stdlib.h>

#include "mpi_backend/rows/rows_room.h"

/* Memory for rows that come, and for sizes of items. */
static bool hold_memory(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        if (!keel_mpi_halo_prepare(rows, array, &round->after)) {
            return false;
        }
    }
    for (size_t i = 0; i < round->payloads; i++) {
        struct keel_mpi_payload *payload = &round->payload[i];
        const struct keel_mpi_transfer *transfer = payload->transfer;
        if (!payload->sends &&
            !keel_mpi_store_commit(&rows->weights, transfer->first, transfer->last)) {
            return false;
        }
        if (round->kinds > 0) {
            payload->size = calloc((size_t)keel_mpi_transfer_rows(transfer) * round->kinds,
                                   sizeof *payload->size);
            if (payload->size == NULL) {
                return false;
            }
        }
    }
    return true;
}

bool keel_mpi_round_prepare(struct keel_mpi_round *round)
{
    bool room = keel_mpi_transfers_prepare(round) && hold_memory(round);

    if (!room) {
        keel_mpi_transfers_say_no_memory();
    }
    return room;
}

/* Sizes of items and packed items, before any row is sent: the movement can be refused. */
static int get_ready(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    if (round->kinds > 0) {
        int code = keel_mpi_items_exchange_sizes(round);
        code =
            keel_mpi_rows_agree(rows, code == KEEL_MPI_OK ? keel_mpi_items_pack(round) : code, 0);
        if (code != KEEL_MPI_OK) {
            return code;
        }
    }
    /* a rank that was late learns it before it sends */
    return keel_mpi_rows_all_are_there(rows) ? KEEL_MPI_OK : keel_mpi_rows_late_code(rows);
}

static void start_rows(struct keel_mpi_round *round, const struct keel_mpi_payload *payload,
                       const struct keel_mpi_store *store, size_t number)
{
    const struct keel_mpi_transfer *transfer = payload->transfer;

    keel_mpi_transfers_start(round, payload,
                             store->base + (size_t)transfer->first * store->row_bytes,
                             keel_mpi_transfer_rows(transfer) * store->row_bytes,
                             keel_mpi_rows_tag(KEEL_MPI_TAG_ROWS, number));
}

static void start_arrays(struct keel_mpi_round *round, const struct keel_mpi_payload *payload)
{
    struct keel_mpi_rows *rows = round->rows;
    size_t number = payload->number;

    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        start_rows(round, payload, &array->store, number++);
    }
    if (rows->weighted) {
        start_rows(round, payload, &rows->weights, number);
    }
}

static int exchange(struct keel_mpi_round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        struct keel_mpi_payload *payload = &round->payload[i];
        start_arrays(round, payload);
        if (payload->total > 0) {
            keel_mpi_transfers_start(round, payload, payload->bytes, payload->total,
                                     keel_mpi_rows_tag(KEEL_MPI_TAG_ITEMS, payload->number));
        }
    }
    return keel_mpi_transfers_wait(round);
}

static void count(struct keel_mpi_rows *rows, const struct keel_mpi_round *round)
{
    struct keel_mpi_rows_report *report = &rows->report;

    for (size_t i = 0; i < round->transfers; i++) {
        report->rows_moved += keel_mpi_transfer_rows(&round->transfer[i]);
    }
    for (size_t i = 0; i < round->payloads; i++) {
        const struct keel_mpi_payload *payload = &round->payload[i];
        uint64_t number = keel_mpi_transfer_rows(payload->transfer);
        if (!payload->sends) {
            report->rows_received += number;
            continue;
        }
        report->rows_sent += number;
        report->bytes_sent += payload->total + number * (uint64_t)keel_mpi_rows_row_bytes(rows);
    }
}

/* What this rank has got, for the trace: the rows of each sender on their way side by side, so that
 * all of them take the time of the whole. */
static void tell(const struct keel_mpi_round *round, uint64_t began)
{
    uint64_t row_bytes = (uint64_t)keel_mpi_rows_row_bytes(round->rows);

    for (size_t i = 0; began != 0 && i < round->payloads; i++) {
        const struct keel_mpi_payload *payload = &round->payload[i];
        const struct keel_mpi_transfer *transfer = payload->transfer;
        if (!payload->sends) {
            keel_mpi_rows_event_move(round->rows, transfer->from, transfer->first, transfer->last,
                                     payload->total + keel_mpi_transfer_rows(transfer) * row_bytes,
                                     began);
        }
    }
}

/* Gives back memory of rows that are not here. */
static void trim(struct keel_mpi_rows *rows)
{
    struct keel_mpi_range_list own;

    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        keel_mpi_halo_trim(array);
    }
    if (keel_mpi_rows_own_ranges(rows, &own)) {
        keel_mpi_store_trim(&rows->weights, own.range, own.count);
    }
    keel_mpi_range_list_free(&own);
}

/* --- which placement counts --- */

/* The placement after the round counts from now on. */
static void take(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;
    struct keel_mpi_placement before = rows->placement;

    keel_mpi_items_drop_sent(round);
    rows->placement = round->after;
    round->after = before;
    count(rows, round);
    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        keel_mpi_halo_take(array);
    }
    keel_mpi_rows_update(rows);
    trim(rows);
}

/* Nothing has become of what was prepared. */
static void keep(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    keel_mpi_items_drop_unpacked(round);
    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK || !keel_mpi_transfers_call_back(round)) {
        return; /* pending operations use it */
    }
    trim(rows);
}

/* Rows, and their items, come to this rank. Its own code. */
static int move(struct keel_mpi_round *round)
{
    int code = exchange(round);

    return code == KEEL_MPI_OK && round->kinds > 0 ? keel_mpi_items_unpack(round) : code;
}

/* Moves rows; the code of all ranks: the new placement counts on all of them, or on none, whoever
 * is late.
 *
 * Ranks agree in meetings (agree.c), which are numbered alike on all of them: one is complete, on
 * any rank, only if all ranks have come to it. A rank that has waited too long withdraws: it comes
 * to no later meeting, and tells all others to how many it has come. In the first meeting all learn
 * whether all have everything. One that comes to the second meeting is bound: it does not withdraw,
 * as others may have taken their rows already.
 *
 * So rows are taken on one rank only if all were bound: no rank has withdrawn before the last
 * meeting, and none does afterwards. And where a rank has withdrawn, no rank completes the last
 * meeting: those that wait there learn it (keel_mpi_meeting_is_in_vain(), job/notices.h), and keep
 * what they had. Functions of the program are called, and rows are sent, before a rank is bound:
 * whatever takes long there, all ranks can end it. tests/models/commit.pml is searched for a case
 * in which that is not so. */
static int move_and_agree(struct keel_mpi_round *round)
{
    int code = move(round);                           /* tests/models/commit.pml: moving */
    code = keel_mpi_rows_agree(round->rows, code, 0); /* tests/models/commit.pml: ready */
    return code == KEEL_MPI_OK                        /* tests/models/commit.pml: bound */
               ? keel_mpi_rows_agree_bound(round->rows)
               : code;
}

int keel_mpi_round_make(struct keel_mpi_round *round, int agreed)
{
    int code = agreed == KEEL_MPI_OK ? get_ready(round) : agreed;
    uint64_t began = keel_mpi_rows_event_now(round->rows);

    if (code == KEEL_MPI_OK) {
        code = move_and_agree(round);
    }
    if (code == KEEL_MPI_OK) {
        tell(round, began);
        take(round);
    } else {
        keep(round);
    }
    keel_mpi_transfers_free(round);
    return code;
}
