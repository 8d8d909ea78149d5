/* Lock-step phases. */
#include "tests/schedules/balance/phases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/moves.h"
#include "schedules/balance/period.h"
#include "schedules/learn/rate_filter.h"

#define WORKERS_MAX 64

struct run {
    const struct phases_program *program;
    const struct phases_load *load;
    const struct phases_machine *machine;
    bool told, trace;
    double now_s;
    uint64_t hooks, due;
    uint64_t rows[WORKERS_MAX];
    double work[WORKERS_MAX], busy_s[WORKERS_MAX]; /* since the last interaction */
    double span_s;                                 /* of phases since then, and how many */
    uint64_t span;
    struct keel_rate_filter filter[WORKERS_MAX];
    bool pending;                        /* status has been sent */
    uint64_t status_phases, status_hook; /* phases before it, and its hook */
    double status_s;                     /* when */
    double status[WORKERS_MAX];          /* filtered rates, and the last ones before the filter */
    double measured[WORKERS_MAX];
    struct keel_period period;
    struct keel_profit_cost cost;
    struct keel_rehearse *rehearse;
    double decided_s, moved_s; /* time of the last status, and of moving since then */
    uint64_t lag;              /* of the status before, in phases; since then */
    void *scratch;
    struct phases_result result;
};

/* --- the load --- */

/* Whether the load is on at `now_s`, and when that changes. */
static bool load_at(const struct phases_load *load, double now_s, double *until_s)
{
    if (!(load->on_s > 0)) {
        *until_s = INFINITY;
        return false;
    }
    double periods = floor((now_s - load->start_s) / load->period_s);
    double on_s = load->start_s + periods * load->period_s;
    double off_s = on_s + load->on_s, again_s = on_s + load->period_s;

    if (again_s <= now_s) { /* rounding */
        on_s = again_s;
        off_s = on_s + load->on_s;
        again_s = on_s + load->period_s;
    }
    bool on = now_s < off_s;
    *until_s = on ? off_s : again_s;
    return on;
}

/* When worker 0 has done what takes work_s undisturbed. */
static double end_of(const struct phases_load *load, double now_s, double work_s)
{
    while (work_s > 0) {
        double until_s;
        double speed = load_at(load, now_s, &until_s) ? 0.5 : 1;
        double some = fmin(work_s, (until_s - now_s) * speed);
        if (some < work_s) {
            now_s = until_s;
            work_s -= some;
        } else {
            now_s += work_s / speed;
            work_s = 0;
        }
    }
    return now_s;
}

/* The load's CPU time from 0 to end_s: half of the time that it is on. */
static double load_time(const struct phases_load *load, double end_s)
{
    double now_s = 0, sum = 0;

    while (now_s < end_s) {
        double until_s;
        bool on = load_at(load, now_s, &until_s);
        until_s = fmin(until_s, end_s);
        sum += on ? (until_s - now_s) / 2 : 0;
        now_s = until_s;
    }
    return sum;
}

/* --- a phase --- */

static void compute(struct run *run)
{
    double end_s = run->now_s;

    for (uint32_t w = 0; w < run->machine->workers; w++) {
        double work_s = (double)run->rows[w] * run->program->row_s;
        double own_s = w == 0 ? end_of(run->load, run->now_s, work_s) : run->now_s + work_s;
        run->work[w] += (double)run->rows[w];
        run->busy_s[w] += own_s - run->now_s;
        end_s = fmax(end_s, own_s);
    }
    run->span_s += end_s - run->now_s;
    run->span++;
    run->now_s = end_s;
}

/* --- the hook --- */

static void send_status(struct run *run)
{
    struct keel_period_times times = {
        .interact_s = run->machine->interact_s,
        .quantum_s = run->machine->quantum_s,
        .compute_s = run->span_s / (double)run->span,
    };

    for (uint32_t w = 0; w < run->machine->workers; w++) {
        double rate = run->busy_s[w] > 0 ? run->work[w] / run->busy_s[w] : 0;
        run->measured[w] = rate;
        run->status[w] = keel_rate_filter_update(&run->filter[w], rate);
        run->work[w] = run->busy_s[w] = 0;
    }
    run->status_phases = run->span;
    run->status_hook = run->hooks;
    run->span_s = 0;
    run->span = 0;
    run->pending = true;
    run->status_s = run->now_s;
    run->now_s += run->machine->interact_s;
    run->due = run->hooks + keel_period_plan(&run->period, &keel_period_standard, &times).nexthook;
}

