/* The decision, and weights from the measurements of all ranks. Sources: S7 to S14 of PAPERS.md. */
#include "mpi_backend/rows/balance/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/costs/row_costs.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/rows/row_weights.h"

/* --- weights ---
 *
 * Weights from times of loops, or of ranks, by the measurements of all ranks.
 *
 *   measurements of all ranks -> row_weights.h, if loops over rows are timed: one scale for all
 *   ranks
 *                        -> row_weights.h, if only ranks are: weights of rows that have moved
 *        -> [measurements by these weights] -> rows_decision.c -> balance_call.c -> [weights of own
 *        rows]
 *
 *   factors of each rank's work and rates -> [units] -> recorded values are converted
 *
 * Nothing is done if the program weighs its rows, nor within sweeps, where ranks are some balance
 * calls apart. */

/* The measurements before rows last moved. */
struct before {
    bool known;
    uint64_t *owned; /* P: rows of each rank */
    double *work, *time_s;
};

struct keel_mpi_scales {
    struct keel_row_scale scale;
    struct keel_row_scale_rank *rank;
    struct before before;
    struct keel_row_flow_rank *moved;
    struct keel_row_flow *flow;
    double *factor;
    double *unit;   /* P: present value of what was 1 at the decision before */
    bool has_units; /* one of them is not 1 */
    void *scratch;
    double noise; /* row_weights.h: of the last comparisons without a movement */
    bool flowed;  /* the last decision has found the weights of moved rows */
    uint64_t first_before, last_before; /* own rows before that movement, */
    double below, above;                /* and factors of rows that came since */
};

/* Allocates one piece of memory. */
struct keel_mpi_scales *keel_mpi_scales_make(uint32_t ranks)
{
    size_t each = 6 * sizeof(double) + sizeof(uint64_t) + 2 * sizeof(struct keel_row_scale_rank) +
                  sizeof(struct keel_row_flow_rank) + sizeof(struct keel_row_flow);
    size_t head = scratch_aligned(sizeof(struct keel_mpi_scales));
    struct keel_mpi_scales *scales = calloc(1, head + ranks * each + keel_row_scale_scratch(ranks));

    if (scales == NULL) {
        return NULL;
    }
    char *room = (char *)scales + head;
    scales->noise = KEEL_MPI_NOISE_AT_FIRST;
    scales->scale.known = scratch_take(&room, ranks, sizeof(double));
    scales->scale.since = scratch_take(&room, ranks, sizeof(double));
    scales->scale.before = scratch_take(&room, ranks, sizeof *scales->scale.before);
    scales->rank = scratch_take(&room, ranks, sizeof *scales->rank);
    scales->before.owned = scratch_take(&room, ranks, sizeof(uint64_t));
    scales->before.work = scratch_take(&room, ranks, sizeof(double));
    scales->before.time_s = scratch_take(&room, ranks, sizeof(double));
    scales->moved = scratch_take(&room, ranks, sizeof *scales->moved);
    scales->flow = scratch_take(&room, ranks, sizeof *scales->flow);
    scales->factor = scratch_take(&room, ranks, sizeof(double));
    scales->unit = scratch_take(&room, ranks, sizeof(double));
    scales->scratch = room;
    return scales;
}

/* Converts the measurements of a rank to a new unit. */
static void count_by(struct keel_mpi_rows *rows, uint32_t rank, double factor)
{
    struct keel_mpi_measurements *measurements = &rows->balance->measurements[rank];

    measurements->work *= factor;
    measurements->measured_rate *= factor;
    double recorded =
        keel_row_scale_recorded(measurements->rate, measurements->measured_rate, factor);
    measurements->rate *= recorded;
    rows->balance->scales->unit[rank] *= recorded;
}

/* --- loops over rows are timed --- */

