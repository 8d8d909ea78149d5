/* Moves rows from rank to rank, with all that they have.
 *
 *   wanted shares -> rounds of passages (moves.h) -> memory, items packed -> all are ready?
 *        -> messages, all of a round at once, from array to array -> items made -> all have them?
 *        -> new placement
 *
 * Until all ranks have everything, nothing is given up: where one has no memory, or a function of
 * the program fails, what has come goes again, and rows stay as they were before the round. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/rows/rows.h"
#include "omp_ext/support/message.h"
#include "schedules/balance/moves.h"

/* Rows [first, last) go. */
struct passage {
    uint32_t from, to;
    uint64_t first, last;
};

/* What goes with the rows of one passage of this rank beside arrays. */
struct parcel {
    const struct passage *passage;
    bool sends;
    size_t number;  /* of its messages, of those between these two ranks, in this round */
    uint64_t *size; /* of each row, for each kind of items; rows x kinds */
    char *bytes;
    size_t total;
    MPI_Datatype type;
};

struct round {
    struct keel_mpi_rows *rows;
    struct passage *passage; /* of all ranks */
    size_t passages;
    struct keel_placement after;
    struct parcel *parcel; /* of this rank */
    size_t parcels;
    size_t kinds; /* of items */
    MPI_Request *request;
    size_t requests;
};

/* --- what goes --- */

static size_t count_kinds(const struct keel_mpi_rows *rows)
{
    size_t kinds = 0;

    for (const struct keel_rows_items *items = rows->items; items != NULL; items = items->next) {
        kinds++;
    }
    return kinds;
}

static size_t count_arrays(const struct keel_mpi_rows *rows)
{
    size_t arrays = 0;

    for (const struct keel_rows_array *array = rows->arrays; array != NULL; array = array->next) {
        arrays++;
    }
    return arrays;
}

static uint64_t rows_in(const struct passage *passage)
{
    return passage->last - passage->first;
}

/* Messages between two ranks are numbered in the order of their passages. */
static void add_parcel(struct round *round, const struct passage *passage, size_t parts)
{
    struct parcel *parcel = &round->parcel[round->parcels];

    *parcel = (struct parcel){.passage = passage, .sends = passage->from == round->rows->rank};
    for (size_t i = 0; i < round->parcels; i++) {
        const struct passage *other = round->parcel[i].passage;
        parcel->number += other->from == passage->from && other->to == passage->to ? parts : 0;
    }
    round->parcels++;
}

/* The placement after the round. */
static bool place_rows(struct round *round)
{
    struct keel_gift *gift = malloc(round->passages * sizeof *gift);
    bool room = gift != NULL && keel_placement_copy(&round->after, &round->rows->placement);

    for (size_t i = 0; room && i < round->passages; i++) {
        const struct passage *passage = &round->passage[i];
        gift[i] = (struct keel_gift){passage->first, passage->last, passage->to};
    }
    room = room && keel_placement_give(&round->after, gift, round->passages);
    free(gift);
    return room;
}

/* Room for this rank's messages, and the placement after the round. */
static bool prepare_round(struct round *round)
{
    struct keel_mpi_rows *rows = round->rows;
    size_t parts = count_arrays(rows) + 2; /* weights, and items */

    round->kinds = count_kinds(rows);
    round->parcel = calloc(round->passages, sizeof *round->parcel);
    round->request = malloc(round->passages * parts * sizeof *round->request);
    if (round->parcel == NULL || round->request == NULL || !place_rows(round)) {
        return false;
    }
    for (size_t i = 0; i < round->passages; i++) {
        const struct passage *passage = &round->passage[i];
        if (passage->from == rows->rank || passage->to == rows->rank) {
            add_parcel(round, passage, parts);
        }
    }
    return true;
}

