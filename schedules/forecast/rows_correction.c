/* Corrections of forecasts. */
#include "schedules/forecast/rows_correction.h"

#include <math.h>

void keel_rows_correction_note(struct keel_rows_correction *correction, uint64_t candidate,
                               double measured, double forecast)
{
    double error = log(measured / forecast);

    if (!(measured > 0) || !(forecast > 0) || !isfinite(error)) {
        return;
    }
    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        correction->error[i] *= KEEL_ROWS_CORRECTION_MEMORY;
        correction->notes[i] *= KEEL_ROWS_CORRECTION_MEMORY;
    }
    correction->error[candidate] +=
        fmax(-KEEL_ROWS_CORRECTION_MOST, fmin(error, KEEL_ROWS_CORRECTION_MOST));
    correction->notes[candidate]++;
    correction->followed = candidate;
}

static double own_error(const struct keel_rows_correction *correction)
{
    uint64_t followed = correction->followed;

    return correction->error[followed] / (correction->notes[followed] + 1);
}

double keel_rows_correction_own(const struct keel_rows_correction *correction)
{
    return exp(own_error(correction)) - 1;
}

void keel_rows_correction_factors(const struct keel_rows_correction *correction, double *factor)
{
    uint64_t followed = correction->followed;
    double own = own_error(correction);

    /* `own` / 2 counts as a period of each other one */
    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        double other = (correction->error[i] + own / 2) / (correction->notes[i] + 1);
        factor[i] = exp(i == followed ? own : other);
    }
}
