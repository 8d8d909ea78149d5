/* Makes a distribution anew over the ranks that are left, from copies of its rows.
 *
 *   what each survivor has -> which hook, which rows to whom (pieces.h) -> parts of snapshots
 *        ~~> survivors -> have all everything? -> rows again -> do all have them? -> the new one
 *
 * Until the second meeting has gone well, the old distribution keeps all that it has: where another
 * rank ends meanwhile, rows come back from the same copies, or from what is still there of them. A
 * rank that has completed that meeting, where another has not, can go back to the same copies, too:
 * they stay until the first ones of the new distribution are complete (copies.c). */
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/copies/copies.h"
#include "mpi_backend/rows/copies/pieces.h"
#include "mpi_backend/rows/copies/snapshot.h"
#include "mpi_backend/rows/costs/row_costs.h"
#include "omp_ext/support/message.h"

#define WHERE "in keel_mpi_rows_recover()"

/* A piece that this rank gives or gets; a piece of its own is both. */
struct part {
    const struct keel_mpi_piece *piece;
    uint64_t bytes;
    char *data; /* a snapshot of it */
};

struct recovery {
    struct keel_mpi_rows *old, *rows;
    struct keel_mpi_going_back back;
    uint32_t *now, *provider; /* as in struct keel_mpi_recovery */
    struct keel_mpi_piece *piece;
    size_t pieces;
    struct part *part;
    size_t parts, given; /* parts whose items are there */
    MPI_Request *request;
};

/* --- which copies --- */

/* copy: where they are missing; NULL: this rank knows of none. */
static void say_gone(const struct keel_mpi_copy *copy, uint32_t rank)
{
    uint64_t first, last;

    if (copy == NULL) {
        keel_message("rows can't come back: there is no hook whose copies are all there");
        return;
    }
    keel_mpi_placement_next(&copy->placement, rank, 0, &first, &last);
    keel_message("rows can't come back: rank %u and the rank that held the copy of its rows have "
                 "both ended; %llu rows are gone, %llu to %llu among them",
                 rank, (unsigned long long)copy->placement.owned[rank], (unsigned long long)first,
                 (unsigned long long)last - 1);
}

/* Fills in source and copy; neither: all is as it was made. The code is the same on all ranks. */
static int choose(struct recovery *recovery)
{
    struct keel_mpi_going_back *back = &recovery->back;
    int code = keel_mpi_going_back_choose(back, &recovery->rows->peers, WHERE,
                                          recovery->old->copies, recovery->old->rank);

    if (code == KEEL_MPI_RANKS_LOST && recovery->rows->rank == 0 &&
        keel_mpi_peers_code(&recovery->rows->peers) == KEEL_MPI_OK) {
        bool known = back->gone != NULL && back->gone->placement.owned[back->gone_rank] > 0;
        say_gone(known ? back->gone : NULL, back->gone_rank);
    }
    return code;
}

/* --- which rows --- */

/* Blocks lie in the order of ranks. */
static int look_at_order(const struct recovery *recovery)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < recovery->back.source->ranks; i++) {
        uint32_t now = recovery->now[i];
        if (now != KEEL_MPI_NO_SURVIVOR && now != next++) {
            keel_mpi_misuse("keel_mpi_rows_recover(): ranks of the new communicator have not the "
                            "order that they had, as keel_mpi_survivors() gives them; nothing is "
                            "distributed");
            return KEEL_MPI_ARGUMENT;
        }
    }
    return KEEL_MPI_OK;
}

