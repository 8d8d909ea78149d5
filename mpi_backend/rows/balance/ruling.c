/* The ruling. Sources: S7 to S14 of PAPERS.md. */
#include "mpi_backend/rows/balance/ruling.h"

#include <math.h>
#include <string.h>

#include "mpi_backend/rows/balance/costs.h"
#include "mpi_backend/rows/balance/scales.h"
#include "schedules/arithmetic/arithmetic.h"

/* The next figures come after at most so many times as many hooks as the last ones: phases may get
 * longer. */
#define GROWTH 8

/* The ruling is used this part of the period after the figures, so that nobody has to wait for
 * ranks that are a little late. */
#define LAG_PART 4

static struct keel_period_exchange exchange_of(const struct keel_mpi_rows *rows,
                                               const struct keel_mpi_figures_summary *sum)
{
    const struct keel_mpi_balancer *balance = rows->balance;

    return (struct keel_period_exchange){
        .interact_s = balance->exchange_s,
        .meeting_s = balance->meeting_s,
        .overlap_s = balance->overlap_s,
        .phase_s = sum->phase_s,
        .stable_s = keel_period_stable_beside(balance->stable_s, keel_drift_per_s(&balance->drift)),
        .workers = rows->ranks};
}

/* Hooks from figures to their ruling (S13). */
static uint64_t lag_of(const struct keel_period_exchange *exchange,
                       const struct keel_mpi_figures_summary *sum, uint64_t next)
{
    uint64_t least = keel_period_exchange_hides(exchange) ? keel_period_hidden_hooks(exchange) : 0;

    least = least < next ? least : next; /* hooks within a sweep may be at one place, in no time */
    if ((double)least < sum->skew_hooks) {
        least = (uint64_t)sum->skew_hooks; /* else the first rank would wait for the last one */
    }
    return next / LAG_PART > least ? next / LAG_PART : least;
}

/* When figures are due next (S8, S9). */
static void plan_next(const struct keel_mpi_rows *rows, const struct keel_mpi_figures_summary *sum,
                      struct keel_mpi_ruling *ruling)
{
    const struct keel_mpi_balancer *balance = rows->balance;
    uint64_t planned = keel_period_plan(
        &balance->period, &(struct keel_period_times){.interact_s = balance->exchange_s,
                                                      .quantum_s = balance->policy.quantum_s,
                                                      .compute_s = sum->phase_s});
    struct keel_period_exchange exchange = exchange_of(rows, sum);
    bool apart = balance->policy.pipelined && balance->meeting_s > 0 && exchange.stable_s > 0 &&
                 keel_period_exchange_hides(&exchange);
    double changes_s = keel_period_of_exchanges(&exchange);
    uint64_t next = balance->policy.every_hook ? 1
                    : balance->policy.period_s > 0
                        ? keel_period_hooks(balance->policy.period_s, sum->phase_s)
                        : max_u64(planned, keel_period_hooks(changes_s, sum->phase_s));

    next = apart ? max_u64(next, keel_period_hidden_hooks(&exchange)) : next;
    ruling->period_hooks =
        next < balance->period_hooks * GROWTH ? next : balance->period_hooks * GROWTH;
    ruling->lag_hooks =
        balance->policy.pipelined ? lag_of(&exchange, sum, ruling->period_hooks) : 0;
    ruling->period_s = (double)ruling->period_hooks * sum->phase_s;
    ruling->skew_hooks = (uint64_t)sum->skew_hooks;
}

/* Rows that have just come are not in caches, and on new pages: about so many bytes are touched for
 * the first time in a second. Where that takes more than this part of a phase, the phase does not
 * count. */
#define TOUCHED_BYTES_PER_S 5e8
#define TOUCHED_PART 0.01

