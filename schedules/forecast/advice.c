/* Advice on a loop that has run. */
#include "schedules/forecast/advice.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/forecast/predict.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"

#define CLAIMS_PART 0.2       /* part of the threads' time in claims that is worth a hint */
#define SCHEDULING_S 2e-6     /* scheduling cost of an instance that had static shares */
#define SHORT_S 20e-6         /* instances that take no longer may be too short for a team, */
#define SHORT_LOST 0.5        /* if this part of the threads' time is lost */
#define SERIAL_OTHERS 0.05    /* of the busiest thread's time: the others do no more each */
#define FEW_PER_THREAD 16     /* iterations */
#define EQUALLY_GOOD 1.01     /* forecasts within this factor of the best */
#define SPEED_VARIATION 0.02  /* of a thread from one instance to the next */
#define FORECAST_BELIEVED 0.9 /* of a predicted gain: loops drawn at random gain less */
#define BLOCKS_PART_MIN 0.1   /* of a loop's time that learned blocks have to gain */
#define CHUNK_MAX (UINT64_C(1) << 20)

/* --- lost time --- */

/* Mean time of an instance. */
static double mean_s(const struct keel_advice_loop *loop)
{
    return finite_amount(loop->elapsed_s) / (double)loop->instances;
}

/* Time of all instances above that of an even division of the work. */
static double lost_s(const struct keel_advice_loop *loop)
{
    return fmax(0, finite_amount(loop->elapsed_s) -
                       finite_amount(loop->busy_s) / (double)loop->threads);
}

/* Standard error of the mean instance, times the instances. */
static double error_s(const struct keel_advice_loop *loop)
{
    double count = (double)loop->instances, mean = mean_s(loop);
    double squares = finite_amount(loop->elapsed_squares_s2);

    if (loop->instances < 2 || squares == 0) {
        return 0;
    }
    return sqrt(fmax(0, squares / count - mean * mean) / (count - 1)) * count;
}

static bool is_worthwhile(const struct keel_advice_loop *loop, double gain_s)
{
    return gain_s > KEEL_ADVICE_PART_MIN * loop->elapsed_s && gain_s > 2 * error_s(loop);
}

static void suggest(struct keel_advice *advice, const struct keel_schedule *schedule,
                    uint64_t chunk, double gain_s)
{
    advice->schedule = schedule;
    advice->chunk = chunk;
    advice->gain_s = gain_s;
}

/* Suggests by times of the loop. Any of a few instances may have been interrupted: their gain has
 * to exceed that. */
static void suggest_by_times(const struct keel_advice_loop *loop, struct keel_advice *advice,
                             const struct keel_schedule *schedule, uint64_t chunk, double gain_s)
{
    double instances = (double)loop->instances;

    if (loop->instances < KEEL_ADVICE_INSTANCES_MIN) {
        advice->few = (unsigned)loop->instances;
    }
    if (advice->few == 0 || gain_s > KEEL_ADVICE_INTERRUPTED_S * instances) {
        suggest(advice, schedule, chunk, gain_s);
    }
}

/* --- the cost of claims --- */

/* Time of one claim, without clock readings if its schedule needs none. */
static double chunk_claim_s(const struct keel_advice_loop *loop)
{
    const struct keel_schedule *schedule = loop->spec != NULL ? loop->spec->schedule : NULL;
    double claim_s = finite_amount(loop->claim_s);
    struct keel_claim_costs costs = keel_predict_claim_costs(claim_s);

    return schedule != NULL && schedule->claim != KEEL_CLAIM_OWN
               ? keel_predict_claim_ns(schedule, &costs)
               : claim_s;
}

static double claiming_s(const struct keel_advice_loop *loop)
{
    double measured = finite_amount(loop->claiming_s);

    return measured > 0 ? measured : (double)loop->chunks * chunk_claim_s(loop);
}

/* Mean waiting time of a thread: all lost time except that of claims. */
static double all_waited_s(const struct keel_advice_loop *loop)
{
    return fmax(0, lost_s(loop) - claiming_s(loop) / (double)loop->threads);
}

/* The same if each instance waits as long as the median one. */
static double waited_s(const struct keel_advice_loop *loop)
{
    double all_s = all_waited_s(loop);

    return loop->waits_seen > 0
               ? fmin(all_s, finite_amount(loop->median_wait_s) * (double)loop->instances)
               : all_s;
}

