/* Plans: the table stays bounded, what outgrows it is walked, and lack of memory changes nothing in
 * the sequence. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/schedules/support/sequence.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/unit.h"

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

TEST(a_weighted_plan_survives_without_memory)
{
    const double weights[] = {1.5, 0.5};
    struct keel_plan fallback;
    struct keel_problem problem =
        problem_of(&(struct loop){.spec = "wf2", .iterations = 1000, .threads = 2});

    problem.weights = weights;
    problem.thread = 1;
    heap_begin(0);
    assert_ptr_equal(keel_plan_build(&problem, heap_reallocate, &fallback), &fallback);
    assert_true(fallback.walks);
    assert_int_equal(fallback.share, 1ull << 30);
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
            ADD_CASE(checks[check], &loops[i], "%s N=%llu P=%llu: check %zu", loops[i].spec,
                     (unsigned long long)loops[i].iterations, (unsigned long long)loops[i].threads,
                     check);
        }
    }
}
