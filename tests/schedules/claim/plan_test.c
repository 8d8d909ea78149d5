/* What threads claim: plans, places, and how much is claimed ahead. */
#include <math.h>
#include <stdlib.h>

#include "schedules/claim/claim_placement.h"
#include "schedules/claim/team.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/unit.h"

/* --- plans: the table stays bounded, what outgrows it is walked, and lack of memory changes
 * nothing in the sequence --- */

#define STEPS_MAX 200000

/* --- a heap that runs dry --- */

static struct {
    int calls;
    int calls_before_failure; /* -1: never fails */
    size_t largest;           /* bytes asked for at once */
} heap;

static void heap_begin(int calls_before_failure)
{
    heap.calls = 0;
    heap.calls_before_failure = calls_before_failure;
    heap.largest = 0;
}

static void *heap_reallocate(void *memory, size_t size)
{
    heap.largest = size > heap.largest ? size : heap.largest;
    return heap.calls++ == heap.calls_before_failure ? NULL : realloc(memory, size);
}

static void release(struct keel_plan *plan, const struct keel_plan *fallback)
{
    if (plan != fallback) {
        free(plan);
    }
}

/* --- tests --- */

struct loop {
    const char *spec;
    uint64_t iterations, threads;
    bool walks; /* outgrows the table */
};

static struct loop loops[] = {
    {"ss", 1ull << 40, 8, false},
    {"gss", 1000000, 4, false},
    {"gss", 1000000, 1000, false},
    {"gss", 100000000, 2000, true}, /* 2000 ln 50000 = 21640 chunks above 1 */
    {"tss", 1000000, 64, false},
    {"tss,44722", 1000000000, 8, true}, /* one less each time: about sqrt(2N) = 44721 chunks */
    {"tfss,44722", 1000000000, 8, true},
    {"tss,11", 1000000, 4, false}, /* floor(10/(C-1)) = 0: never shrinks, equal from the start */
    {"fac2", UINT64_MAX, 64, false},
    {"fac:mu=1,sigma=10000", 100000000, 8, true},
    {"tap:mu=1,sigma=700", 10000000, 8, false}, /* most of it in equal chunks of 1 */
    {"tap:mu=1,sigma=10", 100000000, 2000, true},
    {"bold:mu=1,sigma=10000,overhead=1", 10000000, 8, true},
    {"rnd", 30000000, 60000, true}, /* 500 at most, 250 on average */
    {"rnd:seed=9", 1000000, 16, false},
    {"pls", 100000000, 20000, true},
    {"fiss:stages=1000000", 1000000, 3, true},
    {"static", 1000000, 20000, true}, /* more blocks than the table has steps */
    {"static", 1000003, 64, false},
    {"fsc:sigma=10,overhead=1", 100000000, 8, false},
};

static struct keel_spec spec;

static struct keel_problem problem_of(const struct loop *loop)
{
    spec = specs_read(loop->spec);
    return (struct keel_problem){
        .spec = &spec, .iterations = loop->iterations, .threads = loop->threads};
}

static void sequence_is_unbounded_while_the_table_is_bounded(void **state)
{
    const struct loop *loop = *state;
    struct keel_problem problem = problem_of(loop);
    struct keel_plan fallback;

    heap_begin(-1);
    struct keel_plan *plan = keel_plan_build(&problem, heap_reallocate, &fallback);
    struct sequence got = sequence_of_plan(plan, STEPS_MAX);
    struct sequence wanted = sequence_of_hooks(&problem, STEPS_MAX);

    sequence_assert_equal(&got, &wanted);
    assert_int_equal(plan->walks, loop->walks);
    assert_true(plan->head <= KEEL_PLAN_HEAD_MAX);
    assert_true(heap.largest <= sizeof *plan + (KEEL_PLAN_HEAD_MAX + 1) * sizeof plan->bound[0]);
    sequence_free(&got);
    sequence_free(&wanted);
    release(plan, &fallback);
}

