/* How a team divides a loop in blocks, and how its threads take from each other. */
#include <stddef.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/claim/told_schedule.h"
#include "tests/schedules/support/adaptive_team.h"
#include "tests/support/unit.h"

/* --- blocks --- */

static void assert_block(const struct adaptive_team *team, uint64_t thread, uint64_t low,
                         uint64_t high)
{
    uint64_t block = atomic_load(&team->team->member[thread].block);

    assert_int_equal(block >> 32, low);
    assert_int_equal((uint32_t)block, high);
}

TEST(short_loops_have_blocks_of_the_minimum)
{
    struct adaptive_team team = begin(&plain_blocks, 11, 4, 4);

    assert_block(&team, 0, 0, 4);
    assert_block(&team, 1, 4, 8);
    assert_block(&team, 2, 8, 10);
    assert_block(&team, 3, 10, 10);
    adaptive_team_end(&team);
    team = begin(&plain_blocks, 11, 4, UINT64_MAX / 2);
    assert_block(&team, 0, 0, 10);
    assert_block(&team, 1, 10, 10);
    assert_block(&team, 3, 10, 10);
    adaptive_team_end(&team);
}

TEST(blocks_lie_where_they_are_said_to)
{
    static const uint64_t first[] = {0, 90, 90, 100};
    struct keel_spec spec = keel_spec_of(&keel_schedule_rate);
    struct adaptive_team team = adaptive_team_begin(&spec, 100, 3, first);

    assert_block(&team, 0, 0, 90);
    assert_block(&team, 1, 90, 90);
    assert_block(&team, 2, 90, 99);
    adaptive_team_end(&team);
}

/* 2^33 + 5 iterations, the last one apart, in units of 3. */
TEST(long_loops_have_blocks_of_units)
{
    struct adaptive_team team = begin(&told_blocks, (1ull << 33) + 5, 2, 1);
    uint64_t half = ((1ull << 32) + 2 + 2) / 3;

    assert_int_equal(team.team->unit, 3);
    assert_block(&team, 0, 0, half);
    assert_block(&team, 1, half, ((1ull << 33) + 4 + 2) / 3);
    told_size = 10;
    takes(&team, 0, 0, 12);
    assert_int_equal(seen.remaining, 3 * half);
    told_size = UINT64_MAX;
    takes(&team, 0, 12, 3 * half);
    takes(&team, 1, 3 * half, (1ull << 33) + 4);
    takes(&team, 0, (1ull << 33) + 4, (1ull << 33) + 5);
    assert_false(adaptive_team_claim(&team, 1));
    adaptive_team_end(&team);
}

/* Half of 10 and, as 2 would be left otherwise, all of 5. */
TEST(idle_threads_take_half_and_leave_the_minimum_or_nothing)
{
    struct adaptive_team team = begin(&plain_blocks, 21, 2, 3);

    for (uint64_t first = 0; first < 10; first += 3) {
        takes(&team, 0, first, first < 9 ? first + 3 : 10);
    }
    takes(&team, 0, 15, 18);
    assert_block(&team, 0, 18, 20);
    assert_block(&team, 1, 10, 15);
    takes(&team, 0, 18, 20);
    takes(&team, 0, 10, 13);
    assert_block(&team, 0, 13, 15);
    assert_block(&team, 1, 10, 10);
    adaptive_team_end(&team);
}

/* 6 of 11; of a hook that says less than the minimum, that. */
TEST(half_is_rounded_up_and_no_less_than_the_minimum)
{
    struct adaptive_team team = begin(&one_chunk_stolen, 23, 2, 1);

    for (uint64_t i = 0; i < 11; i++) {
        takes(&team, 0, i, i + 1);
    }
    takes(&team, 0, 16, 22);
    adaptive_team_end(&team);

    team = begin(&told_blocks, 41, 2, 5);
    told_size = 20;
    takes(&team, 0, 0, 20);
    told_loot = 2;
    takes(&team, 0, 35, 40);
    adaptive_team_end(&team);
}

TEST(loot_that_is_one_chunk_is_not_shared)
{
    struct adaptive_team team = begin(&one_chunk_stolen, 21, 2, 10);

    takes(&team, 0, 0, 10);
    takes(&team, 0, 10, 20);
    adaptive_team_end(&team);
    team = begin(&one_chunk_stolen, 41, 2, 5);
    for (uint64_t first = 0; first < 20; first += 5) {
        takes(&team, 0, first, first + 5);
    }
    takes(&team, 0, 30, 40);
    assert_block(&team, 0, 40, 40);
    assert_block(&team, 1, 20, 30);
    adaptive_team_end(&team);
}

TEST(hooks_say_how_much_is_taken)
{
    struct adaptive_team team = begin(&told_blocks, 201, 2, 1);

    worker(&team, 0, 10, 0);
    worker(&team, 1, 70, 3);
    told_size = 100;
    takes(&team, 0, 0, 100);
    assert_true(seen.victim_ns == 0);
    told_size = 4;
    told_loot = 7;
    takes(&team, 0, 193, 197);
    assert_block(&team, 0, 197, 200);
    assert_block(&team, 1, 100, 193);
    assert_true(seen_victim.mean_ns == 70);
    assert_true(seen.victim_ns == 70);
    told_loot = 0;
    takes(&team, 0, 197, 200);
    takes(&team, 0, 192, 193);
    told_loot = 1000;
    told_size = 1000;
    takes(&team, 0, 100, 192);
    adaptive_team_end(&team);
}

/* 100 iterations left at 10 ns, 100 at 30, 100 of nobody measured: 1000, 3000 and 100. */
TEST(the_victim_has_most_time_to_go)
{
    struct adaptive_team team = begin(&told_blocks, 401, 4, 1);

    worker(&team, 1, 10, 0);
    worker(&team, 2, 30, 0);
    told_size = 100;
    takes(&team, 0, 0, 100);
    told_size = told_loot = 90;
    takes(&team, 0, 210, 300); /* thread 2 has 300 ns left */
    takes(&team, 0, 110, 200); /* thread 1 has 100 */
    told_size = told_loot = 10;
    takes(&team, 0, 200, 210);
    takes(&team, 0, 100, 110); /* as long as thread 3, and the next one behind thread 0 */
    takes(&team, 0, 390, 400);
    adaptive_team_end(&team);
}

TEST(the_last_iteration_waits_until_the_others_are_taken)
{
    struct adaptive_team team = begin(&told_blocks, 7, 2, 1);

    told_size = told_loot = 3;
    takes(&team, 1, 3, 6);
    takes(&team, 1, 0, 3);
    takes(&team, 0, 6, 7);
    assert_false(adaptive_team_claim(&team, 0));
    assert_false(adaptive_team_claim(&team, 1));
    adaptive_team_end(&team);
}

/* A block that is on its way from one thread to another is nowhere to be seen for a moment. */
TEST(who_has_the_last_iteration_gets_no_other)
{
    struct adaptive_team team = begin(&told_blocks, 7, 3, 1);
    uint64_t first, last;

    for (uint64_t i = 0; i < 3; i++) {
        atomic_store(&team.team->member[i].block, 0);
    }
    takes(&team, 0, 6, 7);
    assert_false(adaptive_team_claim(&team, 2));
    atomic_store(&team.team->member[1].block, 6);
    assert_false(keel_team_worker_next(&team.members[0].worker, &first, &last));
    assert_false(keel_team_worker_next(&team.members[2].worker, &first, &last));
    told_size = 6;
    takes(&team, 1, 0, 6);
    adaptive_team_end(&team);
}
