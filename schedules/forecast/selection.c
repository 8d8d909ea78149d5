/* How `auto` chooses. */
#include "schedules/forecast/selection.h"

#include <math.h>

#define RULED_OUT 1.03      /* forecasts beyond this times the best */
#define HOPELESS 1.25       /* a first instance beyond this times the quickest one */
#define INSTANCES 2         /* of each that is tried */
#define DISAGREEMENT 1.1    /* between these two: a third one decides */
#define FORECAST_COUNTS 1   /* as many instances as this */
#define MEMORY 16           /* instances that the running mean goes back */
#define STAYING 0.99        /* who replaces the one before has to be quicker than this part of it */
#define OVERTAKING 0.98     /* who replaces the one kept, likewise */
#define OVERTAKING_UNTIL 64 /* instances; later, what the others were tried in may have changed */
#define JUDGED 4            /* instances of the kept one before it is judged */
#define BAND_MIN 0.15
#define BAND_SPREADS 2.66 /* mean moving range to 3 deviations: 3 / 1.128 (Shewhart 1931) */
#define SPREAD_FIRST 0.05
#define DISTANCE_FIRST 8
#define DISTANCE_MAX (UINT64_C(1) << 20)
#define OLD 16 /* distances after which the distance is the first one again */

/* --- beginning --- */

static void measure(struct keel_selection *selection, enum keel_selection_reason reason)
{
    selection->phase = KEEL_SELECTION_MEASURING;
    selection->reason = reason;
    selection->measurements++;
}

void keel_selection_begin(struct keel_selection *selection, unsigned count)
{
    *selection = (struct keel_selection){
        .count = count < KEEL_SELECTION_MAX ? count : KEEL_SELECTION_MAX,
        .kept = -1,
        .distance = DISTANCE_FIRST,
    };
    measure(selection, KEEL_SELECTION_NEW);
}

static void keep(struct keel_selection *selection, int which, enum keel_selection_reason reason)
{
    selection->phase = KEEL_SELECTION_KEEPING;
    selection->reason = reason;
    selection->kept = which;
    selection->above = selection->below = 0;
    selection->last_ns = 0;
}

void keel_selection_recall(struct keel_selection *selection, unsigned count, int kept)
{
    keel_selection_begin(selection, count);
    if (kept >= 0 && (unsigned)kept < selection->count) {
        selection->measurements = 0;
        selection->spread = SPREAD_FIRST;
        keep(selection, kept, KEEL_SELECTION_RECALLED);
    }
}

/* --- one candidate --- */

static double median_of(const double *sample_ns, uint64_t count)
{
    double low = fmin(sample_ns[0], sample_ns[1]), high = fmax(sample_ns[0], sample_ns[1]);

    if (count == 1) {
        return sample_ns[0];
    }
    return count == 2 ? (low + high) / 2 : fmax(low, fmin(high, sample_ns[2]));
}

static void add_sample(struct keel_selection_entry *entry, double iteration_ns)
{
    uint64_t count = ++entry->instances;

    if (count <= 3) {
        entry->sample_ns[count - 1] = iteration_ns;
        entry->measured_ns = median_of(entry->sample_ns, count);
    } else {
        entry->measured_ns += (iteration_ns - entry->measured_ns) / fmin((double)count, MEMORY);
    }
}

/* By how much instances take longer than forecast, all that were tried together. */
static double surplus_of(const struct keel_selection *selection)
{
    double seen = 0, forecast = 0;

    for (unsigned i = 0; i < selection->tries; i++) {
        const struct keel_selection_entry *entry = &selection->entry[selection->order[i]];
        if (entry->instances > 0) {
            seen += entry->measured_ns;
            forecast += entry->forecast_ns;
        }
    }
    return forecast > 0 ? seen / forecast : 1;
}

/* What an iteration under a candidate is thought to take. Two instances on a busy machine tell not
 * much more than a forecast, so that this counts, too. */
static double score_of(const struct keel_selection *selection, int which)
{
    const struct keel_selection_entry *entry = &selection->entry[which];
    double count = fmin((double)entry->instances, MEMORY);

    if (!(entry->forecast_ns > 0)) {
        return entry->measured_ns;
    }
    return (FORECAST_COUNTS * surplus_of(selection) * entry->forecast_ns +
            count * entry->measured_ns) /
           (FORECAST_COUNTS + count);
}

/* --- deciding --- */

/* The best of those tried that is not `except`; -1: none. */
static int best_of(const struct keel_selection *selection, int except)
{
    int best = -1;

    for (unsigned i = 0; i < selection->tries; i++) {
        int which = selection->order[i];
        if (selection->entry[which].tried && which != except &&
            (best < 0 || score_of(selection, which) < score_of(selection, best))) {
            best = which;
        }
    }
    return best;
}

static bool is_tried(const struct keel_selection *selection, int which)
{
    return which >= 0 && selection->entry[which].tried;
}