static void print(const struct run *run, const struct keel_decision *decision, const uint64_t *rows)
{
    static const char *verdict[] = {"unknown", "level", "cancelled", "move"};
    double until_s;

    if (run->trace) {
        printf("%8.2f %s %-9s gain %.3f cost %.3f saving %.3f rate0 %.3f rows0 %llu -> %llu\n",
               run->now_s, load_at(run->load, run->now_s, &until_s) ? "on " : "off",
               verdict[decision->verdict], decision->gain, decision->cost_s, decision->saving_s,
               run->status[0] * run->program->row_s, (unsigned long long)run->rows[0],
               (unsigned long long)rows[0]);
    }
}

static double decide(struct run *run)
{
    uint32_t workers = run->machine->workers;
    struct keel_decide_report report[WORKERS_MAX];
    uint64_t rows[WORKERS_MAX];
    double work[WORKERS_MAX];
    double phase_s = run->now_s / (double)run->hooks;
    struct keel_decide_situation situation = {
        .now_s = run->status_s,
        .remaining_s = run->told ? phase_s * (double)(run->program->phases - run->hooks) : INFINITY,
        .row_bytes = run->program->row_bytes,
    };

    for (uint32_t w = 0; w < workers; w++) {
        report[w] = (struct keel_decide_report){run->rows[w], (double)run->rows[w], run->status[w],
                                                run->measured[w]};
    }
    double span_s = run->status_s - run->decided_s - run->moved_s;
    struct keel_rehearse_span span = {span_s, span_s / (double)run->status_phases, run->lag};
    struct keel_decision decision = keel_rehearse_decide(run->rehearse, &run->cost, &situation,
                                                         &span, report, rows, work, run->scratch)
                                        .decision;
    run->decided_s = run->status_s;
    run->moved_s = 0;
    run->lag = run->hooks > run->status_hook;
    print(run, &decision, rows);
    if (decision.verdict != KEEL_DECISION_MOVE) {
        return 0;
    }
    double time_s =
        decision.bytes * run->machine->byte_s + decision.messages * run->machine->message_s;
    keel_profit_cost_note(&run->cost, decision.messages, decision.bytes, time_s);
    run->moved_s = time_s;
    memcpy(run->rows, rows, sizeof rows);
    run->result.movements++;
    run->result.moving_s += time_s;
    run->now_s += time_s;
    return time_s;
}

/* Pipelined interactions, PAPERS.md S13: what was sent at one hook is applied at the next, where
 * waiting for it takes more than a hundredth of a phase. */
static bool is_pipelined(const struct run *run)
{
    return run->machine->interact_s * (double)run->hooks > 0.01 * run->now_s;
}

static void apply(struct run *run)
{
    keel_period_note(&run->period, decide(run));
    run->pending = false;
}

static void hook(struct run *run)
{
    run->hooks++;
    if (run->pending) {
        apply(run);
    }
    if (run->hooks >= run->due) {
        send_status(run);
        if (!is_pipelined(run)) {
            apply(run);
        }
    }
}

static void begin(struct run *run)
{
    uint32_t workers = run->machine->workers;

    for (uint32_t w = 0; w < workers; w++) {
        run->rows[w] = run->program->rows * (w + 1) / workers - run->program->rows * w / workers;
    }
    run->rehearse = malloc(keel_rehearse_size(workers));
    run->scratch = malloc(keel_rehearse_scratch(workers));
    keel_rehearse_begin(run->rehearse, workers, run->program->adjacent, 0);
    keel_profit_cost_note(&run->cost, 1, 0, run->machine->message_s);
    keel_profit_cost_note(&run->cost, 1, 65536,
                          run->machine->message_s + 65536 * run->machine->byte_s);
}

struct phases_result phases_run(const struct phases_program *program,
                                const struct phases_load *load,
                                const struct phases_machine *machine, bool balances, bool told,
                                bool trace)
{
    struct run run = {
        .program = program, .load = load, .machine = machine, .told = told, .trace = trace};

    begin(&run);
    for (uint64_t phase = 0; phase < program->phases; phase++) {
        compute(&run);
        if (balances && phase + 1 < program->phases) {
            hook(&run);
        }
    }
    free(run.rehearse);
    free(run.scratch);
    run.result.elapsed_s = run.now_s;
    run.result.load_s = load_time(load, run.now_s);
    run.result.efficiency = (double)(program->rows * program->phases) * program->row_s /
                            (machine->workers * run.now_s - run.result.load_s);
    return run.result;
}
