/* Weights of own rows: which loops are over them, and the times and weights of their parts. */
#include "schedules/rows/row_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/rows/row_constants.h"

/* --- loops over rows --- */

/* --- values are numbers of rows --- */

/* Values [low, high) of the loop's variable. False if they are not numbers of rows. */
static bool values_of(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                      uint64_t *low, uint64_t *high)
{
    uint64_t step = loop->step > 0 ? (uint64_t)loop->step : -(uint64_t)loop->step;

    if (loop->start > own->all || step > own->all || loop->iterations > own->all + 1) {
        return false;
    }
    uint64_t span = (loop->iterations - 1) * step;
    if (loop->iterations > 1 && span / (loop->iterations - 1) != step) {
        return false;
    }
    if (loop->step < 0 && span > loop->start) {
        return false;
    }
    *low = loop->step > 0 ? loop->start : loop->start - span;
    *high = *low + span + 1;
    return true;
}

/* 1 if values count rows from 1, otherwise 0: by the bounds. Inner rows alone, which leave out the
 * first and the last of all, are ambiguous except for the first rank's. */
static uint64_t base_of(const struct keel_own_rows *own, uint64_t low, uint64_t high)
{
    uint64_t end = own->first + own->count;
    bool beyond = high == end + 1 && low > own->first;
    bool last = own->first > 0 && end == own->all && low == own->first + 1 && high == end;

    return beyond || last;
}

static bool match_numbers(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                          struct keel_row_match *match)
{
    uint64_t low, high;

    if (!own->block || !values_of(own, loop, &low, &high)) {
        return false;
    }
    uint64_t base = base_of(own, low, high);
    if (low < own->first + base || high > own->first + own->count + base ||
        (high - low) < own->count / 2) {
        return false;
    }
    *match = (struct keel_row_match){
        .place = (double)(loop->start - base - own->first) + (loop->step < 0 ? 1 : 0),
        .pace = (double)loop->step,
    };
    return true;
}

/* --- values are indices, or there are several for a row --- */

static bool match_multiple(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                           struct keel_row_match *match)
{
    uint64_t each = loop->iterations / own->count;

    if (loop->step != 1 || each == 0 || loop->iterations % own->count != 0 ||
        (each > 1 && (own->count < KEEL_ROW_MATCH_LEAST || loop->iterations == own->all))) {
        return false;
    }
    bool places = loop->start <= 1;
    bool numbers =
        own->block && (loop->start == own->first * each || loop->start == own->first * each + 1);
    *match = (struct keel_row_match){.place = 0, .pace = 1 / (double)each};
    return places || numbers;
}

bool keel_row_match(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                    struct keel_row_match *match)
{
    return own->count > 0 && loop->iterations > 0 && loop->step != 0 &&
           (match_numbers(own, loop, match) || match_multiple(own, loop, match));
}

/* --- times of parts --- */

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
    return times->phases >= KEEL_ROW_PHASES_ENOUGH || sum_s >= KEEL_ROW_PHASE_LONG_S;
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