static void decide(struct keel_selection *selection)
{
    int best = best_of(selection, -1), before = selection->kept;
    bool stays = is_tried(selection, before) &&
                 score_of(selection, best) > STAYING * score_of(selection, before);

    selection->since = 0;
    selection->spread = SPREAD_FIRST;
    if (stays) {
        keep(selection, before, KEEL_SELECTION_STAYED);
    } else {
        keep(selection, best,
             selection->tries > 1 ? KEEL_SELECTION_TRIED : KEEL_SELECTION_FORECAST);
    }
}

static bool is_sound(double value)
{
    return value > 0 && value < INFINITY;
}

static void take_forecasts(struct keel_selection *selection, const struct keel_forecast *forecast,
                           uint64_t iterations)
{
    for (unsigned i = 0; i < selection->count; i++) {
        double time_ns = forecast[i].time_ns;
        selection->entry[i] = (struct keel_selection_entry){
            .forecast_ns = is_sound(time_ns) ? time_ns / (double)iterations : 0};
    }
}

/* The candidate of the best forecast that is not to be tried yet; -1: none. */
static int best_forecast(const struct keel_selection *selection)
{
    int best = -1;

    for (unsigned i = 0; i < selection->count; i++) {
        const struct keel_selection_entry *entry = &selection->entry[i];
        if (!entry->tried && entry->forecast_ns > 0 &&
            (best < 0 || entry->forecast_ns < selection->entry[best].forecast_ns)) {
            best = (int)i;
        }
    }
    return best;
}

/* Those that the forecasts don't rule out, best first. */
static void line_up(struct keel_selection *selection)
{
    double limit = INFINITY;
    int which;

    selection->tries = 0;
    while (selection->tries < KEEL_SELECTION_TRIES_MAX && (which = best_forecast(selection)) >= 0 &&
           selection->entry[which].forecast_ns <= limit) {
        limit = RULED_OUT *
                selection->entry[selection->tries > 0 ? selection->order[0] : which].forecast_ns;
        selection->entry[which].tried = true;
        selection->order[selection->tries++] = which;
    }
}

void keel_selection_forecast(struct keel_selection *selection, const struct keel_forecast *forecast,
                             uint64_t iterations)
{
    if (selection->phase != KEEL_SELECTION_MEASURING || iterations == 0 || selection->count == 0) {
        return;
    }
    take_forecasts(selection, forecast, iterations);
    line_up(selection);
    selection->phase = KEEL_SELECTION_TRYING;
    if (selection->tries == 0) {
        selection->since = 0;
        selection->spread = SPREAD_FIRST;
        keep(selection, selection->kept >= 0 ? selection->kept : 0, KEEL_SELECTION_NO_FORECAST);
    } else if (selection->tries == 1) {
        decide(selection);
    }
}

/* --- trying --- */

static bool disagrees(const struct keel_selection_entry *entry)
{
    const double *sample_ns = entry->sample_ns;

    return fmax(sample_ns[0], sample_ns[1]) > DISAGREEMENT * fmin(sample_ns[0], sample_ns[1]);
}

static bool wants_instance(const struct keel_selection_entry *entry, uint64_t round)
{
    return entry->tried && entry->instances <= round &&
           (round < INSTANCES || (entry->instances == INSTANCES && disagrees(entry)));
}

/* Who is tried next; -1: all have been. One instance of each, then one of each that is left in the
 * opposite order, so that a steady change of conditions favours nobody; then third ones. */
static int next_to_try(const struct keel_selection *selection)
{
    for (uint64_t round = 0; round <= INSTANCES; round++) {
        for (unsigned i = 0; i < selection->tries; i++) {
            int which = selection->order[round % 2 == 0 ? i : selection->tries - 1 - i];
            if (wants_instance(&selection->entry[which], round)) {
                return which;
            }
        }
    }
    return -1;
}

/* After the first instances, the better half goes on, as in successive halving (Karnin, Koren &
 * Somekh 2013), and nobody who is hopeless. */
static void rule_out_slower(struct keel_selection *selection)
{
    unsigned stay = (selection->tries + 1) / 2 > 2 ? (selection->tries + 1) / 2 : 2;
    double limit = HOPELESS * selection->entry[best_of(selection, -1)].measured_ns;
    bool stays[KEEL_SELECTION_MAX] = {false};

    for (unsigned i = 0; i < selection->tries; i++) {
        if (selection->entry[selection->order[i]].instances == 0) {
            return;
        }
    }
    for (int which; stay > 0 && (which = best_of(selection, -1)) >= 0; stay--) {
        selection->entry[which].tried = false;
        stays[which] = selection->entry[which].measured_ns <= limit;
    }
    for (unsigned i = 0; i < selection->count; i++) {
        selection->entry[i].tried = stays[i];
    }
}

