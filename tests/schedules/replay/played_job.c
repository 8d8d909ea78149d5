/* Played jobs. */
#include "tests/schedules/replay/played_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/balance/moves.h"
#include "schedules/balance/period.h"
#include "schedules/learn/rate_filter.h"

/* --- drawing --- */

static double between(struct draws *draws, double least, double most)
{
    return least + (most - least) * draws_real(draws);
}

static double between_log(struct draws *draws, double least, double most)
{
    return least * pow(most / least, draws_real(draws));
}

static bool chance(struct draws *draws, double part)
{
    return draws_real(draws) < part;
}

static void change(struct played_speed *speed, double time_s, double value)
{
    if (speed->count > 0 && time_s <= speed->time_s[speed->count - 1]) {
        speed->speed[speed->count - 1] = value;
    } else if (speed->count < PLAYED_CHANGES_MAX) {
        speed->time_s[speed->count] = time_s;
        speed->speed[speed->count++] = value;
    }
}

enum load { NONE, PERIODIC, RANDOM, STEP, RAMP, ALWAYS, BURST, LOADS };

static const char *const load_name[] = {"none", "periodic", "random", "step",
                                        "ramp", "always",   "burst"};

static void draw_periodic(struct played_speed *speed, struct draws *draws, double full, double slow,
                          double end_s, double length_s, bool random)
{
    double period_s = between_log(draws, length_s / 50, length_s), duty = between(draws, 0.2, 0.8);
    double now_s = -period_s * draws_real(draws);

    change(speed, 0, full);
    while (now_s < end_s) {
        double on_s = period_s * duty, off_s = period_s - on_s;
        if (random) {
            on_s *= -log(1 - draws_real(draws));
            off_s *= -log(1 - draws_real(draws));
        }
        change(speed, fmax(0, now_s), slow);
        change(speed, fmax(0, now_s + on_s), full);
        now_s += on_s + off_s;
    }
}

static void draw_ramp(struct played_speed *speed, struct draws *draws, double full, double slow,
                      double length_s)
{
    double begin_s = length_s * between(draws, 0, 0.8);
    double time_s = length_s * between(draws, 0.1, 0.8);

    change(speed, 0, full);
    for (int i = 1; i <= 40; i++) {
        change(speed, begin_s + time_s * i / 40, full + (slow - full) * i / 40);
    }
}

static void draw_load(struct played_speed *speed, struct draws *draws, enum load load, double full,
                      double length_s)
{
    double slow = full * (chance(draws, 0.6) ? 0.5 : between(draws, 0.2, 0.9));
    double begin_s = length_s * between(draws, 0, 0.9);

    speed->count = 0;
    switch (load) {
    case PERIODIC:
    case RANDOM:
        draw_periodic(speed, draws, full, slow, 8 * length_s, length_s, load == RANDOM);
        break;
    case STEP:
        change(speed, 0, full);
        change(speed, begin_s, slow);
        break;
    case RAMP:
        draw_ramp(speed, draws, full, slow, length_s);
        break;
    case ALWAYS:
        change(speed, 0, slow);
        break;
    case BURST:
        change(speed, 0, full);
        change(speed, begin_s, slow);
        change(speed, begin_s + length_s * between_log(draws, 0.01, 0.5), full);
        break;
    default:
        change(speed, 0, full);
    }
}

static void draw_program(struct played_job *job, struct draws *draws, const char **name)
{
    unsigned which = (unsigned)draws_below(draws, 5);
    double all_s = between_log(draws, 40, 4000);

    switch (which) {
    case 0:
        *job = (struct played_job){.rows = 500, .phases = 50, .row_bytes = 8000};
        *name = "mm";
        break;
    case 1:
        *job = (struct played_job){.rows = 1000, .phases = 80, .row_bytes = 8000, .adjacent = true};
        *name = "sor1000";
        break;
    case 2:
        *job =
            (struct played_job){.rows = 2000, .phases = 20, .row_bytes = 16000, .adjacent = true};
        *name = "sor2000";
        break;
    default:
        *job = (struct played_job){.rows = 200 + draws_below(draws, 4000),
                                   .phases = (uint64_t)between_log(draws, 10, 2000),
                                   .row_bytes = between_log(draws, 100, 50000),
                                   .adjacent = chance(draws, 0.6)};
        *name = "any";
    }
    if (which < 3 && chance(draws, 0.6)) {
        all_s = 400;
    }
    job->row_s = all_s / (double)(job->rows * job->phases);
}