static struct keel_row_scale_rank rank_of(const struct keel_mpi_measurements *measurements,
                                          uint64_t rows)
{
    struct keel_row_scale_rank rank = {
        .rows = (double)rows,
        .work = measurements->work,
        /* a rank's rate includes interruptions, many times as long as short phases; times of its
         * rows do not */
        .speed = measurements->speed > 0           ? measurements->speed
                 : measurements->measured_rate > 0 ? measurements->measured_rate
                                                   : measurements->rate,
        .low = measurements->low,
        .high = measurements->high,
        .rough = measurements->rough,
    };

    memcpy(rank.shift, measurements->shift, sizeof rank.shift);
    memcpy(rank.trust, measurements->trust, sizeof rank.trust);
    return rank;
}

static void scale_all(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_scales *scales = balance->scales;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        scales->rank[i] = rank_of(&balance->measurements[i], rows->placement.owned[i]);
    }
    if (keel_row_scale_find(&scales->scale, scales->rank, rows->ranks, rows->adjacent,
                            scales->factor, scales->scratch)) {
        for (uint32_t i = 0; i < rows->ranks; i++) {
            count_by(rows, i, scales->factor[i]);
        }
    }
}

/* --- only ranks are timed ---
 *
 * In 48 simulated jobs whose rows cost unequally and are not timed, this takes 1.18 times the least
 * time with 599 movements; without it 1.33 times with 1742, and up to twice as long
 * (bench/sim/simulated_costs marks drawn, 2 to 8 ranks, seeds 8101 to 8108). */

static bool times_are_known(const struct keel_mpi_rows *rows)
{
    for (uint32_t i = 0; i < rows->ranks; i++) {
        if (!(rows->balance->measurements[i].phase_busy_s > 0)) {
            return false;
        }
    }
    return true;
}

/* True if no rows have moved since `before`. */
static bool lie_as_before(const struct keel_mpi_rows *rows)
{
    return memcmp(rows->balance->scales->before.owned, rows->placement.owned,
                  rows->ranks * sizeof(uint64_t)) == 0;
}

static void remember(struct keel_mpi_rows *rows)
{
    struct before *before = &rows->balance->scales->before;

    before->known = true;
    memcpy(before->owned, rows->placement.owned, rows->ranks * sizeof(uint64_t));
    for (uint32_t i = 0; i < rows->ranks; i++) {
        before->work[i] = rows->balance->measurements[i].work;
        before->time_s[i] = rows->balance->measurements[i].phase_busy_s;
    }
}

/* Keeps the values by which this rank sets its rows' weights. */
static void keep_own(struct keel_mpi_rows *rows)
{
    struct keel_mpi_scales *scales = rows->balance->scales;
    const struct keel_row_flow *own = &scales->flow[rows->rank];

    scales->flowed = true;
    scales->first_before = 0;
    for (uint32_t i = 0; i < rows->rank; i++) {
        scales->first_before += scales->before.owned[i];
    }
    scales->last_before = scales->first_before + scales->before.owned[rows->rank];
    scales->below = own->factor;
    scales->above = rows->rank + 1 < rows->ranks ? own[1].factor : 1;
}

/* Rows have moved since `before`. */
static void follow_flow(struct keel_mpi_rows *rows)
{
    struct keel_mpi_measurements *measurements = rows->balance->measurements;
    struct keel_mpi_scales *scales = rows->balance->scales;
    const struct before *before = &scales->before;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        scales->moved[i] = (struct keel_row_flow_rank){
            before->work[i], before->time_s[i], measurements[i].work, measurements[i].phase_busy_s};
    }
    if (keel_row_flow_find(scales->moved, rows->ranks, scales->noise, scales->factor,
                           scales->flow) != KEEL_ROW_FLOW_FOUND) {
        return;
    }
    for (uint32_t i = 0; i < rows->ranks; i++) {
        count_by(rows, i, scales->flow[i].work / measurements[i].work);
    }
    keep_own(rows);
}

/* Rows have not moved. */
static void note_noise(struct keel_mpi_rows *rows)
{
    struct keel_mpi_scales *scales = rows->balance->scales;
    double sum = 0;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        sum += fabs(log(rows->balance->measurements[i].phase_busy_s / scales->before.time_s[i]));
    }
    scales->noise += (sum / rows->ranks - scales->noise) * KEEL_MPI_NOISE_PART;
}

