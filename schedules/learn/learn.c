/* Costs of chunks, weights of threads, the rate filter, trials of static shares, and reasons. */
#include "schedules/learn/learn.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

/* --- costs --- */

void keel_cost_add(struct keel_cost *cost, uint64_t iterations, double time_ns, double overhead_ns)
{
    cost->chunks++;
    cost->iterations += iterations;
    cost->time_ns += time_ns;
    cost->square_ns2 += time_ns * time_ns / (double)iterations;
    cost->overhead_ns += overhead_ns;
}

void keel_cost_halve(struct keel_cost *cost)
{
    cost->chunks = (cost->chunks + 1) / 2;
    cost->iterations = (cost->iterations + 1) / 2;
    cost->time_ns /= 2;
    cost->square_ns2 /= 2;
    cost->overhead_ns /= 2;
}

void keel_cost_merge(struct keel_cost *cost, const struct keel_cost *other)
{
    cost->chunks += other->chunks;
    cost->iterations += other->iterations;
    cost->time_ns += other->time_ns;
    cost->square_ns2 += other->square_ns2;
    cost->overhead_ns += other->overhead_ns;
}

double keel_cost_mean_ns(const struct keel_cost *cost)
{
    return cost->iterations == 0 ? 0 : cost->time_ns / (double)cost->iterations;
}

/* sum k (t/k - mean)^2 = sum t^2/k - mean sum t */
double keel_cost_deviation_ns(const struct keel_cost *cost)
{
    double spread = cost->square_ns2 - keel_cost_mean_ns(cost) * cost->time_ns;

    return cost->chunks < 2 || !(spread > 0) ? 0 : sqrt(spread / (double)(cost->chunks - 1));
}

double keel_cost_overhead_ns(const struct keel_cost *cost)
{
    return cost->chunks == 0 ? 0 : cost->overhead_ns / (double)cost->chunks;
}

static void complete(struct keel_spec *spec, unsigned missing, enum keel_parameter parameter,
                     double measured)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];

    if (missing & KEEL_BIT(parameter)) {
        spec->value[parameter].real = fmin(fmax(measured, info->lowest.real), info->highest.real);
        spec->given |= KEEL_BIT(parameter);
    }
}

void keel_cost_complete(const struct keel_cost *cost, struct keel_spec *spec)
{
    unsigned missing = keel_spec_unmeasured(spec);

    complete(spec, missing, KEEL_MU, keel_cost_mean_ns(cost));
    complete(spec, missing, KEEL_SIGMA, keel_cost_deviation_ns(cost));
    complete(spec, missing, KEEL_OVERHEAD, keel_cost_overhead_ns(cost));
}

/* --- certainty --- */

#define MEMORY 16.0 /* products that the variance goes back */

double keel_certainty_shrink(double measured, double equal, double error)
{
    double difference = measured - equal;
    double doubt = KEEL_CERTAINTY_ERRORS * error;

    if (!(fabs(difference) > doubt)) {
        return equal;
    }
    return equal + difference * (1 - (doubt / difference) * (doubt / difference));
}

void keel_spread_add(struct keel_spread *spread, double value)
{
    double step = value - spread->last;

    if (!isfinite(value)) {
        return;
    }
    if (spread->values >= 2) {
        spread->products = fmin(spread->products + 1, MEMORY);
        spread->variance += (-step * spread->step - spread->variance) / spread->products;
    }
    spread->step = step;
    spread->last = value;
    spread->values = fmin(spread->values + 1, 2);
}

void keel_spread_break(struct keel_spread *spread)
{
    spread->values = 0;
}

double keel_spread_error(const struct keel_spread *spread, double count)
{
    return sqrt(fmax(0, spread->variance) / count);
}

/* --- samples of threads --- */

void keel_sample_add(struct keel_sample *sample, uint64_t iterations, double time_ns)
{
    double order = (double)++sample->count;

    sample->iterations += order * (double)iterations;
    sample->time_ns += order * time_ns;
}

