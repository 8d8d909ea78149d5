/* Carries out a decision. */
#include "mpi_backend/rows/balance/balance.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/weighted_rows.h"
#include "schedules/arithmetic/arithmetic.h"

static bool is_placed(const struct keel_mpi_rows *rows)
{
    return memcmp(keel_mpi_rows_decision_rows(rows), rows->placement.owned,
                  rows->ranks * sizeof(uint64_t)) == 0;
}

/* --- whole rows by their weights --- */

/* Reduces P numbers of each rank to their maxima or sums over all ranks. */
static int combine(struct keel_mpi_rows *rows, MPI_Op op, const int64_t *own, int64_t *all)
{
#ifdef KEEL_SIMULATED /* where nonblocking reductions are only maxima of numbers >= 0 */
    MPI_Allreduce(own, all, (int)rows->ranks, MPI_INT64_T, op, rows->peers.comm);
    return KEEL_MPI_OK;
#else
    MPI_Request request;

    return KEEL_MPI_CALL(&rows->peers, MPI_Iallreduce, own, all, (int)rows->ranks, MPI_INT64_T, op,
                         rows->peers.comm, &request)
               ? keel_mpi_rows_await_messages(rows, KEEL_MPI_BALANCER_WHERE, 1, &request)
               : KEEL_MPI_ERROR;
#endif
}

/* Dividing rows by their weights. Each rank knows only the weights of its own rows, and sends its
 * part of the result. */
struct division {
    struct keel_mpi_work_division all;
    struct keel_mpi_weighted_rows own;
    int64_t *sent, *received; /* P numbers: of this rank, reduced over all */
    int64_t *work;            /* P: work of own rows on each rank */
};

static bool begin_division(struct keel_mpi_rows *rows, struct division *division)
{
    *division = (struct division){
        .all = {rows->ranks, rows->placement.rows, keel_mpi_rows_decision_present_work(rows),
                keel_mpi_rows_decision_work(rows)},
        .own = {.rank = rows->rank, .encoded = (const double *)(void *)rows->weights.base},
        .sent = malloc(3 * rows->ranks * sizeof *division->sent),
    };
    if (division->sent == NULL) {
        return false;
    }
    division->received = division->sent + rows->ranks;
    division->work = division->received + rows->ranks;
    return keel_mpi_rows_list(rows, &division->own.row, &division->own.count) == KEEL_MPI_OK;
}

/* Fills in the rows that each rank is to have, and the work of own rows on each rank then. */
static int share_out(struct keel_mpi_rows *rows, struct division *division)
{
    uint64_t *shares = keel_mpi_rows_decision_rows(rows);
    int code;

    if (rows->adjacent) {
        keel_mpi_weighted_rows_bounds(&division->all, &division->own, division->sent);
    } else {
        keel_mpi_weighted_rows_changes(&division->all, &division->own, division->sent);
    }
    code = combine(rows, rows->adjacent ? MPI_MAX : MPI_SUM, division->sent, division->received);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (rows->adjacent) {
        keel_mpi_weighted_rows_shares(&division->all, division->received, shares);
    }
    for (uint32_t i = 0; !rows->adjacent && i < rows->ranks; i++) {
        shares[i] = (uint64_t)((int64_t)rows->placement.owned[i] + division->received[i]);
    }
    keel_mpi_weighted_rows_work(&division->all, &division->own, rows->adjacent ? shares : NULL,
                                division->sent, division->work);
    return KEEL_MPI_OK;
}

static bool moves_few(const struct keel_mpi_rows *rows)
{
    const uint64_t *shares = keel_mpi_rows_decision_rows(rows);
    int64_t most = 0, before = 0;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        before += (int64_t)shares[i] - (int64_t)rows->placement.owned[i];
        most = most > llabs(before) ? most : llabs(before);
    }
    return most <= KEEL_MPI_FEW_ROWS;
}

static void keep_rows(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    memcpy(keel_mpi_rows_decision_rows(rows), rows->placement.owned,
           rows->ranks * sizeof(uint64_t));
    if (balance->replay != NULL) {
        keel_replay_withdraw(balance->replay);
    }
}

/* Keeps rows where they are if moving gains too little by their weights. A policy that moves rows
 * without a gain by present rates is restricted only for moves of few rows. */
static int weigh_gain(struct keel_mpi_rows *rows, struct division *division)
{
    const struct keel_mpi_rows_decision *rows_decision = rows->balance->rows_decision;
    int code = combine(rows, MPI_SUM, division->work, division->received);

    if (code == KEEL_MPI_OK && (rows_decision->gain > 0 || moves_few(rows)) &&
        keel_mpi_weighted_rows_gain(&division->all, division->received,
                                    keel_mpi_rows_decision_rate(rows)) <
            rows_decision->least_gain) {
        keep_rows(rows);
    }
    return code;
}

/* Replaces the numbers of rows in the decision by those from the weights of single rows. */
static int divide_by_weights(struct keel_mpi_rows *rows)
{
    struct division division;
    bool room = begin_division(rows, &division);
    int code = keel_mpi_rows_agree(rows, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, 0);

    if (code != KEEL_MPI_OK) {
        free(division.sent);
        return code;
    }
    if ((code = share_out(rows, &division)) != KEEL_MPI_OK ||
        (code = weigh_gain(rows, &division)) != KEEL_MPI_OK) {
        return code; /* pending operations use the numbers */
    }
    free(division.sent);
    return KEEL_MPI_OK;
}

/* --- moving --- */

int keel_mpi_carry_out_rows_decision(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;
    int code = KEEL_MPI_OK;

    if (balance->rows_decision->weighted && balance->policy.rules.kind != KEEL_DECIDE_BY_SHAKE) {
        code = divide_by_weights(rows);
    }
    if (code == KEEL_MPI_OK && !is_placed(rows)) {
        code = keel_mpi_movement_make(rows, keel_mpi_rows_decision_rows(rows), moved);
    }
    if (code == KEEL_MPI_OK) {
        balance->moved_s = moved->rows > 0 ? moved->time_s : 0;
    }
    bool over = code == KEEL_MPI_LATE || code == KEEL_MPI_MISMATCH || code == KEEL_MPI_ERROR;
    return over ? keel_mpi_balancer_stop(rows, code) : code;
}
