/* How `auto` chooses. */
#include "schedules/forecast/selection.h"

#include <math.h>

#define RULED_OUT 1.03  /* forecasts beyond this times the best */
#define PROMISING 0.985 /* a successor has to be forecast below this part of the one before */
#define MEMORY 16       /* instances that the running mean goes back */
#define OVERTAKING 0.98 /* a successor has to be measured below this part of the one kept */
#define TRIES 3         /* instances of each that is tried, if the first ones are quick */
#define HOPELESS 1.1    /* one instance beyond this times the one kept */
#define TRIES_PART 0.01 /* of all time that tries may cost */
#define TRY_COSTS 0.03  /* of an instance, beyond its forecast */
#define MANY_CHUNKS 8   /* times those of the one kept: they separate neighbours in memory */
#define MANY_CHUNKS_COST 1.0
#define JUDGED 3 /* instances of the kept one before it is judged */
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
    selection->trying = -1;
    selection->measurements++;
    if (selection->measurer >= 0) {
        selection->entry[selection->measurer].instances = 0;
    }
}

void keel_selection_begin(struct keel_selection *selection, unsigned count, int measurer)
{
    *selection = (struct keel_selection){
        .count = count < KEEL_SELECTION_MAX ? count : KEEL_SELECTION_MAX,
        .measurer = measurer,
        .kept = -1,
        .trying = -1,
        .distance = DISTANCE_FIRST,
    };
    measure(selection, KEEL_SELECTION_NEW);
}

static void keep(struct keel_selection *selection, int which, enum keel_selection_reason reason)
{
    selection->phase = KEEL_SELECTION_KEEPING;
    selection->reason = reason;
    selection->kept = which;
    selection->trying = -1;
    selection->above = selection->below = 0;
    selection->last_ns = 0;
}

void keel_selection_recall(struct keel_selection *selection, unsigned count, int measurer, int kept)
{
    keel_selection_begin(selection, count, measurer);
    if (kept >= 0 && (unsigned)kept < selection->count) {
        selection->measurements = 0;
        selection->spread = SPREAD_FIRST;
        keep(selection, kept, KEEL_SELECTION_RECALLED);
    }
}

/* --- one candidate --- */

static void add_sample(struct keel_selection_entry *entry, double iteration_ns)
{
    double count = fmin((double)++entry->instances, MEMORY);

    entry->measured_ns += (iteration_ns - entry->measured_ns) / count;
}

/* --- forecasts --- */

static bool is_sound(double value)
{
    return value > 0 && value < INFINITY;
}

/* Measured times since measuring began stay: conditions are still the same. */
static void take_forecasts(struct keel_selection *selection, const struct keel_forecast *forecast,
                           uint64_t iterations)
{
    for (unsigned i = 0; i < selection->count; i++) {
        struct keel_selection_entry *entry = &selection->entry[i];
        double time_ns = forecast[i].time_ns;
        if ((int)i != selection->measurer || entry->instances == 0) {
            *entry = (struct keel_selection_entry){0};
        }
        entry->chunks = forecast[i].chunks;
        entry->forecast_ns = is_sound(time_ns) ? time_ns / (double)iterations : 0;
    }
}

/* The candidate of the best forecast; -1: none. */
static int best_forecast(const struct keel_selection *selection)
{
    int best = -1;

    for (unsigned i = 0; i < selection->count; i++) {
        const struct keel_selection_entry *entry = &selection->entry[i];
        if (entry->forecast_ns > 0 &&
            (best < 0 || entry->forecast_ns < selection->entry[best].forecast_ns)) {
            best = (int)i;
        }
    }
    return best;
}

/* Keeps the best, or the one before if none is quicker by enough. */
static void decide(struct keel_selection *selection, int best)
{
    int before = selection->kept >= 0 ? selection->kept : selection->measurer;
    double best_ns = selection->entry[best].forecast_ns;
    bool stays = before >= 0 && selection->entry[before].forecast_ns > 0 &&
                 best_ns >= PROMISING * selection->entry[before].forecast_ns;

    keep(selection, stays ? before : best,
         stays && before != best ? KEEL_SELECTION_STAYED : KEEL_SELECTION_FORECAST);
    for (unsigned i = 0; i < selection->count; i++) {
        struct keel_selection_entry *entry = &selection->entry[i];
        entry->in_question = (int)i != selection->kept && entry->forecast_ns > 0 &&
                             entry->forecast_ns <= RULED_OUT * best_ns;
    }
}

void keel_selection_forecast(struct keel_selection *selection, const struct keel_forecast *forecast,
                             uint64_t iterations)
{
    if (selection->phase != KEEL_SELECTION_MEASURING || iterations == 0 || selection->count == 0) {
        return;
    }
    take_forecasts(selection, forecast, iterations);
    selection->since = selection->next_try = 0;
    selection->spread = SPREAD_FIRST;
    int best = best_forecast(selection);
    if (best >= 0) {
        decide(selection, best);
    } else {
        keep(selection, selection->kept >= 0 ? selection->kept : 0, KEEL_SELECTION_NO_FORECAST);
    }
}

/* --- trying --- */

