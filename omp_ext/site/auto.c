/* `auto` at a loop site. */
#include "omp_ext/site/auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/settled.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

/* Of each kind one: what differs little is not worth its trial. */
static const struct keel_schedule *const candidates_of_all[] = {
    &keel_schedule_static, &keel_schedule_mfsc, &keel_schedule_gss,
    &keel_schedule_tss,    &keel_schedule_fac2, &keel_schedule_ss,
    &keel_schedule_steal,  &keel_schedule_af,   &keel_schedule_rate,
};

#define CANDIDATES (sizeof candidates_of_all / sizeof *candidates_of_all)

#define FORECASTS_NS 1e6   /* what forecasts may take, until that has been seen */
#define FORECASTS_PART 0.1 /* of a loop's time so far that they may take */
#define WOBBLE 0.02        /* of speeds, while few instances have been seen */
#define LEARNING_PART \
    0.005            /* of a loop's time that `rate` may take for learning, as in experience.c */
#define CLAIM_NS 100 /* a claim with clock readings, until it has been measured */

/* --- candidates --- */

void keel_choosing_begin(struct keel_candidates *candidates, const struct keel_policy *automatic)
{
    candidates->count = CANDIDATES;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        struct keel_policy *policy = &candidates->policy[i], *in_order = &candidates->in_order[i];
        struct keel_spec stated = keel_spec_of(candidates_of_all[i]);
        keel_policy_copy_common(&stated, &automatic->stated);
        *policy = keel_policy_of(&stated);
        policy->memory = automatic->memory;
        policy->measured = true;
        if (stated.schedule->in_order != NULL) {
            *in_order = keel_policy_in_order(&stated);
            policy->in_order = in_order;
        }
    }
}

void keel_chooser_begin(struct keel_chooser *chooser)
{
    *chooser = (struct keel_chooser){0};
    keel_choice_begin(&chooser->choice, CANDIDATES);
}