/* What the last movement took, and what ranks have. */
static void note_figures(struct keel_mpi_rows *rows, const struct keel_mpi_figures_summary *sum)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (sum->movement_s > 0) {
        keel_decide_note_cost(balance->decisions, balance->messages, balance->bytes,
                              sum->movement_s);
        balance->moving_s += sum->movement_s;
    }
    keel_period_note(&balance->period, sum->movement_s);
    for (uint32_t i = 0; i < rows->ranks; i++) {
        const struct keel_mpi_figures *figures = &balance->figures[i];
        balance->report[i] = (struct keel_decide_report){rows->placement.owned[i], figures->work,
                                                         figures->rate, figures->measured_rate};
        keel_mpi_ruling_present_work(rows)[i] = figures->work;
        keel_mpi_ruling_rate(rows)[i] =
            figures->measured_rate > 0 ? figures->measured_rate : figures->rate;
    }
}

/* What was recorded counts in the units of these figures: no speed has changed by new ones, and no
 * work has come or gone. */
static void follow_units(struct keel_mpi_balancer *balance)
{
    const double *unit = keel_mpi_scales_units(balance->scales);

    if (unit != NULL) {
        keel_decide_scale(balance->decisions, unit);
        if (balance->rehearse != NULL) {
            keel_rehearse_scale(balance->rehearse, unit);
        }
    }
}

/* Ranks that never wait for each other lose by meeting where their phases scatter: all wait for the
 * one that is last by chance, which is another one each time. Ranks that spend less than a message
 * takes outside of computing and hooks do not meet by themselves. */
static double meeting_of(const struct keel_mpi_balancer *balance,
                         const struct keel_mpi_figures_summary *sum, double by_chance)
{
    bool meet = sum->in_sweep || sum->outside_s >= balance->message_s;

    return meet ? 0 : by_chance * sum->span_s;
}

/* Ranks that wait for messages of others in each phase lose by meeting, too: whoever is early sends
 * them only afterwards. What the slowest rank waits for then it would not wait for else; it is seen
 * where ranks have met. Where the program weighs its rows, shares are not to be late. */
static double overlap_of(const struct keel_mpi_balancer *balance,
                         const struct keel_mpi_figures_summary *sum)
{
    if (balance->meeting_s > 0 || sum->in_sweep || sum->told) {
        return 0;
    }
    return balance->lag_hooks == 0 ? sum->least_outside_s : balance->overlap_s;
}

/* By rehearsal; fills in what the ruling tells of the candidates. */
static struct keel_decision decide_by_rehearsal(struct keel_mpi_rows *rows,
                                                const struct keel_mpi_figures_summary *sum,
                                                const struct keel_decide_situation *situation)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_ruling *ruling = balance->ruling;
    double hooks = balance->figures[0].hook - balance->decided_hook;
    const struct keel_rehearse_span span = {
        .time_s = situation->now_s - balance->decided_s - balance->moving_s,
        .phase_s = sum->phase_s,
        .lag = hooks > 0 ? balance->decided_lag / hooks : 0,
    };
    struct keel_rehearse_decision made = keel_rehearse_decide(
        balance->rehearse, keel_decide_costs(balance->decisions), situation, &span, balance->report,
        keel_mpi_ruling_rows(rows), keel_mpi_ruling_work(rows), balance->scratch);

    balance->stable_s = made.stable_s;
    balance->meeting_s = meeting_of(balance, sum, made.by_chance);
    balance->overlap_s = overlap_of(balance, sum);
    ruling->followed = made.followed;
    memcpy(ruling->candidate_s, made.time_s, sizeof made.time_s);
    balance->decided_s = situation->now_s;
    balance->decided_hook = balance->figures[0].hook;
    balance->decided_lag = (double)balance->lag_hooks;
    balance->moving_s = 0;
    return made.decision;
}

/* What each rank is to have by the decision. */
static const double *work_by(const struct keel_mpi_rows *rows, const struct keel_decision *decision)
{
    return decision->verdict == KEEL_DECISION_MOVE ? keel_mpi_ruling_work(rows)
                                                   : keel_mpi_ruling_present_work(rows);
}

/* Which rows each rank is to have. */
static struct keel_decision decide(struct keel_mpi_rows *rows,
                                   const struct keel_mpi_figures_summary *sum)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_decide_situation situation = {
        .now_s = balance->figures[0].elapsed_s,
        .remaining_s = (sum->last_hook - balance->figures[0].hook) * sum->phase_s,
        .row_bytes = keel_mpi_rows_row_bytes(rows) + sum->item_bytes};

    return balance->rehearse != NULL
               ? decide_by_rehearsal(rows, sum, &situation)
               : keel_decide(balance->decisions, &balance->policy.rules, &situation,
                             balance->report, keel_mpi_ruling_rows(rows),
                             keel_mpi_ruling_work(rows), balance->scratch);
}

