/* One round of a movement: transfers and messages, items of rows, and the round itself. */
#include "mpi_backend/rows/movement/movement_room.h"

#include <stdlib.h>

#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"

/* --- transfers --- */

/* A transfer that this rank sends or receives, with the items of its rows. */
struct keel_mpi_payload {
    const struct keel_mpi_transfer *transfer;
    bool sends;
    size_t number;   /* of its first message, among those from its sender to its receiver */
    uint64_t *size;  /* bytes of the items of each row, for each kind of items: rows x kinds */
    char *bytes;     /* the packed items */
    size_t total;    /* their bytes */
    size_t unpacked; /* number of received items that were unpacked */
};

static uint64_t rows_of(const struct keel_mpi_transfer *transfer)
{
    return transfer->last - transfer->first;
}

/* Messages from one rank to another are numbered in the order of their transfers. */
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

/* Fills in the payloads and the placement after the round, and allocates requests. False: no
 * memory. free_payloads() follows in any case. */
static bool prepare_payloads(struct keel_mpi_round *round)
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

/* Frees the memory of the round, except what pending messages use. */
static void free_payloads(struct keel_mpi_round *round)
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

/* Starts one message of a payload. */
static void start_message(struct keel_mpi_round *round, const struct keel_mpi_payload *payload,
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

/* Waits for all started messages. Returns KEEL_MPI_OK, KEEL_MPI_LATE, or the peers' code. */
static int wait_for_messages(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;
    int code = keel_mpi_rows_await_messages(rows, WHERE, (int)round->requests, round->request);

    if (code == KEEL_MPI_OK) {
        round->requests = 0;
        code = keel_mpi_peers_code(&rows->peers);
    }
    return code;
}

/* Cancels a receive. One that has begun completes instead, unless its sender has stopped. */
static bool call_back_receive(struct keel_mpi_peers *peers, MPI_Request *request)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(peers, WHERE);

    wait.gives_up = true;
    return KEEL_MPI_CALL(peers, MPI_Cancel, request) &&
           keel_mpi_wait_for(&wait, 1, request) == KEEL_MPI_OK;
}

/* Cancels pending receives after KEEL_MPI_LATE. False if that fails: then the peers have failed for
 * good. */
static bool call_back_messages(struct keel_mpi_round *round)
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

/* --- items ---
 *
 * Items of moving rows. */

/* Calls `visit` for each row of the payload and each kind of items, up to `most` times; stops at
 * the first failure. Returns the number of successful calls. */
static size_t visit_items(const struct keel_mpi_round *round,
                          const struct keel_mpi_payload *payload, size_t most,
                          bool (*visit)(const struct keel_mpi_rows_items *items, uint64_t row,
                                        uint64_t *size, char *bytes))
{
    size_t done = 0;
    char *bytes = payload->bytes;

    for (uint64_t row = payload->transfer->first; row < payload->transfer->last; row++) {
        for (const struct keel_mpi_items_entry *items = round->rows->items; items != NULL;
             items = items->next) {
            if (done == most || !visit(&items->call, row, &payload->size[done], bytes)) {
                return done;
            }
            bytes = bytes != NULL ? bytes + keel_mpi_packed_bytes(payload->size[done]) : NULL;
            done++;
        }
    }
    return done;
}

static bool ask_size(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size,
                     char *bytes)
{
    (void)bytes;
    *size = items->size(items->context, row);
    return true;
}

/* At most this many rows are asked for their size, as the program has to compute it. */
enum { ROWS_ASKED = 256 };

double keel_mpi_items_row_bytes(const struct keel_mpi_rows *rows, uint64_t turn)
{
    uint64_t own = rows->placement.owned[rows->rank], step = 1 + own / ROWS_ASKED;
    uint64_t first, last, asked = 0;
    double bytes = 0;

    if (rows->items == NULL) {
        return 0;
    }
    for (uint64_t place = turn % step;
         keel_mpi_placement_at(&rows->placement, rows->rank, place, 1, &first, &last);
         place += step) {
        for (const struct keel_mpi_items_entry *items = rows->items; items != NULL;
             items = items->next) {
            bytes += (double)items->call.size(items->call.context, first);
        }
        asked++;
    }
    return asked > 0 ? bytes / (double)asked : 0;
}

