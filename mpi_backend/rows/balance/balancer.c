/* The state of balancing between two balance calls, and its messages. */
#include "mpi_backend/rows/balance/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

bool keel_mpi_balancer_decides(const struct keel_mpi_rows *rows,
                               const struct keel_rows_policy *policy)
{
    return policy->decider == KEEL_ROWS_DECIDER_ALL || rows->rank == 0;
}

void keel_mpi_balancer_free(struct keel_mpi_balancer *balance)
{
    if (balance != NULL) {
        free(balance->scales);
        free(balance);
    }
}

/* Allocates one piece of memory, and the scales. */
struct keel_mpi_balancer *keel_mpi_balancer_make(const struct keel_mpi_rows *rows,
                                                 const struct keel_rows_policy *policy)
{
    uint32_t ranks = keel_mpi_balancer_decides(rows, policy) ? rows->ranks : 1;
    size_t head = scratch_aligned(sizeof(struct keel_mpi_balancer));
    size_t state =
        scratch_aligned(policy->replays ? keel_replay_size(ranks) : keel_decide_size(ranks));
    size_t scratch =
        scratch_aligned(max_u64(keel_replay_scratch(ranks), keel_decide_scratch(ranks)));
    size_t words = keel_mpi_rows_decision_words(rows->ranks);
    size_t each =
        sizeof(struct keel_mpi_measurements) + sizeof(struct keel_decide_report) + sizeof(double);
    struct keel_mpi_balancer *balance =
        calloc(1, head + state + scratch + ranks * each + words * sizeof(uint64_t));

    if (balance == NULL || (balance->scales = keel_mpi_scales_make(ranks)) == NULL) {
        free(balance);
        return NULL;
    }
    char *room = (char *)balance + head;
    balance->policy = *policy;
    balance->policy.rules.adjacent = rows->adjacent;
    if (policy->replays) {
        balance->replay = scratch_take(&room, 1, state);
        keel_replay_begin(balance->replay, ranks, rows->adjacent, 0);
    } else {
        balance->decisions = scratch_take(&room, 1, state);
        keel_decide_begin(balance->decisions, ranks, 0);
    }
    balance->scratch = scratch_take(&room, 1, scratch);
    balance->measurements = scratch_take(&room, ranks, sizeof *balance->measurements);
    balance->report = scratch_take(&room, ranks, sizeof *balance->report);
    balance->expected = scratch_take(&room, ranks, sizeof *balance->expected);
    balance->rows_decision = scratch_take(&room, words, sizeof(uint64_t));
    return balance;
}

bool keel_mpi_balancer_start_measurements(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_peers *peers = &rows->peers;

    return balance->policy.decider == KEEL_ROWS_DECIDER_ALL
               ? KEEL_MPI_CALL(peers, MPI_Iallgather, &balance->own, KEEL_MPI_MEASUREMENTS,
                               MPI_DOUBLE, balance->measurements, KEEL_MPI_MEASUREMENTS, MPI_DOUBLE,
                               peers->comm, &balance->request)
               : KEEL_MPI_CALL(peers, MPI_Igather, &balance->own, KEEL_MPI_MEASUREMENTS, MPI_DOUBLE,
                               balance->measurements, KEEL_MPI_MEASUREMENTS, MPI_DOUBLE, 0,
                               peers->comm, &balance->request);
}

bool keel_mpi_balancer_start_rows_decision(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    return KEEL_MPI_CALL(&rows->peers, MPI_Ibcast, balance->rows_decision,
                         (int)keel_mpi_rows_decision_words(rows->ranks), MPI_UINT64_T, 0,
                         rows->peers.comm, &balance->request);
}

int keel_mpi_balancer_stop(struct keel_mpi_rows *rows, int code)
{
    rows->due = UINT64_MAX;
    if (code == KEEL_MPI_MISMATCH && rows->rank == 0) {
        keel_message("ranks are at different balance calls, or with different KEEL_MPI_BALANCE, "
                     "expected the same on all of them; rows stay where they are from now on");
    }
    return code;
}

/* --- times of messages --- */

static bool is_there(struct keel_mpi_rows *rows)
{
    return keel_mpi_rows_await_messages(rows, KEEL_MPI_BALANCER_WHERE, 1,
                                        &rows->balance->request) == KEEL_MPI_OK;
}

/* Returns the time of an exchange of measurements, and of a decision on them: t_interact (S8).
 * INFINITY: it failed. */