/* How much an instance of `which` may cost beyond one of the kept candidate, in instances. */
static double expected_cost(const struct keel_selection *selection, int which)
{
    const struct keel_selection_entry *entry = &selection->entry[which],
                                      *kept = &selection->entry[selection->kept];
    double forecast = entry->forecast_ns / kept->measured_ns - 1;
    bool many = entry->chunks > MANY_CHUNKS * fmax(1, kept->chunks);

    return fmax(0, forecast) + (many ? MANY_CHUNKS_COST : TRY_COSTS);
}

/* Whether a comes before b: has been tried less often, or has the better forecast. */
static bool is_tried_before(const struct keel_selection_entry *a,
                            const struct keel_selection_entry *b)
{
    return a->instances < b->instances ||
           (a->instances == b->instances && a->forecast_ns < b->forecast_ns);
}

/* The next candidate to try; -1 if none is in question. */
static int next_to_try(const struct keel_selection *selection)
{
    int next = -1;

    for (unsigned i = 0; i < selection->count; i++) {
        if (selection->entry[i].in_question &&
            (next < 0 || is_tried_before(&selection->entry[i], &selection->entry[next]))) {
            next = (int)i;
        }
    }
    return next;
}

/* Begins a try if one is due. */
static void consider_try(struct keel_selection *selection)
{
    int which = next_to_try(selection);

    if (which < 0 || selection->entry[selection->kept].instances < JUDGED) {
        return;
    }
    double wait = expected_cost(selection, which) / TRIES_PART;
    if (selection->since >= selection->next_try + (uint64_t)wait) {
        selection->trying = which;
    }
}

/* The next try waits until the cost of this one is a small part of the time. */
static void end_try(struct keel_selection *selection, int which, double iteration_ns)
{
    struct keel_selection_entry *entry = &selection->entry[which];
    double kept_ns = selection->entry[selection->kept].measured_ns;

    selection->trying = -1;
    entry->in_question = entry->instances < TRIES && entry->measured_ns < HOPELESS * kept_ns;
    selection->next_try =
        selection->since + (uint64_t)(fmin(fmax(0, iteration_ns / kept_ns - 1), 1e6) / TRIES_PART);
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
 * make it look all the time; it begins anew only after a long time without a look. */
static void look_again(struct keel_selection *selection, enum keel_selection_reason reason)
{
    bool old = selection->since >= OLD * selection->distance;

    selection->distance = old                                  ? DISTANCE_FIRST
                          : selection->distance < DISTANCE_MAX ? 2 * selection->distance
                                                               : DISTANCE_MAX;
    measure(selection, reason);
}

/* True if another one was tried, and would be chosen now. */
static bool overtakes(const struct keel_selection *selection, unsigned which)
{
    const struct keel_selection_entry *entry = &selection->entry[which];

    return (int)which != selection->kept && entry->instances >= TRIES &&
           entry->measured_ns < OVERTAKING * selection->entry[selection->kept].measured_ns;
}

static void let_overtake(struct keel_selection *selection)
{
    if (selection->entry[selection->kept].instances < JUDGED) {
        return;
    }
    for (unsigned i = 0; i < selection->count; i++) {
        if (overtakes(selection, i)) {
            keep(selection, (int)i, KEEL_SELECTION_OVERTAKEN);
        }
    }
}

static void add_try(struct keel_selection *selection, int which, double iteration_ns)
{
    struct keel_selection_entry *entry = &selection->entry[which];

    selection->since++;
    add_sample(entry, iteration_ns);
    if (entry->instances >= TRIES ||
        entry->measured_ns > selection->entry[selection->kept].measured_ns) {
        end_try(selection, which, iteration_ns);
        let_overtake(selection);
    }
}

static void add_kept(struct keel_selection *selection, double iteration_ns)
{
    struct keel_selection_entry *entry = &selection->entry[selection->kept];
    double band = keel_selection_band(selection);
    bool judged = entry->instances >= JUDGED - 1;
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
        consider_try(selection);
    }
}

/* --- interface --- */

int keel_selection_next(const struct keel_selection *selection)
{
    if (selection->phase == KEEL_SELECTION_MEASURING) {
        return KEEL_SELECTION_MEASURE;
    }
    return selection->trying >= 0 ? selection->trying : selection->kept;
}

void keel_selection_note(struct keel_selection *selection, int which, double time_ns,
                         uint64_t iterations)
{
    double iteration_ns = iterations > 0 ? time_ns / (double)iterations : 0;

    if (which < 0 || (unsigned)which >= selection->count || !is_sound(iteration_ns)) {
        return;
    }
    if (selection->phase == KEEL_SELECTION_MEASURING) {
        if (which == selection->measurer) {
            add_sample(&selection->entry[which], iteration_ns);
        }
    } else if (which == selection->kept) {
        add_kept(selection, iteration_ns);
    } else if (which == selection->trying) {
        add_try(selection, which, iteration_ns);
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
        return "best by the forecasts";
    case KEEL_SELECTION_STAYED:
        return "no other is forecast to be quicker by enough";
    case KEEL_SELECTION_OVERTAKEN:
        return "quicker than the one before, when it was tried";
    case KEEL_SELECTION_RECALLED:
        return "kept in an earlier run";
    case KEEL_SELECTION_NO_FORECAST:
        return "there are no forecasts";
    }
    return "";
}