/* Waiting beyond that, as in interrupted instances. */
static double untypical_s(const struct keel_advice_loop *loop)
{
    return all_waited_s(loop) - waited_s(loop);
}

static double part_of(double claiming, double busy)
{
    return claiming > 0 ? claiming / (claiming + busy) : 0;
}

/* By measured times of both if known: other programs on the machine lengthen both alike. */
static double claiming_part(const struct keel_advice_loop *loop)
{
    double iteration_s = finite_amount(loop->iteration_s), claim_s = chunk_claim_s(loop);

    if (iteration_s > 0 && claim_s > 0 && loop->chunks > 0) {
        return part_of(claim_s, iteration_s * (double)loop->iterations / (double)loop->chunks);
    }
    return part_of(claiming_s(loop), finite_amount(loop->busy_s));
}

static uint64_t iterations_of_instance(const struct keel_advice_loop *loop)
{
    return loop->iterations / loop->instances;
}

/* The largest power of 2 that is no more than `most`; 1 for 0. */
static uint64_t power_below(uint64_t most)
{
    uint64_t power = 1;

    while (power <= most / 2) {
        power *= 2;
    }
    return power;
}

/* A chunk that is worth its claim, rounded up to a power of 2, if the loop is long enough for it; 0
 * if it is not known. */
static uint64_t worthwhile_chunk(const struct keel_advice_loop *loop)
{
    uint64_t iterations = iterations_of_instance(loop);
    double claim_s = finite_amount(loop->claim_s), iteration_s = finite_amount(loop->iteration_s);

    if (iterations == 0) {
        return 0;
    }
    if (claim_s == 0 && loop->chunks > 0) {
        claim_s = claiming_s(loop) / (double)loop->chunks;
    }
    if (iteration_s == 0) {
        iteration_s = finite_amount(loop->busy_s) / (double)loop->iterations;
    }
    uint64_t least = min_u64(keel_least_chunk(1e9 * claim_s, 1e9 * iteration_s), CHUNK_MAX);
    uint64_t power = least > 1 ? 2 * power_below(least - 1) : 1;
    return min_u64(power,
                   power_below(keel_least_chunk_within(UINT64_MAX, iterations, loop->threads)));
}

static void name_claims(const struct keel_advice_loop *loop, struct keel_advice *advice)
{
    advice->part = claiming_part(loop);
    if (advice->part >= CLAIMS_PART) {
        advice->hint = KEEL_ADVICE_CLAIMS;
    }
}

/* Suggests larger chunks, which save the claims of the chunks that they replace. This holds for any
 * instances, as the chunks were counted. Returns false if they save nothing. */
static bool advise_on_claims(const struct keel_advice_loop *loop, struct keel_advice *advice)
{
    uint64_t chunk = worthwhile_chunk(loop);
    double before = (double)loop->chunks, after = (double)loop->iterations / (double)chunk;
    double saved_s = claiming_s(loop) * (1 - after / before) / (double)loop->threads;

    double gain_s = fmin(saved_s, lost_s(loop));
    if (chunk <= 1 || after > before / 2 || gain_s <= KEEL_ADVICE_PART_MIN * loop->elapsed_s) {
        return false;
    }
    advice->evidence = KEEL_ADVICE_COUNTED;
    name_claims(loop, advice);
    suggest(advice, &keel_schedule_steal, chunk, gain_s);
    return true;
}

/* --- by forecasts --- */

/* Input of the forecasts of one loop. */
struct forecasts {
    struct keel_workload workload;
    struct keel_claim_costs costs;
    uint64_t least; /* chunk that is worth its claim */
    double now_s;   /* an instance under the schedule in force: the less of measured and forecast */
};

static bool is_measured(const struct keel_advice_loop *loop)
{
    return loop->profile != NULL && finite_amount(loop->iteration_s) > 0 &&
           iterations_of_instance(loop) > 0;
}

/* Schedules that choose, and those that want a list of costs, have no forecast of their own. */
static bool is_forecastable(const struct keel_spec *spec)
{
    return spec != NULL && spec->schedule != NULL && !spec->schedule->chooses &&
           !spec->schedule->wants_costs;
}

