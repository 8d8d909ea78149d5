/* How many iterations to claim ahead, and chunk sizes in a range. */
#include "schedules/claim/team.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define ANSWERS 2      /* that an amount lasts for: a claim is answered after the next one */
#define PART 8         /* of an equal share: at most this is handed out at once */
#define UNKNOWN_PART 4 /* of an equal share, while paces are not known */
#define LEAST 0.5      /* of one: a worker that would get less waits until it is idle */
#define FIRST 3
#define FIRST_PART 6
#define FEW 3 /* that may be claimed at once though they are more than 1 / PART */

static bool knows_paces(const struct keel_ahead *ahead)
{
    return ahead->team.measured >= 2 && ahead->team.speed_per_ns > 0 && ahead->own_ns > 0;
}

/* Iterations per ns of all workers, extrapolated from the measured ones. */
static double speed_of_all(const struct keel_ahead *ahead)
{
    return ahead->team.speed_per_ns * (double)ahead->workers / (double)ahead->team.measured;
}

/* Iterations left by now, as others have gone on at their paces. */
static double left_now(const struct keel_ahead *ahead)
{
    double gone = ahead->since_ns * speed_of_all(ahead) / ahead->scale;

    return fmax(0, (double)ahead->left - gone);
}

/* Its share by speed of what is left and what it has, less what it has. */
static double share_by_paces(const struct keel_ahead *ahead)
{
    double part = fmin(1, ahead->scale / ahead->own_ns / speed_of_all(ahead));

    return (left_now(ahead) + (double)ahead->held) * part - (double)ahead->held;
}

static uint64_t share_of(const struct keel_ahead *ahead)
{
    return knows_paces(ahead) ? count_of(fmax(0, share_by_paces(ahead)))
                              : ahead->left / UNKNOWN_PART / ahead->workers;
}

bool keel_ahead_is_wanted(const struct keel_ahead *ahead)
{
    return ahead->held == 0 || !knows_paces(ahead) || share_by_paces(ahead) >= LEAST;
}

uint64_t keel_ahead_amount(const struct keel_ahead *ahead)
{
    if (!(ahead->own_ns > 0)) {
        return 1;
    }
    uint64_t wanted =
        ahead->answer_ns > 0 ? count_of(ceil(ANSWERS * ahead->answer_ns / ahead->own_ns)) : FEW;
    uint64_t bound = max_u64(ahead->left / PART / ahead->workers, FEW);
    return max_u64(1, min_u64(min_u64(wanted, share_of(ahead)), bound));
}

uint64_t keel_ahead_small_amount(const struct keel_ahead *ahead)
{
    if (!(ahead->own_ns > 0)) {
        return 1;
    }
    uint64_t wanted = count_of(ceil(ahead->answer_ns / ahead->own_ns));
    return max_u64(1, min_u64(wanted, ahead->left / PART / ahead->workers));
}

uint64_t keel_ahead_first(uint64_t steps, uint64_t workers)
{
    return min_u64(FIRST, steps / FIRST_PART / workers);
}

/* --- chunks of a range, sized by any schedule --- */

static const struct keel_schedule *schedule_of(const struct keel_sizer *sizer)
{
    return sizer->spec.schedule;
}

/* --- beginning --- */

/* A range has no room for blocks, and its chunks no positions in a list of costs. */
static const struct keel_schedule *replacement(const struct keel_spec *spec)
{
    const struct keel_schedule *schedule = spec->schedule;

    if (schedule->claim == KEEL_CLAIM_BLOCKS || schedule->wants_costs || schedule->chooses ||
        spec->in_order) {
        schedule = schedule->in_order != NULL ? schedule->in_order : schedule;
    }
    return schedule->measured & ~spec->given ? &keel_schedule_fac2 : schedule;
}

/* The parameters of another schedule mean something else, except the minimum. */
static struct keel_spec sizable(const struct keel_spec *spec)
{
    const struct keel_schedule *schedule = replacement(spec);

    if (schedule == spec->schedule) {
        return *spec;
    }
    struct keel_spec other = keel_spec_of(schedule);
    other.value[KEEL_MIN] = spec->value[KEEL_MIN];
    other.given = spec->given & KEEL_BIT(KEEL_MIN);
    return other;
}

