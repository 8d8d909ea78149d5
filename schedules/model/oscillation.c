/* The oscillating-load model. */
#include "schedules/model/oscillation.h"

#include <math.h>

#include "schedules/learn/learn.h"

/* --- shares and pace --- */

/* Whether shares for the load differ from equal ones. */
static bool is_uneven(const struct keel_oscillation *o)
{
    return o->loaded > 0 && o->loaded < o->workers && o->taken > 0;
}

/* Processors without the part that the load takes. */
static double available(const struct keel_oscillation *o, bool on)
{
    return o->workers - (on ? o->loaded * o->taken : 0);
}

/* Processors' worth of work: the least of each worker's processor over its share. With shares for
 * the load an unloaded worker is the slowest, with the load and without it. */
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

/* The load comes first; a phase of length 0 is left out. */
static struct timeline begin(const struct keel_oscillation *o)
{
    struct timeline timeline = {.o = o};

    enter(&timeline, o->on.length_s > 0);
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
    parts->elapsed_s += time_s;
    parts->available += available(timeline->o, timeline->on) * time_s;
    parts->productive += pace_now(timeline) * time_s;
}

/* A change of the load cancels a movement that has not begun. */
static void handle_event(struct timeline *timeline)
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
    }
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
    handle_event(timeline);
}

/* --- jobs --- */

/* Goes on to the next event. Returns true if the work is done before, or never will be. *work: the
 * rest of it. */
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

struct keel_oscillation_parts keel_oscillation_job(const struct keel_oscillation *oscillation,
                                                   double sequential_s)
{
    struct timeline timeline = begin(oscillation);
    struct keel_oscillation_parts parts = {0};
    double work = sequential_s;

    while (!work_on(&parts, &timeline, &work)) {
        if (timeline.changes == KEEL_OSCILLATION_CHANGES_MAX) {
            parts.elapsed_s = INFINITY;
            break;
        }
    }
    return parts;
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

/* --- delays --- */

static uint32_t filter_steps(double before, double after, double threshold)
{
    /* a rate that has not changed for long counts as one that rises (S10) */
    struct keel_rate_filter filter = {.filtered = before, .state = KEEL_RATE_UP3};
    double measured = before / 2 + after / 2, near = threshold * after;
    uint32_t steps = 0;

    do {
        keel_rate_filter_update(&filter, measured);
        measured = after;
        steps++;
    } while (fabs(filter.filtered - after) > near && steps < KEEL_OSCILLATION_STEPS_MAX);
    return steps;
}

static double delay(const struct keel_oscillation_response *response, double before, double after)
{
    double steps = response->filtered ? filter_steps(before, after, response->threshold) : 2;

    return before > 0 && after > 0
               ? (steps - 0.5 + response->pipelined) * response->period_s + response->quantum_s / 2
               : INFINITY;
}

/* The part of the time saved by shares for the present load against those for the one before. */
static double gain(const struct keel_oscillation *o, bool on)
{
    return keel_threshold_gain(1 / pace(o, !on, on), 1 / pace(o, on, on));
}

void keel_oscillation_respond(struct keel_oscillation *oscillation,
                              const struct keel_oscillation_response *response)
{
    double rate = 1 - oscillation->taken;

    oscillation->on.delay_s =
        gain(oscillation, true) < response->gain ? INFINITY : delay(response, 1, rate);
    oscillation->off.delay_s =
        gain(oscillation, false) < response->gain ? INFINITY : delay(response, rate, 1);
}

/* --- movements --- */

/* All surplus passes the bound between the loaded workers and the others; of the two workers beside
 * it, one gets what the loaded ones before it give, and one passes on what those behind it need,
 * which is no more. */
double keel_oscillation_movement(const struct keel_oscillation *oscillation,
                                 const struct keel_oscillation_data *data)
{
    const struct keel_oscillation *o = oscillation;

    if (!is_uneven(o)) {
        return 0;
    }
    double surplus = data->rows * (1.0 / o->workers - (1 - o->taken) / available(o, true));
    double all = o->loaded * surplus;
    double rounds = fmax(1, ceil(all / (data->rows / o->workers)));
    double messages = rounds * (o->workers > 2 ? 2 : 1);
    return messages * data->alpha_s + all * data->row_bytes * data->beta_s;
}
