/* The hook: when ranks tell each other how fast they are, and what follows.
 *
 *   due? -> figures: allgather, or gather at rank 0 (S13: computing goes on)
 *        -> ruling (decide.h, period.h), on each rank alike, or on rank 0, which tells it
 *        -> rows move (movement.c) -> when it is due next (S8, S9)
 *
 * Hooks in between count, and no more. All ranks count alike, and a ruling says at which hook they
 * exchange figures next, so that they always come to the same hook. Sources: S7 to S14 of
 * PAPERS.md. */
#include "mpi_backend/rows/balance/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/channel.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/loop/lender.h"
#include "mpi_backend/rows/balance/phases.h"
#include "mpi_backend/rows/balance/trace.h"
#include "mpi_backend/rows/balance/weighted_rows.h"
#include "mpi_backend/rows/agree.h"
#include "mpi_backend/rows/messages.h"
#include "mpi_backend/rows/movement/movement.h"
#include "mpi_backend/rows/rows.h"
#include "mpi_backend/rows/work.h"
#include "omp_ext/support/message.h"
#include "schedules/balance/period.h"
#include "schedules/forecast/rows_selection.h"
#include "schedules/learn/rate_filter.h"

enum stage {
    COUNTING,     /* until figures are due */
    FIGURES_SENT, /* figures are on their way */
    RULING_SENT,  /* rank 0's ruling is */
    SETTLING      /* rows have moved; rates count from the next hook on */
};

/* What a rank tells of itself. All doubles: they travel as they are. */
struct figures {
    double hooks;      /* at which it told them */
    double work;       /* that it has */
    double rate;       /* filtered, work per s; 0: not known */
    double measured;   /* since the figures before; 0: not known */
    double weighted;   /* 1: its rows were weighed */
    double elapsed_s;  /* since the first hook */
    double span_s;     /* for which the rate was measured */
    double busy_s;     /* computing in it */
    double phase_s;    /* from one hook to the next */
    double movement_s; /* of the movement since the figures before; 0: none */
    double item_bytes; /* of items, in a row that it has sent */
    double expected;   /* the last hook; INFINITY: not known */
};
#define FIGURES (sizeof(struct figures) / sizeof(double))

/* What all ranks are to do. Three arrays of a value for each rank follow: rows and work that it is
 * to have, work that it has. */
struct ruling {
    uint64_t code;
    uint64_t move;         /* 1: rows move */
    uint64_t no_work_seen; /* 1: rows have work, but nobody was seen to compute */
    uint64_t weighted;     /* 1: rows have weights of their own */
    uint64_t rest;         /* 1: after moving, the next phase tells nothing of rates */
    uint64_t next;         /* hooks from these figures to the next ones */
    uint64_t lag;          /* hooks from the next figures to their ruling */
    double gain, period_s;
};
#define RULING (sizeof(struct ruling) / sizeof(uint64_t))

/* Everything but the steering is the same on all ranks, or of one rank alone where it says so. */
struct keel_mpi_balancer {
    struct keel_rows_policy how;
    enum stage stage;
    uint64_t told;  /* the hook of the last figures */
    uint64_t lag;   /* hooks from figures to their ruling */
    uint64_t ruled; /* the hook of the next ruling */
    uint64_t next;  /* hooks from figures to the next ones, as ruled last */
    MPI_Request request;
    struct figures own;      /* of this rank */
    struct figures *figures; /* of all, where rulings are made */
    struct ruling *ruling;
    double began_s;                 /* of this rank: the first hook ... */
    double span_began_s;            /* ... the span that rates count for */
    double phase_began_s;           /* ... time of computing in it before this phase */
    double hook_s;                  /* ... and before the last hook */
    double phase_work;              /* ... work of this phase, up to the last hook */
    uint64_t exchanges;             /* ... of halos, until the phase began */
    struct keel_mpi_phases phases;  /* ... its phases */
    double last_told_s, moved_s;    /* ... figures, movement */
    struct keel_rate_filter filter; /* ... its rate */
    bool complained;                /* ... that there are no rates */
    /* where rulings are made */
    struct keel_decide_state *steering;
    struct keel_decide_report *report;
    void *scratch;
    double *rate; /* P: of `auto`, for its model */
    struct keel_period period;
    double interact_s, messages, bytes; /* of an exchange of figures; of the last movement */
};