static void compare_times(struct keel_mpi_rows *rows)
{
    if (!times_are_known(rows)) {
        return;
    }
    if (rows->balance->scales->before.known && lie_as_before(rows)) {
        note_noise(rows);
    } else if (rows->balance->scales->before.known) {
        follow_flow(rows);
    }
    remember(rows);
}

/* Begins with the units that ranks have measured. */
static void begin_units(struct keel_mpi_rows *rows)
{
    for (uint32_t i = 0; i < rows->ranks; i++) {
        rows->balance->scales->unit[i] = rows->balance->measurements[i].unit;
    }
}

static void end_units(struct keel_mpi_rows *rows)
{
    struct keel_mpi_scales *scales = rows->balance->scales;

    scales->has_units = false;
    for (uint32_t i = 0; i < rows->ranks; i++) {
        bool is_unit = scales->unit[i] > 0 && isfinite(scales->unit[i]);
        scales->unit[i] = is_unit ? scales->unit[i] : 1;
        scales->has_units = scales->has_units || scales->unit[i] != 1;
    }
}

/* Converts work and rates in the measurements of all ranks to the weights that follow from them.
 * Once for each decision, where it is made. */
static void apply_scales(struct keel_mpi_rows *rows,
                         const struct keel_mpi_measurements_summary *sum)
{
    struct keel_mpi_scales *scales = rows->balance->scales;

    scales->flowed = false;
    begin_units(rows);
    if (sum->in_sweep) {
        scales->before.known = false;
    } else if (!sum->weights_set && sum->timed && sum->measured) {
        scale_all(rows);
    } else if (!sum->weights_set && !sum->timed && rows->adjacent) {
        compare_times(rows);
    }
    end_units(rows);
}

/* Present values of work and rates that were 1 at the decision before, by measurements on ranks and
 * by apply_scales(): P values > 0; NULL: all are 1. */
static const double *units_of(const struct keel_mpi_scales *scales)
{
    return scales->has_units ? scales->unit : NULL;
}

void keel_mpi_scales_follow(struct keel_mpi_rows *rows, double work)
{
    const struct keel_mpi_scales *scales = rows->balance->scales;

    if (scales->flowed) {
        keel_mpi_row_costs_move(rows, scales->first_before, scales->last_before, scales->below,
                                scales->above, work);
    } else {
        keel_mpi_row_costs_scale(rows, work / rows->work);
    }
}

/* --- the decision --- */

static struct keel_period_exchange exchange_of(const struct keel_mpi_rows *rows,
                                               const struct keel_mpi_measurements_summary *sum)
{
    const struct keel_mpi_balancer *balance = rows->balance;

    return (struct keel_period_exchange){.interact_s = balance->exchange_s,
                                         .phase_s = sum->phase_s,
                                         .stable_s = keel_period_stable_beside(
                                             balance->stable_s, keel_drift_per_s(&balance->drift))};
}

/* Balance calls from measurements to their decision (S13). */
static uint64_t lag_of(const struct keel_period_exchange *exchange,
                       const struct keel_mpi_measurements_summary *sum, uint64_t next)
{
    uint64_t least = keel_period_exchange_hides(exchange)
                         ? keel_period_calls(exchange->interact_s, exchange->phase_s)
                         : 0;

    least =
        least < next ? least : next; /* within a sweep, balance calls may be at one element, in no
                                    time */
    if ((double)least < sum->skew_calls) {
        least = (uint64_t)sum->skew_calls; /* less would keep the first rank waiting for the last */
    }
    return next / KEEL_MPI_LAG_PART > least ? next / KEEL_MPI_LAG_PART : least;
}

