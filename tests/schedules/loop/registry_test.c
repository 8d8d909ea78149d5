/* Every schedule: names, what each promises for every loop, and weighted factoring. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/loop/registry.h"
#include "tests/schedules/support/sequence.h"
#include "tests/schedules/support/simulated_team.h"
#include "tests/support/checks.h"
#include "tests/support/unit.h"

/* --- names: the registry: which names there are, and how they are found --- */

/* Every name that Keel promises, with the schedule behind it. Among them gss, tss and wf2, which a
 * well-known library lacks. */
static const struct {
    const char *name;
    const struct keel_schedule *schedule;
} names[] = {
    {"static", &keel_schedule_static},
    {"ss", &keel_schedule_ss},
    {"css", &keel_schedule_css},
    {"dynamic", &keel_schedule_css},
    {"gss", &keel_schedule_gss},
    {"guided", &keel_schedule_gss},
    {"tss", &keel_schedule_tss},
    {"trapezoidal", &keel_schedule_tss},
    {"trapezoid", &keel_schedule_tss},
    {"tfss", &keel_schedule_tfss},
    {"fac2", &keel_schedule_fac2},
    {"mfac2", &keel_schedule_fac2},
    {"fac", &keel_schedule_fac},
    {"mfac", &keel_schedule_fac},
    {"wf2", &keel_schedule_wf2},
    {"fsc", &keel_schedule_fsc},
    {"awf", &keel_schedule_awf},
    {"wf", &keel_schedule_awf},
    {"awf-b", &keel_schedule_awf_b},
    {"awf-c", &keel_schedule_awf_c},
    {"awf-d", &keel_schedule_awf_d},
    {"awf-e", &keel_schedule_awf_e},
    {"af", &keel_schedule_af},
    {"maf", &keel_schedule_maf},
    {"aid", &keel_schedule_aid},
    {"rate", &keel_schedule_rate},
    {"afs", &keel_schedule_afs},
    {"affinity", &keel_schedule_afs},
    {"lds", &keel_schedule_lds},
    {"steal", &keel_schedule_steal},
    {"static_steal", &keel_schedule_steal},
    {"ich", &keel_schedule_ich},
    {"auto", &keel_schedule_auto},
    {"binlpt", &keel_schedule_binlpt},
    {"lpt", &keel_schedule_lpt},
    {"mfsc", &keel_schedule_mfsc},
    {"tap", &keel_schedule_tap},
    {"taper", &keel_schedule_tap},
    {"bold", &keel_schedule_bold},
    {"fiss", &keel_schedule_fiss},
    {"viss", &keel_schedule_viss},
    {"pls", &keel_schedule_pls},
    {"rnd", &keel_schedule_rnd},
};

#define NAMES (sizeof names / sizeof names[0])

TEST(every_name_is_found_in_any_case)
{
    for (size_t i = 0; i < NAMES; i++) {
        char upper[32];
        size_t length = strlen(names[i].name);
        for (size_t j = 0; j <= length; j++) {
            upper[j] = (char)toupper((unsigned char)names[i].name[j]);
        }
        assert_ptr_equal(keel_registry_find(names[i].name, length), names[i].schedule);
        assert_ptr_equal(keel_registry_find(upper, length), names[i].schedule);
    }
}

TEST(the_list_holds_no_other_names)
{
    size_t count = 0;

    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        count++;
        for (const char *alias = keel_registry[i]->aliases; alias != NULL; count++) {
            alias = strchr(alias, ' ');
            alias = alias == NULL ? NULL : alias + 1;
        }
    }
    assert_int_equal(count, NAMES);
}

TEST(other_words_are_not_found)
{
    static const char *const words[] = {"",     "g",    "gs",       "gsss",
                                        " gss", "gss ", "dynamic ", "trapezoidal trapezoid",
                                        "awf-", "a",    "aut",      "runtime"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        assert_null(keel_registry_find(words[i], strlen(words[i])));
    }
    assert_null(keel_registry_find("gss\0", 4));
    assert_null(keel_registry_find("gs\0", 3));
}

TEST(the_length_ends_a_name)
{
    assert_ptr_equal(keel_registry_find("gss,20", 3), &keel_schedule_gss);
    assert_ptr_equal(keel_registry_find("fac2", 3), &keel_schedule_fac);
}

