/* Own cores, or those of all ranks of the node. */
#include <math.h>

#include "mpi_backend/calls/mpi_calls.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define SECOND 1.0

/* The others never wait. */
static unsigned decided(unsigned own, unsigned all, unsigned threads, double idle, double own_idle,
                        double region_s)
{
    return keel_cores_decide(&(struct keel_cores_seen){.own = own,
                                                       .all = all,
                                                       .threads = threads,
                                                       .idle = idle,
                                                       .own_idle = own_idle,
                                                       .region_s = region_s,
                                                       .regions = INFINITY})
        .threads;
}

/* Two ranks of one core: this one has three times the work, in so many regions of a step of 32 ms;
 * the other waits for `wait_s` in each step. */
static struct keel_cores_decision step(unsigned regions, double wait_s)
{
    return keel_cores_decide(&(struct keel_cores_seen){.own = 1,
                                                       .all = 2,
                                                       .threads = 1,
                                                       .idle = wait_s / 32e-3,
                                                       .region_s = 32e-3 / regions,
                                                       .regions = regions});
}

TEST(idle_is_what_a_rank_has_not_used)
{
    assert_true(keel_cores_idle(2, 1.5, SECOND) == 0.5);
    assert_true(keel_cores_idle(2, 0, SECOND) == 2);
    assert_true(keel_cores_idle(1, 1.4, SECOND) == 0); /* on others' cores, too */
}

TEST(cores_that_are_idle_are_taken)
{
    assert_int_equal(decided(1, 2, 1, 0.5, 0, 1e-3), 2);
    assert_int_equal(decided(2, 8, 2, 1, 0, 1e-3), 8);
}

TEST(cores_that_are_busy_are_not)
{
    assert_int_equal(decided(1, 2, 1, 0.03, 0, 1e-3), 1);
    assert_int_equal(decided(1, 2, 2, 0.01, 0, 1e-3), 1);
}

TEST(what_lies_between_stays_as_it_is)
{
    assert_int_equal(decided(1, 2, 1, 0.04, 0, 1), 1);
    assert_int_equal(decided(1, 2, 2, 0.04, 0, 1), 2);
}

TEST(short_regions_cost_more_than_they_gain)
{
    assert_int_equal(decided(1, 2, 1, 0.5, 0, 10e-6), 1);
    assert_int_equal(decided(1, 2, 1, 0.5, 0, 100e-6), 2);
    assert_int_equal(decided(1, 64, 1, 0.5, 0, 100e-6), 1); /* 63 threads switch */
}

TEST(where_all_wait_nothing_is_gained)
{
    assert_int_equal(decided(1, 2, 1, 0.3, 0.3, 1e-3), 1);
    assert_int_equal(decided(2, 4, 2, 0.6, 0.6, 1e-3), 2);
    assert_int_equal(decided(1, 2, 1, 0.3, 0.1, 1e-3), 2);
}

TEST(long_regions_have_all_cores_and_short_ones_those_of_ranks_that_wait)
{
    assert_int_equal(step(1, 16e-3).threads, 2);
    assert_int_equal(step(2, 16e-3).threads, 2);
    assert_int_equal(step(8, 16e-3).threads, 1);
    assert_int_equal(step(32, 16e-3).threads, 1);
    assert_true(step(8, 16e-3).joins);
    assert_true(step(32, 16e-3).joins);
}

TEST(short_waits_are_left_alone)
{
    assert_false(step(32, 0.3e-3).joins);
    assert_int_equal(step(1, 0.3e-3).threads, 1);
    assert_false(step(10000, 16e-3).joins); /* regions of 3 us: switches cost more */
}

TEST(cores_of_ranks_that_wait_are_divided_among_those_that_compute)
{
    const struct keel_cores_seen seen = {.own = 2, .all = 16};

    assert_int_equal(keel_cores_joined(&seen, 8, 0, 0), 2);
    assert_int_equal(keel_cores_joined(&seen, 8, 4, 8), 4);
    assert_int_equal(keel_cores_joined(&seen, 8, 1, 2), 2);
    assert_int_equal(keel_cores_joined(&seen, 8, 7, 14), 16);
    assert_int_equal(keel_cores_joined(&seen, 8, 8, 14), 16); /* this one seems to wait, too */
    assert_int_equal(keel_cores_joined(&seen, 2, 1, 100), 16);
}

/* Of drawn ranks: the threads are own or all, more idle cores never mean fewer of them, and a
 * decision that has been taken is taken again. */
TEST(decisions_are_steady)
{
    struct draws draws = draws_begin();

    for (unsigned i = 0; i < 100000; i++) {
        unsigned own = 1 + (unsigned)draws_below(&draws, 16);
        unsigned all = own + (unsigned)draws_below(&draws, 64);
        double idle = draws_real(&draws) * all, own_idle = draws_real(&draws) * own;
        double region_s = 1e-6 + draws_real(&draws) * 1e-3;
        unsigned threads = decided(own, all, own, idle, own_idle, region_s);
        assert_true(threads == own || threads == all);
        assert_true(decided(own, all, own, idle + 1, own_idle, region_s) >= threads);
        assert_true(decided(own, all, all, idle, own_idle, region_s) >= threads);
    }
}
