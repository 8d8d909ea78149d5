/* Carries out a ruling. */
#include "mpi_backend/rows/balance/carry_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/balance/weighted_rows.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- whole rows by their weights --- */

/* Numbers of all ranks, P of each: the maxima of bounds, or the sums of changes. */
static int combine(struct keel_mpi_rows *rows, const int64_t *own, int64_t *all)
{
    MPI_Op op = rows->adjacent ? MPI_MAX : MPI_SUM;
#ifdef KEEL_SIMULATED /* where operations in the background are maxima of numbers >= 0 */
    MPI_Allreduce(own, all, (int)rows->ranks, MPI_INT64_T, op, rows->peers.comm);
    return KEEL_MPI_OK;
#else
    MPI_Request request;

    return keel_mpi_check(&rows->peers,
                          MPI_Iallreduce(own, all, (int)rows->ranks, MPI_INT64_T, op,
                                         rows->peers.comm, &request),
                          "MPI_Iallreduce")
               ? keel_mpi_rows_await_messages(rows, KEEL_MPI_BALANCER_WHERE, 1, &request)
               : KEEL_MPI_ERROR;
#endif
}

/* Fills in the rows that each rank is to have. */
static void share_out(struct keel_mpi_rows *rows, const struct keel_mpi_work_division *all,
                      int64_t *sum)
{
    uint64_t *shares = keel_mpi_ruling_rows(rows);

    if (rows->adjacent) {
        keel_mpi_weighted_rows_shares(all, sum, shares);
        return;
    }
    for (uint32_t i = 0; i < rows->ranks; i++) {
        shares[i] = (uint64_t)((int64_t)rows->placement.owned[i] + sum[i]);
    }
}

/* Rows for all ranks by the weights of single rows, instead of those of the ruling. Each rank knows
 * the weights of its own rows alone: it says what lies among these. */
static int divide_by_weights(struct keel_mpi_rows *rows)
{
    struct keel_mpi_work_division all = {rows->ranks, rows->placement.rows,
                                         keel_mpi_ruling_present_work(rows),
                                         keel_mpi_ruling_work(rows)};
    struct keel_mpi_weighted_rows own_rows = {
        .rank = rows->rank, .encoded = (const double *)(void *)rows->weights.base};
    int64_t *own = malloc(2 * rows->ranks * sizeof *own); /* and those of all ranks */
    bool room =
        own != NULL && keel_mpi_rows_list(rows, &own_rows.row, &own_rows.count) == KEEL_MPI_OK;
    int code = keel_mpi_rows_agree(rows, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, 0);

    if (code != KEEL_MPI_OK) {
        free(own);
        return code;
    }
    if (rows->adjacent) {
        keel_mpi_weighted_rows_bounds(&all, &own_rows, own);
    } else {
        keel_mpi_weighted_rows_changes(&all, &own_rows, own);
    }
    if ((code = combine(rows, own, own + rows->ranks)) != KEEL_MPI_OK) {
        return code; /* pending operations use the numbers */
    }
    share_out(rows, &all, own + rows->ranks);
    free(own);
    return KEEL_MPI_OK;
}

/* --- moving --- */

static bool is_placed(const struct keel_mpi_rows *rows)
{
    return memcmp(keel_mpi_ruling_rows(rows), rows->placement.owned,
                  rows->ranks * sizeof(uint64_t)) == 0;
}

/* Within a sweep, rows may move at a later hook, where ranks need not meet: when the last one comes
 * to this hook, the first one is about there. */
static bool is_deferred(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_open_sweep *sweep = rows->open_sweep;
    uint64_t ahead = max_u64(1, rows->balance->ruling->skew_hooks);

    return sweep != NULL && rows->due > rows->hooks &&
           sweep->defer(sweep->pipeline, keel_mpi_ruling_rows(rows),
                        min_u64(ahead, rows->due - rows->hooks), &moved->rows);
}

int keel_mpi_carry_out_ruling(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;
    int code = KEEL_MPI_OK;

    if (balance->ruling->weighted && balance->policy.rules.kind != KEEL_DECIDE_BY_SHAKE) {
        code = divide_by_weights(rows);
    }
    if (code == KEEL_MPI_OK && !is_placed(rows) && !is_deferred(rows, moved)) {
        code = keel_mpi_movement_make(rows, keel_mpi_ruling_rows(rows), moved);
    }
    if (moved->rows > 0 && balance->ruling->gain > 0 && balance->ruling->gain < 1) {
        rows->gained_log += log1p(-balance->ruling->gain);
    }
    if (code == KEEL_MPI_OK) {
        balance->moved_s = moved->rows > 0 ? moved->time_s : 0;
    }
    bool over = code == KEEL_MPI_LATE || code == KEEL_MPI_MISMATCH || code == KEEL_MPI_ERROR;
    return over ? keel_mpi_balancer_stop(rows, code) : code;
}
