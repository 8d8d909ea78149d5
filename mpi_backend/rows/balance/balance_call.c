/* The balance call. Most calls only increment a counter; one that is due makes a step of balancing.
 *
 *   the first balance call -> COUNTING: own_measurements.c -> measurements are sent
 *        -> MEASUREMENTS_SENT: received -> rows_decision.c, on each rank alike, or on rank 0
 *        -> ROWS_DECISION_SENT, if rank 0 decides: decision received
 *        -> carry_out.c: rows move -> COUNTING
 *
 * The stages, and the pending operation of each: balance.h. Computing goes on between two steps
 * (S13). Sources: S7 to S14 of PAPERS.md. */
#include "mpi_backend/rows/balance/balance.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/copies/copies.h"
#include "mpi_backend/rows/costs/row_costs.h"
#include "omp_ext/support/message.h"

/* --- the pending operation --- */

static bool is_pending(const struct keel_mpi_balancer *balance)
{
    return balance->stage == KEEL_MPI_MEASUREMENTS_SENT ||
           balance->stage == KEEL_MPI_ROWS_DECISION_SENT;
}

static void await_later(struct keel_mpi_rows *rows)
{
    const struct keel_mpi_balancer *balance = rows->balance;
    uint64_t apart =
        balance->lag_calls / KEEL_MPI_LAG_TESTS > 0 ? balance->lag_calls / KEEL_MPI_LAG_TESTS : 1;

    rows->due = rows->calls + apart < balance->rows_decision_call ? rows->calls + apart
                                                                  : balance->rows_decision_call;
}

/* An operation has been started, for which balance call rows_decision_call waits: now or later. */
static void begin_stage(struct keel_mpi_rows *rows, enum keel_mpi_balancer_stage stage)
{
    struct keel_mpi_balancer *balance = rows->balance;

    balance->stage = stage;
    balance->rows_decision_call = rows->calls + balance->lag_calls;
    await_later(rows);
}

/* Returns KEEL_MPI_OK when the pending operation is complete. */
static int wait_for_pending(struct keel_mpi_rows *rows)
{
    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK ||
        !keel_mpi_rows_await(rows, &rows->balance->request)) {
        return keel_mpi_balancer_stop(rows, keel_mpi_rows_late_code(rows));
    }
    return KEEL_MPI_OK;
}

/* --- the steps, the last one first --- */

static void warn_of_no_work(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (balance->rows_decision->no_work_seen && !balance->warned && !rows->pipelines &&
        rows->rank == 0) {
        keel_message(
            "keel_mpi_rows_balance(): no scheduled loop has been seen and no work was marked "
            "since the last time, expected loops under libkeel.so, or "
            "keel_mpi_rows_work_begin(); rows stay where they are until then");
        balance->warned = true;
    }
}

/* The reason of the outcome, also if rows were to move and none did. */
static struct keel_reason reason_of(const struct keel_mpi_rows_decision *rows_decision,
                                    uint64_t moved, int code)
{
    if (code != KEEL_MPI_OK) {
        return (struct keel_reason){KEEL_CAUSE_FAILED, {code}};
    }
    bool none =
        rows_decision->move && moved == 0 && rows_decision->reason.cause != KEEL_CAUSE_CHANCE;
    return none ? (struct keel_reason){.cause = KEEL_CAUSE_WHOLE_ROWS} : rows_decision->reason;
}

/* Adds the outcome of the decision to the traces and the report. */
static void note_decision(struct keel_mpi_rows *rows, uint64_t moved, int code)
{
    const struct keel_mpi_balancer *balance = rows->balance;
    const struct keel_mpi_rows_decision *rows_decision = balance->rows_decision;
    double now_s = keel_mpi_clock_s();
    struct keel_mpi_decision decision = {
        .call = rows->calls,
        .time_s = now_s,
        .gain = rows_decision->gain,
        .moved = moved,
        .policy = keel_decide_kind_name((enum keel_decide_kind)rows_decision->kind),
        .reason = reason_of(rows_decision, moved, code),
        .followed = (unsigned)rows_decision->followed,
    };

    memcpy(decision.candidate_s, rows_decision->candidate_s, sizeof decision.candidate_s);
    keel_mpi_rows_note_decision(rows, now_s - balance->began_s, &decision);
}

/* Reports the times of the candidates, if the decision was made by replay. */
static void report_candidates(struct keel_mpi_rows *rows)
{
    const struct keel_mpi_rows_decision *rows_decision = rows->balance->rows_decision;
    const double *time_s = rows_decision->candidate_s;
    struct keel_mpi_rows_report *report = &rows->report;

    if (rows_decision->followed >= KEEL_CANDIDATES) {
        return;
    }
    report->followed_s = time_s[rows_decision->followed];
    report->stay_s = time_s[KEEL_CANDIDATE_STAY];
    report->paper_s = time_s[KEEL_CANDIDATE_PAPER];
    report->at_once_s = time_s[KEEL_CANDIDATE_AT_ONCE];
}

