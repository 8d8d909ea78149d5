/* What trials of a site's short loops come to: which lengths are settled, which scheduled. */
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/site/site.h"
#include "tests/support/unit.h"

enum { THREADS = 2, ENOUGH = 5 };

static struct keel_policy wanted;
static struct keel_settled_site sites[20];
static struct keel_policy policies[20];

/* The policy of a site that the next test begins with: iterations of 10 ns, claims of 100 ns. */
static const struct keel_policy *fresh(void)
{
    static unsigned used;
    struct keel_settled_site *site = &sites[used];
    const struct keel_settled_site facts = {
        .iteration_ns = 10, .claim_ns = 100, .chunks = 0.01, .start_ns = 100, .threads = THREADS};

    keel_settled_begin(site, &wanted);
    keel_settled_measured(site, &facts);
    policies[used].settled_site = site;
    return &policies[used++];
}

static const struct keel_policy *propose(const struct keel_policy *policy, uint64_t iterations,
                                         bool recheck)
{
    return keel_settled_propose(policy, &policy->settled_site->own, THREADS, iterations, recheck);
}

/* As many trials as it takes: even ones, or ones in which the last thread ends far behind. */
static void learn(const struct keel_policy *policy, uint64_t iterations, bool even, unsigned times)
{
    double last_ns = 1000;

    for (unsigned i = 0; i < times; i++) {
        assert_ptr_equal(propose(policy, iterations, i == 0), &policy->settled_site->trial);
        keel_settled_learn(policy->settled_site, THREADS, iterations, last_ns,
                           even ? last_ns : last_ns / 10, 50);
    }
}

static unsigned long due(const struct keel_policy *policy)
{
    return atomic_load(&policy->settled_site->own.due);
}

TEST(what_has_not_been_measured_is_scheduled)
{
    static struct keel_settled_site site;
    static struct keel_policy policy = {.settled_site = &site};

    keel_settled_begin(&site, &wanted);
    assert_ptr_equal(propose(&policy, 50, false), &policy);
    assert_ptr_equal(propose(fresh(), 50, false)->trial, &sites[0]);
}

TEST(a_team_of_one_and_long_loops_are_not_tried)
{
    const struct keel_policy *policy = fresh();

    assert_ptr_equal(keel_settled_propose(policy, &policy->settled_site->own, 1, 50, true), policy);
    assert_ptr_equal(propose(policy, 12001, true), policy); /* 60 us a thread */
    assert_ptr_equal(propose(policy, 11999, false), &policy->settled_site->trial);
}

TEST(even_loops_are_settled_with_all_that_are_shorter)
{
    const struct keel_policy *policy = fresh();

    learn(policy, 50, true, ENOUGH - 1);
    assert_int_equal(due(policy), 0);
    learn(policy, 40, true, 1); /* of the same length */
    assert_int_equal(due(policy), 63);
    assert_ptr_equal(propose(policy, 63, false), &policy->settled_site->untimed);
    assert_ptr_equal(propose(policy, 3, false), &policy->settled_site->untimed);
    assert_ptr_equal(propose(policy, 64, false), &policy->settled_site->trial);
}

TEST(uneven_loops_are_scheduled_with_all_that_are_longer)
{
    const struct keel_policy *policy = fresh();

    learn(policy, 200, false, ENOUGH);
    assert_int_equal(due(policy), 0);
    assert_ptr_equal(propose(policy, 128, false), policy);
    assert_ptr_equal(propose(policy, 5000, false), policy);
    assert_ptr_equal(propose(policy, 127, false), &policy->settled_site->trial);
}

TEST(what_is_in_between_is_tried_one_length_at_a_time)
{
    const struct keel_policy *policy = fresh();

    learn(policy, 10, true, ENOUGH);
    learn(policy, 1000, false, ENOUGH);
    assert_int_equal(due(policy), 15);
    assert_ptr_equal(propose(policy, 100, false), &policy->settled_site->trial);
    assert_ptr_equal(propose(policy, 200, false), policy);
    learn(policy, 100, true, ENOUGH);
    assert_int_equal(due(policy), 127);
    assert_ptr_equal(propose(policy, 200, false), &policy->settled_site->trial);
    assert_ptr_equal(propose(policy, 512, false), policy);
}

TEST(a_recheck_may_undo_either)
{
    const struct keel_policy *policy = fresh();

    learn(policy, 50, true, ENOUGH);
    assert_ptr_equal(propose(policy, 50, true), &policy->settled_site->trial);
    learn(policy, 50, false, ENOUGH);
    assert_int_equal(due(policy), 31);
    assert_ptr_equal(propose(policy, 50, false), policy);
    learn(policy, 50, true, ENOUGH);
    assert_int_equal(due(policy), 63);
    assert_ptr_equal(propose(policy, 50, false), &policy->settled_site->untimed);
}

TEST(trials_that_do_not_go_on_make_room)
{
    const struct keel_policy *policy = fresh();

    learn(policy, 50, true, ENOUGH - 1);
    assert_ptr_equal(propose(policy, 400, true), policy);
    assert_ptr_equal(propose(policy, 50, false), &policy->settled_site->trial);
    learn(policy, 50, true, 0);
    assert_ptr_equal(propose(policy, 400, true), &policy->settled_site->trial);
    learn(policy, 400, true, ENOUGH - 1); /* those of the other length do not count */
    assert_int_equal(due(policy), 0);
    learn(policy, 400, true, 1);
    assert_int_equal(due(policy), 511);
}

TEST(a_look_that_comes_to_nothing_is_undone)
{
    const struct keel_policy *policy = fresh();
    struct keel_mode *mode = &policy->settled_site->own;

    learn(policy, 50, true, ENOUGH);
    atomic_store(&mode->due, 0); /* as a look does */
    assert_ptr_equal(propose(policy, 50, false), &policy->settled_site->untimed);
    assert_int_equal(due(policy), 63);
}

TEST(teams_of_another_size_do_not_count)
{
    const struct keel_policy *policy = fresh();

    learn(policy, 50, true, 1);
    for (int i = 0; i < 2 * ENOUGH; i++) {
        keel_settled_learn(policy->settled_site, 3, 50, 1000, 1000, 50);
    }
    assert_int_equal(due(policy), 0);
    learn(policy, 50, true, ENOUGH - 1);
    assert_int_equal(due(policy), 63);
}
