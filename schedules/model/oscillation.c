/* The oscillating-load model. */
#include "schedules/model/oscillation.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/rate_filter.h"

/* --- argument checks --- */

static double amount(double value)
{
    return value > 0 ? value : 0;
}

static double part(double value)
{
    return fmin(1, amount(value));
}

static struct keel_oscillation_phase sound_phase(const struct keel_oscillation_phase *phase)
{
    return (struct keel_oscillation_phase){
        amount(phase->length_s),
        amount(phase->delay_s),
        amount(phase->movement_s),
    };
}

static struct keel_oscillation sound(const struct keel_oscillation *oscillation)
{
    struct keel_oscillation result = {
        .workers = oscillation->workers > 0 ? oscillation->workers : 1,
        .taken = part(oscillation->taken),
        .dedicated = part(oscillation->dedicated),
        .off = sound_phase(&oscillation->off),
        .on = sound_phase(&oscillation->on),
        .begin_delay_s = amount(oscillation->begin_delay_s),
    };

    result.loaded = oscillation->loaded < result.workers ? oscillation->loaded : result.workers;
    if (isinf(result.off.length_s) && isinf(result.on.length_s)) {
        result.on.length_s = 0;
    }
    return result;
}

/* --- shares and pace --- */

/* Whether shares for the load differ from equal ones. */
static bool is_uneven(const struct keel_oscillation *o)
{
    return o->loaded > 0 && o->loaded < o->workers && o->taken > 0;
}

/* Processors that the load leaves. */
static double available(const struct keel_oscillation *o, bool on)
{
    return o->workers - (on ? o->loaded * o->taken : 0);
}

/* Processors' worth of work: the least of each worker's processor over its share. With shares for
 * the load an unloaded worker is the slowest, whether the load is there or not. */
static double pace(const struct keel_oscillation *o, bool shares_on, bool on)
{
    if (shares_on) {
        return available(o, true);
    }
    return o->workers * (on && o->loaded > 0 ? 1 - o->taken : 1);
}

/* --- the timeline of phases --- */

struct timeline {
    const struct keel_oscillation *o;
    bool on, shares_on;
    double left_s;    /* of the phase */
    double respond_s; /* until a movement may begin; INFINITY: none is due */
    bool moving, to_on;
    double moving_s;  /* until the movement ends */
    uint64_t changes; /* of the load */
};

static const struct keel_oscillation_phase *phase_of(const struct timeline *timeline)
{
    return timeline->on ? &timeline->o->on : &timeline->o->off;
}

/* Whether the shares fit the present phase, or the movement under way makes them fit. */
static bool fits(const struct timeline *timeline)
{
    return !is_uneven(timeline->o) ||
           (timeline->moving ? timeline->to_on : timeline->shares_on) == timeline->on;
}

static void enter(struct timeline *timeline, bool on)
{
    timeline->on = on;
    timeline->left_s = phase_of(timeline)->length_s;
    timeline->respond_s = fits(timeline) ? INFINITY : phase_of(timeline)->delay_s;
}

/* The phase that a job of both kinds begins with; one that is not there is left out. */
static struct timeline begin(const struct keel_oscillation *o, bool on)
{
    struct timeline timeline = {.o = o};

    if (o->on.length_s == 0) {
        on = false;
    } else if (o->off.length_s == 0) {
        on = true;
    }
    enter(&timeline, on);
    if (o->begin_delay_s > 0 && isfinite(timeline.respond_s)) {
        timeline.respond_s = o->begin_delay_s;
    }
    if (o->on.length_s == 0 || o->off.length_s == 0) {
        timeline.left_s = INFINITY;
    }
    return timeline;
}

static double pace_now(const struct timeline *timeline)
{
    if (timeline->moving) {
        return 0;
    }
    return pace(timeline->o, timeline->shares_on, timeline->on) * timeline->o->dedicated;
}

/* Time to the next event: end of phase, delay or movement. */
static double until_event(const struct timeline *timeline)
{
    return fmin(timeline->left_s, timeline->moving ? timeline->moving_s : timeline->respond_s);
}