/* How much work has come and gone since the last decision. Where rows are weighed by what they
 * take, weights change as they become known, too. */
static void note_drift(struct keel_mpi_rows *rows, const struct keel_mpi_figures_summary *sum)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (balance->expected_s > 0 && sum->told) {
        double lost = keel_drift_lost(rows->ranks, keel_mpi_ruling_present_work(rows),
                                      balance->expected, keel_mpi_ruling_rate(rows));
        keel_drift_note(&balance->drift, lost, balance->figures[0].elapsed_s - balance->expected_s);
    }
}

/* A movement that has come to nothing by the weights of single rows is not always tried again. */
static void skip_refused(struct keel_mpi_balancer *balance,
                         const struct keel_mpi_figures_summary *sum, struct keel_decision *decision)
{
    bool by_weights = sum->weighted && balance->policy.rules.kind != KEEL_DECIDE_BY_SHAKE;

    if (decision->verdict != KEEL_DECISION_MOVE || !by_weights ||
        keel_refusal_tries(&balance->refusal, decision->gain)) {
        return;
    }
    *decision = (struct keel_decision){.verdict = KEEL_DECISION_KEEP,
                                       .reason = {.cause = KEEL_CAUSE_WHOLE_ROWS},
                                       .gain = decision->gain};
    if (balance->rehearse != NULL) {
        balance->stable_s = keel_rehearse_refuse(balance->rehearse);
    }
}

/* What ranks are to have, against which the next figures tell how much work has come and gone. */
static void expect(struct keel_mpi_rows *rows, const struct keel_decision *decision)
{
    struct keel_mpi_balancer *balance = rows->balance;

    balance->expected_s = balance->figures[0].elapsed_s;
    memcpy(balance->expected, work_by(rows, decision), rows->ranks * sizeof *balance->expected);
}

void keel_mpi_ruling_make(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_figures_summary sum = keel_mpi_figures_of_all(balance->figures, rows->ranks);
    double shortest_s = keel_mpi_balancer_shortest_span(balance);
    bool decides = sum.span_s >= shortest_s;
    bool no_work_seen = decides && sum.busy_s == 0 && sum.work > 0;
    struct keel_mpi_ruling *ruling = balance->ruling;
    struct keel_decision decision = {.reason = {KEEL_CAUSE_EARLY, {sum.span_s, shortest_s}}};

    *ruling = (struct keel_mpi_ruling){.followed = KEEL_CANDIDATES};
    keel_mpi_scales_apply(rows, &sum);
    follow_units(balance);
    note_figures(rows, &sum);
    if (decides) {
        note_drift(rows, &sum);
        decision = decide(rows, &sum);
        skip_refused(balance, &sum, &decision);
        expect(rows, &decision);
    }
    if (no_work_seen && decision.verdict == KEEL_DECISION_NO_RATES) {
        decision.reason.cause = KEEL_CAUSE_NO_WORK;
    }
    ruling->code = sum.differ ? KEEL_MPI_MISMATCH : KEEL_MPI_OK;
    ruling->move = decision.verdict == KEEL_DECISION_MOVE;
    ruling->probe = !sum.in_sweep && keel_mpi_costs_are_doubtful(rows, &decision);
    ruling->no_work_seen = no_work_seen;
    ruling->weighted = sum.weighted;
    ruling->told = sum.told;
    ruling->least_gain = sum.told ? KEEL_REFUSAL_LEAST_GAIN : KEEL_REFUSAL_LEAST_GAIN_MEASURED;
    ruling->kind = balance->policy.rules.kind;
    ruling->skip_phase = !balance->policy.every_hook &&
                         decision.bytes / TOUCHED_BYTES_PER_S > TOUCHED_PART * sum.phase_s;
    ruling->gain = decision.gain;
    ruling->reason = decision.reason;
    balance->messages = decision.messages;
    balance->bytes = decision.bytes;
    plan_next(rows, &sum, ruling);
}