/* Times of a part, and of its neighbours if there are few phases. Returns how many. */
static unsigned list(const struct keel_row_times *times, unsigned parts, unsigned part,
                     double *value)
{
    unsigned beside = times->phases < KEEL_ROW_PHASES_ENOUGH, count = 0;
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
 * ever as long in the next one. *time_s: set to its time since then. */
static bool has_changed(const struct keel_row_times *times, unsigned part, double *time_s)
{
    if (times->phases <= KEEL_ROW_PHASES_ENOUGH) {
        return false; /* the median of three is as good */
    }
    double last_s = in_phase(times, part, 0), one_s = in_phase(times, part, 1);
    bool changed = fabs(last_s - one_s) <= KEEL_ROW_PHASES_AGREE * fmin(last_s, one_s);

    for (unsigned back = 2; back < kept(times); back++) {
        double old_s = in_phase(times, part, back);
        changed = changed && fabs(last_s - old_s) > KEEL_ROW_PHASES_DIFFER * fmax(last_s, old_s) &&
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
        /* from the median to the lower quarter: interruptions make times longer, never shorter */
        error_s[i] = count > 0 ? fmax(time_s[i] - value[(count - 1) / 4],
                                      KEEL_ROW_MEDIAN_ERROR * time_s[i]) /
                                     sqrt(count)
                               : 0;
        if (has_changed(times, i, &time_s[i])) {
            error_s[i] = KEEL_ROW_PHASES_AGREE * time_s[i] / sqrt(2);
        }
    }
}

/* --- weights of parts --- */

struct ratio {
    double speed, rows; /* of a part: weight per s */
};

static int by_speed(const void *a, const void *b)
{
    double x = ((const struct ratio *)a)->speed, y = ((const struct ratio *)b)->speed;

    return (x > y) - (x < y);
}

/* The speeds by parts of that origin, sorted. Returns how many. *rows: sum of their rows. */
static unsigned list_speeds(const struct keel_row_part *part, unsigned parts,
                            enum keel_row_origin origin, struct ratio *ratio, double *rows)
{
    unsigned count = 0;

    *rows = 0;
    for (unsigned i = 0; i < parts; i++) {
        if (part[i].origin == origin && part[i].time_s > 0 && part[i].weight > 0) {
            ratio[count++] = (struct ratio){part[i].weight / part[i].time_s, part[i].rows};
            *rows += part[i].rows;
        }
    }
    qsort(ratio, count, sizeof *ratio, by_speed);
    return count;
}

/* The speed below which half of the rows are. count > 0. */
static double median(const struct ratio *ratio, unsigned count, double rows)
{
    double below = 0;
    unsigned i = 0;

    while (i + 1 < count && below + ratio[i].rows < rows / 2) {
        below += ratio[i++].rows;
    }
    return ratio[i].speed;
}

/* Rows that were here at their last measurement. */
static double rows_here(const struct keel_row_part *part, unsigned parts)
{
    double rows = 0;

    for (unsigned i = 0; i < parts; i++) {
        rows += part[i].origin == KEEL_ROW_HERE ? part[i].rows : 0;
    }
    return rows;
}

/* The speed of most rows that were here already; without any, of those that came. 0 if nothing is
 * known. */
static double speed_of(const struct keel_row_part *part, unsigned parts)
{
    struct ratio ratio[KEEL_ROW_PARTS];
    unsigned count = 0;
    double rows;

    for (int origin = KEEL_ROW_HERE; count == 0 && origin < KEEL_ROW_ORIGINS; origin++) {
        count = list_speeds(part, parts, (enum keel_row_origin)origin, ratio, &rows);
    }
    return count > 0 ? median(ratio, count, rows) : 0;
}

/* Mean square of the differences of log speeds from part to part: the error of a part's weight at a
 * cut. */
static double roughness(const struct keel_row_part *part, unsigned parts)
{
    double sum = 0, count = 1;

    for (unsigned i = 1; i < parts; i++) {
        double before = part[i - 1].time_s / part[i - 1].rows, time = part[i].time_s / part[i].rows;
        if (before > 0 && time > 0) {
            double difference = log(time / before);
            sum += difference * difference;
            count++;
        }
    }
    return sum / count;
}

static void compare_origin(const struct keel_row_part *part, unsigned parts,
                           enum keel_row_origin origin, struct keel_row_measurement *measurement)
{
    struct ratio ratio[KEEL_ROW_PARTS];
    double rows, each = KEEL_ROW_SINGLE_ERROR * KEEL_ROW_SINGLE_ERROR + roughness(part, parts);
    double here = rows_here(part, parts) / part[0].rows;
    unsigned count = list_speeds(part, parts, origin, ratio, &rows);

    if (count > 0) {
        double spread = log(ratio[count - 1].speed / ratio[0].speed) / 2;
        measurement->shift[origin] = log(median(ratio, count, rows) / measurement->speed);
        measurement->trust[origin] =
            1 / (KEEL_ROW_SHIFT_ERROR * KEEL_ROW_SHIFT_ERROR +
                 (each + spread * spread) / (double)count + each / fmax(here, 1));
    }
}

/* The weight of a part by its time, or its present one if that is within the error. */
static double weight_of(const struct keel_row_part *part, double speed, double mean)
{
    double weight = fmax(part->time_s * speed, KEEL_ROW_WEIGHT_LEAST * mean * part->rows);
    double off = fabs(weight - part->weight);

    return off > KEEL_ROW_PART_OFF * part->weight && off > KEEL_ROW_ERRORS * part->error_s * speed
               ? weight
               : part->weight;
}

static void set_factors(const struct keel_row_part *part, unsigned parts,
                        struct keel_row_measurement *measurement)
{
    double weight = 0, rows = 0, off = 0;

    for (unsigned i = 0; i < parts; i++) {
        weight += part[i].time_s * measurement->speed;
        rows += part[i].rows;
    }
    for (unsigned i = 0; i < parts; i++) {
        double own = weight_of(&part[i], measurement->speed, weight / rows);
        off += fabs(own - part[i].weight);
        measurement->factor[i] = part[i].weight > 0 ? own / part[i].weight : -own / part[i].rows;
    }
    measurement->differs = off > KEEL_ROW_ALL_OFF * weight;
}

void keel_row_measure(const struct keel_row_part *part, unsigned parts,
                      struct keel_row_measurement *measurement)
{
    *measurement = (struct keel_row_measurement){.speed = speed_of(part, parts)};
    if (measurement->speed > 0) {
        compare_origin(part, parts, KEEL_ROW_FROM_BELOW, measurement);
        compare_origin(part, parts, KEEL_ROW_FROM_ABOVE, measurement);
        set_factors(part, parts, measurement);
    }
}