static struct forecasts begin_forecasts(const struct keel_advice_loop *loop)
{
    return (struct forecasts){
        .workload = {.iterations = iterations_of_instance(loop),
                     .threads = loop->threads,
                     .profile = loop->profile,
                     .iteration_ns = 1e9 * loop->iteration_s,
                     .deviation_ns = 1e9 * finite_amount(loop->deviation_s),
                     .speed = loop->speed,
                     .wobble = SPEED_VARIATION},
        .costs = keel_predict_claim_costs(1e9 * finite_amount(loop->claim_s)),
        .least = keel_least_chunk(1e9 * loop->claim_s, 1e9 * loop->iteration_s),
    };
}

static double forecast_s(const struct forecasts *forecasts, const struct keel_spec *spec)
{
    return keel_predict(spec, &forecasts->workload, &forecasts->costs).time_ns / 1e9;
}

/* As Keel would run it: with the smallest chunk that follows from the measurements. */
static double forecast_candidate_s(const struct forecasts *forecasts,
                                   const struct keel_schedule *schedule, uint64_t chunk)
{
    struct keel_spec spec = keel_spec_of(schedule);

    if (chunk > 0) {
        spec.value[schedule->positional[0]].count = chunk;
        spec.given |= KEEL_BIT(schedule->positional[0]);
    } else if (!keel_least_chunk_is_stated(&spec) && forecasts->least > 1) {
        spec.value[KEEL_MIN].count = forecasts->least;
        spec.min_measured = true;
    }
    return forecast_s(forecasts, &spec);
}

/* The suggestions, simpler ones first; those with a chunk only if one follows from costs. */
static const struct candidate {
    const struct keel_schedule *schedule;
    bool chunk;
} candidates[] = {
    {&keel_schedule_static, false}, {&keel_schedule_fac2, false},  {&keel_schedule_gss, false},
    {&keel_schedule_tss, false},    {&keel_schedule_steal, false}, {&keel_schedule_steal, true},
    {&keel_schedule_rate, false},
};

#define CANDIDATES (sizeof candidates / sizeof candidates[0])

/* The first of those that are equally good; SIZE_MAX if none has a finite forecast. */
static size_t best_candidate(const struct forecasts *forecasts, uint64_t chunk, double *best_s)
{
    double time_s[CANDIDATES], least_s = INFINITY;

    for (size_t i = 0; i < CANDIDATES; i++) {
        bool possible = !candidates[i].chunk || chunk > 1;
        time_s[i] = possible ? forecast_candidate_s(forecasts, candidates[i].schedule,
                                                    candidates[i].chunk ? chunk : 0)
                             : INFINITY;
        least_s = fmin(least_s, time_s[i]);
    }
    for (size_t i = 0; i < CANDIDATES; i++) {
        if (time_s[i] <= EQUALLY_GOOD * least_s) {
            *best_s = time_s[i];
            return i;
        }
    }
    return SIZE_MAX;
}

/* A forecast is no finer than one iteration; and the bounds of blocks, which follow from bins of
 * the profile, are less certain than the chunks of other schedules. */
static bool is_believable(const struct keel_advice_loop *loop, const struct keel_schedule *schedule,
                          double gain_s)
{
    bool learns = schedule->learns == KEEL_LEARNS_BLOCKS;

    return gain_s > loop->iteration_s * (double)loop->instances &&
           gain_s > (learns ? BLOCKS_PART_MIN : 0) * loop->elapsed_s;
}

/* Cost of an instance beyond its chunks, if it had static shares. */
static double scheduling_s(const struct keel_advice_loop *loop,
                           const struct keel_schedule *schedule)
{
    bool was_static = loop->spec->schedule->claim == KEEL_CLAIM_OWN;

    return was_static && schedule->claim != KEEL_CLAIM_OWN ? SCHEDULING_S : 0;
}

/* If the forecast of the schedule in force differs from its measured time, a candidate has to beat
 * the less of the two: causes that one forecast leaves out are missing in the candidate's, too. So
 * is waiting that a median instance does not have. */
