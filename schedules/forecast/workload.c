/* What a measured workload says of speeds and of the work in chunks. */
#include "schedules/forecast/workload.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

#define BINS KEEL_PROFILE_BINS

double keel_workload_speed(const struct keel_workload *workload, uint64_t thread)
{
    double speed = workload->speed != NULL ? finite_amount(workload->speed[thread]) : 0;

    return speed > 0 ? speed : 1;
}

double keel_workload_speed_sum(const struct keel_workload *workload)
{
    double sum = 0;

    for (uint64_t i = 0; i < workload->threads; i++) {
        sum += keel_workload_speed(workload, i);
    }
    return sum;
}

double keel_workload_late_ns(const struct keel_workload *workload, uint64_t thread)
{
    return workload->late_ns != NULL ? finite_amount(workload->late_ns[thread]) : 0;
}

struct keel_pace keel_workload_pace(const struct keel_workload *workload, uint64_t thread)
{
    double speed = keel_workload_speed(workload, thread);
    double deviation = finite_amount(workload->deviation_ns) / speed;

    return (struct keel_pace){.mean_ns = finite_amount(workload->iteration_ns) / speed,
                              .variance_ns2 = deviation * deviation};
}

void keel_workload_costs_begin(struct keel_workload_costs *costs,
                               const struct keel_workload *workload)
{
    const struct keel_profile *profile = workload->profile;
    double sum = 0, work = 0;

    costs->iterations = (double)workload->iterations;
    costs->iteration_ns = finite_amount(workload->iteration_ns);
    for (int b = 0; b < BINS; b++) {
        costs->cost[b] = profile != NULL ? finite_amount(profile->cost[b]) : 1;
        sum += costs->cost[b];
    }
    for (int b = 0; b < BINS; b++) {
        costs->cost[b] = sum > 0 ? costs->cost[b] * BINS / sum : 1;
        costs->before[b] = work;
        work += costs->cost[b] / BINS;
    }
    costs->before[BINS] = 1;
}

/* Work before an iteration, in mean iterations. */
static double work_before(const struct keel_workload_costs *costs, int bin, double position)
{
    return costs->iterations * (costs->before[bin] + (position - bin) / BINS * costs->cost[bin]);
}

/* Within a bin it comes from the length, which is exact where positions are too close for a
 * double. */
double keel_workload_chunk_ns(const struct keel_workload_costs *costs, uint64_t first,
                              uint64_t last)
{
    double scale = BINS / costs->iterations;
    double from = (double)first * scale, to = (double)last * scale;
    int bin = (int)fmin(from, BINS - 1), end = (int)fmin(to, BINS - 1);

    if (bin == end) {
        return costs->iteration_ns * costs->cost[bin] * (double)(last - first);
    }
    return costs->iteration_ns * (work_before(costs, end, to) - work_before(costs, bin, from));
}