static void steps_are_counted(void **state)
{
    const struct loop *loop = *state;
    struct keel_problem problem = problem_of(loop);
    struct keel_plan fallback, *plan = keel_plan_build(&problem, realloc, &fallback);

    if (loop->iterations == 1ull << 40) {
        assert_int_equal(keel_plan_steps(plan), 1ull << 40);
    } else {
        struct sequence sequence = sequence_of_hooks(&problem, SIZE_MAX);
        assert_int_equal(keel_plan_steps(plan), sequence.steps);
        sequence_free(&sequence);
    }
    release(plan, &fallback);
}

static void any_failed_allocation_leaves_the_sequence(void **state)
{
    struct keel_problem problem = problem_of(*state);
    struct sequence wanted = sequence_of_hooks(&problem, STEPS_MAX);
    int allocations = 1;

    for (int failing = 0; failing < allocations; failing++) {
        struct keel_plan fallback;
        heap_begin(-1);
        release(keel_plan_build(&problem, heap_reallocate, &fallback), &fallback);
        allocations = heap.calls;

        heap_begin(failing);
        struct keel_plan *plan = keel_plan_build(&problem, heap_reallocate, &fallback);
        assert_int_equal(plan == &fallback, failing == 0);
        struct sequence got = sequence_of_plan(plan, STEPS_MAX);
        sequence_assert_equal(&got, &wanted);
        sequence_free(&got);
        release(plan, &fallback);
    }
    sequence_free(&wanted);
}

/* A walk may skip steps, as it does for a thread whose team-mates take most of them. */
static void a_walk_may_skip_steps(void **state)
{
    struct keel_problem problem = problem_of(*state);
    struct keel_plan fallback, *plan = keel_plan_build(&problem, realloc, &fallback);
    struct sequence wanted = sequence_of_hooks(&problem, STEPS_MAX);
    struct keel_walk walk = plan->walk;
    uint64_t first, last;

    for (size_t step = 0; step < wanted.steps; step += 1 + step / 7) {
        assert_true(keel_plan_any_chunk(plan, &walk, step, &first, &last));
        assert_int_equal(first, wanted.bound[step]);
        assert_int_equal(last, wanted.bound[step + 1]);
    }
    if (wanted.steps < STEPS_MAX) {
        assert_false(keel_plan_any_chunk(plan, &walk, wanted.steps, &first, &last));
        assert_false(keel_plan_any_chunk(plan, &walk, wanted.steps + 1000, &first, &last));
    }
    sequence_free(&wanted);
    release(plan, &fallback);
}

/* The same for a walk that looks for iterations. */
static void a_walk_finds_the_chunk_of_an_iteration(void **state)
{
    struct keel_problem problem = problem_of(*state);
    struct sequence wanted = sequence_of_hooks(&problem, STEPS_MAX);
    struct keel_walk walk = keel_walk_from_start(&problem);

    for (size_t step = 0; step < wanted.steps; step += 1 + step / 7 % 10000) {
        uint64_t first = wanted.bound[step], last = wanted.bound[step + 1];
        assert_int_equal(keel_walk_past(&walk, first), last);
        assert_int_equal(keel_walk_past(&walk, first + (last - first) / 2), last);
        assert_int_equal(keel_walk_past(&walk, last - 1), last);
    }
    sequence_free(&wanted);
}

/* Equal chunks are passed at once. */
TEST(a_walk_leaps_along_the_tail)
{
    struct keel_problem problem =
        problem_of(&(struct loop){.spec = "css,3", .iterations = UINT64_MAX, .threads = 4});
    struct keel_walk walk = keel_walk_from_start(&problem);

    assert_int_equal(keel_walk_past(&walk, 1), 3);
    assert_int_equal(keel_walk_past(&walk, UINT64_MAX - 4), UINT64_MAX - 3);
    assert_int_equal(keel_walk_past(&walk, UINT64_MAX - 1), UINT64_MAX);
}

/* The common loop must not cost an allocation beyond the plan itself. */
TEST(a_plan_without_table_is_small)
{
    static const char *const texts[] = {"ss", "css,4", "mfsc", "static,3"};
    struct keel_plan fallback;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct keel_problem problem =
            problem_of(&(struct loop){.spec = texts[i], .iterations = 1000, .threads = 4});
        heap_begin(-1);
        struct keel_plan *plan = keel_plan_build(&problem, heap_reallocate, &fallback);
        assert_int_equal(plan->head, 0);
        assert_int_equal(heap.calls, 1);
        assert_true(heap.largest <= sizeof *plan + sizeof plan->bound[0]);
        release(plan, &fallback);
    }
}