int keel_choosing_find(const struct keel_candidates *candidates, const char *name)
{
    for (unsigned i = 0; i < candidates->count; i++) {
        if (strcmp(candidates->policy[i].spec.schedule->name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* The candidate that serves while Keel measures. */
static const struct keel_policy *rate_of(const struct keel_candidates *candidates)
{
    return &candidates->policy[CANDIDATES - 1];
}

/* --- running --- */

/* While measuring, the first instance runs all along the loop, and what follows until forecasts are
 * affordable runs as `rate` does. */
static const struct keel_policy *measuring_policy(const struct keel_arena *arena)
{
    const struct keel_policy *rate = rate_of(arena->policy->candidates);
    bool blind = arena->record == NULL || arena->record->chooser->measured == 0;

    return blind ? rate->in_order : rate;
}

void keel_choosing_run(struct keel_arena *arena)
{
    arena->candidate = arena->record != NULL ? keel_choice_next(&arena->record->chooser->choice)
                                             : KEEL_CHOICE_MEASURE;
    arena->run = arena->candidate == KEEL_CHOICE_MEASURE
                     ? measuring_policy(arena)
                     : &arena->policy->candidates->policy[arena->candidate];
}

/* --- forecasting --- */

/* How far the times of single iterations stray from what profile and speeds say: each chunk of n of
 * them by sqrt(n) times that. */
static double deviation_ns(const struct keel_arena *arena, const struct keel_rebalance *balance,
                           double mean_ns)
{
    double squares = 0, chunks = 0;

    for (uint64_t i = 0; i < arena->threads; i++) {
        double pace_ns = mean_ns / keel_rebalance_speed(balance, i);
        for (size_t k = 0; k < arena->part[i].chunks; k++) {
            const struct keel_timed_chunk *chunk = &arena->part[i].chunk[k];
            double work = keel_profile_chunk_work(&balance->profile, chunk, arena->space.units);
            double stray = (chunk->time_ns - work * pace_ns) * mean_ns / pace_ns;
            squares += stray * stray / (double)(chunk->last - chunk->first);
            chunks++;
        }
    }
    return chunks > 1 ? sqrt(squares / (chunks - 1)) : 0;
}

/* How much threads' speeds differ from one instance to the next. */
static double wobble_of(const struct keel_rebalance *balance)
{
    double squares = 0;
    uint64_t known = 0;

    for (uint64_t i = 0; i < balance->workers; i++) {
        const struct keel_rebalance_worker *worker = &balance->worker[i];
        if (worker->raw > 0 && worker->rate.filtered > 0 && balance->instances > 2) {
            double change = worker->raw / worker->rate.filtered - 1;
            squares += fmin(change * change, 1);
            known++;
        }
    }
    return fmax(WOBBLE, known > 0 ? sqrt(squares / (double)known) : 0);
}

/* What an instance under `candidate` takes beyond its forecast: to enter and leave the arena and to
 * learn, as has been seen. Static shares of a short loop need none of that (settled.h); those of a
 * long one run like the others, where the difference would not show. */
static double start_ns(const struct keel_arena *arena, unsigned candidate)
{
    const struct keel_settling *settling = arena->policy->settling;
    const struct keel_schedule *schedule =
        arena->policy->candidates->policy[candidate].spec.schedule;

    if (settling == NULL || schedule == &keel_schedule_static) {
        return 0;
    }
    return atomic_load_explicit(&settling->start_ns, memory_order_relaxed) +
           (schedule->learns == KEEL_LEARNS_BLOCKS
                ? fmin(arena->record->learning_ns, LEARNING_PART * arena->record->instance_ns)
                : 0);
}

static void forecast_all(struct keel_arena *arena, double *speed)
{
    const struct keel_rebalance *balance = arena->record->balance;
    struct keel_chooser *chooser = arena->record->chooser;
    const struct keel_candidates *candidates = arena->policy->candidates;
    const struct keel_claim_costs costs =
        keel_predict_claim_costs(arena->claim_ns > 0 ? arena->claim_ns : CLAIM_NS);
    double mean_ns = keel_rebalance_iteration_ns(balance);

    for (uint64_t i = 0; i < arena->threads; i++) {
        speed[i] = keel_rebalance_speed(balance, i);
    }
    chooser->workload = (struct keel_workload){
        .iterations = arena->space.units,
        .threads = arena->threads,
        .profile = &balance->profile,
        .iteration_ns = mean_ns,
        .deviation_ns = deviation_ns(arena, balance, mean_ns),
        .speed = speed,
        .wobble = wobble_of(balance),
    };
    void *memory = aligned_alloc(64, (keel_predict_size(arena->threads) + 63) / 64 * 64);
    for (unsigned i = 0; i < candidates->count; i++) {
        chooser->forecast[i] =
            keel_predict_in(memory, &candidates->policy[i].spec, &chooser->workload, &costs);
        chooser->forecast[i].time_ns += start_ns(arena, i);
    }
    free(memory);
    chooser->workload.speed = NULL;
    keel_choice_forecast(&chooser->choice, chooser->forecast, arena->space.units);
}

static bool worth_forecasts(const struct keel_chooser *chooser)
{
    double cost_ns = chooser->forecast_ns > 0 ? chooser->forecast_ns : FORECASTS_NS;

    return chooser->choice.phase == KEEL_CHOICE_MEASURING && chooser->measured > 0 &&
           chooser->total_ns * FORECASTS_PART > cost_ns;
}

static void forecast(struct keel_arena *arena)
{
    struct keel_chooser *chooser = arena->record->chooser;
    uint64_t start = keel_clock_ticks();
    double *speed = malloc(arena->threads * sizeof *speed);

    if (speed != NULL) {
        forecast_all(arena, speed);
        free(speed);
        chooser->measured = 0;
        chooser->forecast_ns = keel_clock_span_ns(start, keel_clock_ticks());
    }
}

void keel_choosing_learn(struct keel_arena *arena, double time_ns)
{
    struct keel_chooser *chooser = arena->record->chooser;

    chooser->iterations = arena->space.units;
    chooser->total_ns += time_ns;
    if (arena->candidate != KEEL_CHOICE_MEASURE) {
        keel_choice_saw(&chooser->choice, arena->candidate, time_ns, arena->space.units);
        return;
    }
    chooser->measured++;
    if (worth_forecasts(chooser)) {
        forecast(arena);
    }
}