static void saw_try(struct keel_selection *selection, int which, double iteration_ns)
{
    struct keel_selection_entry *entry = &selection->entry[which];

    if (!entry->tried) {
        return;
    }
    add_sample(entry, iteration_ns);
    if (entry->instances == 1) {
        rule_out_slower(selection);
    }
    if (next_to_try(selection) < 0) {
        decide(selection);
    }
}

/* --- keeping --- */

double keel_selection_band(const struct keel_selection *selection)
{
    return 1 + fmax(BAND_MIN, BAND_SPREADS * selection->spread);
}

/* Differences from one instance to the next: unlike those from the mean, a lasting change does not
 * make them larger, which would hide it in a wider band. */
static void widen_band(struct keel_selection *selection, double iteration_ns)
{
    const struct keel_selection_entry *entry = &selection->entry[selection->kept];

    if (selection->last_ns > 0) {
        double difference = fabs(iteration_ns - selection->last_ns) / entry->measured_ns;
        double count = fmin((double)entry->instances, MEMORY);
        selection->spread += (fmin(difference, 1) - selection->spread) / count;
    }
    selection->last_ns = iteration_ns;
}

/* 3 of the last 4 */
static bool is_lasting(unsigned history)
{
    return __builtin_popcount(history & 15) >= 3;
}

/* Times have left the band. The distance to the next look grows with each one, so that noise can't
 * make it look all the time; only where nothing happened for long it begins anew. */
static void look_again(struct keel_selection *selection, enum keel_selection_reason reason)
{
    bool old = selection->since >= OLD * selection->distance;

    selection->distance = old                                  ? DISTANCE_FIRST
                          : selection->distance < DISTANCE_MAX ? 2 * selection->distance
                                                               : DISTANCE_MAX;
    measure(selection, reason);
}

/* Another one that was tried, and would have been chosen had all this been known. */
static void let_overtake(struct keel_selection *selection)
{
    int other = best_of(selection, selection->kept);

    if (selection->since <= OVERTAKING_UNTIL &&
        selection->entry[selection->kept].instances >= JUDGED && other >= 0 &&
        selection->entry[other].instances >= INSTANCES &&
        score_of(selection, other) < OVERTAKING * score_of(selection, selection->kept)) {
        keep(selection, other, KEEL_SELECTION_OVERTAKEN);
    }
}

static void saw_kept(struct keel_selection *selection, double iteration_ns)
{
    struct keel_selection_entry *entry = &selection->entry[selection->kept];
    double band = keel_selection_band(selection);
    bool judged = entry->instances >= INSTANCES;
    bool above = judged && iteration_ns > entry->measured_ns * band;
    bool below = judged && iteration_ns < entry->measured_ns / band;

    selection->since++;
    selection->above = selection->above << 1 | above;
    selection->below = selection->below << 1 | below;
    if (!above && !below) {
        add_sample(entry, iteration_ns);
    }
    widen_band(selection, iteration_ns);
    if (selection->since >= selection->distance &&
        (is_lasting(selection->above) || is_lasting(selection->below))) {
        look_again(selection,
                   is_lasting(selection->above) ? KEEL_SELECTION_SLOWER : KEEL_SELECTION_FASTER);
    } else {
        let_overtake(selection);
    }
}

/* --- the outside --- */

int keel_selection_next(const struct keel_selection *selection)
{
    switch (selection->phase) {
    case KEEL_SELECTION_TRYING:
        return next_to_try(selection);
    case KEEL_SELECTION_KEEPING:
        return selection->kept;
    case KEEL_SELECTION_MEASURING:
        break;
    }
    return KEEL_SELECTION_MEASURE;
}

void keel_selection_note(struct keel_selection *selection, int which, double time_ns,
                         uint64_t iterations)
{
    double iteration_ns = iterations > 0 ? time_ns / (double)iterations : 0;

    if (which < 0 || (unsigned)which >= selection->count || !is_sound(iteration_ns)) {
        return;
    }
    if (selection->phase == KEEL_SELECTION_TRYING) {
        saw_try(selection, which, iteration_ns);
    } else if (selection->phase == KEEL_SELECTION_KEEPING && which == selection->kept) {
        saw_kept(selection, iteration_ns);
    }
}

const char *keel_selection_reason_text(enum keel_selection_reason reason)
{
    switch (reason) {
    case KEEL_SELECTION_NEW:
        return "nothing is known yet";
    case KEEL_SELECTION_SLOWER:
        return "the one kept has become slower";
    case KEEL_SELECTION_FASTER:
        return "the one kept has become quicker";
    case KEEL_SELECTION_FORECAST:
        return "all others are forecast to be slower";
    case KEEL_SELECTION_TRIED:
        return "quickest of those tried";
    case KEEL_SELECTION_STAYED:
        return "none that was tried is quicker by enough";
    case KEEL_SELECTION_OVERTAKEN:
        return "the one before turned out slower than this one";
    case KEEL_SELECTION_RECALLED:
        return "kept in an earlier run";
    case KEEL_SELECTION_NO_FORECAST:
        return "there are no forecasts";
    }
    return "";
}
