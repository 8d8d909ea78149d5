/* Restores a distribution on the surviving ranks, from copies of its rows.
 *
 *   copies of each survivor -> which balance call, which rows to which rank (generations.h)
 *        -> rows restored where copies are -> do all have them? -> a round of a movement
 *        (movement/) -> the new distribution
 *
 * The old distribution keeps all its data except items: if another rank ends meanwhile, rows come
 * back from the same copies, or from those that are left. If only some ranks have completed the
 * last meeting, they can go back to the same copies, too: these stay until the first ones of the
 * new distribution are complete (generations.c). */
#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/copies/copies.h"
#include "mpi_backend/rows/copies/generations.h"
#include "mpi_backend/rows/costs/row_costs.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "omp_ext/support/message.h"

#define WHERE "in keel_mpi_rows_recover()"

struct recovery {
    struct keel_mpi_rows *old, *rows;
    struct keel_mpi_going_back back;
    uint32_t *now, *provider;           /* as in struct keel_mpi_recovery */
    struct keel_mpi_transfer *transfer; /* of rows that move to another rank */
    size_t transfers;
    bool given; /* rows and their items are restored */
};

/* --- which copies --- */

/* copy: the one in which rows are missing; NULL: not known on this rank. */
static void say_gone(const struct keel_mpi_copy *copy, uint32_t rank)
{
    uint64_t first, last;

    if (copy == NULL) {
        keel_message("rows can't come back: there is no balance call whose copies are all there");
        return;
    }
    keel_mpi_placement_next(&copy->placement, rank, 0, &first, &last);
    keel_message("rows can't come back: rank %u and the rank that held the copy of its rows have "
                 "both ended; %llu rows are gone, %llu to %llu among them",
                 rank, (unsigned long long)copy->placement.owned[rank], (unsigned long long)first,
                 (unsigned long long)last - 1);
}

/* Fills in back->source and ->copy; NULL if there never was one. All ranks get the same code. */
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

/* Checks that survivors have the order of ranks before, as blocks have. */
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

    struct keel_mpi_transfer *piece = malloc(keel_mpi_recovery_room(&plan) * sizeof *piece);
    recovery->transfer = piece;
    if (recovery->now == NULL || recovery->provider == NULL || piece == NULL) {
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
    size_t pieces = keel_mpi_recovery_pieces(&plan, piece);
    bool room = keel_mpi_recovery_placement(&plan, piece, pieces, &recovery->rows->placement);
    for (size_t i = 0; i < pieces; i++) {
        if (piece[i].from != piece[i].to) {
            piece[recovery->transfers++] = piece[i];
        }
    }
    return room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM;
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
    code = code == KEEL_MPI_OK && !room ? KEEL_MPI_NO_ROOM : code;
    if (code == KEEL_MPI_NO_ROOM) {
        keel_message("no memory for rows that were to come back");
    }
    return code;
}

/* --- restoring rows --- */

/* Drops the items of own rows. */
static void drop_items(const struct keel_mpi_rows *rows, uint64_t kinds)
{
    keel_mpi_snapshot_drop_items(rows, kinds, &rows->placement, rows->rank, UINT64_MAX);
}

/* Kinds of items in the copy. */
static uint64_t kinds_of(const struct recovery *recovery)
{
    return ((const struct keel_mpi_snapshot *)(const void *)recovery->back.copy->own.data)->kinds;
}

/* Restores here the rows of rank `of` of the epoch. */
static int give_from(const struct recovery *recovery, const struct keel_mpi_copy_memory *memory,
                     uint32_t of)
{
    const struct keel_mpi_placement *before = &recovery->back.copy->placement;

    keel_mpi_snapshot_give_arrays(recovery->rows, memory->data, before, of);
    return keel_mpi_snapshot_give_items(recovery->rows, memory->data, before, of);
}

/* Restores own rows, and those of an ended rank whose copy is here. */
static int give(struct recovery *recovery)
{
    const struct keel_mpi_copies *source = recovery->back.source;
    const struct keel_mpi_copy *copy = recovery->back.copy;
    struct keel_mpi_rows *old = recovery->old;

    if (!old->items_gone) { /* the program's present items are out of date */
        drop_items(old, keel_mpi_rows_count_kinds(old));
        old->items_gone = true;
    }
    if (source == NULL) {
        return KEEL_MPI_OK;
    }
    int code = give_from(recovery, &copy->own, source->rank);
    if (code == KEEL_MPI_OK && recovery->provider[source->held_of] == recovery->rows->rank) {
        code = give_from(recovery, &copy->held, source->held_of);
        if (code != KEEL_MPI_OK) {
            keel_mpi_snapshot_drop_items(recovery->rows, kinds_of(recovery), &copy->placement,
                                         source->rank, UINT64_MAX);
        }
    }
    recovery->given = code == KEEL_MPI_OK;
    return code;
}