double keel_sample_pace_ns(const struct keel_sample *sample)
{
    return sample->iterations > 0 ? sample->time_ns / sample->iterations : 0;
}

void keel_speeds_add(struct keel_speeds *speeds, double pace_ns)
{
    if (pace_ns > 0) {
        speeds->sum += 1 / pace_ns;
        speeds->measured++;
    }
}

void keel_speeds_change(struct keel_speeds *speeds, double before_ns, double now_ns)
{
    speeds->sum += 1 / now_ns - 1 / before_ns;
}

double keel_speeds_weight(const struct keel_speeds *speeds, double pace_ns)
{
    return pace_ns > 0 ? (double)speeds->measured / (pace_ns * speeds->sum) : 1;
}

/* --- learning of weights --- */

static bool learns_within(enum keel_learning learns)
{
    return learns == KEEL_LEARNS_BATCHES || learns == KEEL_LEARNS_CHUNKS;
}

void keel_learner_begin(struct keel_learner *learner, double known_ns, uint64_t share)
{
    *learner = (struct keel_learner){.pace_ns = known_ns};
    if (known_ns > 0 && share > 0) {
        keel_sample_add(&learner->sample, share, known_ns * (double)share);
    }
}

void keel_learner_add(struct keel_learner *learner, const struct keel_schedule *schedule,
                      uint64_t iterations, double time_ns, double overhead_ns)
{
    if (!learns_within(schedule->learns)) {
        return;
    }
    keel_sample_add(&learner->sample, iterations,
                    time_ns + (schedule->learns_overhead ? overhead_ns : 0));
    double pace_ns = keel_sample_pace_ns(&learner->sample);
    learner->pace_ns = pace_ns > 0 ? pace_ns : learner->pace_ns;
}

bool keel_learner_take_batch(struct keel_learner *learner, enum keel_learning learns,
                             uint64_t batch)
{
    if (!learns_within(learns)) {
        return false;
    }
    if (learns == KEEL_LEARNS_CHUNKS || learner->sample.count == 1) {
        return true;
    }
    bool begun = batch != learner->batch;
    learner->batch = batch;
    return begun;
}

double keel_learner_weight(enum keel_learning learns, double pace_ns,
                           const struct keel_speeds *team, double error)
{
    if (learns == KEEL_LEARNS_NOT) {
        return 1;
    }
    if (!(pace_ns > 0)) {
        return learns_within(learns) ? KEEL_LEARNER_FIRST_WEIGHT : 1;
    }
    if (team->measured == 0) {
        return 1;
    }
    double weight = keel_speeds_weight(team, pace_ns);
    return error > 0 ? keel_certainty_shrink(weight, 1, error) : weight;
}

/* --- the rate filter --- */

struct transition {
    enum keel_rate_state next;
    double h; /* weight of the past */
};

/* The rate filter: PAPERS.md S10 */
static const struct {
    struct transition increase, decrease;
} transitions[KEEL_RATE_STATES] = {
    [KEEL_RATE_DOWN3] = {{KEEL_RATE_DOWN1, 1.0}, {KEEL_RATE_DOWN3, 0.1}},
    [KEEL_RATE_DOWN2] = {{KEEL_RATE_CONSTANT, 1.0}, {KEEL_RATE_DOWN3, 0.1}},
    [KEEL_RATE_DOWN1] = {{KEEL_RATE_UP1, 1.0}, {KEEL_RATE_DOWN2, 0.2}},
    [KEEL_RATE_CONSTANT] = {{KEEL_RATE_UP1, 0.8}, {KEEL_RATE_DOWN1, 0.3}},
    [KEEL_RATE_UP1] = {{KEEL_RATE_UP2, 0.6}, {KEEL_RATE_DOWN1, 0.4}},
    [KEEL_RATE_UP2] = {{KEEL_RATE_UP3, 0.4}, {KEEL_RATE_DOWN1, 0.5}},
    [KEEL_RATE_UP3] = {{KEEL_RATE_UP3, 0.2}, {KEEL_RATE_CONSTANT, 0.6}},
};