static double now_s(void)
{
    return keel_mpi_clock_ns() / 1e9;
}

static uint64_t *rows_to_have(const struct keel_mpi_rows *rows)
{
    return (uint64_t *)(rows->balance->ruling + 1);
}

static double *work_to_have(const struct keel_mpi_rows *rows)
{
    return (double *)(rows_to_have(rows) + rows->ranks);
}

static double *work_present(const struct keel_mpi_rows *rows)
{
    return work_to_have(rows) + rows->ranks;
}

static int ruling_words(const struct keel_mpi_rows *rows)
{
    return (int)(RULING + 3 * (size_t)rows->ranks);
}

/* --- the first hook --- */

static bool rules_here(const struct keel_mpi_rows *rows, const struct keel_rows_policy *how)
{
    return how->decider == KEEL_ROWS_DECIDER_ALL || rows->rank == 0;
}

static void free_balance(struct keel_mpi_balancer *balance)
{
    if (balance != NULL) {
        free(balance->figures);
        free(balance->ruling);
        free(balance->steering);
        free(balance->report);
        free(balance->scratch);
        free(balance->rate);
        free(balance);
    }
}

/* One decision's, and that of choosing what it follows. */
static size_t scratch_size(uint32_t ranks)
{
    size_t decision = keel_decide_scratch(ranks), choice = keel_rows_selection_scratch(ranks);

    return decision > choice ? decision : choice;
}

