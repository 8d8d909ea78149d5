/* Loads that repeat. */
#include "schedules/rehearse/recurrence.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Fewer bins say nothing, and a period of fewer bins can't be told from noise. */
#define BINS_LEAST 16
#define LAG_LEAST 4

/* Rates that deviate by less than this part of their mean are all the same. */
#define FLAT 0.05

/* Rises, or falls, that there are at least: two whole intervals. */
#define CROSSINGS_LEAST 3

/* By how much likeness is lower for a shorter lag. */
#define VALLEY 0.4

/* Likeness that is asked for: LIKE_MANY + LIKE_FEW / periods + LIKE_BINS / sqrt(bins), for that
 * many periods and bins in the window. Chosen so that loads which come and go at exponential times
 * reach it in a few of a hundred jobs, and are then found out soon; so does noise, more rarely. */
#define LIKE_MANY 0.35
#define LIKE_FEW 0.9
#define LIKE_BINS 0.6

/* Multiples of a period count as the same period unless they are so much more alike. */
#define MULTIPLE 0.1
#define PARTS_MOST 4

/* Periods that are compared, and that foretell. */
#define PERIODS_COMPARED 8
#define PERIODS_AVERAGED 3

/* A search for each such part of more bins. */
#define SEARCH_PART 8

/* Where the window has so many periods, older rates are forgotten instead of made coarser. */
#define PERIODS_KEPT 6

/* The period is given up where the mean square of the error, over about half of it, is beyond this
 * part of the variance; then rates are forgotten but for so many periods. */
#define MISSED_MOST 1.0
#define PERIODS_LEFT 2

void keel_recurrence_begin(struct keel_recurrence *recurrence)
{
    memset(recurrence, 0, sizeof *recurrence);
}

/* --- likeness --- */

/* The rate so many bins after the first one's middle, between the middles of bins. */
static double rate_at(const struct keel_recurrence *recurrence, double place)
{
    double last = (double)recurrence->bins - 1, low;
    double part = modf(fmax(0, fmin(place, last)), &low);
    uint32_t bin = (uint32_t)low;

    if (part == 0) {
        return recurrence->bin[bin];
    }
    return (1 - part) * recurrence->bin[bin] + part * recurrence->bin[bin + 1];
}

/* Sum of the squares of differences at a lag > 0 in bins; *pairs: how many. */
static double differences(const struct keel_recurrence *recurrence, double lag, uint32_t *pairs)
{
    uint32_t first = (uint32_t)ceil(lag);
    double sum = 0;

    for (uint32_t bin = first; bin < recurrence->bins; bin++) {
        double difference = recurrence->bin[bin] - rate_at(recurrence, bin - lag);
        sum += difference * difference;
    }
    *pairs = recurrence->bins > first ? recurrence->bins - first : 0;
    return sum;
}

static double likeness(const struct keel_recurrence *recurrence, double lag)
{
    uint32_t pairs;
    double sum = differences(recurrence, lag, &pairs);

    return pairs > 0 ? 1 - sum / pairs / (2 * recurrence->variance) : 0;
}

/* Over multiples of a lag: what is far apart tells periods most exactly. */
static double likeness_of_multiples(const struct keel_recurrence *recurrence, double lag)
{
    double sum = 0;
    uint32_t all = 0, pairs;

    for (unsigned k = 1; k <= PERIODS_COMPARED && k * lag < recurrence->bins - 1; k++) {
        sum += differences(recurrence, k * lag, &pairs);
        all += pairs;
    }
    return all > 0 ? 1 - sum / all / (2 * recurrence->variance) : 0;
}

static double likeness_asked(const struct keel_recurrence *recurrence, double lag)
{
    double periods = recurrence->bins / lag;

    return LIKE_MANY + LIKE_FEW / periods + LIKE_BINS / sqrt(recurrence->bins);
}

/* --- search --- */

/* Sets the variance; returns the mean. */
static double spread(struct keel_recurrence *recurrence)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < recurrence->bins; i++) {
        sum += recurrence->bin[i];
    }
    double mean = sum / recurrence->bins;
    for (uint32_t i = 0; i < recurrence->bins; i++) {
        squares += (recurrence->bin[i] - mean) * (recurrence->bin[i] - mean);
    }
    recurrence->variance = squares / recurrence->bins;
    return mean;
}

/* Whether rates rise or fall past the mean often enough. What is within half a deviation of it is
 * on neither side. */