static void add_time(struct keel_oscillation_parts *parts, const struct timeline *timeline,
                     double time_s)
{
    double all = available(timeline->o, timeline->on) * time_s;
    double shares =
        timeline->moving ? 0 : pace(timeline->o, timeline->shares_on, timeline->on) * time_s;
    double productive = pace_now(timeline) * time_s;

    parts->elapsed_s += time_s;
    parts->available += all;
    parts->productive += productive;
    parts->lost_moving += timeline->moving ? all : 0;
    parts->lost_shares += timeline->moving ? 0 : all - shares;
    parts->lost_otherwise += shares - productive;
}

/* Handles the event; returns whether a movement began. A change of the load cancels a movement that
 * has not begun. */
static bool handle_event(struct timeline *timeline)
{
    if (timeline->moving && timeline->moving_s <= 0) {
        timeline->moving = false;
        timeline->shares_on = timeline->to_on;
    } else if (timeline->left_s <= 0) {
        timeline->changes++;
        enter(timeline, !timeline->on);
    } else if (!timeline->moving && timeline->respond_s <= 0) {
        timeline->respond_s = INFINITY;
        timeline->moving = true;
        timeline->to_on = timeline->on;
        timeline->moving_s = phase_of(timeline)->movement_s;
        return true;
    }
    return false;
}

/* Goes on for time_s >= 0, which is not beyond the next event. */
static void pass(struct keel_oscillation_parts *parts, struct timeline *timeline, double time_s)
{
    add_time(parts, timeline, time_s);
    timeline->left_s -= time_s;
    timeline->respond_s = fmax(0, timeline->respond_s - time_s);
    if (timeline->moving) {
        timeline->moving_s -= time_s;
    }
    parts->movements += handle_event(timeline);
}

/* --- periods --- */

/* One period, of a timeline that has both phases, and both finite. */
static struct keel_oscillation_parts one_period(struct timeline *timeline)
{
    struct keel_oscillation_parts parts = {0};

    for (uint64_t end = timeline->changes + 2; timeline->changes < end;) {
        pass(&parts, timeline, until_event(timeline));
    }
    return parts;
}

static bool is_same(const struct timeline *a, const struct timeline *b)
{
    return a->shares_on == b->shares_on && a->moving == b->moving && a->respond_s == b->respond_s &&
           (!a->moving || (a->to_on == b->to_on && a->moving_s == b->moving_s));
}

static void add(struct keel_oscillation_parts *sum, const struct keel_oscillation_parts *more,
                double times)
{
    sum->elapsed_s += times * more->elapsed_s;
    sum->available += times * more->available;
    sum->productive += times * more->productive;
    sum->lost_shares += times * more->lost_shares;
    sum->lost_moving += times * more->lost_moving;
    sum->lost_otherwise += times * more->lost_otherwise;
    sum->movements += times * more->movements;
}

/* Where movements are longer than phases, periods repeat after several ones; or after so many for
 * what is needed here. */
#define CYCLE_MAX 64

/* Periods from the present one until they repeat; writes how many these are. */
static struct keel_oscillation_parts cycle(struct timeline *timeline, uint32_t *periods)
{
    struct timeline begun = *timeline;
    struct keel_oscillation_parts sum = {0};

    for (*periods = 1;; ++*periods) {
        struct keel_oscillation_parts one = one_period(timeline);
        add(&sum, &one, 1);
        if (is_same(&begun, timeline) || *periods == CYCLE_MAX) {
            return sum;
        }
    }
}

static bool is_periodic(const struct timeline *timeline)
{
    return isfinite(timeline->o->off.length_s) && isfinite(timeline->left_s) &&
           isfinite(timeline->o->on.length_s);
}

/* Of a timeline that ends up in one phase: until its shares fit, or never will. */
static void settle(struct keel_oscillation_parts *parts, struct timeline *timeline)
{
    while (isfinite(until_event(timeline))) {
        pass(parts, timeline, until_event(timeline));
    }
}

struct keel_oscillation_parts keel_oscillation_period(const struct keel_oscillation *oscillation)
{
    struct keel_oscillation o = sound(oscillation);
    struct timeline timeline = begin(&o, false);
    struct keel_oscillation_parts before = {0}, mean = {0};
    uint32_t periods;

    if (!is_periodic(&timeline)) {
        settle(&before, &timeline);
        pass(&mean, &timeline, 1);
        return mean;
    }
    one_period(&timeline);
    struct keel_oscillation_parts sum = cycle(&timeline, &periods);
    add(&mean, &sum, 1.0 / periods);
    return mean;
}

