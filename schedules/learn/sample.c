/* What threads have measured of their own chunks. */
#include "schedules/learn/sample.h"

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
