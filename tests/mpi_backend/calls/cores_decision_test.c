/* Own cores, or those of all ranks of the node. */
#include "mpi_backend/calls/mpi_calls.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define SECOND 1.0

static unsigned decided(unsigned own, unsigned all, unsigned threads, double idle, double own_idle,
                        double region_s)
{
    return keel_cores_threads(&(struct keel_cores_seen){.own = own,
                                                        .all = all,
                                                        .threads = threads,
                                                        .idle = idle,
                                                        .own_idle = own_idle,
                                                        .region_s = region_s});
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