static bool pack(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size, char *bytes)
{
    int failed = *size > 0 ? items->pack(items->context, row, bytes) : 0;

    if (failed != 0) {
        keel_message("a program's function failed with %d to pack row %llu; rows stay where they "
                     "are",
                     failed, (unsigned long long)row);
    }
    return failed == 0;
}

static bool unpack(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size,
                   char *bytes)
{
    int failed = items->unpack(items->context, row, bytes, (size_t)*size);

    if (failed != 0) {
        keel_message("a program's function failed with %d to unpack row %llu; rows stay where "
                     "they are",
                     failed, (unsigned long long)row);
    }
    return failed == 0;
}

static bool drop(const struct keel_mpi_rows_items *items, uint64_t row, uint64_t *size, char *bytes)
{
    (void)size;
    (void)bytes;
    if (items->drop != NULL) {
        items->drop(items->context, row);
    }
    return true;
}

/* Exchanges the sizes of all moving items between senders and receivers. Waits. */
static int exchange_sizes(struct keel_mpi_round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        struct keel_mpi_payload *payload = &round->payload[i];
        if (payload->sends) {
            visit_items(round, payload, SIZE_MAX, ask_size);
        }
        start_message(round, payload, payload->size,
                      rows_of(payload->transfer) * round->kinds * sizeof *payload->size,
                      keel_mpi_rows_tag(KEEL_MPI_TAG_SIZES, payload->number));
    }
    return wait_for_messages(round);
}

static int pack_payload(struct keel_mpi_round *round, struct keel_mpi_payload *payload)
{
    size_t count = (size_t)rows_of(payload->transfer) * round->kinds, total;

    if (!keel_mpi_packed_total(payload->size, count, &total)) {
        return KEEL_MPI_NO_ROOM;
    }
    payload->bytes = malloc(total > 0 ? total : 1);
    if (payload->bytes == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    payload->total = total;
    if (payload->sends && visit_items(round, payload, SIZE_MAX, pack) < count) {
        return KEEL_MPI_CALLBACK;
    }
    return KEEL_MPI_OK;
}

/* Allocates memory for the items of each payload, and packs those that this rank sends. Returns the
 * code of this rank; errors were reported. */
static int pack_items(struct keel_mpi_round *round)
{
    int code = KEEL_MPI_OK;

    for (size_t i = 0; code == KEEL_MPI_OK && i < round->payloads; i++) {
        code = pack_payload(round, &round->payload[i]);
    }
    if (code == KEEL_MPI_NO_ROOM) {
        keel_mpi_transfers_say_no_memory();
    }
    return code;
}

/* Unpacks the received items. Returns this rank's code; errors were reported. */
static int unpack_items(struct keel_mpi_round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        struct keel_mpi_payload *payload = &round->payload[i];
        if (payload->sends) {
            continue;
        }
        payload->unpacked = visit_items(round, payload, SIZE_MAX, unpack);
        if (payload->unpacked < (size_t)rows_of(payload->transfer) * round->kinds) {
            return KEEL_MPI_CALLBACK;
        }
    }
    return KEEL_MPI_OK;
}

/* Drops unpacked items again: their senders keep them. */
static void drop_unpacked(struct keel_mpi_round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        if (round->payload[i].unpacked > 0) {
            visit_items(round, &round->payload[i], round->payload[i].unpacked, drop);
        }
    }
}

/* Drops the items of rows that this rank has sent. */
static void drop_sent(struct keel_mpi_round *round)
{
    for (size_t i = 0; round->kinds > 0 && i < round->payloads; i++) {
        if (round->payload[i].sends) {
            visit_items(round, &round->payload[i], SIZE_MAX, drop);
        }
    }
}

/* --- rounds ---
 *
 * One round of a movement. */

/* Allocates memory for rows to be received, and for sizes of items. */
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
            payload->size = calloc((size_t)rows_of(transfer) * round->kinds, sizeof *payload->size);
            if (payload->size == NULL) {
                return false;
            }
        }
    }
    return true;
}

bool keel_mpi_round_prepare(struct keel_mpi_round *round)
{
    bool room = prepare_payloads(round) && hold_memory(round);

    if (!room) {
        keel_mpi_transfers_say_no_memory();
    }
    return room;
}

