/* `auto` for rows. */
#include "schedules/forecast/rows_selection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/arithmetic/scratch.h"
#include "schedules/forecast/rows_correction.h"
#include "schedules/learn/threshold.h"
#include "schedules/model/iterative/dynamics.h"
#include "schedules/text/c_locale.h"

/* P values and struct keel_arrivals follow. */
struct keel_rows_selection {
    uint32_t workers;
    bool decided;           /* `after` is known */
    bool moved;             /* the last decision moved work */
    double communication_s; /* of the program, in a phase, by `noted` periods */
    uint64_t noted;
    struct keel_rows_rule rule; /* followed now */
    struct keel_rows_rule best[KEEL_ROWS_CANDIDATES];
    double forecast; /* time of a phase until the next decision over the ideal one; 0: none */
    struct keel_rows_correction correction;
    double after[]; /* P: work that the last decision left each */
};

static struct keel_arrivals *arrivals_of(struct keel_rows_selection *selection)
{
    return (void *)(selection->after + selection->workers);
}

const struct keel_arrivals *
keel_rows_selection_arrivals(const struct keel_rows_selection *selection)
{
    return (const void *)(selection->after + selection->workers);
}

size_t keel_rows_selection_size(uint32_t workers)
{
    return sizeof(struct keel_rows_selection) + workers * sizeof(double) +
           keel_arrivals_size(workers);
}

void keel_rows_selection_begin(struct keel_rows_selection *selection, uint32_t workers)
{
    memset(selection, 0, sizeof *selection);
    selection->workers = workers;
    keel_rows_search_begin(workers, selection->best);
    selection->rule = selection->best[KEEL_ROWS_BY_RATE];
    keel_arrivals_begin(arrivals_of(selection), workers);
}

void keel_rows_selection_decided(struct keel_rows_selection *selection, bool moves,
                                 const double *work)
{
    memcpy(selection->after, work, selection->workers * sizeof *work);
    selection->decided = true;
    selection->moved = moves;
}

void keel_rows_selection_scale(struct keel_rows_selection *selection, const double *factor)
{
    for (uint32_t w = 0; w < selection->workers; w++) {
        selection->after[w] *= factor[w];
    }
    keel_arrivals_scale(arrivals_of(selection), factor);
}

/* --- the situation --- */

/* Work that is not counted in rows is cut into so many tasks. */
#define TASKS 0x1p20
#define TASKS_MAX 0x1p52

/* What follows from an outlook; the arrays lie in scratch memory. */
struct situation {
    double *power, *drift, *deviation;
    uint64_t *tasks;
    double work, rate; /* of all */
    double phase_s;    /* the latest worker's */
    double scale;      /* tasks per work */
    double flow;       /* part of all work that comes somewhere, per s */
    double most;       /* the largest drift, as a part of the mean work, per s */
    double stray;      /* what comes and goes by chance, likewise, per square root of a s */
    bool whole;        /* work is in whole numbers */
    uint64_t steps;    /* ahead */
    double phases;     /* in each of them */
    double step_s;     /* of each */
    struct keel_iterative_recorded expected;
    uint64_t *arriving, *leaving; /* P for each step */
    struct keel_iterative iterative;
};

#define LEAST_STEPS 4

/* How far the model may look. */
static uint64_t most_steps(uint32_t workers)
{
    return max_u64(LEAST_STEPS,
                   min_u64(KEEL_ROWS_SELECTION_STEPS,
                           KEEL_ROWS_SELECTION_WORK / workers / KEEL_ROWS_SEARCH_RUNS));
}

static size_t numbers_size(uint32_t workers)
{
    return scratch_aligned(workers * sizeof(double));
}

static size_t steps_size(uint32_t workers)
{
    return scratch_aligned((1 + most_steps(workers)) * workers * sizeof(uint64_t));
}

size_t keel_rows_selection_scratch(uint32_t workers)
{
    return 4 * numbers_size(workers) + 2 * steps_size(workers) + keel_rows_search_scratch(workers);
}

static void place(struct situation *situation, uint32_t workers, char **scratch)
{
    situation->power = scratch_take(scratch, 1, numbers_size(workers));
    situation->drift = scratch_take(scratch, 1, numbers_size(workers));
    situation->deviation = scratch_take(scratch, 1, numbers_size(workers));
    situation->tasks = scratch_take(scratch, 1, numbers_size(workers));
    situation->arriving = scratch_take(scratch, 1, steps_size(workers));
    situation->leaving = scratch_take(scratch, 1, steps_size(workers));
}