void keel_sizer_begin(struct keel_sizer *sizer, const struct keel_spec *spec, uint64_t threads,
                      struct keel_pace known)
{
    *sizer = (struct keel_sizer){
        .spec = sizable(spec),
        .context = {.spec = &sizer->spec, .threads = threads, .divisor = threads},
    };
    if (keel_timing_is_known(&known)) {
        sizer->known = sizer->context.own = known;
    }
}

/* The weight of a known pace follows from the first range. */
static void recall(struct keel_sizer *sizer)
{
    if (sizer->context.iterations == 0 && sizer->known.mean_ns > 0) {
        keel_timing_recall(&sizer->timing, &sizer->known, sizer->left, sizer->context.threads);
    }
}

static void begin_range(struct keel_sizer *sizer, const struct keel_range_view *range)
{
    const struct keel_problem problem = {
        .spec = &sizer->spec, .iterations = range->length, .threads = sizer->context.threads};

    sizer->left = range->left;
    recall(sizer);
    sizer->context.iterations = range->length;
    sizer->context.begun = 0;
    if (keel_plan_exists(schedule_of(sizer))) {
        sizer->walk = keel_walk_from_start(&problem);
    }
}

/* --- sizes --- */

/* Iterations to the end of the chunk that contains the range's front. */
static uint64_t by_plan(struct keel_sizer *sizer)
{
    uint64_t position = sizer->context.iterations - sizer->left;

    return keel_walk_past(&sizer->walk, position) - position;
}

static double weight_of(const struct keel_sizer *sizer)
{
    enum keel_learning learns = schedule_of(sizer)->learns;
    const struct keel_claim_context *context = &sizer->context;
    const struct keel_pace *own = learns == KEEL_LEARNS_LOOPS ? &sizer->known : &context->own;

    const struct keel_speeds team = {context->team.speed_per_ns, context->team.measured};

    double pace_ns = keel_timing_is_known(own) ? own->mean_ns : 0;
    double weight = keel_learner_weight(learns, pace_ns, &team, 0);
    return fmin(fmax(weight, KEEL_LEARNER_WEIGHT_MIN), (double)context->threads);
}

static uint64_t by_weight(struct keel_sizer *sizer)
{
    struct keel_view *view = &sizer->walk.view;

    view->remaining = sizer->left;
    return count_of(ceil(weight_of(sizer) * (double)schedule_of(sizer)->size(view)));
}

static uint64_t by_context(struct keel_sizer *sizer)
{
    const struct keel_schedule *schedule = schedule_of(sizer);

    return schedule->take != NULL ? schedule->take(&sizer->context) : 1;
}

static uint64_t wanted(struct keel_sizer *sizer)
{
    switch (schedule_of(sizer)->claim) {
    case KEEL_CLAIM_STEPS:
    case KEEL_CLAIM_OWN:
        return by_plan(sizer);
    case KEEL_CLAIM_WEIGHTED:
        return by_weight(sizer);
    case KEEL_CLAIM_SIZED:
    case KEEL_CLAIM_BLOCKS: /* replaced in keel_sizer_begin() */
        break;
    }
    return by_context(sizer);
}

uint64_t keel_sizer_size(struct keel_sizer *sizer, const struct keel_range_view *range,
                         const struct keel_paces *team)
{
    if (range->length != sizer->context.iterations || range->left > sizer->left) {
        begin_range(sizer, range);
    }
    sizer->left = range->left;
    sizer->context.remaining = range->left;
    sizer->context.team = *team;
    return min_u64(max_u64(wanted(sizer), sizer->spec.value[KEEL_MIN].count), range->left);
}

/* --- times of chunks --- */

/* The progress of the other threads is not known: this thread's counts as the mean. */
static void adapt(struct keel_sizer *sizer)
{
    struct keel_claim_context *context = &sizer->context;

    context->done = context->begun;
    context->progress = (double)context->done;
    schedule_of(sizer)->adapt(context);
}

void keel_sizer_done(struct keel_sizer *sizer, uint64_t iterations, double time_ns,
                     double overhead_ns)
{
    if (iterations == 0) {
        return;
    }
    sizer->context.chunk = iterations;
    sizer->context.begun += iterations;
    keel_timing_done(&sizer->timing, iterations, time_ns, overhead_ns, &sizer->context);
    if (schedule_of(sizer)->adapt != NULL) {
        adapt(sizer);
    }
}

struct keel_pace keel_sizer_pace(const struct keel_sizer *sizer)
{
    return sizer->context.own;
}