/* Exchanges sizes and packs items before any row is sent, as this may fail. */
static int get_ready(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    if (round->kinds > 0) {
        int code = exchange_sizes(round);
        code = keel_mpi_rows_agree(rows, code == KEEL_MPI_OK ? pack_items(round) : code, 0);
        if (code != KEEL_MPI_OK) {
            return code;
        }
    }
    /* a rank that was late learns that before it sends */
    return keel_mpi_rows_all_are_there(rows) ? KEEL_MPI_OK : keel_mpi_rows_late_code(rows);
}

static void start_rows(struct keel_mpi_round *round, const struct keel_mpi_payload *payload,
                       const struct keel_mpi_store *store, size_t number)
{
    const struct keel_mpi_transfer *transfer = payload->transfer;

    start_message(round, payload, store->base + (size_t)transfer->first * store->row_bytes,
                  rows_of(transfer) * store->row_bytes,
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
            start_message(round, payload, payload->bytes, payload->total,
                          keel_mpi_rows_tag(KEEL_MPI_TAG_ITEMS, payload->number));
        }
    }
    return wait_for_messages(round);
}

static void count(struct keel_mpi_rows *rows, const struct keel_mpi_round *round)
{
    struct keel_mpi_rows_report *report = &rows->report;

    for (size_t i = 0; i < round->transfers; i++) {
        report->rows_moved += rows_of(&round->transfer[i]);
    }
    for (size_t i = 0; i < round->payloads; i++) {
        const struct keel_mpi_payload *payload = &round->payload[i];
        uint64_t number = rows_of(payload->transfer);
        if (!payload->sends) {
            report->rows_received += number;
            continue;
        }
        report->rows_sent += number;
        report->bytes_sent += payload->total + number * (uint64_t)keel_mpi_rows_row_bytes(rows);
    }
}

/* Adds the received rows to the trace. Rows of all senders move at the same time, so that each
 * event lasts as long as the whole. */
static void trace_moves(const struct keel_mpi_round *round, uint64_t began)
{
    uint64_t row_bytes = (uint64_t)keel_mpi_rows_row_bytes(round->rows);

    for (size_t i = 0; began != 0 && i < round->payloads; i++) {
        const struct keel_mpi_payload *payload = &round->payload[i];
        const struct keel_mpi_transfer *transfer = payload->transfer;
        if (!payload->sends) {
            keel_mpi_rows_event_move(round->rows, transfer->from, transfer->first, transfer->last,
                                     payload->total + rows_of(transfer) * row_bytes, began);
        }
    }
}

/* Releases the memory of rows that are not here. */
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

/* --- which placement is in use --- */

/* Makes the placement after the round the current one. */
static void take(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;
    struct keel_mpi_placement before = rows->placement;

    drop_sent(round);
    rows->placement = round->after;
    round->after = before;
    count(rows, round);
    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        keel_mpi_halo_take(array);
    }
    keel_mpi_rows_update(rows);
    trim(rows);
}

/* The round was not carried out. */
static void keep(struct keel_mpi_round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    drop_unpacked(round);
    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK || !call_back_messages(round)) {
        return; /* pending operations use it */
    }
    trim(rows);
}

/* Exchanges rows and their items. Returns the code of this rank. */
static int move(struct keel_mpi_round *round)
{
    int code = exchange(round);

    return code == KEEL_MPI_OK && round->kinds > 0 ? unpack_items(round) : code;
}

/* Moves rows. Returns the code of all ranks: the new placement is used by all of them, or by none,
 * whichever rank is late.
 *
 * Ranks agree in meetings (agree.c), which are numbered alike on all of them: a meeting is
 * complete, on any rank, only if all ranks have joined it. A rank that has waited too long
 * withdraws: it joins no later meeting, and sends to all others how many it has joined. In the
 * first meeting, all learn whether all have received everything. A rank that joins the second
 * meeting is bound: it does not withdraw, as others may use the new placement already.
 *
 * So a rank uses the new placement only if all were bound: no rank has withdrawn before the last
 * meeting, and none does afterwards. If a rank has withdrawn, no rank completes the last meeting:
 * ranks that wait there learn that (keel_mpi_meeting_is_in_vain(), job/peers.h), and keep the old
 * placement. Functions of the program are called, and rows are sent, before a rank is bound:
 * however long that takes, all ranks can give up. Model checking of tests/models/commit.pml
 * searches for a counterexample. */
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
        trace_moves(round, began);
        take(round);
    } else {
        keep(round);
    }
    free_payloads(round);
    return code;
}