/* A worker that has work and no rate says nothing, so it counts as the mean of the others. */
static void sum_up(struct situation *situation, const struct keel_rows_outlook *outlook)
{
    double *power = situation->power;
    uint32_t rates = 0;

    situation->whole = true;
    for (uint32_t w = 0; w < outlook->workers; w++) {
        power[w] = finite_amount(outlook->rate[w]);
        situation->rate += power[w];
        rates += power[w] > 0;
    }
    for (uint32_t w = 0; w < outlook->workers && rates > 0; w++) {
        double work = finite_amount(outlook->work[w]);
        power[w] = power[w] > 0 ? power[w] : situation->rate / rates;
        situation->work += work;
        situation->phase_s = fmax(situation->phase_s, work / power[w]);
        situation->whole = situation->whole && work == floor(work);
    }
    situation->rate += (outlook->workers - rates) * (rates > 0 ? situation->rate / rates : 0);
}

static void set_tasks(struct situation *situation, const struct keel_rows_outlook *outlook)
{
    situation->scale =
        situation->whole && situation->work < TASKS_MAX ? 1 : TASKS / situation->work;
    for (uint32_t w = 0; w < outlook->workers; w++) {
        situation->tasks[w] = count_of(finite_amount(outlook->work[w]) * situation->scale + 0.5);
    }
}

/* Work per s, and per square root of a s. */
static void set_arrivals(struct situation *situation, const struct keel_arrivals *arrivals)
{
    double mean = situation->work / arrivals->workers, variance = 0;

    for (uint32_t w = 0; w < arrivals->workers; w++) {
        double each = keel_arrivals_of(arrivals, w).variance;
        situation->drift[w] = keel_arrivals_drift(arrivals, w);
        situation->deviation[w] = sqrt(each);
        situation->flow += fmax(0, situation->drift[w]) / situation->work;
        situation->most = fmax(situation->most, fabs(situation->drift[w]) / mean);
        variance += each / arrivals->workers;
    }
    situation->stray = sqrt(variance) / mean;
}

static void look_ahead(struct situation *situation, const struct keel_rows_outlook *outlook)
{
    uint64_t most = most_steps(outlook->workers);
    double phase_s = fmax(finite_amount(outlook->phase_s), situation->phase_s);
    double step_s = fmax(finite_amount(outlook->step_s), phase_s);
    double steps = isinf(outlook->horizon_s) ? KEEL_ROWS_SELECTION_STEPS
                                             : ceil(finite_amount(outlook->horizon_s) / step_s);

    steps = fmax(1, fmin(steps, KEEL_ROWS_SELECTION_STEPS));
    situation->steps = steps <= (double)most ? (uint64_t)steps : most;
    situation->step_s = step_s;
    situation->phases = step_s / phase_s;
}

static void set_model(struct situation *situation, const struct keel_rows_selection *selection,
                      const struct keel_rows_outlook *outlook)
{
    double phases = situation->phases;

    situation->iterative = (struct keel_iterative){
        .workers = outlook->workers,
        .power = situation->power,
        .tasks = situation->tasks,
        .task = phases / situation->scale,
        .steps = 1 + situation->steps, /* the first one is over */
        .seed = outlook->seed,
        .adjacent = outlook->adjacent,
        .costs = {.message_s = finite_amount(outlook->message_s),
                  .task_s = finite_amount(outlook->row_s) * (double)outlook->rows /
                            situation->work / situation->scale,
                  .decision_s = finite_amount(outlook->decision_s),
                  .exchange_s = selection->communication_s * phases},
    };
}

/* Work that comes and goes in each step, once for all runs. */
static void set_dynamics(struct situation *situation, uint32_t workers)
{
    uint64_t steps = situation->iterative.steps;
    struct keel_iterative_expected expected = {situation->drift, situation->deviation};

    for (uint32_t w = 0; w < workers; w++) {
        situation->drift[w] *= situation->scale * situation->step_s;
        situation->deviation[w] *= situation->scale * sqrt(situation->step_s);
    }
    for (uint64_t step = 0; step < steps; step++) {
        keel_iterative_dynamics_expect(&expected, workers, step, situation->tasks,
                                       situation->arriving + step * workers,
                                       situation->leaving + step * workers);
    }
    situation->expected =
        (struct keel_iterative_recorded){steps, situation->arriving, situation->leaving};
    situation->iterative.dynamics =
        (struct keel_iterative_dynamics){keel_iterative_dynamics_replay, &situation->expected};
}

/* --- what was measured --- */

/* The ideal time of a phase, and how long the latest worker computes in one, with these works. */
static double latest_s(const struct situation *situation, const double *work, uint32_t workers)
{
    double latest = 0;

    for (uint32_t w = 0; w < workers; w++) {
        latest = fmax(latest, finite_amount(work[w]) / situation->power[w]);
    }
    return latest;
}

/* What phases take beside computing, at least: it falls by half of the difference, and rises by
 * this part of it, as a choice that comes out worse than forecast should not count as
 * communication. */
