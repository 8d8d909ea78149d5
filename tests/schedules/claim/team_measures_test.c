/* What a team measures of its threads, and how sizes and habits follow from that. */
#include <math.h>
#include <stddef.h>

#include "tests/schedules/claim/told_schedule.h"
#include "tests/schedules/support/adaptive_team.h"
#include "tests/support/unit.h"

/* --- paces --- */

TEST(paces_that_are_none_are_not_known)
{
    static const double none[] = {0, -1, NAN, INFINITY, -INFINITY};
    struct adaptive_team team = begin(&told_sized, 1000, 2, 1);

    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        worker(&team, 0, none[i], 1);
        assert_true(pace(&team, 0).mean_ns == 0);
        assert_int_equal(team.members[0].worker.context.team.measured, 0);
    }
    adaptive_team_end(&team);
}

/* Speeds 1/10 and 1/40 per ns, spreads 6/10 and 8/40. */
TEST(the_team_is_the_sum_of_those_measured)
{
    struct adaptive_team team = begin(&told_sized, 1000, 3, 1);

    worker(&team, 1, 10, 6);
    worker(&team, 2, 40, 8);
    assert_int_equal(team.members[2].worker.context.team.measured, 2);
    NEAR(team.members[2].worker.context.team.speed_per_ns, 0.125);
    NEAR(team.members[2].worker.context.team.spread_ns, 0.8);
    adaptive_team_end(&team);
}

/* Thread 2 has not come, and nothing is known of thread 1. */
TEST(threads_that_have_not_come_are_known_by_what_they_were)
{
    static const struct keel_pace known[] = {{10, 6}, {0, 0}, {40, 8}, {NAN, 1}};
    struct adaptive_team team = begin(&told_sized, 1000, 4, 1);

    for (uint64_t i = 0; i < 4; i++) {
        keel_team_recall(team.team, i, known[i]);
    }
    worker(&team, 0, 10, 6);
    assert_int_equal(team.members[0].worker.context.team.measured, 2);
    NEAR(team.members[0].worker.context.team.speed_per_ns, 0.125);
    NEAR(team.members[0].worker.context.team.spread_ns, 0.8);
    adaptive_team_end(&team);
}

/* Whether the thread looks around after its next chunk. The other one's pace never stands still. */
static bool looks(struct adaptive_team *team)
{
    double before = team->members[0].worker.context.team.speed_per_ns;
    double faster = 1 / (1 / atomic_load(&team->team->member[1].mean_ns) + 1);

    atomic_store(&team->team->member[1].mean_ns, faster);
    runs(team, 0, 1, 100, 0);
    return team->members[0].worker.context.team.speed_per_ns > before + 0.5;
}

/* After n chunks the next look is n/4 + 1 chunks later, 16 at most. */
TEST(threads_look_around_less_and_less_often)
{
    static const unsigned due[] = {1, 2, 3, 4, 6, 8, 11, 14, 18, 23, 29, 37, 47, 59, 74, 90, 106};
    struct adaptive_team team = begin(&told_sized, 1000, 2, 1);
    size_t next = 0;

    worker(&team, 1, 100, 0);
    for (unsigned chunk = 1; chunk <= 106; chunk++) {
        assert_int_equal(looks(&team), chunk == due[next]);
        next += chunk == due[next];
    }
    adaptive_team_end(&team);
}

TEST(threads_look_around_each_time_until_all_are_measured)
{
    struct adaptive_team team = begin(&told_sized, 1000, 3, 1);

    worker(&team, 1, 100, 0);
    for (unsigned chunk = 1; chunk <= 50; chunk++) {
        assert_true(looks(&team));
    }
    adaptive_team_end(&team);
}

/* --- chunks in the order of the loop --- */