static bool comes_and_goes(const struct keel_recurrence *recurrence, double mean)
{
    double margin = sqrt(recurrence->variance) / 2;
    unsigned rises = 0, falls = 0;
    int side = 0;

    for (uint32_t i = 0; i < recurrence->bins; i++) {
        int now = recurrence->bin[i] > mean + margin   ? 1
                  : recurrence->bin[i] < mean - margin ? -1
                                                       : side;
        rises += side < 0 && now > 0;
        falls += side > 0 && now < 0;
        side = now;
    }
    return rises >= CROSSINGS_LEAST || falls >= CROSSINGS_LEAST;
}

/* The shortest lag that is as good as any, in whole bins; 0: there is none. */
static uint32_t best_lag(const struct keel_recurrence *recurrence)
{
    uint32_t most = recurrence->bins / 2, best = 0;
    double lowest = 1, best_likeness = 0, before;
    double here = likeness(recurrence, LAG_LEAST - 1), next = likeness(recurrence, LAG_LEAST);

    for (uint32_t lag = LAG_LEAST; lag <= most; lag++) {
        before = here;
        here = next;
        next = likeness(recurrence, lag + 1);
        lowest = fmin(lowest, here);
        bool is_peak = here >= before && here >= next && here >= lowest + VALLEY;
        if (is_peak && here >= likeness_asked(recurrence, lag) &&
            (best == 0 || here > best_likeness + MULTIPLE)) {
            best = lag;
            best_likeness = here;
        }
    }
    return best;
}

/* In bins; likeness over multiples is flat near the best lag, so a fine grid does. */
static double refine(const struct keel_recurrence *recurrence, double lag)
{
    double best = lag, most = likeness_of_multiples(recurrence, lag);

    for (int i = -16; i <= 16; i++) {
        double near = fmax(1, lag + i / 16.0), like = likeness_of_multiples(recurrence, near);
        if (like > most) {
            best = near;
            most = like;
        }
    }
    return best;
}

/* Of few bins, a multiple of the period may be alike the most: the shortest part that does. */
static double shortest(const struct keel_recurrence *recurrence, double period)
{
    double like = likeness_of_multiples(recurrence, period) - MULTIPLE;

    for (int parts = PARTS_MOST; parts > 1; parts--) {
        double part = refine(recurrence, period / parts);
        if (part >= LAG_LEAST && likeness_of_multiples(recurrence, part) >= like) {
            return part;
        }
    }
    return period;
}

static void search(struct keel_recurrence *recurrence)
{
    double mean = spread(recurrence);

    recurrence->searched = recurrence->bins;
    recurrence->period_s = recurrence->likeness = recurrence->missed = 0;
    if (sqrt(recurrence->variance) < FLAT * mean || !comes_and_goes(recurrence, mean)) {
        return;
    }
    uint32_t lag = best_lag(recurrence);
    if (lag == 0) {
        return;
    }
    double period = shortest(recurrence, refine(recurrence, lag));
    double like = likeness_of_multiples(recurrence, period);
    if (like >= likeness_asked(recurrence, period)) {
        recurrence->period_s = period * recurrence->width_s;
        recurrence->likeness = like;
    }
}

/* --- bins --- */

static void merge_bins(struct keel_recurrence *recurrence)
{
    recurrence->bins /= 2;
    for (uint32_t i = 0; i < recurrence->bins; i++) {
        recurrence->bin[i] = (recurrence->bin[2 * i] + recurrence->bin[2 * i + 1]) / 2;
    }
    recurrence->width_s *= 2;
    recurrence->searched = recurrence->bins;
}

/* The first ones. */
static void forget(struct keel_recurrence *recurrence, uint32_t bins)
{
    recurrence->bins -= bins;
    recurrence->begins_s += bins * recurrence->width_s;
    memmove(recurrence->bin, recurrence->bin + bins, recurrence->bins * sizeof *recurrence->bin);
    recurrence->searched = recurrence->bins;
}

static void make_room(struct keel_recurrence *recurrence)
{
    double window_s = recurrence->bins * recurrence->width_s;

    if (recurrence->period_s > 0 && window_s >= PERIODS_KEPT * recurrence->period_s) {
        forget(recurrence, recurrence->bins / 2);
    } else {
        merge_bins(recurrence);
    }
}

/* The rate so many bins after the first one's beginning. */
static double bin_at(const struct keel_recurrence *recurrence, double place)
{
    return recurrence->bin[(uint32_t)fmax(0, fmin(place, (double)recurrence->bins - 1))];
}

/* The rate at a place, as of bin_at(), that has not come yet: the mean of those whole periods
 * before, later ones counting more. */