/* `keel list` shows all of it. */
TEST(every_schedule_explains_itself)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        const struct keel_schedule *schedule = keel_registry[i];
        assert_non_null(schedule->summary);
        assert_non_null(schedule->formula);
        assert_non_null(schedule->use);
        assert_non_null(schedule->source);
        assert_true(schedule->positionals <= KEEL_POSITIONAL_MAX);
        assert_int_equal(schedule->measured & ~schedule->parameters, 0);
    }
}

/* Functions that a kind of claim does not call would be lost on it, and chunks that are learned
 * from have to be timed. */
TEST(every_schedule_has_the_hooks_of_its_claims)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        const struct keel_schedule *schedule = keel_registry[i];
        bool blocks = schedule->claim == KEEL_CLAIM_BLOCKS;
        if (keel_plan_exists(schedule)) {
            assert_null(schedule->take);
            assert_false(schedule->timed);
        } else {
            assert_null(schedule->size);
            assert_null(schedule->begin);
            assert_int_equal(schedule->learns != KEEL_LEARNS_NOT, schedule->timed);
        }
        if (!blocks) {
            assert_null(schedule->steal);
            assert_null(schedule->adapt);
            assert_false(schedule->steals_one_chunk);
        }
        assert_int_equal(schedule->in_order != NULL, blocks || schedule->wants_costs);
        assert_true(!blocks || schedule->in_order->claim != KEEL_CLAIM_BLOCKS);
    }
}

/* --- promises: what every schedule promises for every loop: each iteration exactly once, in
 * bounds, no empty chunk, increasing within a thread unless it is one of blocks, and, where it
 * can be planned, the sequence that its functions define --- */

#define THREADS_MAX 64
#define STEPS_MAX 20000 /* of loops with 2^63 iterations: longer sequences are compared so far */

static struct draws draws;

/* Positive, unequal, with sum P. */
static void draw_weights(double *weights, size_t threads)
{
    double sum = 0;

    for (size_t i = 0; i < threads; i++) {
        weights[i] = (double)(1 + draws_below(&draws, 1000));
        sum += weights[i];
    }
    for (size_t i = 0; i < threads; i++) {
        weights[i] *= (double)threads / sum;
    }
}

static void assert_follows_hooks(const struct team *team, const struct keel_problem *problem)
{
    if (problem->spec->schedule->claim == KEEL_CLAIM_WEIGHTED) {
        return;
    }
    struct sequence wanted = sequence_of_hooks(problem, team->steps + 1);
    assert_int_equal(team->steps, wanted.steps);
    for (size_t step = 0; step < wanted.steps; step++) {
        if (team->chunks[step].last != wanted.bound[step + 1]) {
            fail_msg("step %zu ends at %lu, not at %lu", step, team->chunks[step].last,
                     wanted.bound[step + 1]);
        }
    }
    assert_int_equal(keel_plan_steps(team->members[0].plan), wanted.steps);
    sequence_free(&wanted);
}

static void check_plan(const struct keel_spec *spec, uint64_t iterations, uint64_t threads)
{
    double weights[THREADS_MAX];
    struct keel_problem problem = {
        .spec = spec, .iterations = iterations, .threads = threads, .weights = weights};

    draw_weights(weights, threads);
    struct team team = team_begin(&problem);
    team_run(&team, &draws);
    team_assert_complete(&team);
    assert_follows_hooks(&team, &problem);
    team_end(&team);
}

/* Where threads are absent or stop, the others have all that these do not hold. */
static void check_adaptive(const struct keel_spec *spec, uint64_t iterations, uint64_t threads,
                           size_t limit)
{
    struct adaptive_habits habits = {.wild = draws_below(&draws, 2) == 0,
                                     .absent = draws_below(&draws, 3) == 0,
                                     .quit = draws_below(&draws, 3) == 0,
                                     .limit = limit};
    struct adaptive_team team = adaptive_team_begin(spec, iterations, threads, NULL);

    if (habits.wild) {
        allow_exceptions();
    }
    adaptive_team_run(&team, habits, &draws);
    adaptive_team_assert_complete(&team);
    adaptive_team_end(&team);
}

