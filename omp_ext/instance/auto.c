/* `auto` at a loop site. */
#include "omp_ext/instance/auto.h"

#include <math.h>
#include <stdlib.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"
#include "schedules/loop/registry.h"

#define SPEED_VARIATION 0.02 /* of speeds, while few instances have been seen */
#define LEARNING_PART \
    0.005            /* of a loop's time that `rate` may take for learning, as in experience.c */
#define CLAIM_NS 100 /* a claim with clock readings, until it has been measured */

/* The candidate that serves while Keel measures. */
static const struct keel_policy *rate_of(const struct keel_candidates *candidates)
{
    return &candidates->policy[candidates->count - 1];
}

/* --- running --- */

/* While measuring, the first instance runs all along the loop, and what follows until forecasts are
 * affordable runs as `rate` does. */
static const struct keel_policy *measuring_policy(const struct keel_shared_state *shared_state)
{
    const struct keel_policy *rate = rate_of(shared_state->policy->candidates);
    bool unmeasured =
        shared_state->record == NULL || shared_state->record->auto_state->measured == 0;

    return unmeasured ? rate->in_order : rate;
}

void keel_auto_run(struct keel_shared_state *shared_state)
{
    shared_state->candidate = shared_state->record != NULL
                                  ? keel_selection_next(&shared_state->record->auto_state->choice)
                                  : KEEL_SELECTION_MEASURE;
    shared_state->run = shared_state->candidate == KEEL_SELECTION_MEASURE
                            ? measuring_policy(shared_state)
                            : &shared_state->policy->candidates->policy[shared_state->candidate];
}

/* --- forecasting --- */

/* How far the times of single iterations stray from what profile and speeds say: each chunk of n of
 * them by sqrt(n) times that. */
static double deviation_ns(const struct keel_shared_state *shared_state,
                           const struct keel_blocks *blocks, double mean_ns)
{
    double squares = 0, chunks = 0;

    for (uint64_t i = 0; i < shared_state->threads; i++) {
        double pace_ns = mean_ns / keel_blocks_speed(blocks, i);
        for (size_t k = 0; k < shared_state->part[i].chunks; k++) {
            const struct keel_timed_chunk *chunk = &shared_state->part[i].chunk[k];
            double work =
                keel_profile_chunk_work(&blocks->profile, chunk, shared_state->space.units);
            double stray = (chunk->time_ns - work * pace_ns) * mean_ns / pace_ns;
            squares += stray * stray / (double)(chunk->last - chunk->first);
            chunks++;
        }
    }
    return chunks > 1 ? sqrt(squares / (chunks - 1)) : 0;
}

/* How much threads' speeds differ from one instance to the next. */
static double speed_variation_of(const struct keel_blocks *blocks)
{
    double squares = 0;
    uint64_t known = 0;

    for (uint64_t i = 0; i < blocks->workers; i++) {
        const struct keel_blocks_worker *worker = &blocks->worker[i];
        if (worker->raw > 0 && worker->rate.filtered > 0 && blocks->instances > 2) {
            double change = worker->raw / worker->rate.filtered - 1;
            squares += fmin(change * change, 1);
            known++;
        }
    }
    return fmax(SPEED_VARIATION, known > 0 ? sqrt(squares / (double)known) : 0);
}

/* What an instance under `candidate` takes beyond its forecast: to enter and leave the shared state
 * and to learn, as has been seen. Static shares of a short loop need none of that (site.h);
 * those of a long one run like the others, where the difference would not show. */
static double start_ns(const struct keel_shared_state *shared_state, unsigned candidate)
{
    const struct keel_settled_site *site = shared_state->policy->settled_site;
    const struct keel_schedule *schedule =
        shared_state->policy->candidates->policy[candidate].spec.schedule;

    if (site == NULL || schedule == &keel_schedule_static) {
        return 0;
    }
    return atomic_load_explicit(&site->start_ns, memory_order_relaxed) +
           (schedule->learns == KEEL_LEARNS_BLOCKS
                ? fmin(shared_state->record->learning_ns,
                       LEARNING_PART * shared_state->record->instance_ns)
                : 0);
}

static void forecast_all(struct keel_shared_state *shared_state, double *speed)
{
    const struct keel_blocks *blocks = shared_state->record->blocks;
    struct keel_auto_state *auto_state = shared_state->record->auto_state;
    const struct keel_candidates *candidates = shared_state->policy->candidates;
    const struct keel_claim_costs costs =
        keel_predict_claim_costs(shared_state->claim_ns > 0 ? shared_state->claim_ns : CLAIM_NS);
    double mean_ns = keel_blocks_iteration_ns(blocks);

    for (uint64_t i = 0; i < shared_state->threads; i++) {
        speed[i] = keel_blocks_speed(blocks, i);
    }
    auto_state->workload = (struct keel_workload){
        .iterations = shared_state->space.units,
        .threads = shared_state->threads,
        .profile = &blocks->profile,
        .iteration_ns = mean_ns,
        .deviation_ns = deviation_ns(shared_state, blocks, mean_ns),
        .speed = speed,
        .wobble = speed_variation_of(blocks),
    };
    for (unsigned i = 0; i < candidates->count; i++) {
        auto_state->forecast[i] =
            keel_predict(&candidates->policy[i].spec, &auto_state->workload, &costs);
        auto_state->forecast[i].time_ns += start_ns(shared_state, i);
    }
    auto_state->workload.speed = NULL;
    keel_selection_forecast(&auto_state->choice, auto_state->forecast, shared_state->space.units);
}

static bool worth_forecasts(const struct keel_auto_state *auto_state)
{
    return auto_state->choice.phase == KEEL_SELECTION_MEASURING && auto_state->measured > 0 &&
           auto_state->total_ns > keel_candidates_forecasts_due_ns(auto_state);
}

static void forecast(struct keel_shared_state *shared_state)
{
    struct keel_auto_state *auto_state = shared_state->record->auto_state;
    uint64_t start = keel_clock_ticks();
    double *speed = malloc(shared_state->threads * sizeof *speed);

    if (speed != NULL) {
        forecast_all(shared_state, speed);
        free(speed);
        auto_state->measured = 0;
        auto_state->forecast_ns = keel_clock_span_ns(start, keel_clock_ticks());
    }
}

void keel_auto_learn(struct keel_shared_state *shared_state, double time_ns)
{
    struct keel_auto_state *auto_state = shared_state->record->auto_state;

    auto_state->iterations = shared_state->space.units;
    auto_state->total_ns += time_ns;
    if (shared_state->candidate != KEEL_SELECTION_MEASURE) {
        keel_selection_note(&auto_state->choice, shared_state->candidate, time_ns,
                            shared_state->space.units);
        return;
    }
    auto_state->measured++;
    if (shared_state->run == rate_of(shared_state->policy->candidates)) {
        keel_selection_note(&auto_state->choice, auto_state->choice.measurer, time_ns,
                            shared_state->space.units);
    }
    if (worth_forecasts(auto_state)) {
        forecast(shared_state);
    }
}