static double foretold(const struct keel_recurrence *recurrence, double place)
{
    double period = recurrence->period_s / recurrence->width_s, sum = 0, weights = 0;
    double back = fmax(1, floor((place - recurrence->bins) / period) + 1);

    for (int i = 0; i < PERIODS_AVERAGED; i++) {
        double before = place - (back + i) * period;
        if (before >= 0 || i == 0) {
            sum += bin_at(recurrence, before) * (PERIODS_AVERAGED - i);
            weights += PERIODS_AVERAGED - i;
        }
    }
    return sum / weights;
}

static void give_up(struct keel_recurrence *recurrence)
{
    double kept = ceil(PERIODS_LEFT * recurrence->period_s / recurrence->width_s);

    recurrence->period_s = recurrence->likeness = 0;
    if (kept < recurrence->bins) {
        forget(recurrence, recurrence->bins - (uint32_t)kept);
    }
}

/* The next bin is known: was it foretold? */
static void compare(struct keel_recurrence *recurrence, double rate)
{
    double error = rate - foretold(recurrence, recurrence->bins + 0.5);
    double part = fmin(1, 2 * recurrence->width_s / recurrence->period_s);

    recurrence->missed += part * (error * error - recurrence->missed);
    if (recurrence->missed > MISSED_MOST * recurrence->variance) {
        give_up(recurrence);
    }
}

static void add_bin(struct keel_recurrence *recurrence, double rate)
{
    if (recurrence->period_s > 0) {
        compare(recurrence, rate);
    }
    recurrence->bin[recurrence->bins++] = (float)rate;
    recurrence->open_sum = recurrence->open_s = 0;
    if (recurrence->bins - recurrence->searched > recurrence->bins / SEARCH_PART &&
        recurrence->bins >= BINS_LEAST) {
        search(recurrence);
    }
    if (recurrence->bins == KEEL_RECURRENCE_BINS) {
        make_room(recurrence);
    }
}

static void fill(struct keel_recurrence *recurrence, double until_s, double rate)
{
    for (;;) {
        double at_s = recurrence->begins_s + recurrence->bins * recurrence->width_s;
        double left_s = recurrence->width_s - recurrence->open_s;
        double span_s = fmin(left_s, until_s - at_s - recurrence->open_s);
        if (span_s <= 0) {
            return;
        }
        recurrence->open_sum += rate * span_s;
        recurrence->open_s += span_s;
        if (recurrence->open_s >= recurrence->width_s * (1 - 1e-9)) {
            add_bin(recurrence, recurrence->open_sum / recurrence->open_s);
        }
    }
}

void keel_recurrence_note(struct keel_recurrence *recurrence, double from_s, double to_s,
                          double rate)
{
    if (!(rate > 0 && isfinite(rate) && isfinite(from_s) && isfinite(to_s) && to_s > from_s)) {
        return;
    }
    if (recurrence->width_s == 0) {
        recurrence->begins_s = from_s;
        recurrence->width_s = to_s - from_s;
    }
    fill(recurrence, to_s, rate);
}

void keel_recurrence_scale(struct keel_recurrence *recurrence, double factor)
{
    for (uint32_t i = 0; i < recurrence->bins; i++) {
        recurrence->bin[i] *= (float)factor;
    }
    recurrence->open_sum *= factor;
    recurrence->variance *= factor * factor;
    recurrence->missed *= factor * factor;
}

/* --- forecast --- */

/* The mean rate from a place in bins to another one, at most a period later. */
static double mean_foretold(const struct keel_recurrence *recurrence, double from, double to)
{
    double steps = fmax(1, ceil(4 * (to - from))), sum = 0;

    for (double i = 0; i < steps; i++) {
        sum += foretold(recurrence, from + (to - from) * (i + 0.5) / steps);
    }
    return sum / steps;
}

double keel_recurrence_forecast(const struct keel_recurrence *recurrence, double from_s,
                                double to_s)
{
    if (!(recurrence->period_s > 0 && to_s > from_s && isfinite(to_s) && isfinite(from_s))) {
        return 0;
    }
    double width_s = recurrence->width_s, period = recurrence->period_s / width_s;
    double from = (from_s - recurrence->begins_s) / width_s;
    double span = (to_s - from_s) / width_s, whole = floor(span / period) * period;
    double rest = span - whole;
    double sum = whole > 0 ? whole * mean_foretold(recurrence, from, from + period) : 0;

    if (rest > 0) {
        sum += rest * mean_foretold(recurrence, from + whole, from + span);
    }
    return sum / span;
}
