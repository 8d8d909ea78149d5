/* What chunks have cost. */
#include "schedules/learn/cost.h"

#include <math.h>

#include "schedules/loop/parameter.h"
#include "schedules/loop/spec.h"

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
