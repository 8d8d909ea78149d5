/* The state of balancing between two balance calls; balance_call.c makes the steps.
 *
 *   COUNTING --> MEASUREMENTS_SENT --+---------------------------+--> rows move? --> COUNTING
 *                               |                           |
 *                               +--> ROWS_DECISION_SENT ----+
 *
 * Most balance calls only increment a counter. It is the same on all ranks, and a decision includes
 * the number of balance calls to the next measurements, so that all ranks always make the same step
 * at the same balance call. */
#ifndef MPI_BACKEND_ROWS_BALANCE_BALANCE_H
#define MPI_BACKEND_ROWS_BALANCE_BALANCE_H

#include "mpi_backend/rows/costs/measurements.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "mpi_backend/rows/rows_state.h"
#include "schedules/balance/period.h"
#include "schedules/balance/profit.h"
#include "schedules/learn/learn.h"
#include "schedules/replay/replay.h"

/* The last step, and the operation that is pending since then. */
enum keel_mpi_balancer_stage {
    /* Nothing is pending. The balance call that is due takes measurements and sends them. */
    KEEL_MPI_COUNTING,
    /* Pending: MPI_Iallgather of measurements if every rank decides; MPI_Igather to rank 0 if that
     * decides. The balance call rows_decision_call waits for it. */
    KEEL_MPI_MEASUREMENTS_SENT,
    /* Pending: MPI_Ibcast of the decision, if rank 0 decides. The balance call rows_decision_call
     * waits for it. */
    KEEL_MPI_ROWS_DECISION_SENT
};

struct keel_mpi_scales;

/* The decision for all ranks; each field has 64 bits. In memory and in messages, four arrays with a
 * value for each rank follow: rows and work that it is to have, present work, rate. */
struct keel_mpi_rows_decision {
    uint64_t code;
    uint64_t move;         /* 1: rows move */
    uint64_t no_work_seen; /* 1: rows have work, but no rank has measured any computing */
    uint64_t weighted;     /* 1: rows have different weights, */
    uint64_t weights_set;  /* 1: set by the program */
    uint64_t period_calls; /* from these measurements to the next ones */
    uint64_t lag_calls;    /* from the next measurements to their decision */
    uint64_t probe;        /* 1: messages are timed again */
    double gain, period_s; /* for reports */
    double least_gain;     /* part of the time that moving has to save by weights of rows */
    struct keel_reason reason;
    uint64_t kind;                       /* enum keel_decide_kind: of the rules that were used */
    uint64_t followed;                   /* candidate (replay_policies.h); KEEL_CANDIDATES: none */
    double candidate_s[KEEL_CANDIDATES]; /* time of the job so far under each */
};

struct keel_mpi_balancer {
    /* The same on all ranks. */
    struct keel_rows_policy policy;
    enum keel_mpi_balancer_stage stage;
    uint64_t measurements_call;  /* number of the balance call that sent measurements last */
    uint64_t rows_decision_call; /* number of the call that awaits the pending operation */
    uint64_t lag_calls;          /* from measurements to their decision */
    uint64_t period_calls;       /* from measurements to the next ones, by the last decision */
    MPI_Request request;         /* the pending operation */
    struct keel_mpi_rows_decision *rows_decision;

    /* Of this rank: own_measurements.c. */
    struct keel_mpi_measurements own; /* the last ones sent */
    double began_s;                   /* time of the first balance call */
    double measurements_s;            /* time of the last measurements */
    double moved_s;                   /* time of movements since then */
    double span_began_s;              /* time at which the span of the present rate began */
    double phase_began_s;             /* computing in that span, up to the present phase */
    double call_busy_s;               /* computing in that span, up to the last balance call */
    double phase_work;                /* work of the present phase, up to the last balance call */
    uint64_t exchanges;               /* of halos, when the present phase began */
    struct keel_mpi_phases phases;    /* of that span */
    struct keel_rate_filter filter;   /* its rate */
    double unit;                      /* as in struct keel_mpi_measurements */
    struct keel_probes probes;        /* its times; all ranks know whether they are doubtful */
    bool warned;                      /* that no work is measured */

    /* On ranks that decide, see keel_mpi_balancer_decides(): rows_decision.c. On others, arrays
     * have one value. */
    struct keel_mpi_measurements *measurements; /* of all ranks, P values */
    struct keel_decide_state *decisions;
    struct keel_profit_cost cost;      /* of movements */
    struct keel_replay *replay;        /* NULL: decisions without replay */
    struct keel_decide_report *report; /* P values */
    void *scratch;
    struct keel_period period;
    struct keel_mpi_scales *scales;
    struct keel_drift drift; /* of work by weights that the program has set */
    double *expected;        /* P values: work by the last decision */
    double expected_s;       /* time of its measurements since the first balance call; 0: none */
    double exchange_s;       /* time of an exchange of measurements */
    double messages, bytes;  /* of the last decided movement */
    double decided_s;    /* time of the measurements of the last decision, since the first balance
                         call */
    double decided_call; /* number of their balance call */
    double decided_lag;  /* balance calls from them until it was carried out */
    double moving_s;     /* movements since then */
    double stable_s;     /* from one change of rates to the next, on average; 0: not known */
};

/* For messages about awaited ranks. */
#define KEEL_MPI_BALANCER_WHERE "where rows are balanced"

/* Whether this rank decides which rows move: each rank does, or only rank 0. */
bool keel_mpi_balancer_decides(const struct keel_mpi_rows *rows,
                               const struct keel_rows_policy *policy);