/* --- jobs --- */

/* Goes on to the next event, or until the work is done or never will be; returns which. *work: what
 * is left of it. */
static bool work_on(struct keel_oscillation_parts *parts, struct timeline *timeline, double *work)
{
    double rate = pace_now(timeline), event_s = until_event(timeline);
    double rest_s = rate > 0 ? *work / rate : INFINITY;

    if (isinf(rest_s) && isinf(event_s)) {
        parts->elapsed_s = INFINITY;
        return true;
    }
    if (rest_s <= event_s) {
        add_time(parts, timeline, rest_s);
        return true;
    }
    *work = fmax(0, *work - rate * event_s);
    pass(parts, timeline, event_s);
    return false;
}

/* Leaves out whole cycles that end before the work does. */
static void skip_cycles(struct keel_oscillation_parts *parts, const struct timeline *timeline,
                        double *work)
{
    struct timeline ahead = *timeline;
    uint32_t periods;
    struct keel_oscillation_parts sum = cycle(&ahead, &periods);
    double rest = fmod(*work, sum.productive), times;

    rest = rest > 0 ? rest : sum.productive;
    times = round((*work - rest) / sum.productive);
    if (sum.productive > 0 && isfinite(times)) {
        add(parts, &sum, fmax(0, times));
        *work = fmin(*work, rest);
    } else {
        parts->elapsed_s = INFINITY;
    }
}

static struct keel_oscillation_parts job(const struct keel_oscillation *o, double work, bool on)
{
    struct timeline timeline = begin(o, on);
    struct keel_oscillation_parts parts = {0};
    bool done = false, skipped = !is_periodic(&timeline);

    while (!done && isfinite(parts.elapsed_s)) {
        done = work_on(&parts, &timeline, &work);
        if (!done && !skipped && timeline.changes == 2) {
            skipped = true;
            skip_cycles(&parts, &timeline, &work);
        }
    }
    return parts;
}

struct keel_oscillation_parts keel_oscillation_job(const struct keel_oscillation *oscillation,
                                                   double sequential_s,
                                                   enum keel_oscillation_start start)
{
    struct keel_oscillation o = sound(oscillation);
    double work = amount(sequential_s);

    if (work == 0 || isinf(work)) {
        return (struct keel_oscillation_parts){.elapsed_s = work};
    }
    return job(&o, work, start == KEEL_OSCILLATION_ON_FIRST);
}

double keel_oscillation_efficiency(const struct keel_oscillation_parts *parts)
{
    if (isinf(parts->elapsed_s)) {
        return 0;
    }
    return parts->available > 0 ? fmin(1, parts->productive / parts->available) : 1;
}

struct keel_oscillation keel_oscillation_unbalanced(const struct keel_oscillation *oscillation)
{
    struct keel_oscillation result = *oscillation;

    result.off.delay_s = result.on.delay_s = INFINITY;
    return result;
}

double keel_oscillation_ratio(const struct keel_oscillation *oscillation, double sequential_s,
                              enum keel_oscillation_start start)
{
    struct keel_oscillation without = keel_oscillation_unbalanced(oscillation);
    double with_s = keel_oscillation_job(oscillation, sequential_s, start).elapsed_s;
    double without_s = keel_oscillation_job(&without, sequential_s, start).elapsed_s;
    double ratio = with_s / without_s;

    return isnan(ratio) ? 1 : ratio;
}

double keel_oscillation_break_even(const struct keel_oscillation *oscillation)
{
    struct keel_oscillation o = sound(oscillation);
    double p = o.workers, on_part = o.on.length_s / (o.off.length_s + o.on.length_s);

    if (!is_uneven(&o) || o.on.length_s == 0 || isinf(o.off.length_s)) {
        return INFINITY;
    }
    if (o.off.length_s == 0 || isinf(o.on.length_s)) {
        return isinf(o.on.delay_s) || isinf(o.on.movement_s) ? INFINITY : 0;
    }
    double off_lost = o.loaded * o.taken * o.off.delay_s + p * o.off.movement_s;
    double on_lost = available(&o, true) * o.on.movement_s;
    double on_s = o.on.delay_s + (off_lost + on_lost) / (o.taken * (p - o.loaded));
    double fit_on_s = (o.on.delay_s + o.on.movement_s) / on_part;
    double fit_off_s = (o.off.delay_s + o.off.movement_s) / (1 - on_part);
    return fmax(on_s / on_part, fmax(fit_on_s, fit_off_s));
}