static void draw_machine(struct played_job *job, struct draws *draws, double bandwidth)
{
    double latency_s = between_log(draws, 20e-6, 500e-6);

    job->workers = (uint32_t)(between_log(draws, 2, 65));
    job->byte_s = 1 / bandwidth;
    job->message_s = latency_s;
    job->figures_s = 2 * latency_s * ceil(log2(job->workers));
    job->exchange_s = 2 * latency_s + (job->adjacent ? 2 * job->row_bytes / bandwidth : latency_s);
    job->noise = chance(draws, 0.5) ? 0 : between_log(draws, 0.001, 0.03);
    job->told = chance(draws, 0.7);
}

void played_job_draw(struct played_job *job, struct draws *draws)
{
    const char *name;
    double bandwidth = between_log(draws, 1e6, 1e9);
    bool equal = chance(draws, 0.7);

    draw_program(job, draws, &name);
    draw_machine(job, draws, bandwidth);
    double length_s = (double)(job->rows * job->phases) * job->row_s / job->workers;
    enum load load = (enum load)draws_below(draws, LOADS);
    unsigned loads = load == NONE         ? 0
                     : chance(draws, 0.6) ? 1
                                          : 1 + (unsigned)draws_below(draws, job->workers);
    for (uint32_t w = 0; w < job->workers; w++) {
        double full = equal ? 1 : between(draws, 0.4, 1);
        draw_load(&job->speed[w], draws, w < loads ? load : NONE, full, length_s);
    }
    snprintf(job->text, sizeof job->text,
             "%s %lu rows %lu phases, P %u, %.1f MB/s, %s x%u, %s, %.0f s", name,
             (unsigned long)job->rows, (unsigned long)job->phases, job->workers, bandwidth / 1e6,
             load_name[load], loads, equal ? "equal" : "unequal", length_s);
}

/* --- playing --- */

struct play {
    const struct played_job *job;
    unsigned way;
    bool trace;
    double now_s;
    unsigned at[PLAYED_WORKERS_MAX]; /* in its speeds */
    uint64_t rows[PLAYED_WORKERS_MAX];
    double busy_s[PLAYED_WORKERS_MAX], work[PLAYED_WORKERS_MAX]; /* since the last figures */
    struct draws noise;
    struct keel_rate_filter filter[PLAYED_WORKERS_MAX];
    struct keel_decide_report report[PLAYED_WORKERS_MAX];
    uint64_t hooks, figures_hook, due, rows_decision, period, lag;
    double figures_s, span_s, lag_s, moved_s, stable_s;
    bool pending;
    struct keel_period period_state;
    struct keel_profit_cost cost;
    struct keel_replay *replay;
    /* of a candidate alone */
    uint64_t decisions;
    double estimates[KEEL_ESTIMATES * PLAYED_WORKERS_MAX];
    struct keel_profit_changes *changes;
    struct keel_decide_state *state; /* of a policy alone */
    void *scratch;
    struct played_result result;
};

/* When the worker has done what takes work_s at speed 1. */
static double end_of(const struct played_speed *speed, unsigned *at, double now_s, double work_s)
{
    unsigned i = *at;

    while (i + 1 < speed->count && speed->time_s[i + 1] <= now_s) {
        i++;
    }
    *at = i;
    for (; i + 1 < speed->count; i++) {
        double some = (speed->time_s[i + 1] - now_s) * speed->speed[i];
        if (some >= work_s) {
            break;
        }
        work_s -= some;
        now_s = speed->time_s[i + 1];
    }
    return now_s + work_s / speed->speed[i];
}

static void compute(struct play *play)
{
    double end_s = play->now_s;

    for (uint32_t w = 0; w < play->job->workers; w++) {
        double work_s = (double)play->rows[w] * play->job->row_s;
        work_s *= 1 + play->job->noise * (2 * draws_real(&play->noise) - 1);
        double own_s = end_of(&play->job->speed[w], &play->at[w], play->now_s, work_s);
        play->busy_s[w] += own_s - play->now_s;
        play->work[w] += (double)play->rows[w];
        end_s = fmax(end_s, own_s);
    }
    play->now_s = end_s + play->job->exchange_s;
}