/* NULL: no memory. */
struct keel_mpi_balancer *keel_mpi_balancer_make(const struct keel_mpi_rows *rows,
                                                 const struct keel_rows_policy *policy);

void keel_mpi_balancer_free(struct keel_mpi_balancer *balance);

/* The shortest span, in s, for which a rate is taken. In shorter ones a rate depends on which
 * process had the processor rather than on speed (S8). */
static inline double keel_mpi_balancer_shortest_span(const struct keel_mpi_balancer *balance)
{
    return balance->policy.every_call ? 0 : balance->policy.quantum_s * KEEL_PERIOD_QUANTA / 2;
}

/* Starts to send this rank's measurements to the ranks that decide: balance->request. False:
 * KEEL_MPI_ERROR. Collective. */
bool keel_mpi_balancer_start_measurements(struct keel_mpi_rows *rows);

/* Starts to send the decision of rank 0 to all: balance->request. False: KEEL_MPI_ERROR.
 * Collective. */
bool keel_mpi_balancer_start_rows_decision(struct keel_mpi_rows *rows);

/* Ends balancing: later calls are only counted. Returns `code`; reports KEEL_MPI_MISMATCH. */
int keel_mpi_balancer_stop(struct keel_mpi_rows *rows, int code);

/* Words of 64 bits in a decision for `ranks` ranks. */
static inline size_t keel_mpi_rows_decision_words(uint32_t ranks)
{
    return sizeof(struct keel_mpi_rows_decision) / sizeof(uint64_t) + 4 * (size_t)ranks;
}

/* The arrays of a decision: a value for each rank. */
static inline uint64_t *keel_mpi_rows_decision_rows(const struct keel_mpi_rows *rows)
{
    return (uint64_t *)(rows->balance->rows_decision + 1);
}

static inline double *keel_mpi_rows_decision_work(const struct keel_mpi_rows *rows)
{
    return (double *)(keel_mpi_rows_decision_rows(rows) + rows->ranks);
}

static inline double *keel_mpi_rows_decision_present_work(const struct keel_mpi_rows *rows)
{
    return keel_mpi_rows_decision_work(rows) + rows->ranks;
}

static inline double *keel_mpi_rows_decision_rate(const struct keel_mpi_rows *rows)
{
    return keel_mpi_rows_decision_present_work(rows) + rows->ranks;
}

/* --- balance_call.c --- */

/* Completes the pending operation, and frees the memory of balancing. Collective. */
void keel_mpi_balance_call_free(struct keel_mpi_rows *rows);

/* --- own_measurements.c ---
 *
 * What this rank measures between balance calls, and the measurements that it sends.
 *
 *   each balance call -> [phases: work, time of computing] -> rate since the last measurements ->
 *   measurements
 *
 * A span of time lasts from one exchange of measurements to the next; rates are taken for whole
 * spans. */

/* Begins a span, for which the next rate is taken. */
void keel_mpi_own_measurements_begin_span(struct keel_mpi_rows *rows);

/* At each balance call: records the computing since the last one. */
void keel_mpi_own_measurements_note_call(struct keel_mpi_rows *rows);

/* Fills in balance->own, and begins a new span. */
void keel_mpi_own_measurements_take(struct keel_mpi_rows *rows);

/* Weights of own rows were multiplied by `factor`: converts recorded work and rates. */
void keel_mpi_own_measurements_scale(struct keel_mpi_rows *rows, double factor);

/* --- rows_decision.c ---
 *
 * From the measurements of all ranks to the decision for all ranks.
 *
 *   balance->measurements -> weights that follow (row_weights.h) -> which rows move? (replay.h; by
 *   one
 *        policy: decide.h) -> when are measurements due next? (period.h) -> balance->rows_decision
 *
 * No messages: ranks that have the same measurements make the same decision. */

/* On ranks where keel_mpi_balancer_decides(). */
void keel_mpi_rows_decision_make(struct keel_mpi_rows *rows);

/* Memory for decisions over `ranks` ranks, to be freed by free(); NULL: no memory. */
struct keel_mpi_scales *keel_mpi_scales_make(uint32_t ranks);

/* Sets the weights of own rows so that their sum is `work`, by the last decision. */
void keel_mpi_scales_follow(struct keel_mpi_rows *rows, double work);

/* --- balancer.c: times of messages ---
 *
 * The times of exchanges of measurements and of messages, measured before the first ones (S8, S12).
 * Which times are used, and when messages are timed again: profit.h.
 *
 *   balance_call.c -> [probes, the same on all ranks] -> balance->exchange_s, costs of decide.h */

/* buffer: room for two messages of KEEL_MPI_COSTS_BYTES, which must never be freed unless
 * KEEL_MPI_OK is returned. Collective. */
int keel_mpi_costs_measure(struct keel_mpi_rows *rows, char *buffer);

/* Times them again. Collective; returns KEEL_MPI_OK or the error that ends balancing. */
int keel_mpi_costs_measure_again(struct keel_mpi_rows *rows);

/* --- carry_out.c ---
 *
 * Carries out a decision that moves rows.
 *
 *   work that each rank is to have -> whole rows, if rows have different weights
 *        (weighted_rows.h) -> movement_room.h */

/* Moves rows by balance->rows_decision. The gain is weighed again by the weights of single rows,
 * which each rank knows only of its own: this is why rows may be to move and none do
 * (KEEL_CAUSE_WHOLE_ROWS). Permanent errors end balancing. Collective; returns the same code on all
 * ranks that were not too late. */
int keel_mpi_carry_out_rows_decision(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved);

#endif