static void advise_by_forecasts(const struct keel_advice_loop *loop, struct keel_advice *advice)
{
    struct forecasts forecasts = begin_forecasts(loop);
    uint64_t chunk = worthwhile_chunk(loop);
    double best_s;

    advice->evidence = KEEL_ADVICE_FORECAST;
    forecasts.now_s = fmin(forecast_s(&forecasts, loop->spec),
                           mean_s(loop) - untypical_s(loop) / (double)loop->instances);
    size_t best = best_candidate(&forecasts, chunk, &best_s);
    if (best == SIZE_MAX) {
        return;
    }
    double gain_s = FORECAST_BELIEVED * (double)loop->instances *
                    (forecasts.now_s - best_s - scheduling_s(loop, candidates[best].schedule));
    if (is_worthwhile(loop, gain_s) && is_believable(loop, candidates[best].schedule, gain_s)) {
        suggest_by_times(loop, advice, candidates[best].schedule,
                         candidates[best].chunk ? chunk : 0, gain_s);
        if (advice->schedule != NULL) {
            name_claims(loop, advice);
        }
    }
}

/* --- by waiting times --- */

/* A schedule to try if only waiting times are known; NULL if none would help. Under schedules with
 * small last chunks, threads wait for a thread that is late or interrupted. */
static const struct keel_schedule *finer_than(const struct keel_spec *spec)
{
    const struct keel_schedule *const coarse[] = {&keel_schedule_static, &keel_schedule_css,
                                                  &keel_schedule_gss, &keel_schedule_tss};

    for (size_t i = 0; i < sizeof coarse / sizeof coarse[0]; i++) {
        if (spec->schedule == coarse[i]) {
            return &keel_schedule_fac2;
        }
    }
    return NULL;
}

/* At worst one thread does all work of an instance; then the others could take their shares of it.
 * Waiting beyond that is not for work of the loop. */
static double movable_s(const struct keel_advice_loop *loop)
{
    return finite_amount(loop->busy_s) * (1 - 1 / (double)loop->threads);
}

static void advise_by_waiting(const struct keel_advice_loop *loop, struct keel_advice *advice)
{
    double gain_s = fmin(waited_s(loop), movable_s(loop)) - SCHEDULING_S * (double)loop->instances;
    const struct keel_schedule *schedule = loop->subject != KEEL_ADVICE_LOOP ? &keel_schedule_fac2
                                           : loop->spec != NULL ? finer_than(loop->spec)
                                                                : NULL;

    advice->evidence = KEEL_ADVICE_WAITING;
    if (schedule != NULL && gain_s > KEEL_ADVICE_LOST_MIN * loop->elapsed_s &&
        is_worthwhile(loop, gain_s)) {
        suggest_by_times(loop, advice, schedule, 0, gain_s);
        advice->hint = advice->schedule != NULL && loop->subject != KEEL_ADVICE_LOOP
                           ? KEEL_ADVICE_BUILT_STATIC
                           : KEEL_ADVICE_NO_HINT;
    }
}

/* --- obstacles that no schedule removes --- */

static bool is_lossy(const struct keel_advice_loop *loop)
{
    return lost_s(loop) - untypical_s(loop) > KEEL_ADVICE_LOST_MIN * loop->elapsed_s;
}

static bool is_too_short(const struct keel_advice_loop *loop)
{
    return loop->threads > 1 && mean_s(loop) <= SHORT_S &&
           lost_s(loop) > SHORT_LOST * loop->elapsed_s;
}

/* True if the others have no more than a small part of the busiest thread's time each. */
static bool is_serial(const struct keel_advice_loop *loop)
{
    double busiest_s = finite_amount(loop->busiest_s);
    double others_s = finite_amount(loop->busy_s) - busiest_s;

    return loop->threads > 1 && busiest_s > 0 &&
           others_s <= SERIAL_OTHERS * busiest_s * (double)(loop->threads - 1);
}

/* If single iterations go to idle threads, the last one to end has begun before the others were
 * idle: elapsed <= busy / P + (1 - 1/P) longest. */
static double longest_by_waiting_s(const struct keel_advice_loop *loop)
{
    double threads = (double)loop->threads;

    return waited_s(loop) / (double)loop->instances / (1 - 1 / threads);
}

