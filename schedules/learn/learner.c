/* How far a measured value is believed. */
#include "schedules/learn/learner.h"

#include <math.h>

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

/* What threads have measured of their own chunks. */

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

/* Learning of weights. */

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

bool keel_learner_is_due(struct keel_learner *learner, enum keel_learning learns, uint64_t batch)
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