#define RISE (1.0 / 32)

static void note_communication(struct keel_rows_selection *selection,
                               const struct situation *situation,
                               const struct keel_rows_outlook *outlook)
{
    double busy_s = fmax(latest_s(situation, selection->after, outlook->workers),
                         latest_s(situation, outlook->work, outlook->workers));
    double rest_s = fmax(0, finite_amount(outlook->phase_s) - busy_s);
    double difference_s = rest_s - selection->communication_s;

    selection->communication_s += difference_s * (selection->noted == 0 ? 1
                                                  : difference_s > 0    ? RISE
                                                                        : 0.5);
    selection->noted++;
}

static void note_past(struct keel_rows_selection *selection, const struct situation *situation,
                      const struct keel_rows_outlook *outlook)
{
    double ideal_s = situation->work / situation->rate;
    double phase_s = finite_amount(outlook->phase_s) +
                     finite_amount(outlook->movement_s) / fmax(1, outlook->phases);
    bool came_to_nothing = selection->moved && !(outlook->movement_s > 0);

    if (!selection->decided || !(outlook->time_s > 0)) {
        return;
    }
    if (!came_to_nothing) { /* else nobody knows what balancing has moved */
        keel_arrivals_note(arrivals_of(selection), outlook->time_s, selection->after,
                           outlook->work);
        keel_rows_correction_note(&selection->correction, selection->rule.candidate,
                                  phase_s / ideal_s, selection->forecast);
    }
    note_communication(selection, situation, outlook);
}

/* --- the choice --- */

/* Changes by less than this part of the mean work within the steps ahead do not count. */
#define ARRIVES 0.03

static bool arrives(const struct situation *situation)
{
    double ahead_s = (double)situation->steps * situation->step_s;

    return situation->most * ahead_s > ARRIVES || situation->stray * sqrt(ahead_s) > ARRIVES;
}

/* A longer period answers later when rates change: so many of them have to fit into the time that
 * rates last. */
#define PERIODS_WHILE_RATES_LAST 8

static uint64_t every_most(const struct keel_rows_outlook *outlook, double step_s)
{
    return isinf(outlook->horizon_s) ? UINT64_MAX
                                     : max_u64(1, count_of(finite_amount(outlook->horizon_s) /
                                                           step_s / PERIODS_WHILE_RATES_LAST));
}

/* The rule that is followed stays unless another is better by enough: its time with the factor. */
static struct keel_rows_rule prefer(const struct keel_rows_selection *selection,
                                    const struct keel_rows_search *search, double followed_s)
{
    unsigned best = 0;

    for (unsigned i = 1; i < KEEL_ROWS_CANDIDATES; i++) {
        best = search->time_s[i] < search->time_s[best] ? i : best;
    }
    double part = best == selection->rule.candidate ? KEEL_ROWS_SELECTION_BETTER / 2
                                                    : KEEL_ROWS_SELECTION_BETTER;
    return search->time_s[best] < (1 - part) * followed_s ? search->best[best] : selection->rule;
}

/* Time of a phase until the next decision, over the ideal one: the movement that is decided now,
 * and the steps that follow it. */
static double forecast(const struct situation *situation, const struct keel_rows_rule *rule,
                       void *scratch)
{
    struct keel_iterative iterative = situation->iterative;
    struct keel_iterative_result over, ahead;
    double steps = (double)rule->every;

    iterative.steps = 1;
    over = keel_rows_search_expect(&iterative, rule, scratch);
    iterative.steps = 1 + rule->every;
    ahead = keel_rows_search_expect(&iterative, rule, scratch);
    double time_s = ahead.application_s - over.application_s + over.balancing_s;
    return time_s / (steps * situation->phases) / (situation->work / situation->rate);
}

/* Work comes and goes: all rules compete. */
static void choose_among_all(struct keel_rows_selection *selection,
                             const struct keel_rows_outlook *outlook, struct situation *situation,
                             struct keel_rows_choice *choice, void *scratch)
{
    double factor[KEEL_ROWS_CANDIDATES];
    struct keel_rows_search search = {.situation = &situation->iterative,
                                      .every_most = every_most(outlook, situation->step_s),
                                      .brief = most_steps(outlook->workers) == LEAST_STEPS,
                                      .factor = factor,
                                      .best = selection->best,
                                      .time_s = choice->time_s};

    keel_rows_correction_factors(&selection->correction, factor);
    set_dynamics(situation, outlook->workers);
    keel_rows_search_run(&search, scratch);
    double followed_s =
        keel_rows_search_expect(&situation->iterative, &selection->rule, scratch).time_s *
        factor[selection->rule.candidate];
    choice->rule = prefer(selection, &search, followed_s);
    choice->rule_s = keel_rows_search_expect(&situation->iterative, &choice->rule, scratch).time_s *
                     factor[choice->rule.candidate];
    choice->arrives = true;
    choice->runs = search.runs;
    selection->forecast = forecast(situation, &choice->rule, scratch);
}

