/* Moves rows from rank to rank, with all their data.
 *
 *   rows that each rank is to have -> rounds of transfers (moves.h) -> round.c */
#include "mpi_backend/rows/movement/movement_room.h"

#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"
#include "schedules/balance/moves.h"

/* The target of a movement, and the memory to plan it. */
struct plan {
    uint32_t ranks;
    const uint64_t *shares;     /* rows of each rank afterwards */
    uint64_t *present, *wanted; /* adjacent: bounds of all ranks' blocks, P + 1 values */
    struct keel_move *move;
    struct keel_mpi_transfer *transfer;
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
    /* KEEL_MPI_ANY: a move may take rows of several runs */
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

/* Lists the moves of one round, each of which is a transfer. */
static size_t list_adjacent(struct plan *plan, uint32_t round)
{
    size_t moves =
        keel_moves_adjacent_round(plan->ranks, plan->present, plan->wanted, round, plan->move);

    for (size_t i = 0; i < moves; i++) {
        const struct keel_move *move = &plan->move[i];
        plan->transfer[i] =
            (struct keel_mpi_transfer){move->from, move->to, move->first, move->first + move->rows};
    }
    return moves;
}

static size_t list_any(struct plan *plan, const struct keel_mpi_placement *placement)
{
    size_t moves = keel_moves_any(plan->ranks, placement->owned, plan->shares, plan->move);
    size_t transfers = 0;

    for (size_t i = 0; i < moves; i++) {
        const struct keel_move *move = &plan->move[i];
        uint64_t first, last;
        for (uint64_t done = 0; done < move->rows && transfers < plan->room; done += last - first) {
            keel_mpi_placement_at(placement, move->from, move->first + done, move->rows - done,
                                  &first, &last);
            plan->transfer[transfers++] =
                (struct keel_mpi_transfer){move->from, move->to, first, last};
        }
    }
    return transfers;
}

/* --- rounds --- */

static uint32_t count_rounds(const struct keel_mpi_rows *rows, const struct plan *plan)
{
    return rows->adjacent ? keel_moves_adjacent_rounds(plan->ranks, plan->present, plan->wanted)
                          : 1;
}

/* Lists the transfers of that round, and prepares it. Returns the code of this rank. */
static int prepare_round(struct keel_mpi_rows *rows, struct plan *plan, uint32_t number,
                         struct keel_mpi_round *round)
{
    *round = (struct keel_mpi_round){.rows = rows, .transfer = plan->transfer};
    round->transfers =
        rows->adjacent ? list_adjacent(plan, number) : list_any(plan, &rows->placement);
    return round->transfers == 0 || keel_mpi_round_prepare(round) ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM;
}

/* agreed: as keel_mpi_round_make() */
static int make_round(struct keel_mpi_round *round, int agreed)
{
    return round->transfers > 0 ? keel_mpi_round_make(round, agreed) : agreed;
}

/* The rounds after the first one; all ranks agree on each of them. */
static int make_later_rounds(struct keel_mpi_rows *rows, struct plan *plan, uint32_t from)
{
    uint32_t rounds = count_rounds(rows, plan);
    int code = KEEL_MPI_OK;

    for (uint32_t i = from; code == KEEL_MPI_OK && i < rounds; i++) {
        struct keel_mpi_round round;
        code = prepare_round(rows, plan, i, &round);
        if (round.transfers > 0) {
            code = make_round(&round, keel_mpi_rows_agree(rows, code, 0));
        }
    }
    return code;
}

/* --- */

static int look_at_shares(const struct keel_mpi_rows *rows, const uint64_t *shares)
{
    uint64_t left = rows->placement.rows;

    if (shares == NULL) {
        keel_mpi_misuse(
            "keel_mpi_rows_move(): the shares are NULL, expected one of each rank; rows "
            "stay where they are");
        return KEEL_MPI_ARGUMENT;
    }
    for (uint32_t i = 0; i < rows->ranks; i++) {
        if (shares[i] > left) {
            left = UINT64_MAX;
            break;
        }
        left -= shares[i];
    }
    if (left != 0) {
        keel_mpi_misuse("shares of rows do not add up to all %llu; rows stay where they are",
                        (unsigned long long)rows->placement.rows);
    }
    return left == 0 ? KEEL_MPI_OK : KEEL_MPI_ARGUMENT;
}

/* All ranks agree on the shares, with the code of each. */
static int agree_on_shares(struct keel_mpi_rows *rows, const uint64_t *shares, int code)
{
    int all = keel_mpi_rows_agree(rows, code, keel_mpi_rows_digest(shares, rows->ranks));

    if (all == KEEL_MPI_MISMATCH && code == KEEL_MPI_OK && rows->rank == 0) {
        keel_message("ranks want different shares of rows, expected the same on all of them; rows "
                     "stay where they are");
    }
    return all;
}

/* The first round is prepared before ranks agree on the shares, which saves an agreement; within a
 * sweep after that: its messages may use the memory until all ranks have met. */
static int make_all(struct keel_mpi_rows *rows, struct plan *plan, int code, double *time_s)
{
    bool early = code == KEEL_MPI_OK && rows->open_sweep == NULL;
    double began_s = keel_mpi_clock_s();
    struct keel_mpi_round first = {0};

    if (early) {
        code = prepare_round(rows, plan, 0, &first);
    }
    double prepared_s = keel_mpi_clock_s();
    code = agree_on_shares(rows, plan->shares, code);
    /* Time to wait for other ranks is counted up to here; later waiting is part of moving. */
    double agreed_s = keel_mpi_clock_s(), waited_s = rows->report.waiting_s;
    if (rows->open_sweep != NULL && code == KEEL_MPI_OK) {
        rows->open_sweep->settle(rows->open_sweep->pipeline);
    }
    code = make_round(&first, code);
    if (code == KEEL_MPI_OK) {
        code = make_later_rounds(rows, plan, early ? 1 : 0);
    }
    rows->report.waiting_s = waited_s;
    *time_s = keel_mpi_clock_s() - agreed_s + prepared_s - began_s;
    return code;
}

int keel_mpi_movement_make(struct keel_mpi_rows *rows, const uint64_t *shares,
                           struct keel_mpi_moved *moved)
{
    uint64_t before = rows->report.rows_moved;
    struct plan plan;
    bool room = make_plan(&plan, rows, shares != NULL ? shares : rows->placement.owned);
    int code = look_at_shares(rows, shares);

    if (!room) {
        keel_mpi_transfers_say_no_memory();
        code = KEEL_MPI_NO_ROOM;
    }
    code = make_all(rows, &plan, code, &moved->time_s);
    free_plan(&plan);
    moved->rows = rows->report.rows_moved - before;
    rows->report.movement_s += moved->time_s;
    rows->report.movements += moved->rows > 0;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_move(struct keel_mpi_rows *rows, const uint64_t *shares)
{
    int code = keel_mpi_rows_check(rows);
    struct keel_mpi_moved moved;

    return code == KEEL_MPI_OK ? keel_mpi_movement_make(rows, shares, &moved) : code;
}