static struct keel_mpi_balancer *make_balance(const struct keel_mpi_rows *rows,
                                              const struct keel_rows_policy *how)
{
    struct keel_mpi_balancer *balance = calloc(1, sizeof *balance);
    size_t ranks = rules_here(rows, how) ? rows->ranks : 1;

    if (balance == NULL) {
        return NULL;
    }
    balance->how = *how;
    balance->how.rules.adjacent = rows->adjacent;
    balance->figures = calloc(rows->ranks, sizeof *balance->figures);
    balance->ruling = calloc((size_t)ruling_words(rows), sizeof(uint64_t));
    balance->steering = malloc(keel_decide_size((uint32_t)ranks));
    balance->report = malloc(ranks * sizeof *balance->report);
    balance->scratch = malloc(scratch_size((uint32_t)ranks));
    balance->rate = malloc(ranks * sizeof *balance->rate);
    if (balance->figures == NULL || balance->ruling == NULL || balance->steering == NULL ||
        balance->report == NULL || balance->scratch == NULL || balance->rate == NULL) {
        free_balance(balance);
        return NULL;
    }
    keel_decide_begin(balance->steering, (uint32_t)ranks, 0);
    return balance;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* For ranks to compare. */
static uint64_t digest(const struct keel_rows_policy *how)
{
    const struct keel_decide_rules *rules = &how->rules;
    const uint64_t word[] = {
        how->decider,          bits_of(how->period_s), bits_of(how->quantum_s),
        how->filter,           how->pipelined,         how->every_hook,
        rules->kind,           rules->graph,           bits_of(rules->threshold),
        bits_of(rules->alpha), bits_of(rules->gain),   bits_of(rules->greatly),
        rules->seed,           how->automatic};

    return keel_mpi_rows_digest(word, sizeof word / sizeof word[0]);
}

#define WHERE "where rows are balanced"
#define PROBES 2 /* the first one warms up */
#define PROBE_BYTES 8192

/* The shortest time to exchange figures: t_interact (S8). */
static double time_figures(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double shortest_s = INFINITY;

    for (int i = 0; i < PROBES; i++) {
        double began_s = now_s();
        MPI_Request request;
        if (!keel_mpi_check(&rows->peers,
                            MPI_Iallgather(&balance->own, sizeof balance->own, MPI_BYTE,
                                           balance->figures, sizeof balance->own, MPI_BYTE,
                                           rows->peers.comm, &request),
                            "MPI_Iallgather") ||
            keel_mpi_peers_await(&rows->peers, WHERE, 1, &request) != KEEL_MPI_OK) {
            break;
        }
        shortest_s = i > 0 ? fmin(shortest_s, now_s() - began_s) : shortest_s;
    }
    return shortest_s;
}

/* The shortest time to hand `bytes` to the next rank and get as many from the one before. */
static double time_message(struct keel_mpi_rows *rows, char *buffer, int bytes)
{
    struct keel_mpi_peers *peers = &rows->peers;
    int next = (int)((rows->rank + 1) % rows->ranks);
    int before = (int)((rows->rank + rows->ranks - 1) % rows->ranks);
    double shortest_s = INFINITY;

    for (int i = 0; i < PROBES; i++) {
        double began_s = now_s();
        MPI_Request request[2];
        if (!keel_mpi_check(peers,
                            MPI_Irecv(buffer + PROBE_BYTES, bytes, MPI_BYTE, before,
                                      KEEL_MPI_TAG_PROBE, peers->comm, &request[0]),
                            "MPI_Irecv") ||
            !keel_mpi_check(peers,
                            MPI_Isend(buffer, bytes, MPI_BYTE, next, KEEL_MPI_TAG_PROBE,
                                      peers->comm, &request[1]),
                            "MPI_Isend") ||
            keel_mpi_peers_await(peers, WHERE, 2, request) != KEEL_MPI_OK) {
            break;
        }
        shortest_s = i > 0 ? fmin(shortest_s, now_s() - began_s) : shortest_s;
    }
    return shortest_s;
}

/* What exchanges and messages take, before there have been any (S8, S12); the most of all ranks. */
static int measure(struct keel_mpi_rows *rows, char *buffer)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double most[] = {time_figures(rows), time_message(rows, buffer, 0),
                     time_message(rows, buffer, PROBE_BYTES)};
    int code = keel_mpi_rows_largest(&rows->peers, WHERE, most, 3);

    balance->interact_s = most[0];
    keel_decide_note_cost(balance->steering, 1, 0, most[1]);
    keel_decide_note_cost(balance->steering, 1, PROBE_BYTES, most[2]);
    return code;
}

static const struct keel_rows_policy *asked_for(const struct keel_mpi_rows *rows)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();

    return rows->has_policy && !settings->balance_stated ? &rows->policy : &settings->balance;
}

static void begin_span(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    balance->span_began_s = now_s();
    rows->report.busy_s += keel_mpi_work_busy(rows);
    keel_mpi_work_begin_span(rows);
    balance->phase_began_s = balance->hook_s = balance->phase_work = 0;
    balance->phases = (struct keel_mpi_phases){0};
}

/* How it has to end where ranks do not agree. */
static int give_up(struct keel_mpi_rows *rows, int code)
{
    rows->due = UINT64_MAX;
    if (code == KEEL_MPI_MISMATCH && rows->rank == 0) {
        keel_message("ranks have come to different hooks, or with different KEEL_MPI_BALANCE, "
                     "expected the same on all of them; rows stay where they are from now on");
    }
    return code;
}

/* Collective. */
static int begin(struct keel_mpi_rows *rows)
{
    const struct keel_rows_policy *how = asked_for(rows);
    bool off =
        how->decider == KEEL_ROWS_DECIDER_NONE || rows->ranks == 1 || rows->placement.rows == 0;
    char *buffer = off ? NULL : calloc(2, PROBE_BYTES);
    int code = KEEL_MPI_OK;

    if (!off && ((rows->balance = make_balance(rows, how)) == NULL || buffer == NULL)) {
        keel_message("no memory to balance rows; they stay where they are");
        code = KEEL_MPI_NO_ROOM;
    }
    code = rows->ranks > 1 ? keel_mpi_rows_agree(rows, code, digest(how)) : code;
    if (off || code != KEEL_MPI_OK) {
        free(buffer);
        return give_up(rows, code);
    }
    if ((code = measure(rows, buffer)) != KEEL_MPI_OK) {
        return give_up(rows, code); /* operations on their way use the buffer */
    }
    free(buffer);
    keel_mpi_rows_trace_open(rows);
    rows->balance->began_s = rows->balance->last_told_s = now_s();
    rows->balance->told = rows->hooks;
    rows->balance->next = 1;
    rows->balance->lag = how->pipelined ? 1 : 0;
    rows->due = rows->hooks + 1;
    begin_span(rows);
    return KEEL_MPI_OK;
}

