/* Times of parts of rows. */
#include "schedules/rows/times.h"

#include <math.h>
#include <string.h>

#define ENOUGH 3    /* phases */
#define LONG_S 0.25 /* of a phase that is enough by itself: many quanta of time */

/* What the median of few phases may be off by at least, as a part of it. */
#define LEAST_ERROR 0.02

void keel_row_times_note(struct keel_row_times *times, const double *time_s, unsigned parts)
{
    memcpy(times->time_s[times->phases % KEEL_ROW_PHASES], time_s, parts * sizeof *time_s);
    times->phases++;
}

static unsigned kept(const struct keel_row_times *times)
{
    return times->phases < KEEL_ROW_PHASES ? times->phases : KEEL_ROW_PHASES;
}

bool keel_row_times_are_known(const struct keel_row_times *times, unsigned parts)
{
    double sum_s = 0;

    for (unsigned i = 0; times->phases > 0 && i < parts; i++) {
        sum_s += times->time_s[(times->phases - 1) % KEEL_ROW_PHASES][i];
    }
    return times->phases >= ENOUGH || sum_s >= LONG_S;
}

static void sort(double *value, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        for (unsigned k = i; k > 0 && value[k] < value[k - 1]; k--) {
            double swap = value[k];
            value[k] = value[k - 1];
            value[k - 1] = swap;
        }
    }
}

/* The last two phases count alone where they agree to this part, and differ by more than that from
 * all before. */
#define AGREE 0.05
#define DIFFER 0.15

/* Times of a part, and of its neighbours where there are few phases; returns how many. */
static unsigned list(const struct keel_row_times *times, unsigned parts, unsigned part,
                     double *value)
{
    unsigned beside = times->phases < ENOUGH, count = 0;
    unsigned from = part >= beside ? part - beside : 0;

    for (unsigned i = from; i <= part + beside && i < parts; i++) {
        for (unsigned phase = 0; phase < kept(times); phase++) {
            value[count++] = times->time_s[phase][i];
        }
    }
    return count;
}

static double in_phase(const struct keel_row_times *times, unsigned part, unsigned back)
{
    return times->time_s[(times->phases - 1 - back) % KEEL_ROW_PHASES][part];
}

/* Whether a part's cost has changed two phases ago: an interruption is of one phase, and hardly
 * ever as long in the next one. *time_s: what it takes since then. */
static bool has_changed(const struct keel_row_times *times, unsigned part, double *time_s)
{
    if (times->phases <= ENOUGH) {
        return false; /* the median of three tells as much */
    }
    double last_s = in_phase(times, part, 0), one_s = in_phase(times, part, 1);
    bool changed = fabs(last_s - one_s) <= AGREE * fmin(last_s, one_s);

    for (unsigned back = 2; back < kept(times); back++) {
        double old_s = in_phase(times, part, back);
        changed = changed && fabs(last_s - old_s) > DIFFER * fmax(last_s, old_s) &&
                  (last_s > old_s) == (last_s > in_phase(times, part, 2));
    }
    *time_s = changed ? fmin(last_s, one_s) : *time_s;
    return changed;
}

void keel_row_times_common(const struct keel_row_times *times, unsigned parts, double *time_s,
                           double *error_s)
{
    double value[3 * KEEL_ROW_PHASES];

    for (unsigned i = 0; i < parts; i++) {
        unsigned count = list(times, parts, i, value);
        sort(value, count);
        time_s[i] = count > 0 ? value[(count - 1) / 2] : 0;
        /* from the middle to the lower quarter: interruptions make times longer, never shorter */
        error_s[i] = count > 0 ? fmax(time_s[i] - value[(count - 1) / 4], LEAST_ERROR * time_s[i]) /
                                     sqrt(count)
                               : 0;
        if (has_changed(times, i, &time_s[i])) {
            error_s[i] = AGREE * time_s[i] / sqrt(2);
        }
    }
}
