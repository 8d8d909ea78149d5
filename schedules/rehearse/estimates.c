/* Estimates of rates. */
#include "schedules/rehearse/estimates.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"

#define LONG_MEAN 32

static void note_low(double *low, uint32_t workers, double part, const double *measured)
{
    for (uint32_t w = 0; w < workers; w++) {
        low[w] = fmin(measured[w], low[w] + part * (measured[w] - low[w]));
    }
}

static void begin(double *value, uint32_t workers, const double *measured)
{
    for (unsigned kind = 0; kind < KEEL_ESTIMATES; kind++) {
        memcpy(value + (size_t)kind * workers, measured, workers * sizeof *value);
    }
}

void keel_estimates_note(double *value, uint32_t workers, uint64_t decision, const double *measured,
                         const double *filtered)
{
    double *mean = value + (size_t)KEEL_ESTIMATE_LONG_MEAN * workers;
    double part = 1 / (double)min_u64(decision, LONG_MEAN);

    if (decision == 1) {
        begin(value, workers, measured);
    }
    memcpy(value + (size_t)KEEL_ESTIMATE_LAST * workers, measured, workers * sizeof *value);
    memcpy(value + (size_t)KEEL_ESTIMATE_FORESEEN * workers, measured, workers * sizeof *value);
    memcpy(value + (size_t)KEEL_ESTIMATE_FILTERED * workers, filtered, workers * sizeof *value);
    for (uint32_t w = 0; w < workers; w++) {
        mean[w] += part * (measured[w] - mean[w]);
    }
    note_low(value + (size_t)KEEL_ESTIMATE_LOW_4 * workers, workers, 1. / 4, measured);
    note_low(value + (size_t)KEEL_ESTIMATE_LOW_16 * workers, workers, 1. / 16, measured);
    note_low(value + (size_t)KEEL_ESTIMATE_LOWEST * workers, workers, 0, measured);
}

void keel_estimates_scale(double *value, uint32_t workers, const double *factor)
{
    for (size_t i = 0; i < keel_estimates_room(workers); i++) {
        value[i] *= factor[i % workers];
    }
}