/* --- figures --- */

/* Spans shorter than this tell more of whose turn it was than of speed (S8). */
static double shortest_span_s(const struct keel_mpi_balancer *balance)
{
    return balance->how.every_hook ? 0
                                   : balance->how.quantum_s * keel_period_standard.quantumscale / 2;
}

/* What was computed up to the last hook ends a phase (phases.h). */
static void end_phase(struct keel_mpi_balancer *balance)
{
    if (balance->phase_work > 0) {
        keel_mpi_phases_note(&balance->phases, balance->phase_work,
                             balance->hook_s - balance->phase_began_s);
        balance->phase_began_s = balance->hook_s;
        balance->phase_work = 0;
    }
}

/* Ranks wait for each other where they exchange halos; where they never do, at each hook. */
static void note_phase(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (rows->exchanges != balance->exchanges) {
        end_phase(balance);
        balance->exchanges = rows->exchanges;
    }
    balance->phase_work += rows->work_before >= 0 ? rows->work_before : rows->work;
    balance->hook_s = keel_mpi_work_busy(rows);
    if (rows->exchanges == 0) {
        end_phase(balance);
    }
}

/* The rate since the span began, for the filter; 0: too short a span, or nothing was computed. */
static double take_rate(struct keel_mpi_rows *rows, double span_s)
{
    struct keel_mpi_balancer *balance = rows->balance;
    end_phase(balance);
    /* pipelines go on beside competing processes whatever their grain is (S17) */
    double rate =
        keel_mpi_phases_rate(&balance->phases, rows->pipelines ? 0 : balance->how.quantum_s);

    if (!(rate > 0) || isinf(rate) || span_s < shortest_span_s(balance)) {
        return 0;
    }
    rows->report.rate = rate;
    if (balance->how.filter) {
        keel_rate_filter_update(&balance->filter, rate);
    } else {
        balance->filter.filtered = rate;
    }
    rows->report.filtered_rate = balance->filter.filtered;
    return rate;
}

static double item_bytes(const struct keel_mpi_rows *rows)
{
    double bytes = (double)rows->report.bytes_sent, sent = (double)rows->report.rows_sent;

    bytes -= sent * keel_mpi_rows_row_bytes(rows);
    return sent > 0 && bytes > 0 ? bytes / sent : 0;
}

/* Messages get on while they are looked at: so many times on the way. */
#define LOOKS 4

static uint64_t next_test(const struct keel_mpi_rows *rows)
{
    const struct keel_mpi_balancer *balance = rows->balance;
    uint64_t apart = balance->lag / LOOKS > 0 ? balance->lag / LOOKS : 1;

    return rows->hooks + apart < balance->ruled ? rows->hooks + apart : balance->ruled;
}

static void send_figures(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_peers *peers = &rows->peers;
    bool sent =
        balance->how.decider == KEEL_ROWS_DECIDER_ALL
            ? keel_mpi_check(peers,
                             MPI_Iallgather(&balance->own, FIGURES, MPI_DOUBLE, balance->figures,
                                            FIGURES, MPI_DOUBLE, peers->comm, &balance->request),
                             "MPI_Iallgather")
            : keel_mpi_check(peers,
                             MPI_Igather(&balance->own, FIGURES, MPI_DOUBLE, balance->figures,
                                         FIGURES, MPI_DOUBLE, 0, peers->comm, &balance->request),
                             "MPI_Igather");

    if (!sent) {
        balance->request = MPI_REQUEST_NULL;
    }
}

