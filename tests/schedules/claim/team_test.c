/* Teams, driven chunk by chunk under schedules that do as the test says, and record their input:
 * what the examples of adaptive_sequence_test.c do not show of how a loop is divided in blocks and
 * how threads take from each other, and of how sizes and habits follow from what is measured. */
#include <math.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/support/simulated_team.h"
#include "tests/support/unit.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b))

static uint64_t told_size, told_loot;
static struct keel_claim_context seen;

static uint64_t told_take(const struct keel_claim_context *context)
{
    seen = *context;
    return told_size;
}

static uint64_t told_steal(const struct keel_claim_context *context, const struct keel_pace *victim)
{
    seen = *context;
    return told_loot;
}

static void see(struct keel_claim_context *context)
{
    seen = *context;
}

static const struct keel_schedule told_sized = {
    .claim = KEEL_CLAIM_SIZED, .take = told_take, .timed = true};
static const struct keel_schedule told_blocks = {
    .claim = KEEL_CLAIM_BLOCKS, .take = told_take, .steal = told_steal, .timed = true};
static const struct keel_schedule plain_blocks = {.claim = KEEL_CLAIM_BLOCKS};
static const struct keel_schedule one_chunk_stolen = {.claim = KEEL_CLAIM_BLOCKS,
                                                      .steals_one_chunk = true};
static const struct keel_schedule adapting = {
    .claim = KEEL_CLAIM_BLOCKS, .take = told_take, .adapt = see};

static struct adaptive_team begin(const struct keel_schedule *schedule, uint64_t iterations,
                                  uint64_t threads, uint64_t minimum)
{
    static struct keel_spec spec;

    spec = (struct keel_spec){.schedule = schedule};
    spec.value[KEEL_MIN].count = minimum;
    return adaptive_team_begin(&spec, iterations, threads, NULL);
}

/* The thread takes [first, last). */
static void takes(struct adaptive_team *team, uint64_t thread, uint64_t first, uint64_t last)
{
    assert_true(adaptive_team_claim(team, thread));
    assert_int_equal(team->chunks[team->count - 1].first, first);
    assert_int_equal(team->chunks[team->count - 1].last, last);
}

/* A chunk of `size` in `time_ns`, after `overhead_ns`. */
static void runs(struct adaptive_team *team, uint64_t thread, uint64_t size, double time_ns,
                 double overhead_ns)
{
    told_size = size;
    assert_true(adaptive_team_claim(team, thread));
    adaptive_team_done(team, thread, time_ns, overhead_ns);
}

static void worker(struct adaptive_team *team, uint64_t thread, double mean_ns, double variance_ns2)
{
    keel_team_worker_begin(&team->members[thread].worker, team->team, thread,
                           (struct keel_pace){mean_ns, variance_ns2});
}

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

/* 6 of 11; of a function that gives less than the minimum, that. */
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

/* 100 iterations left at 10 ns, 100 at 30, 100 of no measured thread: 1000, 3000 and 100. */
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

/* --- paces --- */

/* Whether the thread looks around after its next chunk. The other one's pace never stays the
 * same. */
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

/* --- chunks in the order of the loop --- */

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

/* 2^64 - 1 is as far as the counter reaches: no thread adds to it once the loop is over. */
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