static double time_measurements(struct keel_mpi_rows *rows)
{
    bool alone = rows->balance->policy.decider == KEEL_ROWS_DECIDER_RANK_0;
    double began_s = keel_mpi_clock_s();

    /* sends old data again, of the last decision if there was one, which is not needed any more;
     * the decision is the same on all ranks */
    bool over = keel_mpi_balancer_start_measurements(rows) && is_there(rows) &&
                (!alone || (keel_mpi_balancer_start_rows_decision(rows) && is_there(rows)));
    return over ? keel_mpi_clock_s() - began_s : INFINITY;
}

/* Returns the time to send `bytes` to the next rank and receive as many from the one before.
 * INFINITY: it failed. */
static double time_message(struct keel_mpi_rows *rows, char *buffer, int bytes)
{
    struct keel_mpi_peers *peers = &rows->peers;
    int next = (int)((rows->rank + 1) % rows->ranks);
    int before = (int)((rows->rank + rows->ranks - 1) % rows->ranks);
    double began_s = keel_mpi_clock_s();
    MPI_Request request[2];

    if (!KEEL_MPI_CALL(peers, MPI_Irecv, buffer + KEEL_MPI_COSTS_BYTES, bytes, MPI_BYTE, before,
                       KEEL_MPI_TAG_PROBE, peers->comm, &request[0]) ||
        !KEEL_MPI_CALL(peers, MPI_Isend, buffer, bytes, MPI_BYTE, next, KEEL_MPI_TAG_PROBE,
                       peers->comm, &request[1]) ||
        keel_mpi_rows_await_messages(rows, KEEL_MPI_BALANCER_WHERE, 2, request) != KEEL_MPI_OK) {
        return INFINITY;
    }
    return keel_mpi_clock_s() - began_s;
}

static void time_all(struct keel_mpi_rows *rows, char *buffer, bool measurements)
{
    struct keel_probes *probes = &rows->balance->probes;

    if (measurements) {
        keel_probes_note(probes, KEEL_PROBE_MEASUREMENTS, time_measurements(rows));
    }
    keel_probes_note(probes, KEEL_PROBE_EMPTY, time_message(rows, buffer, 0));
    keel_probes_note(probes, KEEL_PROBE_FULL, time_message(rows, buffer, KEEL_MPI_COSTS_BYTES));
}

/* agreed: the maxima of all ranks. Before rows have moved, only these times are used. */
static void note_costs(struct keel_mpi_rows *rows, const double *agreed)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double cost_s = keel_profit_cost_estimate(&balance->cost, 1, KEEL_MPI_COSTS_BYTES);

    if (rows->report.movements > 0 &&
        agreed[KEEL_PROBE_FULL] * KEEL_MPI_PROBE_FAR_QUICKER > cost_s) {
        return;
    }
    balance->exchange_s = agreed[KEEL_PROBE_MEASUREMENTS];
    if (rows->report.movements == 0) {
        balance->cost = (struct keel_profit_cost){0};
    }
    keel_profit_cost_note(&balance->cost, 1, 0, agreed[KEEL_PROBE_EMPTY]);
    keel_profit_cost_note(&balance->cost, 1, KEEL_MPI_COSTS_BYTES, agreed[KEEL_PROBE_FULL]);
}

static int time_rounds(struct keel_mpi_rows *rows, char *buffer, int rounds)
{
    struct keel_probes *probes = &rows->balance->probes;
    double began_s = keel_mpi_clock_s(), agreed[KEEL_PROBES + 1];

    for (int round = 0; round < rounds; round++) {
        time_all(rows, buffer, round < KEEL_MPI_PROBE_MEASUREMENTS);
    }
    memcpy(agreed, probes->least_s, sizeof probes->least_s);
    agreed[KEEL_PROBES] = keel_mpi_clock_s() - began_s;
    int code =
        keel_mpi_rows_largest_in_time(rows, KEEL_MPI_BALANCER_WHERE, agreed, KEEL_PROBES + 1);
    note_costs(rows, agreed);
    probes->spent_s += agreed[KEEL_PROBES];
    return code;
}

int keel_mpi_costs_measure(struct keel_mpi_rows *rows, char *buffer)
{
    time_all(rows, buffer, true);
    rows->balance->probes = (struct keel_probes){0};
    return time_rounds(rows, buffer, KEEL_MPI_PROBE_ROUNDS);
}

int keel_mpi_costs_measure_again(struct keel_mpi_rows *rows)
{
    char *buffer = calloc(2, KEEL_MPI_COSTS_BYTES);
    int code = keel_mpi_rows_agree(rows, buffer != NULL ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, 0);

    if (code == KEEL_MPI_OK) {
        code = time_rounds(rows, buffer, 1);
        if (code != KEEL_MPI_OK) {
            return code; /* pending operations use the buffer */
        }
    }
    free(buffer);
    return code == KEEL_MPI_NO_ROOM ? KEEL_MPI_OK : code; /* costs stay as they are */
}