/* Converts weights and rates to the common units, in which the decision has this rank's work. */
static void take_scale(struct keel_mpi_rows *rows)
{
    double sent = rows->balance->own.work;
    double work = keel_mpi_rows_decision_present_work(rows)[rows->rank];

    rows->weights_set = rows->weights_set || rows->balance->rows_decision->weights_set;
    if (!rows->weights_set && sent > 0 && work > 0 && work != sent) {
        keel_mpi_scales_follow(rows, work);
        keel_mpi_own_measurements_scale(rows, work / sent);
    }
}

/* -> COUNTING: the decision is here. */
static int follow_rows_decision(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;
    const struct keel_mpi_rows_decision *rows_decision = balance->rows_decision;
    uint64_t next = balance->measurements_call + rows_decision->period_calls;
    int code = (int)rows_decision->code;

    if (code != KEEL_MPI_OK) {
        return keel_mpi_balancer_stop(rows, code);
    }
    warn_of_no_work(rows);
    take_scale(rows);
    rows->report.gain = rows_decision->gain;
    rows->report.period_s = rows_decision->period_s;
    report_candidates(rows);
    balance->lag_calls = rows_decision->lag_calls;
    balance->period_calls = rows_decision->period_calls;
    balance->stage = KEEL_MPI_COUNTING;
    rows->due = next > rows->calls ? next : rows->calls + 1;
    if (rows_decision->move) {
        code = keel_mpi_carry_out_rows_decision(rows, moved);
    } else if (rows_decision->probe) {
        code = keel_mpi_costs_measure_again(rows);
        code = code == KEEL_MPI_OK ? code : keel_mpi_balancer_stop(rows, code);
    }
    note_decision(rows, moved->rows, code);
    return code;
}

/* ROWS_DECISION_SENT -> */
static int receive_rows_decision(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    int code = wait_for_pending(rows);

    return code == KEEL_MPI_OK ? follow_rows_decision(rows, moved) : code;
}

/* -> ROWS_DECISION_SENT */
static int send_rows_decision(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    if (!keel_mpi_balancer_start_rows_decision(rows)) {
        return keel_mpi_balancer_stop(rows, KEEL_MPI_ERROR);
    }
    begin_stage(rows, KEEL_MPI_ROWS_DECISION_SENT);
    return rows->balance->lag_calls == 0 ? receive_rows_decision(rows, moved) : KEEL_MPI_OK;
}

/* MEASUREMENTS_SENT -> */
static int receive_measurements(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    const struct keel_rows_policy *policy = &rows->balance->policy;
    int code = wait_for_pending(rows);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (keel_mpi_balancer_decides(rows, policy)) {
        keel_mpi_rows_decision_make(rows);
    }
    return policy->decider == KEEL_ROWS_DECIDER_ALL ? follow_rows_decision(rows, moved)
                                                    : send_rows_decision(rows, moved);
}

/* COUNTING -> MEASUREMENTS_SENT */
static int send_measurements(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;

    keel_mpi_own_measurements_take(rows);
    rows->report.interactions++;
    if (!keel_mpi_balancer_start_measurements(rows)) {
        balance->request = MPI_REQUEST_NULL;
    }
    begin_stage(rows, KEEL_MPI_MEASUREMENTS_SENT);
    return balance->lag_calls == 0 ? receive_measurements(rows, moved) : KEEL_MPI_OK;
}

/* --- the first balance call --- */

KEEL_MPI_PUBLIC int keel_mpi_rows_set_balance(struct keel_mpi_rows *rows, const char *policy)
{
    char problem[KEEL_PROBLEM_MAX] = "";

    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    rows->has_policy = policy != NULL && keel_rows_policy_read(policy, &rows->policy, problem);
    if (problem[0] != '\0') {
        keel_mpi_misuse("keel_mpi_rows_set_balance(): %s%s", problem,
                        rows->has_policy ? "" : "; it counts as not called");
    }
    return rows->has_policy || policy == NULL ? KEEL_MPI_OK : KEEL_MPI_ARGUMENT;
}

/* KEEL_MPI_BALANCE counts before keel_mpi_rows_set_balance(). */
static struct keel_rows_policy policy_of(const struct keel_mpi_rows *rows)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    struct keel_rows_policy policy =
        rows->has_policy && !settings->balance_stated ? rows->policy : settings->balance;

    policy.decider = keel_rows_policy_decider(&policy, rows->ranks);
    return policy;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Digest of the policy, for ranks to compare. */