static void tell(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    double time_s = now_s(), span_s = time_s - balance->span_began_s;
    double busy_s = keel_mpi_work_busy(rows), measured = take_rate(rows, span_s);

    balance->own = (struct figures){
        .hooks = (double)rows->hooks,
        .work = rows->work,
        .rate = balance->filter.filtered,
        .measured = measured,
        .weighted = rows->weighted,
        .elapsed_s = time_s - balance->began_s,
        .span_s = span_s,
        .busy_s = busy_s,
        .phase_s = (time_s - balance->last_told_s - balance->moved_s) /
                   (double)(rows->hooks - balance->told),
        .movement_s = balance->moved_s,
        .item_bytes = item_bytes(rows),
        .expected = rows->expected_hooks < UINT64_MAX ? (double)rows->expected_hooks : INFINITY,
    };
    balance->last_told_s = time_s;
    balance->moved_s = 0;
    balance->told = rows->hooks;
    begin_span(rows);
    rows->report.interactions++;
    send_figures(rows);
    balance->stage = FIGURES_SENT;
    balance->ruled = rows->hooks + balance->lag;
    rows->due = next_test(rows);
}

/* --- the ruling --- */

/* What the figures of all ranks come to. */
struct summary {
    double span_s, busy_s, phase_s, movement_s, item_bytes; /* the most of any */
    double work;                                            /* of all */
    double expected;                                        /* the soonest */
    bool weighted, differ;
};

static struct summary sum_up(const struct figures *figures, uint32_t ranks)
{
    struct summary sum = {.expected = INFINITY};

    for (uint32_t i = 0; i < ranks; i++) {
        sum.span_s = fmax(sum.span_s, figures[i].span_s);
        sum.busy_s = fmax(sum.busy_s, figures[i].busy_s);
        sum.work += figures[i].work;
        sum.phase_s = fmax(sum.phase_s, figures[i].phase_s);
        sum.movement_s = fmax(sum.movement_s, figures[i].movement_s);
        sum.item_bytes = fmax(sum.item_bytes, figures[i].item_bytes);
        sum.expected = fmin(sum.expected, figures[i].expected);
        sum.weighted = sum.weighted || figures[i].weighted > 0;
        sum.differ = sum.differ || figures[i].hooks != figures[0].hooks;
    }
    return sum;
}

/* Hooks that pass in `time_s`, >= 1. */
static uint64_t hooks_in(double time_s, double phase_s)
{
    return keel_period_hooks(time_s, phase_s, keel_period_standard.compute_min_s);
}

/* At most so many times as many hooks as before: phases may get longer. */
#define GROWTH 8

/* Rulings come so much later than figures, as a part of the time to the next ones, so that nobody
 * has to wait for those who are a little late. */
#define LAG_PART 4

/* Exchanges that take less than this part of a phase are not pipelined where all of this comes to
 * less than a phase: what they cost is less than what a phase with old figures does. */
#define WORTH_HIDING 0.01

/* Hooks from figures to their ruling (S13). */
static uint64_t lag_of(const struct keel_mpi_balancer *balance, const struct summary *sum,
                       uint64_t next)
{
    bool hides = balance->interact_s > WORTH_HIDING * sum->phase_s;
    uint64_t least = hides ? hooks_in(balance->interact_s, sum->phase_s) : 0;

    return next / LAG_PART > least ? next / LAG_PART : least;
}

/* When figures are due next (S8, S9). */
static void plan_next(struct keel_mpi_balancer *balance, const struct summary *sum,
                      struct ruling *ruling)
{
    struct keel_period_plan plan =
        keel_period_plan(&balance->period, &keel_period_standard,
                         &(struct keel_period_times){.interact_s = balance->interact_s,
                                                     .quantum_s = balance->how.quantum_s,
                                                     .compute_s = sum->phase_s});
    uint64_t next = balance->how.every_hook     ? 1
                    : balance->how.period_s > 0 ? hooks_in(balance->how.period_s, sum->phase_s)
                                                : plan.nexthook;

