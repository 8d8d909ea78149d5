/* Grain, and plans, built by running a schedule's hooks over the loop. */
#include "schedules/claim/plan.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"

/* --- grain --- */

uint64_t keel_grain_common(uint64_t a, uint64_t b)
{
    uint64_t common;

    return __builtin_mul_overflow(a / common_divisor(a, b), b, &common) ? UINT64_MAX : common;
}

static void scale_size(struct keel_spec *spec, enum keel_parameter parameter, uint64_t grain)
{
    /* 0 means that the value follows from the loop, and stays 0 */
    spec->value[parameter].count = div_ceil(spec->value[parameter].count, grain);
}

static void scale_time(struct keel_spec *spec, enum keel_parameter parameter, double factor)
{
    spec->value[parameter].real =
        fmin(spec->value[parameter].real * factor, keel_parameters[parameter].highest.real);
}

struct keel_spec keel_grain_spec(const struct keel_spec *spec)
{
    static const enum keel_parameter sizes[] = {KEEL_MIN, KEEL_CHUNK, KEEL_FIRST, KEEL_LAST};
    uint64_t grain = keel_grain_of(spec);
    struct keel_spec units = *spec;

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        scale_size(&units, sizes[i], grain);
    }
    scale_time(&units, KEEL_MU, (double)grain);
    scale_time(&units, KEEL_SIGMA, sqrt((double)grain));
    units.value[KEEL_GRAIN].count = 1;
    units.given &= ~KEEL_BIT(KEEL_GRAIN);
    return units;
}

void keel_grain_add(struct keel_spec *spec, uint64_t grain)
{
    uint64_t common = keel_grain_common(keel_grain_of(spec), grain);

    if (common > 1) {
        spec->value[KEEL_GRAIN].count = common;
        spec->given |= KEEL_BIT(KEEL_GRAIN);
    }
}

#define FIRST_TABLE 64 /* steps; most sequences fit */

/* --- walking --- */

struct keel_walk keel_walk_from_start(const struct keel_problem *problem)
{
    const struct keel_schedule *schedule = problem->spec->schedule;
    struct keel_walk walk = {.view = {
                                 .spec = problem->spec,
                                 .iterations = problem->iterations,
                                 .threads = problem->threads,
                                 .remaining = problem->iterations,
                                 .min_chunk = keel_least_chunk_under(
                                     problem->spec, problem->iterations, problem->threads),
                             }};

    if (schedule->begin != NULL && problem->iterations > 0) {
        schedule->begin(&walk.view);
    }
    return walk;
}

/* Whether the next chunk has to be sized anew: not within a batch, and only once for equal
 * chunks. */
static bool wants_size(const struct keel_walk *walk)
{
    const struct keel_view *view = &walk->view;
    const struct keel_schedule *schedule = view->spec->schedule;

    if (walk->sized || (schedule->batched && view->step % view->threads != 0)) {
        return false;
    }
    return schedule->shape != KEEL_UNIFORM || view->chunk == 0;
}

/* Makes view.chunk the size of the chunk ahead; view.remaining > 0. */
static void size_chunk(struct keel_walk *walk)
{
    struct keel_view *view = &walk->view;
    const struct keel_schedule *schedule = view->spec->schedule;

    if (!wants_size(walk)) {
        return;
    }
    uint64_t size = schedule->size != NULL ? schedule->size(view) : 0;
    view->chunk = max_u64(size, view->min_chunk);
    walk->sized = true;
}

/* Takes the next chunk; view.remaining > 0. */
static void walk_chunk(struct keel_walk *walk, uint64_t *first, uint64_t *last)
{
    struct keel_view *view = &walk->view;

    size_chunk(walk);
    uint64_t size = min_u64(view->chunk, view->remaining);
    *first = walk->first;
    *last = walk->first + size;
    walk->first += size;
    view->remaining -= size;
    view->step++;
    walk->sized = false;
}

bool keel_walk_to_step(struct keel_walk *walk, uint64_t step, uint64_t *first, uint64_t *last)
{
    while (walk->view.remaining > 0) {
        bool arrived = walk->view.step == step;
        walk_chunk(walk, first, last);
        if (arrived) {
            return true;
        }
    }
    return false;
}

/* True when every chunk from here on has the size of the next one. */
static bool at_equal_tail(struct keel_walk *walk)
{
    struct keel_view *view = &walk->view;
    enum keel_shape shape = view->spec->schedule->shape;

    size_chunk(walk);
    return shape == KEEL_UNIFORM || (shape == KEEL_DECREASING && view->chunk == view->min_chunk);
}

/* Passes over chunks of the equal tail that end at `iteration` or before it. */
static void skip_tail(struct keel_walk *walk, uint64_t iteration)
{
    uint64_t chunks = (iteration - walk->first) / walk->view.chunk;

    walk->first += chunks * walk->view.chunk;
    walk->view.remaining -= chunks * walk->view.chunk;
    walk->view.step += chunks;
}

