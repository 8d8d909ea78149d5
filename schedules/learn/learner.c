/* Learning of weights. */
#include "schedules/learn/learner.h"

#include "schedules/learn/certainty.h"

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