    ruling->next = next < balance->next * GROWTH ? next : balance->next * GROWTH;
    ruling->lag = balance->how.pipelined ? lag_of(balance, sum, ruling->next) : 0;
    ruling->period_s = (double)ruling->next * sum->phase_s;
}

/* `auto`: what the next decision follows, by the costs measured so far. */
static void choose_policy(const struct keel_mpi_rows *rows, const struct summary *sum,
                          const struct keel_decide_situation *situation)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_decide_rules *rules = &balance->how.rules;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        balance->rate[i] = balance->figures[i].rate;
    }
    unsigned chosen = keel_rows_selection_choose(
        &(struct keel_rows_outlook){
            .workers = rows->ranks,
            .work = work_present(rows),
            .rate = balance->rate,
            .rows = rows->placement.rows,
            .adjacent = rows->adjacent,
            .step_s = (double)balance->next * sum->phase_s,
            .horizon_s = fmin(keel_decide_rates_last_s(balance->steering), situation->remaining_s),
            .message_s = keel_decide_cost(balance->steering, 1, 0),
            .row_s = keel_decide_cost(balance->steering, 0, situation->row_bytes),
            .gain = rules->gain,
        },
        NULL, balance->scratch);
    rules->kind = keel_rows_candidates[chosen].kind;
    rules->graph = keel_rows_candidates[chosen].graph;
}

/* Rows that have just come are not in caches, and on new pages: about so many bytes are touched for
 * the first time in a second. Where that takes more than this part of a phase, the phase does not
 * count. */
#define TOUCHED_BYTES_PER_S 5e8
#define TOUCHED_PART 0.01

/* Decides, from balance->figures. */
static void rule(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct ruling *ruling = balance->ruling;
    struct summary sum = sum_up(balance->figures, rows->ranks);
    struct keel_decision decision = {0};

    *ruling = (struct ruling){.code = sum.differ ? KEEL_MPI_MISMATCH : KEEL_MPI_OK,
                              .weighted = sum.weighted};
    if (sum.movement_s > 0) {
        keel_decide_note_cost(balance->steering, balance->messages, balance->bytes, sum.movement_s);
    }
    keel_period_note(&balance->period, sum.movement_s);
    for (uint32_t i = 0; i < rows->ranks; i++) {
        balance->report[i] =
            (struct keel_decide_report){rows->placement.owned[i], balance->figures[i].work,
                                        balance->figures[i].rate, balance->figures[i].measured};
        work_present(rows)[i] = balance->figures[i].work;
    }
    if (sum.span_s >= shortest_span_s(balance)) {
        struct keel_decide_situation situation = {
            .now_s = balance->figures[0].elapsed_s,
            .remaining_s = (sum.expected - balance->figures[0].hooks) * sum.phase_s,
            .row_bytes = keel_mpi_rows_row_bytes(rows) + sum.item_bytes};
        if (balance->how.automatic) {
            choose_policy(rows, &sum, &situation);
        }
        decision = keel_decide(balance->steering, &balance->how.rules, &situation, balance->report,
                               rows_to_have(rows), work_to_have(rows), balance->scratch);
        ruling->no_work_seen = sum.busy_s == 0 && sum.work > 0;
    }
    ruling->move = decision.verdict == KEEL_DECISION_MOVE;
    ruling->gain = decision.gain;
    ruling->rest = !balance->how.every_hook &&
                   decision.bytes / TOUCHED_BYTES_PER_S > TOUCHED_PART * sum.phase_s;
    balance->messages = decision.messages;
    balance->bytes = decision.bytes;
    plan_next(balance, &sum, ruling);
}

/* --- rows with weights of their own (weighted_rows.h) --- */

/* Brings numbers of all ranks together, which are all here. */
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
               ? keel_mpi_peers_await(&rows->peers, WHERE, 1, &request)
               : KEEL_MPI_ERROR;
#endif
}

