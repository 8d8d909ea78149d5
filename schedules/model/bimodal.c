/* The bi-modal approximation. */
#include "schedules/model/bimodal.h"

#include <math.h>

static bool are_sorted_weights(const double *weight, uint64_t tasks)
{
    double before = 0;

    for (uint64_t i = 0; i < tasks; i++) {
        if (!(weight[i] >= before) || isinf(weight[i])) {
            return false;
        }
        before = weight[i];
    }
    return tasks > 0;
}

/* Mean of `count` weights, in units of `unit`, which keeps the sum finite. */
static double mean_of(const double *weight, uint64_t count, double unit)
{
    double sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        sum += weight[i] / unit;
    }
    return sum / (double)count;
}

/* G, 1 .. N - 1. The squared errors of both classes are those of a single one less
 *
 *     D^2 N / (G (N - G)),     D = sum of what the first G weights are below the mean of all
 *
 * so the split is where this is largest. D is a sum of numbers of one sign first and of the other
 * one then, relative to the mean: nothing is lost to cancellation of squares. */
static uint64_t best_split(const double *weight, uint64_t tasks, double unit)
{
    double mean = mean_of(weight, tasks, unit), below = 0, most = -1;
    uint64_t best = 1;

    for (uint64_t g = 1; g < tasks; g++) {
        below += mean - weight[g - 1] / unit;
        double less = below / (double)g * (below / (double)(tasks - g));
        if (less > most) {
            most = less;
            best = g;
        }
    }
    return best;
}

static double error_of(const double *weight, uint64_t count, double mean)
{
    double error = 0;

    for (uint64_t i = 0; i < count; i++) {
        error += (weight[i] - mean) * (weight[i] - mean);
    }
    return error;
}

bool keel_bimodal_split(const double *weight, uint64_t tasks, struct keel_bimodal *bimodal)
{
    *bimodal = (struct keel_bimodal){0};
    if (!are_sorted_weights(weight, tasks)) {
        return false;
    }
    double unit = weight[tasks - 1];
    if (weight[0] == unit) {
        *bimodal = (struct keel_bimodal){.light = tasks, .light_mean = unit, .heavy_mean = unit};
        return true;
    }
    uint64_t light = best_split(weight, tasks, unit), heavy = tasks - light;
    *bimodal = (struct keel_bimodal){
        .light = light,
        .heavy = heavy,
        .light_mean = unit * mean_of(weight, light, unit),
        .heavy_mean = unit * mean_of(weight + light, heavy, unit),
    };
    bimodal->light_error = error_of(weight, light, bimodal->light_mean);
    bimodal->heavy_error = error_of(weight + light, heavy, bimodal->heavy_mean);
    return true;
}