TEST(sizes_keep_to_the_minimum_and_to_what_remains)
{
    struct adaptive_team team = begin(&told_sized, 20, 2, 4);

    told_size = 0;
    takes(&team, 0, 0, 4);
    assert_int_equal(seen.remaining, 20);
    assert_int_equal(seen.iterations, 20);
    assert_int_equal(seen.threads, 2);
    assert_int_equal(seen.begun, 0);
    assert_int_equal(seen.divisor, 2);
    told_size = 7;
    takes(&team, 1, 4, 11);
    told_size = 6;
    takes(&team, 0, 11, 17);
    assert_int_equal(seen.begun, 4);
    assert_int_equal(seen.chunk, 4);
    assert_int_equal(seen.remaining, 9);
    told_size = UINT64_MAX;
    takes(&team, 0, 17, 20);
    assert_false(adaptive_team_claim(&team, 0));
    assert_false(adaptive_team_claim(&team, 1));
    adaptive_team_end(&team);
}

/* After a chunk of a microsecond a thread sizes by where its last one ended, after a longer one by
 * where the loop is. */
TEST(quick_threads_do_not_ask_where_the_loop_is)
{
    struct adaptive_team team = begin(&told_sized, 1000, 2, 1);

    runs(&team, 0, 10, 1000, 0);
    runs(&team, 1, 100, 5000, 0);
    told_size = 10;
    takes(&team, 0, 110, 120);
    assert_int_equal(seen.remaining, 990);
    takes(&team, 1, 120, 130);
    assert_int_equal(seen.remaining, 880);
    adaptive_team_done(&team, 0, 1001, 0);
    takes(&team, 0, 130, 140);
    assert_int_equal(seen.remaining, 870);
    adaptive_team_end(&team);
}

/* 2^64 - 1 is as far as the counter reaches: nobody adds to it once the loop is over. */
TEST(the_counter_of_the_longest_loop_does_not_wrap)
{
    struct adaptive_team team = begin(&told_sized, UINT64_MAX, 2, 1);

    told_size = UINT64_MAX - 5;
    takes(&team, 0, 0, UINT64_MAX - 5);
    told_size = 100;
    takes(&team, 1, UINT64_MAX - 5, UINT64_MAX);
    assert_false(adaptive_team_claim(&team, 0));
    assert_false(adaptive_team_claim(&team, 1));
    assert_false(adaptive_team_claim(&team, 0));
    adaptive_team_end(&team);
}

/* --- adapting --- */

TEST(progress_is_what_threads_have_done)
{
    struct adaptive_team team = begin(&adapting, 401, 4, 1);

    told_size = 10;
    takes(&team, 0, 0, 10);
    adaptive_team_done(&team, 0, 0, 0);
    assert_int_equal(seen.done, 10);
    NEAR(seen.progress, 10.0 / 4);
    told_size = 30;
    takes(&team, 1, 100, 130);
    adaptive_team_done(&team, 1, 0, 0);
    assert_int_equal(seen.done, 30);
    NEAR(seen.progress, 40.0 / 4);
    takes(&team, 0, 10, 40);
    adaptive_team_done(&team, 0, 0, 0);
    assert_int_equal(seen.done, 40);
    NEAR(seen.progress, 70.0 / 4);
    adaptive_team_end(&team);
}

/* Divisors 2 and 7: 9/2 rounded up; done 100 and 30, halves: 50 + 15. */
TEST(thieves_take_on_half_of_the_victims_habits)
{
    struct adaptive_team team = begin(&adapting, 201, 2, 1);

    runs(&team, 1, 30, 0, 0);
    atomic_store(&team.team->member[1].divisor, 7);
    runs(&team, 0, 100, 0, 0);
    assert_int_equal(team.members[0].worker.context.divisor, 2);
    told_size = 35;
    takes(&team, 0, 165, 200);
    assert_int_equal(team.members[0].worker.context.divisor, 5);
    adaptive_team_done(&team, 0, 0, 0);
    assert_int_equal(seen.done, 100);
    assert_int_equal(atomic_load(&team.team->member[0].divisor), 5);
    adaptive_team_end(&team);
}