/* Rows for all ranks by the weights of single rows, instead of those ruled. */
static int divide_by_weights(struct keel_mpi_rows *rows)
{
    struct keel_mpi_work_division all = {rows->ranks, rows->placement.rows, work_present(rows),
                                         work_to_have(rows)};
    struct keel_mpi_weighted_rows own = {.rank = rows->rank,
                                         .encoded = (const double *)(void *)rows->weights.base};
    int64_t *said = malloc(2 * rows->ranks * sizeof *said);
    uint64_t *shares = rows_to_have(rows);
    bool room = said != NULL && keel_mpi_rows_list(rows, &own.row, &own.count) == KEEL_MPI_OK;
    int code = keel_mpi_rows_agree(rows, room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM, 0);

    if (code == KEEL_MPI_OK && rows->adjacent) {
        keel_mpi_weighted_rows_bounds(&all, &own, said);
        if ((code = combine(rows, said, said + rows->ranks)) != KEEL_MPI_OK) {
            return code; /* operations on their way use what was said */
        }
        keel_mpi_weighted_rows_shares(&all, said + rows->ranks, shares);
    } else if (code == KEEL_MPI_OK) {
        const int64_t *heard = said + rows->ranks;
        keel_mpi_weighted_rows_changes(&all, &own, said);
        if ((code = combine(rows, said, said + rows->ranks)) != KEEL_MPI_OK) {
            return code;
        }
        for (uint32_t i = 0; i < rows->ranks; i++) {
            shares[i] = (uint64_t)((int64_t)rows->placement.owned[i] + heard[i]);
        }
    }
    free(said);
    return code;
}

/* --- what follows --- */

static bool is_placed(const struct keel_mpi_rows *rows)
{
    return memcmp(rows_to_have(rows), rows->placement.owned, rows->ranks * sizeof(uint64_t)) == 0;
}

/* Moves rows as ruled. */
static int move_rows(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;
    int code = KEEL_MPI_OK;

    if (balance->ruling->weighted && balance->how.rules.kind != KEEL_DECIDE_BY_SHAKE) {
        code = divide_by_weights(rows);
    }
    if (code == KEEL_MPI_OK && !is_placed(rows)) {
        code = keel_mpi_movement_make(rows, rows_to_have(rows), moved);
    }
    if (code == KEEL_MPI_OK) {
        balance->moved_s = moved->rows > 0 ? moved->time_s : 0;
    }
    bool over = code == KEEL_MPI_LATE || code == KEEL_MPI_MISMATCH || code == KEEL_MPI_ERROR;
    return over ? give_up(rows, code) : code;
}

static void complain(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (balance->ruling->no_work_seen && !balance->complained && rows->rank == 0) {
        keel_message(
            "keel_mpi_rows_balance(): no scheduled loop has been seen and no work was marked "
            "since the last time, expected loops under libkeel.so, or "
            "keel_mpi_rows_work_begin(); rows stay where they are until then");
        balance->complained = true;
    }
}

/* The ruling is there. */
static int follow_ruling(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;
    const struct ruling *ruling = balance->ruling;
    int code = (int)ruling->code;

    if (code != KEEL_MPI_OK) {
        return give_up(rows, code);
    }
    complain(rows);
    rows->report.gain = ruling->gain;
    rows->report.period_s = ruling->period_s;
    balance->lag = ruling->lag;
    balance->next = ruling->next;
    balance->stage = COUNTING;
    if (balance->told + ruling->next > rows->hooks) {
        rows->due = balance->told + ruling->next;
    } else {
        rows->due = rows->hooks + 1;
    }
    if (ruling->move) {
        code = move_rows(rows, moved);
    }
    if (moved->rows > 0 && ruling->rest && rows->due < UINT64_MAX) {
        balance->stage = SETTLING;
        rows->due = rows->hooks + 1;
    }
    keel_mpi_rows_trace_note(rows, now_s() - balance->began_s, moved->rows,
                             balance->how.rules.kind);
    return code;
}

static int step(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved);