/* N=1000, P=4 under fac2: batches of 4 x 125, 63, 31, 16, 8, 4, 2, then ones. Weight 1.5 takes 3/8
 * of each. */
TEST(a_weighted_plan_holds_its_batches)
{
    static const uint64_t begins[] = {0, 500, 752, 876, 940, 972, 988, 996};
    const double weights[] = {1.5, 0.5, 1, 1};
    struct keel_plan fallback;
    struct keel_problem problem =
        problem_of(&(struct loop){.spec = "wf2", .iterations = 1000, .threads = 4});

    problem.weights = weights;
    heap_begin(-1);
    struct keel_plan *plan = keel_plan_build(&problem, heap_reallocate, &fallback);
    assert_int_equal(plan->head, 7);
    for (unsigned batch = 0; batch <= 7; batch++) {
        assert_int_equal(plan->bound[batch], begins[batch]);
    }
    assert_int_equal(plan->tail_chunk, 4);
    assert_int_equal(plan->share, 3ull << 29);
    assert_int_equal(heap.calls, 1);
    release(plan, &fallback);
}

/* A thread of many that knows its own weight and the least of all has the same plan. */
TEST(two_weights_stand_for_all)
{
    const double weights[] = {1.5, 0.5, 1, 1};
    struct keel_plan fallback, other_fallback;
    struct keel_problem problem =
        problem_of(&(struct loop){.spec = "wf2,10", .iterations = 1000, .threads = 4});

    for (problem.thread = 0; problem.thread < 4; problem.thread++) {
        heap_begin(-1);
        problem.weights = weights;
        problem.own_weight = problem.least_weight = 0;
        struct keel_plan *plan = keel_plan_build(&problem, heap_reallocate, &fallback);
        problem.weights = NULL;
        problem.own_weight = weights[problem.thread];
        problem.least_weight = 0.5;
        struct keel_plan *other = keel_plan_build(&problem, heap_reallocate, &other_fallback);
        assert_int_equal(other->share, plan->share);
        assert_int_equal(other->head, plan->head);
        assert_int_equal(other->walk.view.min_chunk, plan->walk.view.min_chunk);
        assert_int_equal(other->walk.view.min_chunk, 20);
        release(plan, &fallback);
        release(other, &other_fallback);
    }
}

BEFORE_TESTS
{
    static const CMUnitTestFunction checks[] = {
        sequence_is_unbounded_while_the_table_is_bounded, steps_are_counted,
        any_failed_allocation_leaves_the_sequence,        a_walk_may_skip_steps,
        a_walk_finds_the_chunk_of_an_iteration,
    };

    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        for (size_t check = 0; check < sizeof checks / sizeof checks[0]; check++) {
            ADD_CASE(checks[check], &loops[i], "%s N=%lu P=%lu: check %zu", loops[i].spec,
                     loops[i].iterations, loops[i].threads, check);
        }
    }
}

/* --- places: weights and nearness of threads by the places that they run on, and victims by
 * nearness --- */

/* A team with thread i on the processors [first[i], first[i + 1]) of `number`. */
static struct keel_placement *placement_of(const struct keel_processor *processor,
                                           size_t processors, const uint32_t *number,
                                           const uint64_t *first, uint64_t threads)
{
    const struct keel_places places = {
        .threads = threads,
        .first = first,
        .number = number,
        .processors = processors,
        .processor = processor,
    };

    return keel_placement_make(&places);
}

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const uint64_t one_each[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) < 1e-9);
}