/* Moves rows to the ranks that are to have them. Items that were added after the copy are left out,
 * as they are not in it. */
static int move(struct recovery *recovery)
{
    struct keel_mpi_rows *rows = recovery->rows;
    struct keel_mpi_rows_report report = rows->report;
    struct keel_mpi_items_entry **end = &rows->items, *later;
    struct keel_mpi_round round = {
        .rows = rows, .transfer = recovery->transfer, .transfers = recovery->transfers};

    if (recovery->transfers == 0) {
        return KEEL_MPI_OK;
    }
    for (uint64_t i = 0; i < kinds_of(recovery); i++) {
        end = &(*end)->next;
    }
    later = *end;
    *end = NULL;
    bool room = keel_mpi_round_prepare(&round);
    int code = keel_mpi_round_make(
        &round, keel_mpi_rows_agree(rows, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, 0));
    *end = later;
    rows->report = report;
    if (rows->late) {
        keel_mpi_peers_fail(&rows->peers, KEEL_MPI_LATE);
    }
    return code;
}

/* --- the new distribution --- */

static void take_over_settings(struct recovery *recovery)
{
    struct keel_mpi_rows *rows = recovery->rows;
    const struct keel_mpi_rows *old = recovery->old;

    rows->adjacent = old->adjacent;
    rows->policy = old->policy;
    rows->has_policy = old->has_policy;
    rows->expected_calls = old->expected_calls;
    rows->weighted = old->weighted && recovery->back.copy != NULL;
    rows->weights_set = old->weights_set && recovery->back.copy != NULL;
    rows->calls = recovery->back.copy != NULL ? recovery->back.copy->step : 0;
    rows->due = rows->calls + 1;
}

static int begin_copies(struct recovery *recovery)
{
    struct keel_mpi_rows *rows = recovery->rows;
    int code = keel_mpi_going_back_begin(&recovery->back, &rows->copies, &rows->peers);

    keel_mpi_rows_copies_due(rows);
    return code;
}

/* Returns KEEL_MPI_OK if recovery->rows is complete. Otherwise the old distribution is as it was,
 * except for dropped items. */
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
    code = keel_mpi_rows_agree_for_good(rows, code, rows->calls);
    if (code == KEEL_MPI_OK) {
        code = keel_mpi_rows_agree_for_good(rows, give(recovery), rows->calls);
    }
    if (code == KEEL_MPI_OK) {
        code = move(recovery);
    }
    if (code != KEEL_MPI_OK && recovery->given) {
        drop_items(rows, kinds_of(recovery));
    }
    return code;
}

static void free_recovery(struct recovery *recovery, bool pending)
{
    free(recovery->now);
    free(recovery->provider);
    free(recovery->transfer);
    keel_mpi_going_back_free(&recovery->back, pending);
    if (!pending) { /* otherwise operations use it */
        free(recovery);
    }
}

/* Closes the old distribution. All its memory stays, as pending operations may use it. Every
 * function returns KEEL_MPI_RANKS_LOST for handles of it that the program still has. */
static void close_old(struct keel_mpi_rows *old)
{
    int none = KEEL_MPI_OK;

    keel_mpi_rows_keep_measurements(old);
    keel_mpi_rows_trace_close(old);
    keel_mpi_row_costs_free(old);
    atomic_compare_exchange_strong(&old->peers.code, &none, KEEL_MPI_RANKS_LOST);
}

KEEL_MPI_PUBLIC int keel_mpi_rows_recover(struct keel_mpi_rows **distribution, MPI_Comm survivors,
                                          uint64_t *call)
{
    struct keel_mpi_rows *old = *distribution;
    int code = keel_mpi_rows_is_missing(old) ? KEEL_MPI_ARGUMENT
                                             : keel_mpi_rows_look_at_communicator(survivors);

    *call = 0;
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
        *call = rows->calls;
        keel_mpi_going_back_end(&recovery->back, &old->copies, rows->copies);
        close_old(old);
        keel_mpi_rows_begin(rows);
        *distribution = rows;
        if (rows->calls > 0 && rows->copies != NULL) {
            keel_mpi_rows_copies_take(rows); /* an error of it is returned by the next call */
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
