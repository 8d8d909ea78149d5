/* Builds plans by running a schedule's hooks over the loop. */
#include "schedules/loop/plan.h"

#include <math.h>

#include "schedules/loop/arithmetic.h"

#define FIRST_TABLE 64 /* steps; most sequences fit */
#define BATCHES 66     /* of a weighted plan */

/* --- walking --- */

static struct keel_walk walk_from_start(const struct keel_problem *problem)
{
    const struct keel_schedule *schedule = problem->spec->schedule;
    struct keel_walk walk = {.view = {
                                 .spec = problem->spec,
                                 .iterations = problem->iterations,
                                 .threads = problem->threads,
                                 .remaining = problem->iterations,
                                 .min_chunk = problem->spec->value[KEEL_MIN].count,
                             }};

    if (schedule->begin != NULL && problem->iterations > 0) {
        schedule->begin(&walk.view);
    }
    return walk;
}

/* Whether the chunk that stands ahead has to be sized anew: not within a batch, and only once for
 * equal chunks. */
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

/* Weight times the batch's chunk, rounded up, and at least the minimum. */
static uint64_t weighted_chunk(const struct keel_plan *plan, const struct keel_view *view)
{
    return max_u64(count_of(ceil(plan->weight * (double)view->chunk)), view->min_chunk);
}

/* P chunks, or what is left of the loop. */
static uint64_t batch_length(const struct keel_view *view)
{
    return view->remaining / view->threads < view->chunk ? view->remaining
                                                         : view->threads * view->chunk;
}

static void walk_batch(struct keel_walk *walk)
{
    uint64_t length = batch_length(&walk->view);

    walk->first += length;
    walk->view.remaining -= length;
    walk->view.step += walk->view.threads;
    walk->sized = false;
}

/* As iteration < N, a batch that ends before it leaves something to size. */
uint64_t keel_walk_to_batch(const struct keel_plan *plan, struct keel_walk *walk,
                            uint64_t iteration)
{
    size_chunk(walk);
    while (iteration - walk->first >= batch_length(&walk->view)) {
        walk_batch(walk);
        size_chunk(walk);
    }
    return weighted_chunk(plan, &walk->view);
}

/* --- building --- */

/* True when every chunk from here on has the size of the next one. */
static bool at_equal_tail(struct keel_walk *walk)
{
    struct keel_view *view = &walk->view;
    enum keel_shape shape = view->spec->schedule->shape;

    size_chunk(walk);
    return shape == KEEL_UNIFORM || (shape == KEEL_DECREASING && view->chunk == view->min_chunk);
}

/* Room for `steps` steps; NULL leaves the plan as it was. */
static struct keel_plan *grow(struct keel_plan *plan, uint64_t steps,
                              void *(*reallocate)(void *, size_t))
{
    return reallocate(plan, sizeof *plan + (steps + 1) * sizeof plan->bound[0]);
}

/* Fills the table until the loop ends, its equal tail begins, the table is full or memory is short.
 */
static struct keel_plan *fill_table(struct keel_plan *plan, void *(*reallocate)(void *, size_t))
{
    uint64_t room = FIRST_TABLE;

    plan->bound[0] = 0;
    while (plan->walk.view.remaining > 0 && plan->head < KEEL_PLAN_HEAD_MAX &&
           !at_equal_tail(&plan->walk)) {
        if (plan->head == room) {
            struct keel_plan *grown = grow(plan, 2 * room, reallocate);
            if (grown == NULL) {
                break;
            }
            plan = grown;
            room *= 2;
        }
        walk_chunk(&plan->walk, &plan->bound[plan->head], &plan->bound[plan->head + 1]);
        plan->head++;
    }
    return plan;
}

/* The same for the batches of a weighted plan, which take two entries each. Factoring has at most
 * 65: each halves what is left. */
static void fill_batches(struct keel_plan *plan)
{
    while (plan->walk.view.remaining > 0 && plan->head < BATCHES && !at_equal_tail(&plan->walk)) {
        uint64_t chunk = weighted_chunk(plan, &plan->walk.view);
        walk_batch(&plan->walk);
        plan->bound[2 * plan->head] = plan->walk.first;
        plan->bound[2 * plan->head + 1] = chunk;
        plan->head++;
    }
}

/* Settles what follows the table. */
static void close_plan(struct keel_plan *plan)
{
    struct keel_view *view = &plan->walk.view;
    bool weighted = plan->claim == KEEL_CLAIM_WEIGHTED;

    plan->tail_first = plan->walk.first;
    plan->tail_chunk = 1;
    plan->steps = plan->head;
    if (view->remaining == 0) {
        return;
    }
    plan->walks = !at_equal_tail(&plan->walk);
    if (plan->walks || weighted) {
        plan->steps = UINT64_MAX;
        plan->tail_chunk = weighted ? weighted_chunk(plan, view) : 1;
    } else {
        plan->tail_chunk = view->chunk;
        plan->steps += div_ceil(view->remaining, view->chunk);
    }
}

static struct keel_plan plan_without_table(const struct keel_problem *problem)
{
    return (struct keel_plan){
        .claim = problem->spec->schedule->claim,
        .iterations = problem->iterations,
        .threads = problem->threads,
        .thread = problem->thread,
        .weight = problem->weights != NULL ? problem->weights[problem->thread] : 1,
        .walk = walk_from_start(problem),
    };
}

/* Whether any step has to stand in a table at all. */
static bool wants_table(struct keel_plan *plan)
{
    return plan->iterations > 0 && !at_equal_tail(&plan->walk);
}

struct keel_plan *keel_plan_build(const struct keel_problem *problem,
                                  void *(*reallocate)(void *, size_t), struct keel_plan *fallback)
{
    struct keel_plan start = plan_without_table(problem);
    bool table = wants_table(&start);
    bool weighted = start.claim == KEEL_CLAIM_WEIGHTED;
    struct keel_plan *plan = grow(NULL,
                                  !table     ? 0
                                  : weighted ? 2 * BATCHES
                                             : FIRST_TABLE,
                                  reallocate);

    if (plan == NULL) {
        *fallback = start;
        plan = fallback;
    } else {
        *plan = start;
        if (table && weighted) {
            fill_batches(plan);
        } else if (table) {
            plan = fill_table(plan, reallocate);
        }
    }
    close_plan(plan);
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