/* Goes on from `iteration`, as if a batch ended there. */
static void skip_to(struct keel_walk *walk, uint64_t iteration)
{
    struct keel_view *view = &walk->view;

    walk->first = iteration;
    view->remaining = view->iterations - iteration;
    view->step = div_ceil(view->step, view->threads) * view->threads;
    walk->sized = false;
}

uint64_t keel_walk_past(struct keel_walk *walk, uint64_t iteration)
{
    uint64_t first, last;

    for (unsigned chunks = 0; walk->first <= iteration; chunks++) {
        if (at_equal_tail(walk)) {
            skip_tail(walk, iteration);
        } else if (chunks == KEEL_WALK_MAX) {
            skip_to(walk, iteration);
        }
        walk_chunk(walk, &first, &last);
    }
    return walk->first;
}

/* Chunks in a batch. A schedule that sizes each chunk anew has batches of one chunk. */
static uint64_t batch_chunks(const struct keel_view *view)
{
    return view->spec->schedule->batched ? view->threads : 1;
}

/* Length of the batch ahead, even if the loop ends before it does. */
static uint64_t batch_length(const struct keel_view *view)
{
    uint64_t chunks = batch_chunks(view);

    return view->chunk > UINT64_MAX / chunks ? UINT64_MAX : chunks * view->chunk;
}

static void walk_batch(struct keel_walk *walk)
{
    uint64_t length = min_u64(batch_length(&walk->view), walk->view.remaining);

    walk->first += length;
    walk->view.remaining -= length;
    walk->view.step += batch_chunks(&walk->view);
    walk->sized = false;
}

void keel_walk_to_batch(struct keel_walk *walk, uint64_t batch, uint64_t *first, uint64_t *length)
{
    struct keel_view *view = &walk->view;

    while (view->remaining > 0 && view->step / batch_chunks(view) < batch) {
        size_chunk(walk);
        walk_batch(walk);
    }
    *first = walk->first;
    *length = 1;
    if (view->remaining > 0) {
        size_chunk(walk);
        *length = batch_length(view);
    }
}

/* --- building --- */

/* Room for `steps` steps; returns NULL, and leaves the plan as it was, if memory is short. */
static struct keel_plan *grow(struct keel_plan *plan, uint64_t steps,
                              void *(*reallocate)(void *, size_t))
{
    return reallocate == NULL
               ? NULL
               : reallocate(plan, sizeof *plan + (steps + 1) * sizeof plan->bound[0]);
}

/* Makes room for one more step; false if the table is full, or memory is short. */
static bool has_room(struct keel_plan **plan, uint64_t *room, void *(*reallocate)(void *, size_t))
{
    if ((*plan)->head == KEEL_PLAN_HEAD_MAX) {
        return false;
    }
    if ((*plan)->head == *room) {
        struct keel_plan *grown = grow(*plan, 2 * *room, reallocate);
        if (grown == NULL) {
            return false;
        }
        *plan = grown;
        *room *= 2;
    }
    return true;
}

/* Fills the table until the loop ends or its equal tail begins, as far as there is room. */
static struct keel_plan *fill_table(struct keel_plan *plan, void *(*reallocate)(void *, size_t))
{
    uint64_t room = FIRST_TABLE;

    plan->bound[0] = 0;
    while (plan->walk.view.remaining > 0 && !at_equal_tail(&plan->walk) &&
           has_room(&plan, &room, reallocate)) {
        walk_chunk(&plan->walk, &plan->bound[plan->head], &plan->bound[plan->head + 1]);
        plan->head++;
    }
    return plan;
}

/* True when no batch comes after the one ahead, or all of them have its length. */
static bool at_last_batches(struct keel_walk *walk)
{
    return at_equal_tail(walk) || batch_length(&walk->view) >= walk->view.remaining;
}

/* As fill_table(), for the batches of a weighted plan. */
static struct keel_plan *fill_batches(struct keel_plan *plan, void *(*reallocate)(void *, size_t))
{
    uint64_t room = FIRST_TABLE;

    plan->bound[0] = 0;
    while (!at_last_batches(&plan->walk) && has_room(&plan, &room, reallocate)) {
        walk_batch(&plan->walk);
        plan->bound[++plan->head] = plan->walk.first;
    }
    return plan;
}

static void close_batches(struct keel_plan *plan)
{
    plan->tail_first = plan->walk.first;
    plan->tail_chunk = 1;
    plan->steps = UINT64_MAX;
    if (plan->iterations > 0) {
        plan->walks = !at_last_batches(&plan->walk);
        plan->tail_chunk = batch_length(&plan->walk.view);
    }
}