/* Costs of bins are means: the longest iteration is at least as long. */
static double longest_by_profile_s(const struct keel_advice_loop *loop)
{
    double most = 0;

    for (unsigned i = 0; i < KEEL_PROFILE_BINS; i++) {
        most = fmax(most, finite_amount(loop->profile->cost[i]));
    }
    return most * loop->iteration_s;
}

/* Threads also wait for one that is late or interrupted. An iteration that is longer than all
 * others by this much makes their deviation large: of N, longest <= mean + deviation sqrt(N). If
 * the deviation is not known, there have to be few iterations. */
static bool is_credible(const struct keel_advice_loop *loop, double longest_s)
{
    double deviation_s = finite_amount(loop->deviation_s);
    uint64_t iterations = iterations_of_instance(loop);

    if (deviation_s == 0) {
        return iterations / FEW_PER_THREAD < loop->threads;
    }
    return longest_s <= finite_amount(loop->iteration_s) + deviation_s * sqrt((double)iterations);
}

/* Whether an iteration has taken longer than a thread's share of all. */
static bool has_long_iteration(const struct keel_advice_loop *loop)
{
    double share_s = finite_amount(loop->busy_s) / (double)loop->threads / (double)loop->instances;
    double longest_s = 0;

    if (is_measured(loop)) {
        longest_s = longest_by_profile_s(loop);
    } else if (loop->spec != NULL && loop->spec->schedule == &keel_schedule_ss) {
        longest_s = longest_by_waiting_s(loop);
        longest_s = is_credible(loop, longest_s) ? longest_s : 0;
    }
    return longest_s >= share_s && share_s > 0;
}

/* Why threads wait, if the schedule is not the reason. */
static enum keel_advice_hint obstacle(const struct keel_advice_loop *loop)
{
    uint64_t iterations = iterations_of_instance(loop);

    if (loop->threads < 2 || !is_lossy(loop)) {
        return KEEL_ADVICE_NO_HINT;
    }
    if (is_too_short(loop)) {
        return KEEL_ADVICE_TOO_SHORT;
    }
    if (loop->subject == KEEL_ADVICE_REGION || loop->subject == KEEL_ADVICE_PART) {
        return is_serial(loop) ? KEEL_ADVICE_SERIAL_PART : KEEL_ADVICE_NO_HINT;
    }
    if (iterations > 0 && iterations <= loop->threads) {
        return KEEL_ADVICE_FEW_ITERATIONS;
    }
    return has_long_iteration(loop) ? KEEL_ADVICE_LONG_ITERATION : KEEL_ADVICE_NO_HINT;
}

/* --- all together --- */

static bool is_known(const struct keel_advice_loop *loop)
{
    return loop->threads > 0 && loop->instances > 0 && finite_amount(loop->elapsed_s) > 0 &&
           finite_amount(loop->busy_s) > 0;
}

/* Measured iterations are better evidence than waiting times, which also have causes that no
 * schedule removes. */
static void advise(const struct keel_advice_loop *loop, struct keel_advice *advice)
{
    if (is_measured(loop) && is_forecastable(loop->spec)) {
        advise_by_forecasts(loop, advice);
        if (advice->schedule == NULL) {
            advice->hint = obstacle(loop);
        }
        return;
    }
    if (loop->subject == KEEL_ADVICE_LOOP && claiming_part(loop) >= CLAIMS_PART &&
        advise_on_claims(loop, advice)) {
        return;
    }
    advice->hint = obstacle(loop);
    if (advice->hint == KEEL_ADVICE_NO_HINT && loop->holds_loops) {
        advice->evidence = KEEL_ADVICE_NOT_KNOWN; /* its loops have advice of their own */
    } else if (advice->hint == KEEL_ADVICE_NO_HINT) {
        advise_by_waiting(loop, advice);
    }
}

struct keel_advice keel_advise(const struct keel_advice_loop *loop)
{
    struct keel_advice advice = {.subject = loop->subject, .evidence = KEEL_ADVICE_NOT_KNOWN};

    if (is_known(loop)) {
        advice.evidence = KEEL_ADVICE_WAITING;
        advice.instance_s = mean_s(loop);
        advice.lost = lost_s(loop) / loop->elapsed_s;
        if (loop->threads > 1) {
            advise(loop, &advice);
        }
    }
    return advice;
}
