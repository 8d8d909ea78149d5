/* Moves rows from rank to rank, with all that they have.
 *
 *   wanted shares -> rounds of transfers (moves.h) -> memory, items packed -> all are ready?
 *        -> messages, all of a round at once, from array to array -> items made -> all have them?
 *        -> new placement
 *
 * Until all ranks have everything, nothing is given up: where one has no memory, or a function of
 * the program fails, what has come goes again, and rows stay as they were before the round. */
#include "mpi_backend/rows/movement.h"

#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/loop/lender.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/halo/halo.h"
#include "mpi_backend/rows/messages.h"
#include "mpi_backend/rows/rows.h"
#include "omp_ext/support/message.h"
#include "schedules/balance/moves.h"

/* Rows [first, last) go. */
struct transfer {
    uint32_t from, to;
    uint64_t first, last;
};

/* What goes with the rows of one transfer of this rank beside arrays. */
struct payload {
    const struct transfer *transfer;
    bool sends;
    size_t number;  /* of its messages, of those between these two ranks, in this round */
    uint64_t *size; /* of each row, for each kind of items; rows x kinds */
    char *bytes;
    size_t total;
    MPI_Datatype type;
};

struct round {
    struct keel_mpi_rows *rows;
    struct transfer *transfer; /* of all ranks */
    size_t transfers;
    struct keel_mpi_placement after;
    struct payload *payload; /* of this rank */
    size_t payloads;
    size_t kinds; /* of items */
    MPI_Request *request;
    size_t requests;
};

/* --- what goes --- */

static size_t count_kinds(const struct keel_mpi_rows *rows)
{
    size_t kinds = 0;

    for (const struct keel_mpi_items_entry *items = rows->items; items != NULL;
         items = items->next) {
        kinds++;
    }
    return kinds;
}

static size_t count_arrays(const struct keel_mpi_rows *rows)
{
    size_t arrays = 0;

    for (const struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        arrays++;
    }
    return arrays;
}

static uint64_t rows_in(const struct transfer *transfer)
{
    return transfer->last - transfer->first;
}

/* Messages between two ranks are numbered in the order of their transfers. */
static void add_payload(struct round *round, const struct transfer *transfer, size_t parts)
{
    struct payload *payload = &round->payload[round->payloads];

    *payload = (struct payload){.transfer = transfer, .sends = transfer->from == round->rows->rank};
    for (size_t i = 0; i < round->payloads; i++) {
        const struct transfer *other = round->payload[i].transfer;
        payload->number += other->from == transfer->from && other->to == transfer->to ? parts : 0;
    }
    round->payloads++;
}

/* The placement after the round. */
static bool place_rows(struct round *round)
{
    struct keel_mpi_assignment *assignment = malloc(round->transfers * sizeof *assignment);
    bool room =
        assignment != NULL && keel_mpi_placement_copy(&round->after, &round->rows->placement);

    for (size_t i = 0; room && i < round->transfers; i++) {
        const struct transfer *transfer = &round->transfer[i];
        assignment[i] = (struct keel_mpi_assignment){transfer->first, transfer->last, transfer->to};
    }
    room = room && keel_mpi_placement_assign(&round->after, assignment, round->transfers);
    free(assignment);
    return room;
}

/* Room for this rank's messages, and the placement after the round. */
static bool prepare_round(struct round *round)
{
    struct keel_mpi_rows *rows = round->rows;
    size_t parts = count_arrays(rows) + 2; /* weights, and items */

    round->kinds = count_kinds(rows);
    round->payload = calloc(round->transfers, sizeof *round->payload);
    round->request = malloc(round->transfers * parts * sizeof *round->request);
    if (round->payload == NULL || round->request == NULL || !place_rows(round)) {
        return false;
    }
    for (size_t i = 0; i < round->transfers; i++) {
        const struct transfer *transfer = &round->transfer[i];
        if (transfer->from == rows->rank || transfer->to == rows->rank) {
            add_payload(round, transfer, parts);
        }
    }
    return true;
}