static int list_pieces(struct recovery *recovery)
{
    const struct keel_mpi_copies *source = recovery->back.source;
    struct keel_mpi_recovery plan = {
        .before = &recovery->back.copy->placement,
        .survivor = recovery->now = malloc(source->ranks * sizeof(uint32_t)),
        .provider = recovery->provider = malloc(source->ranks * sizeof(uint32_t)),
        .survivors = recovery->rows->ranks,
        .adjacent = recovery->old->adjacent,
    };

    recovery->piece = malloc(keel_mpi_recovery_room(&plan) * sizeof *recovery->piece);
    if (recovery->now == NULL || recovery->provider == NULL || recovery->piece == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    for (uint32_t i = 0; i < source->ranks; i++) {
        recovery->now[i] =
            keel_mpi_copies_find(recovery->back.survivor, plan.survivors, source->id[i]);
        recovery->provider[i] =
            keel_mpi_copies_provider(recovery->back.survivor, plan.survivors, source->epoch,
                                     recovery->back.copy->step, source->id[i]);
    }
    if (look_at_order(recovery) != KEEL_MPI_OK) {
        return KEEL_MPI_ARGUMENT;
    }
    recovery->pieces = keel_mpi_recovery_pieces(&plan, recovery->piece);
    return keel_mpi_recovery_placement(&plan, recovery->piece, recovery->pieces,
                                       &recovery->rows->placement)
               ? KEEL_MPI_OK
               : KEEL_MPI_NO_ROOM;
}

/* The place of a row among those that rank `of` had. */
static uint64_t place_of(const struct keel_mpi_placement *placement, uint32_t of, uint64_t row)
{
    uint64_t first, last, from = 0, place = 0;

    while (keel_mpi_placement_next(placement, of, from, &first, &last) && last <= row) {
        place += last - first;
        from = last;
    }
    return place + row - first;
}

/* A snapshot of a piece whose rows this rank has. */
static bool cut_out(const struct recovery *recovery, struct part *part)
{
    const struct keel_mpi_copy *copy = recovery->back.copy;
    const struct keel_mpi_piece *piece = part->piece;
    bool own = piece->of == recovery->back.source->rank;
    const struct keel_mpi_copy_memory *memory = own ? &copy->own : &copy->held;
    uint64_t place = place_of(&copy->placement, piece->of, piece->first);
    uint64_t count = piece->last - piece->first;

    if (!keel_mpi_snapshot_is_right(recovery->rows, memory->data, memory->bytes,
                                    copy->placement.owned[piece->of])) {
        return false;
    }
    part->bytes = keel_mpi_snapshot_part_bytes(recovery->rows, memory->data, place, count);
    part->data = malloc(part->bytes);
    if (part->data != NULL) {
        keel_mpi_snapshot_part(recovery->rows, memory->data, place, count, part->data);
    }
    return part->data != NULL;
}

/* The parts of this rank, with those that it has. */
static int list_parts(struct recovery *recovery)
{
    uint32_t rank = recovery->rows->rank;

    recovery->part = calloc(recovery->pieces + 1, sizeof *recovery->part);
    recovery->request = malloc((recovery->pieces + 1) * sizeof *recovery->request);
    if (recovery->part == NULL || recovery->request == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    for (size_t i = 0; i < recovery->pieces; i++) {
        const struct keel_mpi_piece *piece = &recovery->piece[i];
        if (piece->from != rank && piece->to != rank) {
            continue;
        }
        struct part *part = &recovery->part[recovery->parts++];
        part->piece = piece;
        if (piece->from == rank && !cut_out(recovery, part)) {
            return KEEL_MPI_NO_ROOM;
        }
    }
    return KEEL_MPI_OK;
}

static int prepare(struct recovery *recovery)
{
    struct keel_mpi_rows *rows = recovery->rows;
    const struct keel_mpi_rows *old = recovery->old;
    bool placed = false;
    int code = KEEL_MPI_OK;

    if (recovery->back.source != NULL) {
        code = list_pieces(recovery);
        placed = code == KEEL_MPI_OK && keel_mpi_weights_open(rows);
    } else {
        placed = keel_mpi_rows_place_first(rows, old->placement.rows);
    }
    bool room = placed && keel_mpi_arrays_take_over(rows, old);
    if (room && recovery->back.source != NULL) {
        code = list_parts(recovery);
    }
    code = code == KEEL_MPI_OK && !room ? KEEL_MPI_NO_ROOM : code;
    if (code == KEEL_MPI_NO_ROOM) {
        keel_message("no memory for rows that were to come back");
    }
    return code;
}

/* --- rows on their way --- */

/* Sends or receives sizes, or what is of that size, of all parts that go from rank to rank. */
static int exchange(struct recovery *recovery, enum keel_mpi_rows_tag kind)
{
    struct keel_mpi_rows *rows = recovery->rows;
    bool sizes = kind == KEEL_MPI_TAG_COPY_SIZES;
    int requests = 0;

    for (size_t i = 0; i < recovery->parts; i++) {
        struct part *part = &recovery->part[i];
        const struct keel_mpi_piece *piece = part->piece;
        if (piece->from == piece->to) {
            continue;
        }
        bool sends = piece->from == rows->rank;
        keel_mpi_rows_message_start(
            &rows->peers,
            &(struct keel_mpi_rows_message){
                .sends = sends,
                .at = sizes ? (void *)&part->bytes : part->data,
                .bytes = sizes ? sizeof part->bytes : part->bytes,
                .rank = (int)(sends ? piece->to : piece->from),
                .tag = keel_mpi_rows_tag(kind, (size_t)(piece - recovery->piece)),
                .comm = rows->peers.comm},
            &recovery->request[requests++]);
    }
    int code = keel_mpi_peers_await(&rows->peers, WHERE, requests, recovery->request);
    return code == KEEL_MPI_OK ? keel_mpi_peers_code(&rows->peers) : code;
}

/* All ranks have what they give, or say that they have not. */
static int fetch(struct recovery *recovery, int code)
{
    code = keel_mpi_rows_agree_for_good(recovery->rows, code, 0);
    if (code == KEEL_MPI_OK) {
        code = exchange(recovery, KEEL_MPI_TAG_COPY_SIZES);
    }
    bool room = true;
    for (size_t i = 0; code == KEEL_MPI_OK && i < recovery->parts; i++) {
        struct part *part = &recovery->part[i];
        if (part->data == NULL) {
            part->data = malloc(part->bytes);
            room = room && part->data != NULL;
        }
    }
    if (code == KEEL_MPI_OK) {
        code =
            keel_mpi_rows_agree_for_good(recovery->rows, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, 0);
    }
    return code == KEEL_MPI_OK ? exchange(recovery, KEEL_MPI_TAG_COPIES) : code;
}

/* --- rows again --- */

/* What the program has in items now is of no use. */
static void drop_present_items(struct keel_mpi_rows *old)
{
    uint64_t first, last, from = 0;

    while (!old->items_gone &&
           keel_mpi_placement_next(&old->placement, old->rank, from, &first, &last)) {
        keel_mpi_snapshot_drop_items(old, keel_mpi_rows_count_kinds(old), first, last);
        from = last;
    }
    old->items_gone = true;
}

static void drop_given_items(struct recovery *recovery)
{
    for (size_t i = 0; i < recovery->given; i++) {
        const struct keel_mpi_piece *piece = recovery->part[i].piece;
        const struct keel_mpi_snapshot *snapshot = (const void *)recovery->part[i].data;
        if (piece->to == recovery->rows->rank) {
            keel_mpi_snapshot_drop_items(recovery->rows, snapshot->kinds, piece->first,
                                         piece->last);
        }
    }
}

static int give(struct recovery *recovery)
{
    drop_present_items(recovery->old);
    for (; recovery->given < recovery->parts; recovery->given++) {
        const struct part *part = &recovery->part[recovery->given];
        const struct keel_mpi_piece *piece = part->piece;
        if (piece->to != recovery->rows->rank) {
            continue;
        }
        if (!keel_mpi_snapshot_is_right(recovery->rows, part->data, part->bytes,
                                        piece->last - piece->first)) {
            return KEEL_MPI_ERROR;
        }
        keel_mpi_snapshot_give_arrays(recovery->rows, part->data, piece->first);
        int code = keel_mpi_snapshot_give_items(recovery->rows, part->data, piece->first);
        if (code != KEEL_MPI_OK) {
            return code;
        }
    }
    return KEEL_MPI_OK;
}

/* --- the new distribution --- */

static void take_over_settings(struct recovery *recovery)
{
    struct keel_mpi_rows *rows = recovery->rows;
    const struct keel_mpi_rows *old = recovery->old;

    rows->adjacent = old->adjacent;
    rows->policy = old->policy;
    rows->has_policy = old->has_policy;
    rows->expected_hooks = old->expected_hooks;
    rows->weighted = old->weighted && recovery->back.copy != NULL;
    rows->told = old->told && recovery->back.copy != NULL;
    rows->hooks = recovery->back.copy != NULL ? recovery->back.copy->step : 0;
    rows->due = rows->hooks + 1;
}

static int begin_copies(struct recovery *recovery)
{
    struct keel_mpi_rows *rows = recovery->rows;
    int code = keel_mpi_going_back_begin(&recovery->back, &rows->copies, &rows->peers);

    keel_mpi_rows_copies_due(rows);
    return code;
}

/* KEEL_MPI_OK: recovery->rows is all there. Else the old distribution is as it was, but for items
 * that were dropped. */
static int recover(struct recovery *recovery)
{
    struct keel_mpi_rows *rows = recovery->rows;
    int code = choose(recovery);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    take_over_settings(recovery);
    code = prepare(recovery);
    code = code == KEEL_MPI_OK ? begin_copies(recovery) : code;
    code = fetch(recovery, code);
    if (code == KEEL_MPI_OK) {
        code = keel_mpi_rows_agree_for_good(rows, KEEL_MPI_OK, rows->hooks);
    }
    if (code != KEEL_MPI_OK) {
        return code;
    }
    code = keel_mpi_rows_agree_for_good(rows, give(recovery), rows->hooks);
    if (code != KEEL_MPI_OK) {
        drop_given_items(recovery);
    }
    return code;
}

static void free_recovery(struct recovery *recovery, bool pending)
{
    free(recovery->now);
    free(recovery->provider);
    free(recovery->piece);
    keel_mpi_going_back_free(&recovery->back, pending);
    if (pending) {
        return; /* operations use the rest */
    }
    for (size_t i = 0; i < recovery->parts; i++) {
        free(recovery->part[i].data);
    }
    free(recovery->part);
    free(recovery->request);
    free(recovery);
}

/* The old distribution is used no more. What operations that are on their way use stays: all of it.
 * Every function returns KEEL_MPI_RANKS_LOST for what the program still has of it. */
static void close_old(struct keel_mpi_rows *old)
{
    int none = KEEL_MPI_OK;

    keel_mpi_rows_keep_figures(old);
    keel_mpi_rows_trace_close(old);
    keel_mpi_row_costs_free(old);
    atomic_compare_exchange_strong(&old->peers.code, &none, KEEL_MPI_RANKS_LOST);
}

KEEL_MPI_PUBLIC int keel_mpi_rows_recover(struct keel_mpi_rows **distribution, MPI_Comm survivors,
                                          uint64_t *hook)
{
    struct keel_mpi_rows *old = *distribution;
    int code = keel_mpi_rows_is_missing(old) ? KEEL_MPI_ARGUMENT
                                             : keel_mpi_rows_look_at_communicator(survivors);

    *hook = 0;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    struct recovery *recovery = calloc(1, sizeof *recovery);
    struct keel_mpi_rows *rows = keel_mpi_rows_open(survivors, WHERE, &code);
    if (rows == NULL) {
        keel_mpi_misuse("rows can't come back over this communicator (%s)",
                        keel_mpi_error_name(code));
        free(recovery);
        return code;
    }
    if (recovery != NULL) {
        *recovery = (struct recovery){.old = old, .rows = rows};
    }
    bool room = recovery != NULL && keel_mpi_going_back_open(&recovery->back, rows->ranks);
    code = keel_mpi_rows_agree_for_good(rows, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, 0);
    if (code == KEEL_MPI_OK) {
        code = recover(recovery);
    }
    if (code == KEEL_MPI_OK) {
        *hook = rows->hooks;
        keel_mpi_going_back_end(&recovery->back, &old->copies, rows->copies);
        close_old(old);
        keel_mpi_rows_begin(rows);
        *distribution = rows;
        if (rows->hooks > 0 && rows->copies != NULL) {
            keel_mpi_rows_copies_take(rows); /* what goes wrong there, the next call returns */
        }
    } else if (keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) {
        keel_mpi_arrays_free(rows);
        keel_mpi_rows_release(rows);
        rows = NULL;
    }
    if (recovery != NULL) {
        free_recovery(recovery, rows != NULL && keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK);
    }
    return code;
}
