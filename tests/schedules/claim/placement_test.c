/* Weights and nearness of threads by the places that they run on, and victims by nearness. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "schedules/claim/claim_placement.h"
#include "schedules/claim/team.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/unit.h"

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
