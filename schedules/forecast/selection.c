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

static void measure(struct keel_choice *choice, enum keel_choice_reason reason)
{
    choice->phase = KEEL_CHOICE_MEASURING;
    choice->reason = reason;
    choice->looks++;
}

void keel_choice_begin(struct keel_choice *choice, unsigned count)
{
    *choice = (struct keel_choice){
        .count = count < KEEL_CHOICE_MAX ? count : KEEL_CHOICE_MAX,
        .kept = -1,
        .distance = DISTANCE_FIRST,
    };
    measure(choice, KEEL_CHOICE_NEW);
}

static void keep(struct keel_choice *choice, int which, enum keel_choice_reason reason)
{
    choice->phase = KEEL_CHOICE_KEEPING;
    choice->reason = reason;
    choice->kept = which;
    choice->above = choice->below = 0;
    choice->last_ns = 0;
}

void keel_choice_recall(struct keel_choice *choice, unsigned count, int kept)
{
    keel_choice_begin(choice, count);
    if (kept >= 0 && (unsigned)kept < choice->count) {
        choice->looks = 0;
        choice->spread = SPREAD_FIRST;
        keep(choice, kept, KEEL_CHOICE_RECALLED);
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

static void add_sample(struct keel_choice_entry *entry, double iteration_ns)
{
    uint64_t count = ++entry->instances;

    if (count <= 3) {
        entry->sample_ns[count - 1] = iteration_ns;
        entry->seen_ns = median_of(entry->sample_ns, count);
    } else {
        entry->seen_ns += (iteration_ns - entry->seen_ns) / fmin((double)count, MEMORY);
    }
}

/* By how much instances take longer than forecast, all that were tried together. */
static double surplus_of(const struct keel_choice *choice)
{
    double seen = 0, forecast = 0;

    for (unsigned i = 0; i < choice->tries; i++) {
        const struct keel_choice_entry *entry = &choice->entry[choice->order[i]];
        if (entry->instances > 0) {
            seen += entry->seen_ns;
            forecast += entry->forecast_ns;
        }
    }
    return forecast > 0 ? seen / forecast : 1;
}

/* What an iteration under a candidate is thought to take. Two instances on a busy machine tell not
 * much more than a forecast, so that this counts, too. */
static double score_of(const struct keel_choice *choice, int which)
{
    const struct keel_choice_entry *entry = &choice->entry[which];
    double count = fmin((double)entry->instances, MEMORY);

    if (!(entry->forecast_ns > 0)) {
        return entry->seen_ns;
    }
    return (FORECAST_COUNTS * surplus_of(choice) * entry->forecast_ns + count * entry->seen_ns) /
           (FORECAST_COUNTS + count);
}

/* --- deciding --- */

/* The best of those tried that is not `except`; -1: none. */
static int best_of(const struct keel_choice *choice, int except)
{
    int best = -1;

    for (unsigned i = 0; i < choice->tries; i++) {
        int which = choice->order[i];
        if (choice->entry[which].tried && which != except &&
            (best < 0 || score_of(choice, which) < score_of(choice, best))) {
            best = which;
        }
    }
    return best;
}

static bool is_tried(const struct keel_choice *choice, int which)
{
    return which >= 0 && choice->entry[which].tried;
}

static void decide(struct keel_choice *choice)
{
    int best = best_of(choice, -1), before = choice->kept;
    bool stays =
        is_tried(choice, before) && score_of(choice, best) > STAYING * score_of(choice, before);

    choice->since = 0;
    choice->spread = SPREAD_FIRST;
    if (stays) {
        keep(choice, before, KEEL_CHOICE_STAYED);
    } else {
        keep(choice, best, choice->tries > 1 ? KEEL_CHOICE_TRIED : KEEL_CHOICE_FORECAST);
    }
}

static bool is_sound(double value)
{
    return value > 0 && value < INFINITY;
}

static void take_forecasts(struct keel_choice *choice, const struct keel_forecast *forecast,
                           uint64_t iterations)
{
    for (unsigned i = 0; i < choice->count; i++) {
        double time_ns = forecast[i].time_ns;
        choice->entry[i] = (struct keel_choice_entry){
            .forecast_ns = is_sound(time_ns) ? time_ns / (double)iterations : 0};
    }
}

/* The candidate of the best forecast that is not to be tried yet; -1: none. */
static int best_forecast(const struct keel_choice *choice)
{
    int best = -1;

    for (unsigned i = 0; i < choice->count; i++) {
        const struct keel_choice_entry *entry = &choice->entry[i];
        if (!entry->tried && entry->forecast_ns > 0 &&
            (best < 0 || entry->forecast_ns < choice->entry[best].forecast_ns)) {
            best = (int)i;
        }
    }
    return best;
}

/* Those that the forecasts don't rule out, best first. */
static void line_up(struct keel_choice *choice)
{
    double limit = INFINITY;
    int which;

    choice->tries = 0;
    while (choice->tries < KEEL_CHOICE_TRIES_MAX && (which = best_forecast(choice)) >= 0 &&
           choice->entry[which].forecast_ns <= limit) {
        limit = RULED_OUT * choice->entry[choice->tries > 0 ? choice->order[0] : which].forecast_ns;
        choice->entry[which].tried = true;
        choice->order[choice->tries++] = which;
    }
}

void keel_choice_forecast(struct keel_choice *choice, const struct keel_forecast *forecast,
                          uint64_t iterations)
{
    if (choice->phase != KEEL_CHOICE_MEASURING || iterations == 0 || choice->count == 0) {
        return;
    }
    take_forecasts(choice, forecast, iterations);
    line_up(choice);
    choice->phase = KEEL_CHOICE_TRYING;
    if (choice->tries == 0) {
        choice->since = 0;
        choice->spread = SPREAD_FIRST;
        keep(choice, choice->kept >= 0 ? choice->kept : 0, KEEL_CHOICE_BLIND);
    } else if (choice->tries == 1) {
        decide(choice);
    }
}

/* --- trying --- */

static bool disagrees(const struct keel_choice_entry *entry)
{
    const double *sample_ns = entry->sample_ns;

    return fmax(sample_ns[0], sample_ns[1]) > DISAGREEMENT * fmin(sample_ns[0], sample_ns[1]);
}

static bool wants_instance(const struct keel_choice_entry *entry, uint64_t round)
{
    return entry->tried && entry->instances <= round &&
           (round < INSTANCES || (entry->instances == INSTANCES && disagrees(entry)));
}

/* Who is tried next; -1: all have been. One instance of each, then one of each that is left in the
 * opposite order, so that a steady change of conditions favours nobody; then third ones. */
static int next_to_try(const struct keel_choice *choice)
{
    for (uint64_t round = 0; round <= INSTANCES; round++) {
        for (unsigned i = 0; i < choice->tries; i++) {
            int which = choice->order[round % 2 == 0 ? i : choice->tries - 1 - i];
            if (wants_instance(&choice->entry[which], round)) {
                return which;
            }
        }
    }
    return -1;
}

/* After the first instances, the better half goes on, as in successive halving (Karnin, Koren &
 * Somekh 2013), and nobody who is hopeless. */
static void rule_out_slower(struct keel_choice *choice)
{
    unsigned stay = (choice->tries + 1) / 2 > 2 ? (choice->tries + 1) / 2 : 2;
    double limit = HOPELESS * choice->entry[best_of(choice, -1)].seen_ns;
    bool stays[KEEL_CHOICE_MAX] = {false};

    for (unsigned i = 0; i < choice->tries; i++) {
        if (choice->entry[choice->order[i]].instances == 0) {
            return;
        }
    }
    for (int which; stay > 0 && (which = best_of(choice, -1)) >= 0; stay--) {
        choice->entry[which].tried = false;
        stays[which] = choice->entry[which].seen_ns <= limit;
    }
    for (unsigned i = 0; i < choice->count; i++) {
        choice->entry[i].tried = stays[i];
    }
}

static void saw_try(struct keel_choice *choice, int which, double iteration_ns)
{
    struct keel_choice_entry *entry = &choice->entry[which];

    if (!entry->tried) {
        return;
    }
    add_sample(entry, iteration_ns);
    if (entry->instances == 1) {
        rule_out_slower(choice);
    }
    if (next_to_try(choice) < 0) {
        decide(choice);
    }
}

/* --- keeping --- */

double keel_choice_band(const struct keel_choice *choice)
{
    return 1 + fmax(BAND_MIN, BAND_SPREADS * choice->spread);
}

/* Differences from one instance to the next: unlike those from the mean, a lasting change does not
 * make them larger, which would hide it in a wider band. */
static void widen_band(struct keel_choice *choice, double iteration_ns)
{
    const struct keel_choice_entry *entry = &choice->entry[choice->kept];

    if (choice->last_ns > 0) {
        double difference = fabs(iteration_ns - choice->last_ns) / entry->seen_ns;
        double count = fmin((double)entry->instances, MEMORY);
        choice->spread += (fmin(difference, 1) - choice->spread) / count;
    }
    choice->last_ns = iteration_ns;
}

/* 3 of the last 4 */
static bool is_lasting(unsigned history)
{
    return __builtin_popcount(history & 15) >= 3;
}

/* Times have left the band. The distance to the next look grows with each one, so that noise can't
 * make it look all the time; only where nothing happened for long it begins anew. */
static void look_again(struct keel_choice *choice, enum keel_choice_reason reason)
{
    bool old = choice->since >= OLD * choice->distance;

    choice->distance = old                               ? DISTANCE_FIRST
                       : choice->distance < DISTANCE_MAX ? 2 * choice->distance
                                                         : DISTANCE_MAX;
    measure(choice, reason);
}

/* Another one that was tried, and would have been chosen had all this been known. */
static void let_overtake(struct keel_choice *choice)
{
    int other = best_of(choice, choice->kept);

    if (choice->since <= OVERTAKING_UNTIL && choice->entry[choice->kept].instances >= JUDGED &&
        other >= 0 && choice->entry[other].instances >= INSTANCES &&
        score_of(choice, other) < OVERTAKING * score_of(choice, choice->kept)) {
        keep(choice, other, KEEL_CHOICE_OVERTAKEN);
    }
}

static void saw_kept(struct keel_choice *choice, double iteration_ns)
{
    struct keel_choice_entry *entry = &choice->entry[choice->kept];
    double band = keel_choice_band(choice);
    bool judged = entry->instances >= INSTANCES;
    bool above = judged && iteration_ns > entry->seen_ns * band;
    bool below = judged && iteration_ns < entry->seen_ns / band;

    choice->since++;
    choice->above = choice->above << 1 | above;
    choice->below = choice->below << 1 | below;
    if (!above && !below) {
        add_sample(entry, iteration_ns);
    }
    widen_band(choice, iteration_ns);
    if (choice->since >= choice->distance &&
        (is_lasting(choice->above) || is_lasting(choice->below))) {
        look_again(choice, is_lasting(choice->above) ? KEEL_CHOICE_SLOWER : KEEL_CHOICE_QUICKER);
    } else {
        let_overtake(choice);
    }
}

/* --- the outside --- */

int keel_choice_next(const struct keel_choice *choice)
{
    switch (choice->phase) {
    case KEEL_CHOICE_TRYING:
        return next_to_try(choice);
    case KEEL_CHOICE_KEEPING:
        return choice->kept;
    case KEEL_CHOICE_MEASURING:
        break;
    }
    return KEEL_CHOICE_MEASURE;
}

void keel_choice_saw(struct keel_choice *choice, int which, double time_ns, uint64_t iterations)
{
    double iteration_ns = iterations > 0 ? time_ns / (double)iterations : 0;

    if (which < 0 || (unsigned)which >= choice->count || !is_sound(iteration_ns)) {
        return;
    }
    if (choice->phase == KEEL_CHOICE_TRYING) {
        saw_try(choice, which, iteration_ns);
    } else if (choice->phase == KEEL_CHOICE_KEEPING && which == choice->kept) {
        saw_kept(choice, iteration_ns);
    }
}

const char *keel_choice_reason_text(enum keel_choice_reason reason)
{
    switch (reason) {
    case KEEL_CHOICE_NEW:
        return "nothing is known yet";
    case KEEL_CHOICE_SLOWER:
        return "the one kept has become slower";
    case KEEL_CHOICE_QUICKER:
        return "the one kept has become quicker";
    case KEEL_CHOICE_FORECAST:
        return "all others are forecast to be slower";
    case KEEL_CHOICE_TRIED:
        return "quickest of those tried";
    case KEEL_CHOICE_STAYED:
        return "none that was tried is quicker by enough";
    case KEEL_CHOICE_OVERTAKEN:
        return "the one before turned out slower than this one";
    case KEEL_CHOICE_RECALLED:
        return "kept in an earlier run";
    case KEEL_CHOICE_BLIND:
        return "there are no forecasts";
    }
    return "";
}