double keel_rate_filter_update(struct keel_rate_filter *filter, double rate)
{
    if (!(rate > 0) || isinf(rate)) {
        return filter->filtered;
    }
    if (filter->filtered == 0) {
        *filter = (struct keel_rate_filter){.filtered = rate, .state = KEEL_RATE_CONSTANT};
        return rate;
    }
    const struct transition *step = rate >= filter->filtered ? &transitions[filter->state].increase
                                                             : &transitions[filter->state].decrease;
    filter->filtered = (1 - step->h) * rate + step->h * filter->filtered;
    filter->state = step->next;
    return filter->filtered;
}

/* --- the threshold --- */

double keel_threshold_gain(double present, double best)
{
    return present > best ? 1 - best / present : 0;
}

enum keel_blocks_decision keel_threshold_decide(uint64_t instances, uint64_t calm, double gain,
                                                double calm_gain)
{
    /* The threshold (PAPERS.md S11): no movement while rfract < tfract */
    if (instances <= 1 || gain >= KEEL_GAIN_THRESHOLD) {
        return KEEL_BLOCKS_MOVED;
    }
    return calm >= min_u64(KEEL_ADJUST_PERIOD, instances / 2) && calm_gain > KEEL_ADJUST_GAIN
               ? KEEL_BLOCKS_ADJUSTED
               : KEEL_BLOCKS_KEPT;
}

/* --- trials of static shares --- */

#define TRIALS_FIRST 5  /* before the first judgement */
#define INTERRUPTED 4.0 /* times the shortest trial: trials that took longer do not count */
#define LATEST 3        /* such trials in a row show that the loop itself takes longer now */

static unsigned kept(const struct keel_trials *trials)
{
    return trials->count < KEEL_TRIALS ? trials->count : KEEL_TRIALS;
}

void keel_trials_add(struct keel_trials *trials, double span_ns, double gain_ns, double start_ns)
{
    unsigned place = trials->count++ % KEEL_TRIALS;

    trials->span_ns[place] = span_ns;
    trials->gain_ns[place] = gain_ns;
    trials->start_ns[place] = start_ns;
    if (trials->count == 2 * KEEL_TRIALS) {
        trials->count = KEEL_TRIALS; /* only the index counts */
    }
}

static double shortest_ns(const struct keel_trials *trials)
{
    double shortest = INFINITY;

    for (unsigned i = 0; i < kept(trials); i++) {
        shortest = fmin(shortest, trials->span_ns[i]);
    }
    return shortest;
}