TEST(cores_of_two_kinds_weigh_as_they_are_fast)
{
    const struct keel_processor processor[] = {
        {0, 0, 0, 1000}, {1, 0, 0, 1000}, {2, 0, 0, 600}, {3, 0, 0, 600}};
    struct keel_placement *placement = placement_of(processor, 4, in_order, one_each, 4);

    assert_non_null(placement);
    assert_null(placement->groups);
    assert_near(placement->weight[0], 1.25);
    assert_near(placement->weight[1], 1.25);
    assert_near(placement->weight[2], 0.75);
    assert_near(placement->weight[3], 0.75);
    free(placement);
}

/* A thread that may use both hardware threads of a core is alone there all the same. */
TEST(a_thread_alone_has_its_core)
{
    const struct keel_processor processor[] = {
        {0, 0, 0, 1}, {0, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}, {2, 0, 0, 1}};
    const uint64_t first[] = {0, 2, 4, 5};

    assert_null(placement_of(processor, 5, in_order, first, 3));
}

/* 2 nodes, each with 2 caches of 3 cores. */
static const struct keel_processor two_nodes[] = {
    {0, 0, 0, 1}, {1, 0, 0, 1}, {2, 0, 0, 1}, {3, 1, 0, 1}, {4, 1, 0, 1},  {5, 1, 0, 1},
    {6, 2, 1, 1}, {7, 2, 1, 1}, {8, 2, 1, 1}, {9, 3, 1, 1}, {10, 3, 1, 1}, {11, 3, 1, 1}};

TEST(nearness_follows_caches_and_nodes)
{
    struct keel_placement *placement = placement_of(two_nodes, 12, in_order, one_each, 12);

    assert_non_null(placement);
    assert_null(placement->weight);
    assert_int_equal(keel_placement_nearness(placement, 0, 2), KEEL_NEAR_CACHE);
    assert_int_equal(keel_placement_nearness(placement, 0, 3), KEEL_NEAR_NODE);
    assert_int_equal(keel_placement_nearness(placement, 5, 6), KEEL_NEAR_NOT);
    free(placement);
}

/* --- victims --- */

/* Runs the first claim of thread 2, whose block is empty, on a team of 12 where the others have the
 * blocks `length`, and returns from whose block it took. */
static uint64_t victim_by(const uint64_t *length, bool placed)
{
    const struct keel_spec spec = keel_spec_of(&keel_schedule_steal);
    struct keel_placement *placement = placement_of(two_nodes, 12, in_order, one_each, 12);
    struct keel_team *team = aligned_alloc(64, keel_team_size(12));
    struct keel_team_worker worker;
    uint64_t bound[13] = {0}, first, last, victim = 0;

    assert_non_null(placement);
    assert_non_null(team);
    for (unsigned i = 0; i < 12; i++) {
        bound[i + 1] = bound[i] + length[i];
    }
    keel_team_begin(team, &spec, bound[12] + 1, 12, bound, NULL);
    keel_team_place(team, placed ? placement : NULL);
    keel_team_worker_begin(&worker, team, 2, (struct keel_pace){0});
    assert_true(keel_team_worker_next(&worker, &first, &last));
    while (bound[victim + 1] <= first) {
        victim++;
    }
    free(team);
    free(placement);
    return victim;
}

TEST(idle_threads_take_from_near_ones_that_have_enough)
{
    /* half as much in the cache, in the node */
    assert_int_equal(victim_by((uint64_t[]){100, 500, 0, 9, 9, 9, 1000, 9, 9, 9, 9, 9}, true), 1);
    assert_int_equal(victim_by((uint64_t[]){100, 499, 0, 9, 500, 9, 1000, 9, 9, 9, 9, 9}, true), 4);
    /* less: the fullest of all */
    assert_int_equal(victim_by((uint64_t[]){100, 499, 0, 9, 499, 9, 1000, 9, 9, 9, 9, 9}, true), 6);
    /* the nearest are the fullest, too */
    assert_int_equal(victim_by((uint64_t[]){100, 499, 0, 9, 9, 9, 400, 9, 9, 9, 9, 9}, true), 1);
    /* without a placement, always the fullest */
    assert_int_equal(victim_by((uint64_t[]){100, 999, 0, 9, 9, 9, 1000, 9, 9, 9, 9, 9}, false), 6);
}

/* --- ahead: how much is claimed at once where answers take long: by hand --- */

