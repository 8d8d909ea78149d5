/* How fast a rank is in a phase. */
#include "mpi_backend/rows/balance/phases.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"

/* Keeps each second one. */
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

/* Time of a unit of work in most phases: the median. */
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