/* --- delays --- */

static bool is_rate(double value)
{
    return value > 0 && isfinite(value);
}

uint32_t keel_oscillation_filter_steps(double before, double after, double threshold)
{
    /* a rate that has not changed for long counts as one that rises (S10) */
    struct keel_rate_filter filter = {.filtered = before, .state = KEEL_RATE_UP3};
    double measured = before / 2 + after / 2, near = amount(threshold) * after;
    uint32_t steps = 0;

    if (!is_rate(before) || !is_rate(after)) {
        return KEEL_OSCILLATION_STEPS_MAX;
    }
    do {
        keel_rate_filter_update(&filter, measured);
        measured = after;
        steps++;
    } while (fabs(filter.filtered - after) > near && steps < KEEL_OSCILLATION_STEPS_MAX);
    return steps;
}

double keel_oscillation_delay(const struct keel_oscillation_response *response, double before,
                              double after)
{
    double steps = 2;

    if (!is_rate(before) || !is_rate(after)) {
        return INFINITY;
    }
    if (response->filtered) {
        steps = keel_oscillation_filter_steps(before, after, response->threshold);
    }
    return (steps - 0.5 + response->pipelined) * amount(response->period_s) +
           amount(response->quantum_s) / 2;
}

/* The part of the time that shares for what is now save against those for what was before. */
static double gain(const struct keel_oscillation *o, bool on)
{
    return keel_threshold_gain(1 / pace(o, !on, on), 1 / pace(o, on, on));
}

void keel_oscillation_respond(struct keel_oscillation *oscillation,
                              const struct keel_oscillation_response *response)
{
    struct keel_oscillation o = sound(oscillation);
    double least = amount(response->gain);

    oscillation->on.delay_s =
        gain(&o, true) < least ? INFINITY : keel_oscillation_delay(response, 1, 1 - o.taken);
    oscillation->off.delay_s =
        gain(&o, false) < least ? INFINITY : keel_oscillation_delay(response, 1 - o.taken, 1);
}

/* --- movements --- */

static double surplus(const struct keel_oscillation *o, double rows)
{
    if (!is_uneven(o)) {
        return 0;
    }
    return finite_amount(rows) * (1.0 / o->workers - (1 - o->taken) / available(o, true));
}

double keel_oscillation_surplus(const struct keel_oscillation *oscillation, double rows)
{
    struct keel_oscillation o = sound(oscillation);

    return surplus(&o, rows);
}

/* Of the worker with most of them. */
struct traffic {
    double messages, rows;
};

static struct traffic direct(const struct keel_oscillation *o, double rows)
{
    double k = o->loaded, others = o->workers - k, given = surplus(o, rows);

    return (struct traffic){
        fmax(ceil(others / k), ceil(k / others)),
        fmax(given, given * k / others),
    };
}

/* All surplus passes the bound between the loaded workers and the others; of the two workers beside
 * it, one gets what the loaded ones before it give, and one passes on what those behind it need. */
static struct traffic adjacent(const struct keel_oscillation *o, double rows, bool duplex)
{
    double k = o->loaded, others = o->workers - k, given = surplus(o, rows), all = k * given;
    double rounds = ceil(all / (finite_amount(rows) / o->workers));
    double before = (k - 1) * given, behind = all - all / others;
    double other_way = fmax(before, behind); /* no more than all */
    bool passed_on = k > 1 || others > 1;

    return (struct traffic){fmax(1, rounds) * (passed_on ? 2 : 1), all + (duplex ? 0 : other_way)};
}

double keel_oscillation_movement(const struct keel_oscillation *oscillation,
                                 const struct keel_oscillation_data *data)
{
    struct keel_oscillation o = sound(oscillation);

    if (!(surplus(&o, data->rows) > 0)) {
        return 0;
    }
    struct traffic most =
        data->adjacent ? adjacent(&o, data->rows, data->duplex) : direct(&o, data->rows);
    return most.messages * finite_amount(data->alpha_s) +
           most.rows * finite_amount(data->row_bytes) * finite_amount(data->beta_s);
}