/* Figures of all, and when the next ones are due. */
static void take_figures(struct play *play)
{
    double phases = (double)(play->hooks - play->figures_hook);
    double phase_s = (play->now_s - play->figures_s - play->moved_s) / phases;

    play->span_s = play->now_s - play->figures_s - play->moved_s;
    for (uint32_t w = 0; w < play->job->workers; w++) {
        double rate = play->busy_s[w] > 0 ? play->work[w] / play->busy_s[w] : 0;
        double filtered = keel_rate_filter_update(&play->filter[w], rate);
        play->report[w] =
            (struct keel_decide_report){play->rows[w], (double)play->rows[w], filtered, rate};
        play->work[w] = play->busy_s[w] = 0;
    }
    uint64_t planned = keel_period_plan(
        &play->period_state, &(struct keel_period_times){.interact_s = play->job->figures_s,
                                                         .quantum_s = 0.004,
                                                         .compute_s = phase_s});
    double changes_s = keel_period_of_changes(play->job->figures_s, play->stable_s);
    planned = max_u64(planned, keel_period_hooks(changes_s, phase_s));
    play->period = planned < 8 * play->period ? planned : 8 * play->period;
    bool hides = play->stable_s > 0
                     ? keel_period_hides(play->job->figures_s, phase_s, play->stable_s)
                     : play->job->figures_s > 0.01 * phase_s;
    uint64_t least = hides ? keel_period_hooks(play->job->figures_s, phase_s) : 0;
    play->lag = play->period / 4 > least ? play->period / 4 : least;
    play->figures_s = play->now_s;
    play->figures_hook = play->hooks;
    play->due = play->hooks + play->period;
    play->rows_decision = play->hooks + play->lag;
    play->pending = true;
    play->now_s += play->job->figures_s;
    play->moved_s = 0;
}

/* A published policy, whatever its movements cost. */
static struct keel_decision decide_by_policy(struct play *play, enum keel_decide_kind kind,
                                             const struct keel_decide_situation *situation,
                                             uint64_t *rows)
{
    const struct keel_decide_rules rules = {.kind = kind,
                                            .graph = KEEL_GRAPH_RING,
                                            .adjacent = play->job->adjacent,
                                            .greatly = INFINITY};
    double work[PLAYED_WORKERS_MAX];

    return keel_decide(play->state, &rules, situation, play->report, rows, work, play->scratch);
}

static struct keel_decision
decide_alone(struct play *play, const struct keel_decide_situation *situation, uint64_t *rows)
{
    uint32_t workers = play->job->workers;
    double measured[PLAYED_WORKERS_MAX], filtered[PLAYED_WORKERS_MAX], work[PLAYED_WORKERS_MAX],
        wanted[PLAYED_WORKERS_MAX];
    struct keel_decide_report report[PLAYED_WORKERS_MAX];

    for (uint32_t w = 0; w < workers; w++) {
        measured[w] = play->report[w].measured;
        filtered[w] = play->report[w].rate;
        work[w] = play->report[w].work;
    }
    keel_estimates_note(play->estimates, workers, ++play->decisions, measured, filtered);
    keel_profit_changes_note(play->changes, situation->now_s, filtered, 0.05);
    struct keel_candidates_scene scene = {
        .situation = situation,
        .cost = &play->cost,
        .estimates = play->estimates,
        .workers = workers,
        .adjacent = play->job->adjacent,
        .decision = play->decisions,
        .elapsed_s = situation->now_s,
        .lasting_s =
            keel_profit_changes_lasting(play->changes, 0, situation->now_s, situation->remaining_s),
        .stable_s = keel_profit_changes_stable(play->changes, situation->now_s),
    };
    struct keel_candidates_room room = {report, wanted, play->scratch};
    struct keel_candidates_step step =
        keel_candidates_decide(&scene, play->way, play->rows, work, rows, &room);
    return (struct keel_decision){.verdict = step.moves ? KEEL_DECISION_MOVE : KEEL_DECISION_KEEP,
                                  .gain = step.gain,
                                  .cost_s = step.cost_s,
                                  .messages = step.messages,
                                  .bytes = step.bytes};
}