/* Memory for rows that come, and for sizes of items. */
static bool hold_memory(struct round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        if (!keel_mpi_halo_prepare(rows, array, &round->after)) {
            return false;
        }
    }
    for (size_t i = 0; i < round->payloads; i++) {
        struct payload *payload = &round->payload[i];
        const struct transfer *transfer = payload->transfer;
        if (!payload->sends &&
            !keel_mpi_store_commit(&rows->weights, transfer->first, transfer->last)) {
            return false;
        }
        if (round->kinds > 0) {
            payload->size = calloc((size_t)rows_in(transfer) * round->kinds, sizeof *payload->size);
            if (payload->size == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* --- messages --- */

/* Starts one message of `count` elements of `type` at `at`. */
static void start(struct round *round, const struct payload *payload, void *at, uint64_t count,
                  MPI_Datatype type, int tag)
{
    const struct transfer *transfer = payload->transfer;
    struct keel_mpi_peers *peers = &round->rows->peers;

    keel_mpi_rows_message_start(peers,
                                &(struct keel_mpi_rows_message){
                                    .sends = payload->sends,
                                    .at = at,
                                    .count = count,
                                    .type = type,
                                    .rank = (int)(payload->sends ? transfer->to : transfer->from),
                                    .tag = tag,
                                    .comm = peers->comm},
                                &round->request[round->requests++]);
}

static int wait_for_all(struct round *round)
{
    int code = keel_mpi_peers_await(&round->rows->peers, "where rows move", (int)round->requests,
                                    round->request);

    if (code == KEEL_MPI_OK) {
        round->requests = 0;
        code = keel_mpi_peers_code(&round->rows->peers);
    }
    return code;
}

static void carry_arrays(struct round *round, const struct payload *payload)
{
    const struct transfer *transfer = payload->transfer;
    struct keel_mpi_rows *rows = round->rows;
    struct keel_mpi_store *weights = &rows->weights;
    size_t number = payload->number;

    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        char *at = array->store.base + (size_t)transfer->first * keel_mpi_array_row_bytes(array);
        start(round, payload, at, rows_in(transfer), array->row,
              keel_mpi_rows_tag(KEEL_MPI_TAG_ROWS, number++));
    }
    if (rows->weighted) {
        start(round, payload, weights->base + (size_t)transfer->first * weights->row_bytes,
              rows_in(transfer), MPI_DOUBLE, keel_mpi_rows_tag(KEEL_MPI_TAG_ROWS, number));
    }
}

static int carry(struct round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        struct payload *payload = &round->payload[i];
        carry_arrays(round, payload);
        if (payload->total > 0) {
            start(round, payload, payload->bytes, 1, payload->type,
                  keel_mpi_rows_tag(KEEL_MPI_TAG_ITEMS, payload->number));
        }
    }
    return wait_for_all(round);
}

/* --- items --- */

#define ALIGNED 16 /* what was packed begins at multiples of it */

static size_t padded(uint64_t size)
{
    return (size_t)((size + ALIGNED - 1) / ALIGNED * ALIGNED);
}

/* Calls `visit` for each row of the payload and each kind of items; stops at the first failure.
 * Returns how many were done. */
static size_t visit_items(const struct round *round, const struct payload *payload, size_t most,
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
            bytes = bytes != NULL ? bytes + padded(payload->size[done]) : NULL;
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

static int exchange_sizes(struct round *round)
{
    for (size_t i = 0; i < round->payloads; i++) {
        struct payload *payload = &round->payload[i];
        if (payload->sends) {
            visit_items(round, payload, SIZE_MAX, ask_size);
        }
        start(round, payload, payload->size, rows_in(payload->transfer) * round->kinds,
              MPI_UINT64_T, keel_mpi_rows_tag(KEEL_MPI_TAG_SIZES, payload->number));
    }
    return wait_for_all(round);
}

static int pack_payload(struct round *round, struct payload *payload)
{
    size_t count = (size_t)rows_in(payload->transfer) * round->kinds, total = 0;

    for (size_t i = 0; i < count; i++) {
        if (payload->size[i] > SIZE_MAX / 2 - ALIGNED - total) {
            return KEEL_MPI_NO_ROOM;
        }
        total += padded(payload->size[i]);
    }
    payload->bytes = malloc(total > 0 ? total : 1);
    if (payload->bytes == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    if (total > 0) {
        payload->type = keel_mpi_rows_type_of(&round->rows->peers, total, MPI_BYTE);
        payload->total = total;
        if (payload->type == MPI_DATATYPE_NULL) {
            return KEEL_MPI_ERROR;
        }
    }
    if (payload->sends && visit_items(round, payload, SIZE_MAX, pack) < count) {
        return KEEL_MPI_CALLBACK;
    }
    return KEEL_MPI_OK;
}

static void say_no_room(void)
{
    keel_message("no memory for rows that were to move; rows stay where they are");
}

static int pack_items(struct round *round)
{
    int code = KEEL_MPI_OK;

    for (size_t i = 0; code == KEEL_MPI_OK && i < round->payloads; i++) {
        code = pack_payload(round, &round->payload[i]);
    }
    if (code == KEEL_MPI_NO_ROOM) {
        say_no_room();
    }
    return code;
}

/* Makes what has come. On a failure anywhere, what was made goes again. */
static int unpack_items(struct round *round)
{
    size_t failed = 0, done = 0;
    int code = KEEL_MPI_OK;

    for (; code == KEEL_MPI_OK && failed < round->payloads; failed++) {
        const struct payload *payload = &round->payload[failed];
        done = payload->sends ? 0 : visit_items(round, payload, SIZE_MAX, unpack);
        if (!payload->sends && done < (size_t)rows_in(payload->transfer) * round->kinds) {
            code = KEEL_MPI_CALLBACK;
        }
    }
    int all = keel_mpi_rows_agree(round->rows, code, 0);
    for (size_t i = 0; all != KEEL_MPI_OK && i < failed; i++) {
        const struct payload *payload = &round->payload[i];
        if (!payload->sends) {
            visit_items(round, payload, code != KEEL_MPI_OK && i + 1 == failed ? done : SIZE_MAX,
                        drop);
        }
    }
    return all;
}

/* --- a round --- */

static void count(struct keel_mpi_rows *rows, const struct round *round)
{
    struct keel_mpi_rows_report *report = &rows->report;

    for (size_t i = 0; i < round->transfers; i++) {
        report->rows_moved += rows_in(&round->transfer[i]);
    }
    for (size_t i = 0; i < round->payloads; i++) {
        const struct payload *payload = &round->payload[i];
        uint64_t number = rows_in(payload->transfer);
        if (!payload->sends) {
            report->rows_received += number;
            continue;
        }
        report->rows_sent += number;
        report->bytes_sent += payload->total + number * (uint64_t)keel_mpi_rows_row_bytes(rows);
    }
}

/* Gives back memory of rows that are not here. */
static void keep(struct keel_mpi_rows *rows)
{
    struct keel_mpi_range_list own;

    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        keel_mpi_halo_commit(rows, array);
    }
    if (keel_mpi_rows_own_ranges(rows, &own)) {
        keel_mpi_store_trim(&rows->weights, own.range, own.count);
    }
    keel_mpi_range_list_free(&own);
}

static void commit(struct round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    for (size_t i = 0; round->kinds > 0 && i < round->payloads; i++) {
        if (round->payload[i].sends) {
            visit_items(round, &round->payload[i], SIZE_MAX, drop);
        }
    }
    struct keel_mpi_placement before = rows->placement;
    rows->placement = round->after;
    round->after = before;
    count(rows, round);
    keep(rows);
    keel_mpi_rows_update(rows);
}

static void free_round(struct round *round)
{
    for (size_t i = 0; round->payload != NULL && i < round->payloads; i++) {
        if (round->payload[i].total > 0) {
            keel_mpi_check(&round->rows->peers, MPI_Type_free(&round->payload[i].type),
                           "MPI_Type_free");
        }
        free(round->payload[i].size);
        free(round->payload[i].bytes);
    }
    free(round->payload);
    free(round->request);
    keel_mpi_placement_free(&round->after);
}

/* What can be refused without anybody having sent anything. */
static int get_ready(struct round *round)
{
    struct keel_mpi_rows *rows = round->rows;
    int code = KEEL_MPI_OK;

    if (!prepare_round(round) || !hold_memory(round)) {
        say_no_room();
        code = KEEL_MPI_NO_ROOM;
    }
    code = keel_mpi_rows_agree(rows, code, 0);
    if (code == KEEL_MPI_OK && round->kinds > 0) {
        code = exchange_sizes(round);
        code = keel_mpi_rows_agree(rows, code == KEEL_MPI_OK ? pack_items(round) : code, 0);
    }
    return code;
}

static int make_round(struct keel_mpi_rows *rows, struct transfer *transfer, size_t transfers)
{
    struct round round = {.rows = rows, .transfer = transfer, .transfers = transfers};
    int code = get_ready(&round);

    if (code == KEEL_MPI_OK) {
        code = carry(&round);
        if (code == KEEL_MPI_OK && round.kinds > 0) {
            code = unpack_items(&round);
        } else {
            code = keel_mpi_rows_agree(rows, code, 0); /* nobody gives up what has not arrived */
        }
    }
    if (code == KEEL_MPI_OK) {
        commit(&round);
    } else if (keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) {
        keep(rows);
    }
    if (keel_mpi_peers_code(&rows->peers) ==
        KEEL_MPI_OK) { /* else operations on their way use it */
        free_round(&round);
    }
    return code;
}

/* --- all rounds --- */

struct plan {
    uint32_t ranks;
    const uint64_t *shares;
    uint64_t *present, *wanted; /* adjacent: bounds, P + 1 values */
    struct keel_move *move;
    struct transfer *transfer;
    size_t room; /* for transfers */
};

static void fill_bounds(uint64_t *bound, const uint64_t *shares, uint32_t ranks)
{
    bound[0] = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        bound[i + 1] = bound[i] + shares[i];
    }
}

static bool make_plan(struct plan *plan, const struct keel_mpi_rows *rows, const uint64_t *shares)
{
    *plan = (struct plan){.ranks = rows->ranks, .shares = shares};
    plan->present = malloc((rows->ranks + (size_t)1) * sizeof *plan->present);
    plan->wanted = malloc((rows->ranks + (size_t)1) * sizeof *plan->wanted);
    plan->move = malloc(rows->ranks * sizeof *plan->move);
    /* any: a move may take rows of several runs */
    plan->room = rows->ranks + (rows->adjacent ? 0 : rows->placement.count);
    plan->transfer = malloc(plan->room * sizeof *plan->transfer);
    if (plan->present == NULL || plan->wanted == NULL || plan->move == NULL ||
        plan->transfer == NULL) {
        return false;
    }
    fill_bounds(plan->present, rows->placement.owned, rows->ranks);
    fill_bounds(plan->wanted, shares, rows->ranks);
    return true;
}

static void free_plan(struct plan *plan)
{
    free(plan->present);
    free(plan->wanted);
    free(plan->move);
    free(plan->transfer);
}

/* Moves of one round, each a transfer. */
static size_t list_adjacent(struct plan *plan, uint32_t round)
{
    size_t moves = keel_moves_adjacent_round(plan->ranks, plan->present, plan->wanted, round,
                                             plan->move, plan->ranks);

    for (size_t i = 0; i < moves; i++) {
        const struct keel_move *move = &plan->move[i];
        plan->transfer[i] =
            (struct transfer){move->from, move->to, move->first, move->first + move->rows};
    }
    return moves;
}

static size_t list_any(struct plan *plan, const struct keel_mpi_placement *placement)
{
    size_t moves =
        keel_moves_any(plan->ranks, placement->owned, plan->shares, plan->move, plan->ranks);
    size_t transfers = 0;

    for (size_t i = 0; i < moves; i++) {
        const struct keel_move *move = &plan->move[i];
        uint64_t first, last;
        for (uint64_t done = 0; done < move->rows && transfers < plan->room; done += last - first) {
            keel_mpi_placement_at(placement, move->from, move->first + done, move->rows - done,
                                  &first, &last);
            plan->transfer[transfers++] = (struct transfer){move->from, move->to, first, last};
        }
    }
    return transfers;
}

static int make_rounds(struct keel_mpi_rows *rows, struct plan *plan)
{
    uint32_t rounds =
        rows->adjacent ? keel_moves_adjacent_rounds(plan->ranks, plan->present, plan->wanted) : 1;
    int code = KEEL_MPI_OK;

    for (uint32_t i = 0; code == KEEL_MPI_OK && i < rounds; i++) {
        size_t transfers =
            rows->adjacent ? list_adjacent(plan, i) : list_any(plan, &rows->placement);
        if (transfers > 0) {
            code = make_round(rows, plan->transfer, transfers);
        }
    }
    return code;
}

static int look_at_shares(const struct keel_mpi_rows *rows, const uint64_t *shares)
{
    uint64_t left = rows->placement.rows;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        if (shares[i] > left) {
            left = UINT64_MAX;
            break;
        }
        left -= shares[i];
    }
    if (left != 0) {
        keel_message("shares of rows do not add up to all %llu; rows stay where they are",
                     (unsigned long long)rows->placement.rows);
    }
    return left == 0 ? KEEL_MPI_OK : KEEL_MPI_ARGUMENT;
}