/* When measurements are due next (S8, S9). */
static void plan_next(const struct keel_mpi_rows *rows,
                      const struct keel_mpi_measurements_summary *sum,
                      struct keel_mpi_rows_decision *rows_decision)
{
    const struct keel_mpi_balancer *balance = rows->balance;
    uint64_t planned = keel_period_plan(
        &balance->period, &(struct keel_period_times){.interact_s = balance->exchange_s,
                                                      .quantum_s = balance->policy.quantum_s,
                                                      .compute_s = sum->phase_s});
    struct keel_period_exchange exchange = exchange_of(rows, sum);
    double changes_s = keel_period_of_exchanges(&exchange);
    uint64_t next = balance->policy.every_call ? 1
                    : balance->policy.period_s > 0
                        ? keel_period_calls(balance->policy.period_s, sum->phase_s)
                        : max_u64(planned, keel_period_calls(changes_s, sum->phase_s));

    rows_decision->period_calls = next < balance->period_calls * KEEL_MPI_PERIOD_GROWTH
                                      ? next
                                      : balance->period_calls * KEEL_MPI_PERIOD_GROWTH;
    rows_decision->lag_calls =
        balance->policy.pipelined ? lag_of(&exchange, sum, rows_decision->period_calls) : 0;
    rows_decision->period_s = (double)rows_decision->period_calls * sum->phase_s;
}

/* Records the cost of the last movement, and the present work and rates of ranks. */
static void note_measurements(struct keel_mpi_rows *rows,
                              const struct keel_mpi_measurements_summary *sum)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (sum->movement_s > 0) {
        keel_profit_cost_note(&balance->cost, balance->messages, balance->bytes, sum->movement_s);
        balance->moving_s += sum->movement_s;
    }
    keel_period_note(&balance->period, sum->movement_s);
    for (uint32_t i = 0; i < rows->ranks; i++) {
        const struct keel_mpi_measurements *measurements = &balance->measurements[i];
        balance->report[i] =
            (struct keel_decide_report){rows->placement.owned[i], measurements->work,
                                        measurements->rate, measurements->measured_rate};
        keel_mpi_rows_decision_present_work(rows)[i] = measurements->work;
        keel_mpi_rows_decision_rate(rows)[i] =
            measurements->measured_rate > 0 ? measurements->measured_rate : measurements->rate;
    }
}

/* Converts recorded values to the units of these measurements: a new unit is neither a change of
 * speed nor of work. */
static void follow_units(struct keel_mpi_balancer *balance)
{
    const double *unit = units_of(balance->scales);

    if (unit != NULL && balance->replay != NULL) {
        keel_replay_scale(balance->replay, unit);
    } else if (unit != NULL) {
        keel_decide_scale(balance->decisions, unit);
    }
}

/* Decides by replay; fills in the results of the candidates. */
static struct keel_decision decide_by_replay(struct keel_mpi_rows *rows,
                                             const struct keel_mpi_measurements_summary *sum,
                                             const struct keel_decide_situation *situation)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_rows_decision *rows_decision = balance->rows_decision;
    double calls = balance->measurements[0].call - balance->decided_call;
    const struct keel_replay_span span = {
        .time_s = situation->now_s - balance->decided_s - balance->moving_s,
        .phase_s = sum->phase_s,
        .lag = calls > 0 ? balance->decided_lag / calls : 0,
    };
    struct keel_replay_decision made = keel_replay_decide(
        balance->replay, &balance->cost, situation, &span, balance->report,
        keel_mpi_rows_decision_rows(rows), keel_mpi_rows_decision_work(rows), balance->scratch);

    balance->stable_s = made.stable_s;
    rows_decision->followed = made.followed;
    memcpy(rows_decision->candidate_s, made.time_s, sizeof made.time_s);
    balance->decided_s = situation->now_s;
    balance->decided_call = balance->measurements[0].call;
    balance->decided_lag = (double)balance->lag_calls;
    balance->moving_s = 0;
    return made.decision;
}

/* The work of each rank by the decision. */
static const double *work_by(const struct keel_mpi_rows *rows, const struct keel_decision *decision)
{
    return decision->verdict == KEEL_DECISION_MOVE ? keel_mpi_rows_decision_work(rows)
                                                   : keel_mpi_rows_decision_present_work(rows);
}