static struct keel_decision
decide_by_replay(struct play *play, const struct keel_decide_situation *situation, uint64_t *rows)
{
    double work[PLAYED_WORKERS_MAX];
    double phases = fmax(1, round(play->span_s)), lag = play->lag_s;
    struct keel_replay_span span = {play->span_s, play->span_s / phases, lag};

    span.phase_s = play->span_s / (double)play->period;
    struct keel_replay_decision decision = keel_replay_decide(
        play->replay, &play->cost, situation, &span, play->report, rows, work, play->scratch);
    play->result.followed[decision.followed]++;
    play->stable_s = decision.stable_s;
    if (play->trace) {
        printf("%9.3f %-9s rates %.3g %.3g rows %lu -> %lu gain %.3f cost %.3f |", situation->now_s,
               keel_candidates[decision.followed].name, play->report[0].measured,
               play->report[1].measured, (unsigned long)play->rows[0], (unsigned long)rows[0],
               decision.decision.gain, decision.decision.cost_s);
        for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
            printf(" %s %.2f", keel_candidates[j].name, decision.time_s[j]);
        }
        printf("\n");
    }
    return decision.decision;
}

static struct keel_decision decide(struct play *play, const struct keel_decide_situation *situation,
                                   uint64_t *rows)
{
    switch (play->way) {
    case PLAYED_REPLAY:
        return decide_by_replay(play, situation, rows);
    case PLAYED_TREE:
        return decide_by_policy(play, KEEL_DECIDE_BY_TREE, situation, rows);
    case PLAYED_DIFFUSION:
        return decide_by_policy(play, KEEL_DECIDE_BY_DIFFUSION, situation, rows);
    default:
        return decide_alone(play, situation, rows);
    }
}

static void carry_out(struct play *play)
{
    const struct played_job *job = play->job;
    uint64_t rows[PLAYED_WORKERS_MAX];
    double phase_s = play->span_s / (double)play->period;
    struct keel_decide_situation situation = {
        .now_s = play->figures_s,
        .remaining_s = job->told ? phase_s * (double)(job->phases - play->figures_hook) : INFINITY,
        .row_bytes = job->row_bytes,
    };
    struct keel_decision decision = decide(play, &situation, rows);
    double time_s = 0;

    play->pending = false;
    if (decision.verdict == KEEL_DECISION_MOVE) {
        time_s = decision.messages * job->message_s + decision.bytes * job->byte_s;
        keel_profit_cost_note(&play->cost, decision.messages, decision.bytes, time_s);
        for (uint32_t w = 0; w < job->workers; w++) {
            play->result.rows_moved += rows[w] > play->rows[w] ? rows[w] - play->rows[w] : 0;
        }
        memcpy(play->rows, rows, job->workers * sizeof *rows);
        play->result.movements++;
        play->result.moving_s += time_s;
        play->now_s += time_s;
        play->moved_s = time_s;
    }
    keel_period_note(&play->period_state, time_s);
}

static void hook(struct play *play)
{
    play->hooks++;
    if (play->pending && play->hooks >= play->rows_decision) {
        play->lag_s = 0;
        carry_out(play);
    }
    if (!play->pending && play->hooks >= play->due) {
        double lag = play->period > 0 ? (double)play->lag / (double)play->period : 0;
        take_figures(play);
        play->lag_s = fmin(1, lag);
        if (play->lag == 0) {
            carry_out(play);
        }
    }
}

static void begin(struct play *play)
{
    const struct played_job *job = play->job;
    uint32_t workers = job->workers;

    for (uint32_t w = 0; w < workers; w++) {
        play->rows[w] = job->rows * (w + 1) / workers - job->rows * w / workers;
    }
    play->due = play->period = 1;
    play->replay = malloc(keel_replay_size(workers));
    play->state = malloc(keel_decide_size(workers));
    play->changes = malloc(keel_profit_changes_size(workers));
    play->scratch = malloc(max_u64(keel_replay_scratch(workers), keel_decide_scratch(workers)));
    keel_replay_begin(play->replay, workers, job->adjacent, 0);
    keel_decide_begin(play->state, workers, 0);
    keel_profit_changes_begin(play->changes, workers, 0);
    keel_profit_cost_note(&play->cost, 1, 0, job->message_s);
    keel_profit_cost_note(&play->cost, 1, 8192, job->message_s + 8192 * job->byte_s);
}

struct played_result played_job_run(const struct played_job *job, unsigned way, bool trace)
{
    struct play *play = calloc(1, sizeof *play);

    *play = (struct play){.job = job, .way = way, .trace = trace, .noise = {7}};
    begin(play);
    for (uint64_t phase = 0; phase < job->phases; phase++) {
        compute(play);
        if (way != KEEL_CANDIDATE_STAY && phase + 1 < job->phases) {
            hook(play);
        }
    }
    struct played_result result = play->result;
    result.time_s = play->now_s;
    free(play->replay);
    free(play->state);
    free(play->changes);
    free(play->scratch);
    free(play);
    return result;
}