static uint64_t digest(const struct keel_rows_policy *policy)
{
    const struct keel_decide_rules *rules = &policy->rules;
    const uint64_t word[] = {policy->decider,
                             bits_of(policy->period_s),
                             bits_of(policy->quantum_s),
                             policy->filter,
                             policy->pipelined,
                             policy->every_call,
                             rules->kind,
                             rules->graph,
                             bits_of(rules->threshold),
                             bits_of(rules->alpha),
                             bits_of(rules->gain),
                             bits_of(rules->greatly),
                             rules->published,
                             rules->seed,
                             policy->replays};

    return keel_mpi_rows_digest(word, sizeof word / sizeof word[0]);
}

/* Begins balancing: the next balance call is due, or none if rows are not to be balanced.
 * Collective; returns the same code on all ranks that were not too late. */
static int begin(struct keel_mpi_rows *rows)
{
    const struct keel_rows_policy policy = policy_of(rows);
    bool off =
        policy.decider == KEEL_ROWS_DECIDER_NONE || rows->ranks == 1 || rows->placement.rows == 0;
    char *buffer = off ? NULL : calloc(2, KEEL_MPI_COSTS_BYTES);
    int code = KEEL_MPI_OK;

    if (!off &&
        ((rows->balance = keel_mpi_balancer_make(rows, &policy)) == NULL || buffer == NULL)) {
        keel_message("no memory to balance rows; they stay where they are");
        code = KEEL_MPI_NO_ROOM;
    }
    code = rows->ranks > 1 ? keel_mpi_rows_agree(rows, code, digest(&policy)) : code;
    if (off || code != KEEL_MPI_OK) {
        free(buffer);
        return keel_mpi_balancer_stop(rows, code);
    }
    if ((code = keel_mpi_costs_measure(rows, buffer)) != KEEL_MPI_OK) {
        return keel_mpi_balancer_stop(rows, code); /* pending operations use the buffer */
    }
    free(buffer);
    keel_mpi_rows_trace_open(rows);
    rows->balance->began_s = rows->balance->measurements_s = keel_mpi_clock_s();
    rows->balance->measurements_call = rows->calls;
    rows->balance->period_calls = 1;
    rows->balance->lag_calls =
        0; /* the first measurements are waited for: the initial placement may be bad */
    rows->due = rows->calls + 1;
    keel_mpi_row_costs_begin(rows);
    keel_mpi_own_measurements_begin_span(rows);
    return KEEL_MPI_OK;
}

/* --- the balance call --- */

static int step(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (is_pending(balance) && rows->calls < balance->rows_decision_call) {
        keel_mpi_peers_test(&rows->peers, &balance->request);
        await_later(rows);
        return KEEL_MPI_OK;
    }
    switch (balance->stage) {
    case KEEL_MPI_COUNTING:
        return send_measurements(rows, moved);
    case KEEL_MPI_MEASUREMENTS_SENT:
        return receive_measurements(rows, moved);
    case KEEL_MPI_ROWS_DECISION_SENT:
        return receive_rows_decision(rows, moved);
    }
    return KEEL_MPI_OK;
}

/* A balance call that is due. */
static int interact(struct keel_mpi_rows *rows, uint64_t *moved_rows)
{
    struct keel_mpi_rows_report *report = &rows->report;
    double before_s = keel_mpi_clock_s() - report->movement_s - report->waiting_s;
    struct keel_mpi_moved moved = {0};
    int code = keel_mpi_rows_check(rows);

    if (code == KEEL_MPI_OK) {
        code = rows->balance == NULL ? begin(rows) : step(rows, &moved);
    }
    report->decision_s += keel_mpi_clock_s() - report->movement_s - report->waiting_s - before_s;
    *moved_rows = moved.rows;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_balance(struct keel_mpi_rows *rows, uint64_t *moved)
{
    uint64_t count = 0;
    int code = KEEL_MPI_OK;

    if (rows == NULL) {
        return keel_mpi_rows_check(rows);
    }
    if (rows->balance != NULL) {
        keel_mpi_own_measurements_note_call(rows);
        keel_mpi_row_costs_end_phase(rows);
    }
    rows->work_before = -1;
    if (++rows->calls >= rows->due) {
        code = interact(rows, &count);
    }
    if (rows->calls >= rows->copy_due) {
        int copied = keel_mpi_rows_copies_take(rows);
        code = code == KEEL_MPI_OK ? copied : code;
    }
    keel_mpi_row_costs_begin_phase(rows);
    if (moved != NULL) {
        *moved = count;
    }
    return code;
}

void keel_mpi_balance_call_free(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    keel_mpi_rows_trace_close(rows);
    keel_mpi_row_costs_free(rows);
    if (balance == NULL) {
        return;
    }
    if (!rows->late && is_pending(balance)) {
        keel_mpi_rows_await(rows, &balance->request);
    }
    if (!rows->late) {
        keel_mpi_balancer_free(balance);
        rows->balance = NULL;
    }
}