/* Decides which rows each rank is to have. */
static struct keel_decision decide(struct keel_mpi_rows *rows,
                                   const struct keel_mpi_measurements_summary *sum)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_decide_situation situation = {
        .now_s = balance->measurements[0].elapsed_s,
        .remaining_s = (sum->last_call - balance->measurements[0].call) * sum->phase_s,
        .row_bytes = keel_mpi_rows_row_bytes(rows) + sum->item_bytes};

    return balance->replay != NULL
               ? decide_by_replay(rows, sum, &situation)
               : keel_decide(balance->decisions, &balance->cost, &balance->policy.rules, &situation,
                             balance->report, keel_mpi_rows_decision_rows(rows),
                             keel_mpi_rows_decision_work(rows), balance->scratch);
}

/* Records how much work has come and gone since the last decision. Only if the program sets
 * weights: measured weights also change as they become known. */
static void note_drift(struct keel_mpi_rows *rows, const struct keel_mpi_measurements_summary *sum)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (balance->expected_s > 0 && sum->weights_set) {
        double lost = keel_drift_lost(rows->ranks, keel_mpi_rows_decision_present_work(rows),
                                      balance->expected, keel_mpi_rows_decision_rate(rows));
        keel_drift_note(&balance->drift, lost,
                        balance->measurements[0].elapsed_s - balance->expected_s);
    }
}

/* Keeps the decided work of ranks; the next measurements show by how much work has changed. */
static void expect(struct keel_mpi_rows *rows, const struct keel_decision *decision)
{
    struct keel_mpi_balancer *balance = rows->balance;

    balance->expected_s = balance->measurements[0].elapsed_s;
    memcpy(balance->expected, work_by(rows, decision), rows->ranks * sizeof *balance->expected);
}

/* Whether messages are to be timed again after this decision. */
static bool are_costs_doubtful(const struct keel_mpi_rows *rows,
                               const struct keel_decision *decision)
{
    return keel_probes_are_doubtful(&rows->balance->probes, decision, rows->report.movements,
                                    rows->balance->measurements[0].elapsed_s);
}

void keel_mpi_rows_decision_make(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_measurements_summary sum =
        keel_mpi_measurements_of_all(balance->measurements, rows->ranks);
    double shortest_s = keel_mpi_balancer_shortest_span(balance);
    bool decides = sum.span_s >= shortest_s;
    bool no_work_seen = decides && sum.busy_s == 0 && sum.work > 0;
    struct keel_mpi_rows_decision *rows_decision = balance->rows_decision;
    struct keel_decision decision = {.reason = {KEEL_CAUSE_EARLY, {sum.span_s, shortest_s}}};

    *rows_decision = (struct keel_mpi_rows_decision){.followed = KEEL_CANDIDATES};
    apply_scales(rows, &sum);
    follow_units(balance);
    note_measurements(rows, &sum);
    if (decides) {
        note_drift(rows, &sum);
        decision = decide(rows, &sum);
        expect(rows, &decision);
    }
    if (no_work_seen && decision.verdict == KEEL_DECISION_NO_RATES) {
        decision.reason.cause = KEEL_CAUSE_NO_WORK;
    }
    rows_decision->code = sum.differ ? KEEL_MPI_MISMATCH : KEEL_MPI_OK;
    rows_decision->move = decision.verdict == KEEL_DECISION_MOVE;
    rows_decision->probe = !sum.in_sweep && are_costs_doubtful(rows, &decision);
    rows_decision->no_work_seen = no_work_seen;
    rows_decision->weighted = sum.weighted;
    rows_decision->weights_set = sum.weights_set;
    rows_decision->least_gain =
        sum.weights_set ? KEEL_MPI_GAIN_LEAST : KEEL_MPI_GAIN_LEAST_MEASURED;
    rows_decision->kind = balance->policy.rules.kind;
    rows_decision->gain = decision.gain;
    rows_decision->reason = decision.reason;
    balance->messages = decision.messages;
    balance->bytes = decision.bytes;
    plan_next(rows, &sum, rows_decision);
}