/* Rows have to be levelled once: the policies that do that compete as they are. */
static void choose_once(const struct keel_rows_outlook *outlook, const struct situation *situation,
                        struct keel_rows_choice *choice, void *scratch)
{
    struct keel_rows_rule rule[KEEL_ROWS_CANDIDATES];
    double *time_s = choice->time_s;
    unsigned best = KEEL_ROWS_BY_RATE;

    keel_rows_search_begin(outlook->workers, rule);
    for (unsigned i = 0; i <= KEEL_ROWS_BY_REDISTRIBUTION; i++) {
        rule[i].gain = i < KEEL_ROWS_BY_DIFFUSION ? finite_amount(outlook->gain) : 0;
        time_s[i] = keel_rows_search_expect(&situation->iterative, &rule[i], scratch).time_s;
        choice->runs++;
        if (time_s[i] < (1 - KEEL_ROWS_SELECTION_BETTER) * time_s[0] && time_s[i] < time_s[best]) {
            best = i;
        }
    }
    choice->rule = rule[best];
}

/* Whether levelling rows once is worth a look. */
static bool is_worth(const struct keel_rows_outlook *outlook, const struct situation *situation)
{
    return keel_threshold_gain(situation->phase_s, situation->work / situation->rate) >=
           finite_amount(outlook->gain);
}

static void choose(struct keel_rows_selection *selection, const struct keel_rows_outlook *outlook,
                   struct situation *situation, struct keel_rows_choice *choice, void *scratch)
{
    note_past(selection, situation, outlook);
    selection->forecast = 0;
    set_tasks(situation, outlook);
    set_arrivals(situation, arrivals_of(selection));
    look_ahead(situation, outlook);
    set_model(situation, selection, outlook);
    choice->flow = situation->flow;
    choice->misjudged = keel_rows_correction_own(&selection->correction);
    if (arrives(situation)) {
        choose_among_all(selection, outlook, situation, choice, scratch);
    } else if (is_worth(outlook, situation)) {
        choose_once(outlook, situation, choice, scratch);
    }
}

struct keel_rows_choice keel_rows_selection_choose(struct keel_rows_selection *selection,
                                                   const struct keel_rows_outlook *outlook,
                                                   void *scratch)
{
    char *rest = scratch;
    struct situation situation = {0};
    struct keel_rows_choice choice = {
        .rule = {.candidate = KEEL_ROWS_BY_RATE, .gain = finite_amount(outlook->gain), .every = 1}};

    place(&situation, outlook->workers, &rest);
    sum_up(&situation, outlook);
    if (situation.work > 0 && isfinite(situation.work) && isfinite(situation.phase_s) &&
        isfinite(situation.rate)) {
        choose(selection, outlook, &situation, &choice, rest);
    }
    selection->rule = choice.rule;
    return choice;
}

/* --- for reports --- */

struct keel_rows_chosen keel_rows_chosen_of(const struct keel_rows_choice *choice)
{
    return (struct keel_rows_chosen){
        .arrives = choice->arrives,
        .rule = choice->rule,
        .time_s = choice->rule_s,
        .rate_s = choice->time_s[KEEL_ROWS_BY_RATE],
        .stay_s = choice->time_s[KEEL_ROWS_STAY],
        .flow = choice->flow,
        .misjudged = choice->misjudged,
    };
}

void keel_rows_rule_text(const struct keel_rows_rule *rule, char text[KEEL_ROWS_RULE_TEXT])
{
    static const char *const names[KEEL_ROWS_CANDIDATES] = {"rate",         "tree",   "diffusion",
                                                            "redistribute", "random", "stay"};
    locale_t previous = keel_c_locale_enter();
    int length = snprintf(text, KEEL_ROWS_RULE_TEXT, "%s",
                          names[rule->candidate < KEEL_ROWS_CANDIDATES ? rule->candidate : 0]);
    const struct {
        const char *form;
        double value;
    } parts[] = {{" w=%.3g", rule->threshold},
                 {" alpha=%.3g", rule->alpha},
                 {" gain=%.3g", rule->gain},
                 {" every=%.0f", rule->every > 1 ? (double)rule->every : 0}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value > 0 && length < KEEL_ROWS_RULE_TEXT) {
            length += snprintf(text + length, (size_t)(KEEL_ROWS_RULE_TEXT - length), parts[i].form,
                               parts[i].value);
        }
    }
    keel_c_locale_leave(previous);
}