int keel_mpi_movement_make(struct keel_mpi_rows *rows, const uint64_t *shares,
                           struct keel_mpi_moved *moved)
{
    uint64_t before = rows->report.rows_moved;
    struct plan plan;
    bool room = make_plan(&plan, rows, shares);
    int code = look_at_shares(rows, shares);

    if (!room) {
        say_no_room();
        code = KEEL_MPI_NO_ROOM;
    }
    int all = keel_mpi_rows_agree(rows, code, keel_mpi_rows_digest(shares, rows->ranks));
    if (all == KEEL_MPI_MISMATCH && code == KEEL_MPI_OK && rows->rank == 0) {
        keel_message("ranks want different shares of rows, expected the same on all of them; rows "
                     "stay where they are");
    }
    /* until here, this rank may have waited for others; from here on, waiting is part of moving */
    double began_ns = keel_mpi_clock_ns(), waited_s = rows->report.waiting_s;
    if (all == KEEL_MPI_OK) {
        all = make_rounds(rows, &plan);
    }
    free_plan(&plan);
    moved->rows = rows->report.rows_moved - before;
    moved->time_s = (keel_mpi_clock_ns() - began_ns) / 1e9;
    rows->report.waiting_s = waited_s;
    rows->report.movement_s += moved->time_s;
    rows->report.movements += moved->rows > 0;
    return all;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_move(struct keel_mpi_rows *rows, const uint64_t *shares)
{
    int code = keel_mpi_rows_check(rows);
    struct keel_mpi_moved moved;

    return code == KEEL_MPI_OK ? keel_mpi_movement_make(rows, shares, &moved) : code;
}