/* Memory for rows that come, and for sizes of items. */
static bool hold_memory(struct round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    for (struct keel_rows_array *array = rows->arrays; array != NULL; array = array->next) {
        if (!keel_halo_hold(rows, array, &round->after)) {
            return false;
        }
    }
    for (size_t i = 0; i < round->parcels; i++) {
        struct parcel *parcel = &round->parcel[i];
        const struct passage *passage = parcel->passage;
        if (!parcel->sends && !keel_store_hold(&rows->weights, passage->first, passage->last)) {
            return false;
        }
        if (round->kinds > 0) {
            parcel->size = calloc((size_t)rows_in(passage) * round->kinds, sizeof *parcel->size);
            if (parcel->size == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* --- messages --- */

/* A type for `count` elements, more than an int counts. */
static bool make_many(struct keel_peers *peers, uint64_t count, MPI_Datatype type,
                      MPI_Datatype *many)
{
    MPI_Aint lower, extent;
    MPI_Datatype block;

    if (!keel_check(peers, MPI_Type_get_extent(type, &lower, &extent), "MPI_Type_get_extent") ||
        !keel_check(peers, MPI_Type_contiguous(INT_MAX, type, &block), "MPI_Type_contiguous")) {
        return false;
    }
    MPI_Aint behind = (MPI_Aint)(count - count % INT_MAX) * extent;
    return keel_check(
               peers,
               MPI_Type_create_struct(2, (int[]){(int)(count / INT_MAX), (int)(count % INT_MAX)},
                                      (MPI_Aint[]){0, behind}, (MPI_Datatype[]){block, type}, many),
               "MPI_Type_create_struct") &&
           keel_check(peers, MPI_Type_commit(many), "MPI_Type_commit") &&
           keel_check(peers, MPI_Type_free(&block), "MPI_Type_free");
}

/* Starts one message of `count` elements of `type` at `at`. */
static void start(struct round *round, const struct parcel *parcel, void *at, uint64_t count,
                  MPI_Datatype type, int tag)
{
    struct keel_peers *peers = &round->rows->peers;
    MPI_Request *request = &round->request[round->requests++];
    MPI_Datatype many = type;

    *request = MPI_REQUEST_NULL;
    if (count > INT_MAX && !make_many(peers, count, type, &many)) {
        return;
    }
    int number = many == type ? (int)count : 1;
    bool started = parcel->sends
                       ? keel_check(peers,
                                    MPI_Isend(at, number, many, (int)parcel->passage->to, tag,
                                              peers->comm, request),
                                    "MPI_Isend")
                       : keel_check(peers,
                                    MPI_Irecv(at, number, many, (int)parcel->passage->from, tag,
                                              peers->comm, request),
                                    "MPI_Irecv");
    if (!started) {
        *request = MPI_REQUEST_NULL;
    }
    if (many != type) {
        keel_check(peers, MPI_Type_free(&many), "MPI_Type_free"); /* once the message has gone */
    }
}

static int wait_for_all(struct round *round)
{
    int code = keel_peers_await(&round->rows->peers, "where rows move", (int)round->requests,
                                round->request);

    if (code == KEEL_MPI_OK) {
        round->requests = 0;
        code = keel_peers_code(&round->rows->peers);
    }
    return code;
}

static void carry_arrays(struct round *round, const struct parcel *parcel)
{
    const struct passage *passage = parcel->passage;
    struct keel_mpi_rows *rows = round->rows;
    struct keel_store *weights = &rows->weights;
    size_t number = parcel->number;

    for (struct keel_rows_array *array = rows->arrays; array != NULL; array = array->next) {
        char *at = array->store.base + (size_t)passage->first * keel_array_row_bytes(array);
        start(round, parcel, at, rows_in(passage), array->row,
              keel_rows_tag(KEEL_TAG_ROWS, number++));
    }
    if (rows->weighted) {
        start(round, parcel, weights->base + (size_t)passage->first * weights->row_bytes,
              rows_in(passage), MPI_DOUBLE, keel_rows_tag(KEEL_TAG_ROWS, number));
    }
}

static int carry(struct round *round)
{
    for (size_t i = 0; i < round->parcels; i++) {
        struct parcel *parcel = &round->parcel[i];
        carry_arrays(round, parcel);
        if (parcel->total > 0) {
            start(round, parcel, parcel->bytes, 1, parcel->type,
                  keel_rows_tag(KEEL_TAG_ITEMS, parcel->number));
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

/* Calls `visit` for each row of the parcel and each kind of items; stops at the first failure.
 * Returns how many were done. */
static size_t visit_items(const struct round *round, const struct parcel *parcel, size_t most,
                          bool (*visit)(const struct keel_mpi_items *items, uint64_t row,
                                        uint64_t *size, char *bytes))
{
    size_t done = 0;
    char *bytes = parcel->bytes;

    for (uint64_t row = parcel->passage->first; row < parcel->passage->last; row++) {
        for (const struct keel_rows_items *items = round->rows->items; items != NULL;
             items = items->next) {
            if (done == most || !visit(&items->call, row, &parcel->size[done], bytes)) {
                return done;
            }
            bytes = bytes != NULL ? bytes + padded(parcel->size[done]) : NULL;
            done++;
        }
    }
    return done;
}

static bool ask_size(const struct keel_mpi_items *items, uint64_t row, uint64_t *size, char *bytes)
{
    (void)bytes;
    *size = items->size(items->context, row);
    return true;
}

static bool pack(const struct keel_mpi_items *items, uint64_t row, uint64_t *size, char *bytes)
{
    int failed = *size > 0 ? items->pack(items->context, row, bytes) : 0;

    if (failed != 0) {
        keel_message("a program's function failed with %d to pack row %llu; rows stay where they "
                     "are",
                     failed, (unsigned long long)row);
    }
    return failed == 0;
}

static bool unpack(const struct keel_mpi_items *items, uint64_t row, uint64_t *size, char *bytes)
{
    int failed = items->unpack(items->context, row, bytes, (size_t)*size);

    if (failed != 0) {
        keel_message("a program's function failed with %d to unpack row %llu; rows stay where "
                     "they are",
                     failed, (unsigned long long)row);
    }
    return failed == 0;
}

static bool drop(const struct keel_mpi_items *items, uint64_t row, uint64_t *size, char *bytes)
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
    for (size_t i = 0; i < round->parcels; i++) {
        struct parcel *parcel = &round->parcel[i];
        if (parcel->sends) {
            visit_items(round, parcel, SIZE_MAX, ask_size);
        }
        start(round, parcel, parcel->size, rows_in(parcel->passage) * round->kinds, MPI_UINT64_T,
              keel_rows_tag(KEEL_TAG_SIZES, parcel->number));
    }
    return wait_for_all(round);
}

static int pack_parcel(struct round *round, struct parcel *parcel)
{
    size_t count = (size_t)rows_in(parcel->passage) * round->kinds, total = 0;

    for (size_t i = 0; i < count; i++) {
        if (parcel->size[i] > SIZE_MAX / 2 - ALIGNED - total) {
            return KEEL_MPI_NO_ROOM;
        }
        total += padded(parcel->size[i]);
    }
    parcel->bytes = malloc(total > 0 ? total : 1);
    if (parcel->bytes == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    if (total > 0) {
        parcel->type = keel_rows_bytes(&round->rows->peers, total);
        parcel->total = total;
        if (parcel->type == MPI_DATATYPE_NULL) {
            return KEEL_MPI_ERROR;
        }
    }
    if (parcel->sends && visit_items(round, parcel, SIZE_MAX, pack) < count) {
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

    for (size_t i = 0; code == KEEL_MPI_OK && i < round->parcels; i++) {
        code = pack_parcel(round, &round->parcel[i]);
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

    for (; code == KEEL_MPI_OK && failed < round->parcels; failed++) {
        const struct parcel *parcel = &round->parcel[failed];
        done = parcel->sends ? 0 : visit_items(round, parcel, SIZE_MAX, unpack);
        if (!parcel->sends && done < (size_t)rows_in(parcel->passage) * round->kinds) {
            code = KEEL_MPI_CALLBACK;
        }
    }
    int all = keel_rows_agree(round->rows, code, 0);
    for (size_t i = 0; all != KEEL_MPI_OK && i < failed; i++) {
        const struct parcel *parcel = &round->parcel[i];
        if (!parcel->sends) {
            visit_items(round, parcel, code != KEEL_MPI_OK && i + 1 == failed ? done : SIZE_MAX,
                        drop);
        }
    }
    return all;
}

/* --- a round --- */

static void count(struct keel_mpi_rows *rows, const struct round *round)
{
    struct keel_mpi_rows_report *report = &rows->report;

    for (size_t i = 0; i < round->passages; i++) {
        report->rows_moved += rows_in(&round->passage[i]);
    }
    for (size_t i = 0; i < round->parcels; i++) {
        const struct parcel *parcel = &round->parcel[i];
        uint64_t number = rows_in(parcel->passage);
        if (!parcel->sends) {
            report->rows_received += number;
            continue;
        }
        report->rows_sent += number;
        report->bytes_sent += parcel->total + number * (uint64_t)keel_rows_array_bytes(rows);
    }
}

/* Gives back memory of rows that are not here. */
static void keep(struct keel_mpi_rows *rows)
{
    struct keel_ranges own;

    for (struct keel_rows_array *array = rows->arrays; array != NULL; array = array->next) {
        keel_halo_keep(rows, array);
    }
    if (keel_rows_own_ranges(rows, &own)) {
        keel_store_keep(&rows->weights, own.range, own.count);
    }
    keel_ranges_free(&own);
}

static void commit(struct round *round)
{
    struct keel_mpi_rows *rows = round->rows;

    for (size_t i = 0; round->kinds > 0 && i < round->parcels; i++) {
        if (round->parcel[i].sends) {
            visit_items(round, &round->parcel[i], SIZE_MAX, drop);
        }
    }
    struct keel_placement before = rows->placement;
    rows->placement = round->after;
    round->after = before;
    count(rows, round);
    keep(rows);
    keel_rows_settle(rows);
}

static void free_round(struct round *round)
{
    for (size_t i = 0; round->parcel != NULL && i < round->parcels; i++) {
        if (round->parcel[i].total > 0) {
            keel_check(&round->rows->peers, MPI_Type_free(&round->parcel[i].type), "MPI_Type_free");
        }
        free(round->parcel[i].size);
        free(round->parcel[i].bytes);
    }
    free(round->parcel);
    free(round->request);
    keel_placement_free(&round->after);
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
    code = keel_rows_agree(rows, code, 0);
    if (code == KEEL_MPI_OK && round->kinds > 0) {
        code = exchange_sizes(round);
        code = keel_rows_agree(rows, code == KEEL_MPI_OK ? pack_items(round) : code, 0);
    }
    return code;
}

static int make_round(struct keel_mpi_rows *rows, struct passage *passage, size_t passages)
{
    struct round round = {.rows = rows, .passage = passage, .passages = passages};
    int code = get_ready(&round);

    if (code == KEEL_MPI_OK) {
        code = carry(&round);
        if (code == KEEL_MPI_OK && round.kinds > 0) {
            code = unpack_items(&round);
        } else {
            code = keel_rows_agree(rows, code, 0); /* nobody gives up what has not arrived */
        }
    }
    if (code == KEEL_MPI_OK) {
        commit(&round);
    } else if (keel_peers_code(&rows->peers) == KEEL_MPI_OK) {
        keep(rows);
    }
    if (keel_peers_code(&rows->peers) == KEEL_MPI_OK) { /* else operations on their way use it */
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
    struct passage *passage;
    size_t room; /* for passages */
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
    plan->passage = malloc(plan->room * sizeof *plan->passage);
    if (plan->present == NULL || plan->wanted == NULL || plan->move == NULL ||
        plan->passage == NULL) {
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
    free(plan->passage);
}

/* Moves of one round, each a passage. */
static size_t list_adjacent(struct plan *plan, uint32_t round)
{
    size_t moves = keel_moves_adjacent_round(plan->ranks, plan->present, plan->wanted, round,
                                             plan->move, plan->ranks);

    for (size_t i = 0; i < moves; i++) {
        const struct keel_move *move = &plan->move[i];
        plan->passage[i] =
            (struct passage){move->from, move->to, move->first, move->first + move->rows};
    }
    return moves;
}

static size_t list_any(struct plan *plan, const struct keel_placement *placement)
{
    size_t moves =
        keel_moves_any(plan->ranks, placement->owned, plan->shares, plan->move, plan->ranks);
    size_t passages = 0;

    for (size_t i = 0; i < moves; i++) {
        const struct keel_move *move = &plan->move[i];
        uint64_t first, last;
        for (uint64_t done = 0; done < move->rows && passages < plan->room; done += last - first) {
            keel_placement_at(placement, move->from, move->first + done, move->rows - done, &first,
                              &last);
            plan->passage[passages++] = (struct passage){move->from, move->to, first, last};
        }
    }
    return passages;
}

static int make_rounds(struct keel_mpi_rows *rows, struct plan *plan)
{
    uint32_t rounds =
        rows->adjacent ? keel_moves_adjacent_rounds(plan->ranks, plan->present, plan->wanted) : 1;
    int code = KEEL_MPI_OK;

    for (uint32_t i = 0; code == KEEL_MPI_OK && i < rounds; i++) {
        size_t passages =
            rows->adjacent ? list_adjacent(plan, i) : list_any(plan, &rows->placement);
        if (passages > 0) {
            code = make_round(rows, plan->passage, passages);
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

int keel_movement_make(struct keel_mpi_rows *rows, const uint64_t *shares, struct keel_moved *moved)
{
    uint64_t before = rows->report.rows_moved;
    struct plan plan;
    bool room = make_plan(&plan, rows, shares);
    int code = look_at_shares(rows, shares);

    if (!room) {
        say_no_room();
        code = KEEL_MPI_NO_ROOM;
    }
    int all = keel_rows_agree(rows, code, keel_rows_digest(shares, rows->ranks));
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