/* Figures have come: here, or at rank 0. */
static int receive_figures(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK ||
        !keel_mpi_rows_await(rows, &balance->request)) {
        return give_up(rows, keel_mpi_rows_late_code(rows));
    }
    if (rules_here(rows, &balance->how)) {
        rule(rows);
    }
    if (balance->how.decider == KEEL_ROWS_DECIDER_ALL) {
        return follow_ruling(rows, moved);
    }
    if (!keel_mpi_check(&rows->peers,
                        MPI_Ibcast(balance->ruling, ruling_words(rows), MPI_UINT64_T, 0,
                                   rows->peers.comm, &balance->request),
                        "MPI_Ibcast")) {
        return give_up(rows, KEEL_MPI_ERROR);
    }
    balance->stage = RULING_SENT;
    balance->ruled = rows->hooks + balance->lag;
    rows->due = next_test(rows);
    return balance->lag == 0 ? step(rows, moved) : KEEL_MPI_OK;
}

static int step(struct keel_mpi_rows *rows, struct keel_mpi_moved *moved)
{
    struct keel_mpi_balancer *balance = rows->balance;

    if ((balance->stage == FIGURES_SENT || balance->stage == RULING_SENT) &&
        rows->hooks < balance->ruled) {
        keel_mpi_channel_test(&rows->peers, &balance->request);
        rows->due = next_test(rows);
        return KEEL_MPI_OK;
    }
    switch (balance->stage) {
    case COUNTING:
        tell(rows);
        return balance->lag == 0 ? step(rows, moved) : KEEL_MPI_OK;
    case FIGURES_SENT:
        return receive_figures(rows, moved);
    case RULING_SENT:
        if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK ||
            !keel_mpi_rows_await(rows, &balance->request)) {
            return give_up(rows, keel_mpi_rows_late_code(rows));
        }
        return follow_ruling(rows, moved);
    case SETTLING:
        balance->stage = COUNTING;
        rows->due = rows->hooks + balance->next;
        begin_span(rows);
    }
    return KEEL_MPI_OK;
}

/* A hook at which something is due. */
static int interact(struct keel_mpi_rows *rows, uint64_t *moved_rows)
{
    struct keel_mpi_rows_report *report = &rows->report;
    double before_s = now_s() - report->movement_s - report->waiting_s;
    struct keel_mpi_moved moved = {0};
    int code = keel_mpi_rows_check(rows);

    if (code == KEEL_MPI_OK) {
        code = rows->balance == NULL ? begin(rows) : step(rows, &moved);
    }
    report->decision_s += now_s() - report->movement_s - report->waiting_s - before_s;
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
        note_phase(rows);
    }
    rows->work_before = -1;
    if (++rows->hooks >= rows->due) {
        code = interact(rows, &count);
    }
    if (moved != NULL) {
        *moved = count;
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_set_balance(struct keel_mpi_rows *rows, const char *policy)
{
    char problem[KEEL_PROBLEM_MAX] = "";

    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    rows->has_policy = policy != NULL && keel_rows_policy_read(policy, &rows->policy, problem);
    if (problem[0] != '\0') {
        keel_message("keel_mpi_rows_set_balance(): %s%s", problem,
                     rows->has_policy ? "" : "; it counts as not called");
    }
    return rows->has_policy || policy == NULL ? KEEL_MPI_OK : KEEL_MPI_ARGUMENT;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_expect(struct keel_mpi_rows *rows, uint64_t hooks)
{
    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    rows->expected_hooks = hooks < UINT64_MAX - rows->hooks ? rows->hooks + hooks : UINT64_MAX;
    return KEEL_MPI_OK;
}

void keel_mpi_balancer_free(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;

    keel_mpi_rows_trace_close(rows);
    if (balance == NULL) {
        return;
    }
    if (!rows->late && (balance->stage == FIGURES_SENT || balance->stage == RULING_SENT)) {
        keel_mpi_rows_await(rows, &balance->request);
    }
    if (!rows->late) {
        free_balance(balance);
        rows->balance = NULL;
    }
}
