/* The summary of the measurements of all ranks, and the rate of a rank in its phases. */
#include "mpi_backend/rows/costs/measurements.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"

struct keel_mpi_measurements_summary
keel_mpi_measurements_of_all(const struct keel_mpi_measurements *measurements, uint32_t ranks)
{
    struct keel_mpi_measurements_summary sum = {.last_call = INFINITY};

    for (uint32_t i = 0; i < ranks; i++) {
        sum.span_s = fmax(sum.span_s, measurements[i].span_s);
        sum.busy_s = fmax(sum.busy_s, measurements[i].busy_s);
        sum.work += measurements[i].work;
        sum.phase_s = fmax(sum.phase_s, measurements[i].phase_s);
        sum.movement_s = fmax(sum.movement_s, measurements[i].movement_s);
        sum.item_bytes = fmax(sum.item_bytes, measurements[i].item_bytes);
        sum.skew_calls = fmax(sum.skew_calls, measurements[i].skew_calls);
        sum.last_call = fmin(sum.last_call, measurements[i].last_call);
        sum.weighted = sum.weighted || measurements[i].weighted > 0;
        sum.weights_set = sum.weights_set || measurements[i].weights_set > 0;
        sum.measured = sum.measured || measurements[i].measured > 0;
        sum.timed = sum.timed || measurements[i].timed > 0;
        sum.in_sweep = sum.in_sweep || measurements[i].in_sweep > 0;
        sum.differ = sum.differ || measurements[i].call != measurements[0].call;
    }
    return sum;
}

/* --- phases --- */

/* Keeps every second phase. */
static void thin_out(struct keel_mpi_phases *phases)
{
    for (unsigned i = 0; i < KEEL_MPI_PHASES / 2; i++) {
        phases->work[i] = phases->work[2 * i + 1];
        phases->busy_s[i] = phases->busy_s[2 * i + 1];
    }
    phases->count = KEEL_MPI_PHASES / 2;
    phases->stride *= 2;
}

void keel_mpi_phases_note(struct keel_mpi_phases *phases, double work, double busy_s)
{
    if (!(work > 0 && busy_s > 0) || isinf(work) || isinf(busy_s)) {
        return;
    }
    phases->stride = phases->stride > 0 ? phases->stride : 1;
    if (++phases->since < phases->stride) {
        return;
    }
    phases->since = 0;
    phases->work[phases->count] = work;
    phases->busy_s[phases->count++] = busy_s;
    if (phases->count == KEEL_MPI_PHASES) {
        thin_out(phases);
    }
}

void keel_mpi_phases_scale(struct keel_mpi_phases *phases, double factor)
{
    for (unsigned i = 0; i < phases->count; i++) {
        phases->work[i] *= factor;
    }
}

/* The median time of a unit of work. */
static double common_pace(const struct keel_mpi_phases *phases)
{
    double pace[KEEL_MPI_PHASES];

    for (unsigned i = 0; i < phases->count; i++) {
        pace[i] = phases->busy_s[i] / phases->work[i];
    }
    qsort(pace, phases->count, sizeof *pace, compare_reals);
    return pace[phases->count / 2];
}

static double sum_of(const double *value, unsigned count)
{
    double sum = 0;

    for (unsigned i = 0; i < count; i++) {
        sum += value[i];
    }
    return sum;
}

double keel_mpi_phases_rate(const struct keel_mpi_phases *phases, double quantum_s)
{
    double work = 0, busy_s = 0;

    if (phases->count == 0) {
        return 0;
    }
    bool short_ones = sum_of(phases->busy_s, phases->count) < quantum_s * phases->count;
    double longest = short_ones ? KEEL_MPI_PHASES_INTERRUPTED * common_pace(phases) : INFINITY;
    for (unsigned i = 0; i < phases->count; i++) {
        if (phases->busy_s[i] <= longest * phases->work[i]) {
            work += phases->work[i];
            busy_s += phases->busy_s[i];
        }
    }
    return work / busy_s;
}