/* Sets the fields that describe the steps behind the table. */
static void close_plan(struct keel_plan *plan)
{
    struct keel_view *view = &plan->walk.view;

    plan->tail_first = plan->walk.first;
    plan->tail_chunk = 1;
    plan->steps = plan->head;
    if (view->remaining == 0) {
        return;
    }
    plan->walks = !at_equal_tail(&plan->walk);
    if (plan->walks) {
        plan->steps = UINT64_MAX;
    } else {
        plan->tail_chunk = view->chunk;
        plan->steps += div_ceil(view->remaining, view->chunk);
    }
}

static double weight_of(const struct keel_problem *problem, uint64_t thread)
{
    if (problem->own_weight > 0) {
        return fmax(problem->own_weight, KEEL_LEARNER_WEIGHT_MIN);
    }
    return problem->weights != NULL ? fmax(problem->weights[thread], KEEL_LEARNER_WEIGHT_MIN) : 1;
}

/* w/P of a batch of P chunks, w chunks otherwise. Rounded up, so that P shares of weight 1 make a
 * batch. */
uint64_t keel_plan_share(const struct keel_plan *plan, double weight)
{
    double chunk = 0x1p32 / (double)batch_chunks(&plan->walk.view);
    double bounded = fmin(fmax(weight, KEEL_LEARNER_WEIGHT_MIN), (double)plan->threads);

    return max_u64(1, count_of(ceil(bounded * chunk)));
}

static double least_weight(const struct keel_problem *problem)
{
    double least = weight_of(problem, 0);

    if (problem->least_weight > 0) {
        return fmax(problem->least_weight, KEEL_LEARNER_WEIGHT_MIN);
    }
    for (uint64_t thread = 1; thread < problem->threads && problem->weights != NULL; thread++) {
        least = fmin(least, weight_of(problem, thread));
    }
    return least;
}

/* Raises the minimum of a batch's chunks so far that the thread of the least weight gets the spec's
 * minimum. A minimum of 1 needs nothing: smaller shares are put together. */
static void raise_minimum(const struct keel_problem *problem, struct keel_view *view)
{
    if (view->min_chunk > 1) {
        view->min_chunk = max_u64(view->min_chunk,
                                  count_of(ceil((double)view->min_chunk / least_weight(problem))));
    }
}

static struct keel_plan plan_without_table(const struct keel_problem *problem)
{
    struct keel_plan plan = {
        .claim = problem->spec->schedule->claim,
        .iterations = problem->iterations,
        .threads = problem->threads,
        .thread = problem->thread,
        .walk = keel_walk_from_start(problem),
    };

    if (plan.claim == KEEL_CLAIM_WEIGHTED) {
        plan.share = keel_plan_share(&plan, weight_of(problem, problem->thread));
        raise_minimum(problem, &plan.walk.view);
    }
    return plan;
}

/* Whether any step needs a table. */
static bool wants_table(struct keel_plan *plan)
{
    if (plan->iterations == 0) {
        return false;
    }
    return plan->claim == KEEL_CLAIM_WEIGHTED ? !at_last_batches(&plan->walk)
                                              : !at_equal_tail(&plan->walk);
}

struct keel_plan *keel_plan_build(const struct keel_problem *problem,
                                  void *(*reallocate)(void *, size_t), struct keel_plan *fallback)
{
    struct keel_plan start = plan_without_table(problem);
    bool table = wants_table(&start);
    bool weighted = start.claim == KEEL_CLAIM_WEIGHTED;
    struct keel_plan *plan = grow(NULL, table ? FIRST_TABLE : 0, reallocate);

    if (plan == NULL) {
        *fallback = start;
        plan = fallback;
    } else {
        *plan = start;
        if (table) {
            plan = (weighted ? fill_batches : fill_table)(plan, reallocate);
        }
    }
    if (weighted) {
        close_batches(plan);
    } else {
        close_plan(plan);
    }
    return plan;
}

uint64_t keel_plan_steps(const struct keel_plan *plan)
{
    struct keel_walk walk = plan->walk;
    uint64_t first, last;

    if (!plan->walks) {
        return plan->steps;
    }
    while (walk.view.remaining > 0) {
        walk_chunk(&walk, &first, &last);
    }
    return walk.view.step;
}

/* --- weighted claims behind the table --- */

/* length times part / 2^32, rounded down, and no more than `most` */
static uint64_t part_of(uint64_t length, uint64_t part, uint64_t most)
{
    unsigned __int128 product = (unsigned __int128)length * part >> 32;

    return product > most ? most : (uint64_t)product;
}

/* The batches behind the table all have one length, or they are walked to. */
uint64_t keel_position_walk(const struct keel_plan *plan, struct keel_walk *walk, uint64_t position)
{
    uint64_t first = plan->tail_first, length = plan->tail_chunk;
    uint64_t part = position - (plan->head << 32);

    if (plan->walks) {
        keel_walk_to_batch(walk, position >> 32, &first, &length);
        part = (uint32_t)position;
    }
    return first + part_of(length, part, plan->iterations - first);
}
