/* Weighted factoring: a claim takes the claiming thread's share of a batch, from where the last
 * ended. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/schedules/support/specs.h"
#include "tests/schedules/support/team.h"
#include "tests/support/unit.h"

static struct draws draws;

static struct team team_of(const char *text, uint64_t iterations, uint64_t threads,
                           const double *weights)
{
    static struct keel_spec spec;

    spec = specs_read(text);
    struct keel_problem problem = {
        .spec = &spec, .iterations = iterations, .threads = threads, .weights = weights};
    return team_begin(&problem);
}

/* The next claim of that member; 0: none left. */
static uint64_t claimed(struct team *team, size_t thread)
{
    struct member *member = &team->members[thread];
    uint64_t first, last;

    if (!keel_claim(member->plan, &team->claims, &member->cursor, &first, &last)) {
        return 0;
    }
    assert_int_equal(first, member->end);
    for (size_t i = 0; i < team->threads; i++) {
        team->members[i].end = last;
    }
    return last - first;
}

/* N = 1000, weights 2 1 1/2 1/2, threads in turn. Batches of P ceil(R/8) begin at 0, 500, 752, 876,
 * 940, 972, 988, 996, 1000, and the shares 1/2 1/4 1/8 1/8 end at 1/2 3/4 7/8 1 of each, rounded
 * down: 250 375 437 500 | 626 689 720 752 | 814 845 860 876 | 908 924 932 940 | 956 964 968 972 |
 * 980 984 986 988 | 992 994 995 996 | 998 999 999 1000. Thread 2 gets nothing of the last batch and
 * takes the next share, which is thread 3's iteration. */
TEST(chunks_follow_the_weights)
{
    static const double weights[] = {2, 1, 0.5, 0.5};
    static const uint64_t wanted[] = {250, 125, 62, 63, 126, 63, 31, 32, 62, 31, 15,
                                      16,  32,  16, 8,  8,   16, 8,  4,  4,  8,  4,
                                      2,   2,   4,  2,  1,   1,  2,  1,  1,  0,  0};
    struct team team = team_of("wf2", 1000, 4, weights);

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_int_equal(claimed(&team, i % 4), wanted[i]);
    }
    team_end(&team);
}

/* awf-c sizes each chunk anew, ceil(R/4): 250 of 1000, 188 of 750, 141 of 562, 106 of 421, so that
 * steps begin at 0 250 438 579 685. Weights 1/2 and 3/2 take half a step and one and a half: to
 * half of step 0, to the end of step 1, to half of step 2, to the end of step 3. */
TEST(chunks_are_sized_anew_without_batches)
{
    static const double weights[] = {1.5, 0.5};
    struct team team = team_of("awf-c", 1000, 2, weights);

    assert_int_equal(claimed(&team, 1), 125);
    assert_int_equal(claimed(&team, 0), 438 - 125);
    assert_int_equal(claimed(&team, 1), 508 - 438);
    assert_int_equal(claimed(&team, 0), 685 - 508);
    team_end(&team);
}

/* Weight 0.04 gets at least 40 of a batch when weight 1 gets 1000, so batches have 2000, and the
 * shares are 1/50 and 49/50. */
TEST(minimum_holds_for_light_threads)
{
    static const double weights[] = {1.96, 0.04};
    struct team team = team_of("wf2,40", 500, 2, weights);

    assert_int_equal(claimed(&team, 1), 40);
    assert_int_equal(claimed(&team, 1), 40);
    assert_int_equal(claimed(&team, 0), 420);
    team_end(&team);
}

/* A thread without memory walks where the others look up; both must mean the same positions. */
TEST(walkers_and_table_users_agree)
{
    static const uint64_t iterations[] = {1, 2, 3, 5, 17, 1000, 12345, 1000003, 1ull << 50};
    static const double weights[] = {1.7, 0.3, 0.6, 1.4};
    struct keel_spec spec = specs_read("wf2");
    struct keel_plan spare[2];

    for (size_t i = 0; i < sizeof iterations / sizeof iterations[0]; i++) {
        struct keel_problem problem = {
            .spec = &spec, .iterations = iterations[i], .threads = 4, .weights = weights};
        struct keel_plan *table = keel_plan_build(&problem, realloc, &spare[0]);
        problem.thread = 1;
        struct keel_plan *walker = keel_plan_build(&problem, NULL, &spare[1]);
        struct keel_claims claims = {0};
        struct keel_cursor table_cursor, walker_cursor;
        uint64_t end = 0, first, last;
        keel_cursor_begin(&table_cursor, table);
        keel_cursor_begin(&walker_cursor, walker);
        for (; end < iterations[i];) {
            bool walks = (draws_next(&draws) & 1) != 0;
            if (keel_claim_weighted(walks ? walker : table, &claims,
                                    walks ? &walker_cursor : &table_cursor, &first, &last)) {
                assert_int_equal(first, end);
                end = last;
            }
        }
        assert_int_equal(end, iterations[i]);
        free(table);
    }
}

TEST(extreme_weights_lose_nothing)
{
    static const double weights[][4] = {
        {4 - 3e-300, 1e-300, 1e-300, 1e-300}, {1e-9, 1e-9, 4 - 3e-9, 1e-9}, {2, 2, 1e-17, 5e-324}};
    static const uint64_t iterations[] = {1,       2,          3,          5,       1000,
                                          1000003, UINT64_MAX, 1ull << 63, 1 << 24, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        for (size_t j = 0; j < sizeof iterations / sizeof iterations[0]; j++) {
            struct team team = team_of("wf2", iterations[j], 4, weights[i]);
            team_run(&team, &draws);
            team_assert_complete(&team);
            team_end(&team);
        }
    }
}

BEFORE_TESTS
{
    draws = draws_begin();
}