/* The median of those that were not interrupted: interruptions only add to a measured time. */
static double median_of(const struct keel_trials *trials, const double *values)
{
    double sorted[KEEL_TRIALS], longest = INTERRUPTED * shortest_ns(trials);
    unsigned count = 0;

    for (unsigned i = 0; i < kept(trials); i++) {
        unsigned place = count;
        if (trials->span_ns[i] > longest) {
            continue;
        }
        for (; place > 0 && sorted[place - 1] > values[i]; place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = values[i];
        count++;
    }
    return count == 0 ? 0 : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double keel_trials_span_ns(const struct keel_trials *trials)
{
    return median_of(trials, trials->span_ns);
}

double keel_trials_gain_ns(const struct keel_trials *trials)
{
    return median_of(trials, trials->gain_ns);
}

double keel_trials_start_ns(const struct keel_trials *trials)
{
    return median_of(trials, trials->start_ns);
}

bool keel_trials_enough(const struct keel_trials *trials)
{
    return trials->count >= TRIALS_FIRST;
}

/* The least of the last few spans. */
static double latest_ns(const struct keel_trials *trials)
{
    double least = INFINITY;

    for (unsigned i = 1; i <= LATEST && i <= trials->count; i++) {
        least = fmin(least, trials->span_ns[(trials->count - i) % KEEL_TRIALS]);
    }
    return least;
}

double keel_scheduling_cost_ns(const struct keel_scheduling_cost *scheduling)
{
    return scheduling->start_ns + scheduling->claims * scheduling->claim_ns +
           scheduling->chunk_ns / 2;
}

double keel_trials_length_ns(const struct keel_trials *trials)
{
    double latest = trials->count >= LATEST ? latest_ns(trials) : 0;

    return latest > INTERRUPTED * shortest_ns(trials) ? latest : keel_trials_span_ns(trials);
}

/* --- reasons --- */

/* How the two numbers are printed. */
enum form { NOTHING, GAINS, TIMES, MOVEMENT };

static const struct {
    enum form form;
    const char *text; /* MOVEMENT: follows the number of rows */
} causes[KEEL_CAUSES] = {
    [KEEL_CAUSE_NONE] = {NOTHING, "nothing was decided"},
    [KEEL_CAUSE_EARLY] = {TIMES, "too early: %s since the last measurements and rates need %s"},
    [KEEL_CAUSE_NO_WORK] = {NOTHING, "no computing was measured"},
    [KEEL_CAUSE_NO_RATES] = {NOTHING, "no rate is known yet"},
    [KEEL_CAUSE_LEVEL] = {NOTHING, "no other shares are better"},
    [KEEL_CAUSE_SMALL_GAIN] = {GAINS, "gain %s is under the threshold of %s"},
    [KEEL_CAUSE_COST] = {TIMES, "moving costs %s and would save %s"},
    [KEEL_CAUSE_STAYS] = {NOTHING, "staying has lost least so far"},
    [KEEL_CAUSE_WHOLE_ROWS] = {NOTHING, "the work to move is less than a row"},
    [KEEL_CAUSE_FAILED] = {NOTHING, "rows could not be moved"},
    [KEEL_CAUSE_GAIN] = {MOVEMENT, "even out: costs %s and saves %s"},
    [KEEL_CAUSE_ANY_COST] = {MOVEMENT, "even out whatever it costs"},
    [KEEL_CAUSE_CHANCE] = {MOVEMENT, "by chance"},
};

#define NUMBER_TEXT 24

/* Writes a number in the form's unit; not-a-number and infinity are written as such. */
static void write_number(enum form form, double number, char text[NUMBER_TEXT])
{
    double size = fabs(number);

    if (form == GAINS) {
        snprintf(text, NUMBER_TEXT, "%.3g %%", number * 100);
    } else if (size == 0 || size >= 1 || !isfinite(number)) {
        snprintf(text, NUMBER_TEXT, "%.3g s", number);
    } else if (size >= 1e-3) {
        snprintf(text, NUMBER_TEXT, "%.3g ms", number * 1e3);
    } else {
        snprintf(text, NUMBER_TEXT, "%.3g us", number * 1e6);
    }
}

__attribute__((format(printf, 2, 0))) static void write_text(char *text, const char *format, ...)
{
    va_list numbers;

    va_start(numbers, format);
    vsnprintf(text, KEEL_REASON_TEXT, format, numbers);
    va_end(numbers);
}

void keel_reason_text(const struct keel_reason *reason, uint64_t moved, char text[KEEL_REASON_TEXT])
{
    uint64_t cause = reason->cause < KEEL_CAUSES ? reason->cause : KEEL_CAUSE_NONE;
    char first[NUMBER_TEXT], second[NUMBER_TEXT], rest[KEEL_REASON_TEXT - NUMBER_TEXT];
    locale_t previous = keel_c_locale_enter();

    write_number(causes[cause].form, reason->number[0], first);
    write_number(causes[cause].form, reason->number[1], second);
    write_text(text, causes[cause].text, first, second);
    if (causes[cause].form == MOVEMENT) {
        snprintf(rest, sizeof rest, "%s", text);
        snprintf(text, KEEL_REASON_TEXT, "%llu row%s %s", (unsigned long long)moved,
                 moved != 1 ? "s" : "", rest);
    }
    keel_c_locale_leave(previous);
}