static void check(const struct keel_spec *spec, uint64_t iterations, uint64_t threads)
{
    if (keel_plan_exists(spec->schedule)) {
        check_plan(spec, iterations, threads);
    } else {
        check_adaptive(spec, iterations, threads, 0);
    }
}

/* By day with all small numbers of threads, and some of the others. */
static void small_loops(void **state)
{
    struct keel_spec spec = specs_read(*state);

    for (uint64_t threads = 1; threads <= THREADS_MAX;
         threads += check_nightly() || threads < 8 ? 1 : 7) {
        const uint64_t iterations[] = {0, 1, 2, threads - 1, threads, threads + 1, 97, 211, 1000};
        for (size_t i = 0; i < sizeof iterations / sizeof iterations[0]; i++) {
            check(&spec, iterations[i], threads);
        }
    }
}

/* By day each with one number of threads, which is drawn. */
static void a_million_iterations(void **state)
{
    static const uint64_t threads[] = {1, 2, 7};
    struct keel_spec spec = specs_read(*state);
    uint64_t drawn = draws_below(&draws, 3);

    for (uint64_t i = 0; i < 3; i++) {
        if (check_nightly() || i == drawn) {
            check(&spec, 1000003, threads[i]);
        }
    }
}

/* Weighted sequences depend on who claims, but halve what is left for as long as min_chunk lets
 * them. */
static bool is_bounded(const struct keel_problem *problem)
{
    if (problem->spec->schedule->claim == KEEL_CLAIM_WEIGHTED) {
        return true;
    }
    struct sequence sequence = sequence_of_hooks(problem, STEPS_MAX);
    bool bounded = sequence.steps < STEPS_MAX;
    sequence_free(&sequence);
    return bounded;
}

static void assert_begins_as_hooks_do(const struct keel_problem *problem)
{
    struct keel_plan fallback, *plan = keel_plan_build(problem, realloc, &fallback);
    struct sequence got = sequence_of_plan(plan, STEPS_MAX);
    struct sequence wanted = sequence_of_hooks(problem, STEPS_MAX);

    sequence_assert_equal(&got, &wanted);
    sequence_free(&got);
    sequence_free(&wanted);
    free(plan);
}

/* By day each with one number of threads. */
static void extreme_loops(void **state)
{
    /* blocks are counted in units of more than an iteration from 2^32 - 1 on */
    const uint64_t iterations[] = {UINT32_MAX - 1ull, UINT32_MAX, UINT32_MAX + 1ull, 5ull << 32,
                                   (1ull << 63) - 1,  1ull << 63, UINT64_MAX - 1,    UINT64_MAX};
    const uint64_t threads[] = {1, 2, 3, 64};
    struct keel_spec spec = specs_read(*state);

    for (size_t i = 0; i < 32; i++) {
        struct keel_problem problem = {
            .spec = &spec, .iterations = iterations[i / 4], .threads = threads[i % 4]};
        if (!check_nightly() && i % 4 != i / 4 % 4) {
            continue;
        }
        if (!keel_plan_exists(spec.schedule)) {
            check_adaptive(&spec, problem.iterations, problem.threads, STEPS_MAX);
        } else if (is_bounded(&problem)) {
            check(&spec, problem.iterations, problem.threads);
        } else {
            assert_begins_as_hooks_do(&problem);
        }
    }
}

TEST(every_schedule_is_tested)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        bool found = false;
        for (size_t j = 0; specs_texts[j] != NULL; j++) {
            found = found || specs_read(specs_texts[j]).schedule == keel_registry[i];
        }
        if (!found) {
            fail_msg("%s is not in sequence.c", keel_registry[i]->name);
        }
    }
}

BEFORE_TESTS
{
    draws = draws_begin();
    for (const char *const *text = specs_texts; *text != NULL; text++) {
        ADD_CASE(small_loops, *text, "%s: small loops", *text);
        ADD_CASE(a_million_iterations, *text, "%s: a million iterations", *text);
        ADD_CASE(extreme_loops, *text, "%s: extreme loops", *text);
    }
}

/* --- weights: weighted factoring: a claim takes the claiming thread's share of a batch, from
 * where the last ended --- */

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