/* Two workers, of 20 and 60 ms an iteration; the first one asks. */
static struct keel_ahead two_workers(void)
{
    return (struct keel_ahead){
        .left = 1000,
        .own_ns = 20e6,
        .team = {.measured = 2, .speed_per_ns = 1 / 20e6 + 1 / 60e6},
        .scale = 1,
        .workers = 2,
        .answer_ns = 60e6,
    };
}

TEST(it_lasts_until_the_answer_after_the_next)
{
    struct keel_ahead ahead = two_workers();

    assert_int_equal(keel_ahead_amount(&ahead), 6);
    ahead.answer_ns = 61e6;
    assert_int_equal(keel_ahead_amount(&ahead), 7);
    ahead.answer_ns = 0; /* no answer has come yet */
    assert_int_equal(keel_ahead_amount(&ahead), 3);
}

TEST(nobody_takes_more_than_its_share)
{
    struct keel_ahead ahead = two_workers();

    ahead.left = 4; /* three of them end with the other's one */
    assert_int_equal(keel_ahead_amount(&ahead), 3);
    ahead.held = 4; /* six of eight, of which it has four */
    assert_int_equal(keel_ahead_amount(&ahead), 2);
    ahead.held = 100;
    assert_int_equal(keel_ahead_amount(&ahead), 1);
    ahead.held = 0;
    ahead.left = 40; /* costs may differ from what was seen: three, or an eighth of 20 */
    ahead.answer_ns = 1e9;
    assert_int_equal(keel_ahead_amount(&ahead), 3);
    ahead.left = 4;
    ahead.own_ns = 60e6;
    assert_int_equal(keel_ahead_amount(&ahead), 1);
}

/* Chunks of five iterations each. */
TEST(steps_of_a_plan_count_as_their_iterations)
{
    struct keel_ahead ahead = two_workers();

    ahead.own_ns *= 5;
    ahead.scale = 5;
    ahead.left = 4;
    ahead.answer_ns = 1e9;
    assert_int_equal(keel_ahead_amount(&ahead), 3);
}

TEST(a_quarter_of_an_equal_share_while_nothing_is_known)
{
    struct keel_ahead ahead = two_workers();

    ahead.team.measured = 1;
    ahead.left = 16;
    assert_int_equal(keel_ahead_amount(&ahead), 2);
    ahead.own_ns = 0;
    assert_int_equal(keel_ahead_amount(&ahead), 1);
}

/* Four left, one of which the slow one has: its share is a quarter of what both go on to have. */
TEST(who_would_end_last_does_not_claim_ahead)
{
    struct keel_ahead ahead = two_workers();

    ahead.own_ns = 60e6;
    ahead.held = 1;
    ahead.left = 4; /* 5 / 4 - 1 */
    assert_false(keel_ahead_is_wanted(&ahead));
    ahead.left = 5; /* 6 / 4 - 1 */
    assert_true(keel_ahead_is_wanted(&ahead));
    ahead.since_ns = 15e6; /* in which both do one */
    assert_false(keel_ahead_is_wanted(&ahead));
    ahead.held = 0;
    assert_true(keel_ahead_is_wanted(&ahead));
    ahead.held = 1;
    ahead.team.measured = 1;
    assert_true(keel_ahead_is_wanted(&ahead));
}

TEST(fewer_are_claimed_of_chunks_that_shrink)
{
    struct keel_ahead ahead = two_workers();

    assert_int_equal(keel_ahead_small_amount(&ahead), 3); /* one answer */
    ahead.left = 32;
    assert_int_equal(keel_ahead_small_amount(&ahead), 2);
    ahead.own_ns = 0;
    assert_int_equal(keel_ahead_small_amount(&ahead), 1);
}

TEST(few_chunks_are_claimed_at_first)
{
    assert_int_equal(keel_ahead_first(40, 2), 3);
    assert_int_equal(keel_ahead_first(400, 2), 3);
    assert_int_equal(keel_ahead_first(24, 2), 2);
    assert_int_equal(keel_ahead_first(11, 2), 0);
    assert_int_equal(keel_ahead_first(0, 1), 0);
}
