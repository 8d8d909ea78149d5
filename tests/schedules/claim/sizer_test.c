/* Chunks of holds: every schedule covers a hold, whoever asks and whatever is taken from its end;
 * where chunks are known beforehand, they are those of a loop as long as the hold. */
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/team.h"
#include "schedules/loop/registry.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

#define THREADS_MAX 16
#define STEPS_MAX 3000

static struct draws draws;

/* --- a team with one hold --- */

struct crew {
    struct keel_sizer sizer[THREADS_MAX];
    uint64_t threads;
    struct keel_range_view hold;
    bool wild; /* times are what a broken clock gives */
};

static void crew_begin(struct crew *crew, const struct keel_spec *spec, uint64_t threads)
{
    *crew = (struct crew){.threads = threads};
    for (uint64_t thread = 0; thread < threads; thread++) {
        keel_sizer_begin(&crew->sizer[thread], spec, threads, (struct keel_pace){0});
    }
}

static void crew_refill(struct crew *crew, uint64_t length)
{
    crew->hold = (struct keel_range_view){.length = length, .left = length};
}

static struct keel_paces crew_paces(const struct crew *crew)
{
    struct keel_paces team = {0};

    for (uint64_t thread = 0; thread < crew->threads; thread++) {
        struct keel_pace pace = keel_sizer_pace(&crew->sizer[thread]);
        keel_timing_join(&team, &pace);
    }
    return team;
}

static double drawn_ns(const struct crew *crew, uint64_t iterations)
{
    static const double wild[] = {0, -1, NAN, INFINITY, -INFINITY, 1e300, 5e-324};

    if (crew->wild && draws_below(&draws, 2) == 0) {
        allow_exceptions();
        return wild[draws_below(&draws, sizeof wild / sizeof wild[0])];
    }
    return (double)iterations * (double)(1 + draws_below(&draws, 1000));
}

/* What the thread takes from the hold's front. */
static uint64_t crew_take(struct crew *crew, uint64_t thread)
{
    struct keel_sizer *sizer = &crew->sizer[thread];
    struct keel_paces team = crew_paces(crew);
    uint64_t size = keel_sizer_size(sizer, &crew->hold, &team);

    if (size < 1 || size > crew->hold.left) {
        fail_msg("%s: %lu of %lu left of %lu", sizer->spec.schedule->name, size, crew->hold.left,
                 crew->hold.length);
    }
    uint64_t minimum = sizer->spec.value[KEEL_MIN].count;
    if (size < minimum && size < crew->hold.left) {
        fail_msg("%s: chunk of %lu", sizer->spec.schedule->name, size);
    }
    crew->hold.left -= size;
    keel_sizer_done(sizer, size, drawn_ns(crew, size), drawn_ns(crew, 1));
    return size;
}

static uint64_t crew_draw(const struct crew *crew)
{
    return draws_below(&draws, crew->threads);
}

/* --- any schedule --- */

static uint64_t drawn_length(void)
{
    return 1 + (draws_below(&draws, 4) == 0 ? draws_below(&draws, 20000) : draws_below(&draws, 90));
}

static void holds_are_covered_by_threads_in_any_order(void **state)
{
    const struct keel_spec spec = specs_read(*state);
    struct crew crew;

    for (unsigned round = 0; round < 8; round++) {
        crew_begin(&crew, &spec, 1 + draws_below(&draws, THREADS_MAX));
        crew.wild = round >= 6;
        for (unsigned refill = 0; refill < 5; refill++) {
            crew_refill(&crew, drawn_length());
            uint64_t sum = 0;
            while (crew.hold.left > 0) {
                sum += crew_take(&crew, crew_draw(&crew));
            }
            assert_int_equal(sum, crew.hold.length);
        }
    }
}

/* Others take from the end, between any two chunks. */
static void ends_that_go_away_are_respected(void **state)
{
    const struct keel_spec spec = specs_read(*state);
    struct crew crew;

    for (unsigned round = 0; round < 20; round++) {
        crew_begin(&crew, &spec, 1 + draws_below(&draws, THREADS_MAX));
        crew.wild = round >= 16;
        crew_refill(&crew, drawn_length());
        while (crew.hold.left > 0) {
            crew_take(&crew, crew_draw(&crew));
            if (draws_below(&draws, 3) == 0) {
                crew.hold.left -= draws_below(&draws, crew.hold.left + 1);
            }
        }
    }
}

/* Lengths near 2^64, falling to nothing by leaps. */
static void the_longest_holds_are_sized(void **state)
{
    static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63,
                                       UINT64_C(3) << 31};
    const struct keel_spec spec = specs_read(*state);
    struct crew crew;

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        crew_begin(&crew, &spec, 1 + draws_below(&draws, THREADS_MAX));
        crew_refill(&crew, lengths[i]);
        for (unsigned claims = 0; claims < 100 && crew.hold.left > 0; claims++) {
            crew_take(&crew, crew_draw(&crew));
            crew.hold.left >>= draws_below(&draws, 3);
        }
        while (crew.hold.left > 1) {
            crew.hold.left /= 1 + (UINT64_C(1) << draws_below(&draws, 8));
            if (crew.hold.left > 0) {
                crew_take(&crew, crew_draw(&crew));
            }
        }
    }
}

/* What sizes are without plans: see the tests above and those of single schedules. */
static bool is_planned(const struct crew *crew)
{
    enum keel_claim claim = crew->sizer[0].spec.schedule->claim;

    return claim == KEEL_CLAIM_STEPS || claim == KEEL_CLAIM_OWN;
}

static void assert_sizes_of_plan(struct crew *crew, uint64_t length)
{
    const struct keel_problem problem = {
        .spec = &crew->sizer[0].spec, .iterations = length, .threads = crew->threads};
    struct sequence wanted = sequence_of_hooks(&problem, STEPS_MAX);

    crew_refill(crew, length);
    for (size_t step = 0; step < wanted.steps; step++) {
        crew_take(crew, crew_draw(crew));
        uint64_t end = crew->hold.length - crew->hold.left;
        /* the minimum holds for what a hold has left, too */
        if (end != wanted.bound[step + 1]) {
            fail_msg("N=%lu P=%lu: step %zu ends at %lu, not at %lu", length, crew->threads, step,
                     end, wanted.bound[step + 1]);
        }
    }
    sequence_free(&wanted);
}

static void chunks_known_beforehand_are_those_of_the_plan(void **state)
{
    const struct keel_spec spec = specs_read(*state);
    struct crew crew;

    for (unsigned round = 0; round < 10; round++) {
        crew_begin(&crew, &spec, 1 + draws_below(&draws, THREADS_MAX));
        for (unsigned refill = 0; refill < 3 && is_planned(&crew); refill++) {
            assert_sizes_of_plan(&crew, drawn_length());
        }
        if (is_planned(&crew)) {
            assert_sizes_of_plan(&crew, UINT64_C(1) << 40);
        }
    }
}

/* --- single schedules --- */

/* Sizes of one hold, runs shortened, one thread asking for all. */
static void assert_sizes(const char *text, uint64_t threads, uint64_t length, const char *wanted)
{
    const struct keel_spec spec = specs_read(text);
    struct sequence sequence = {.bound = calloc(length + 1, sizeof(uint64_t))};
    struct crew crew;
    char got[512];

    crew_begin(&crew, &spec, threads);
    for (crew_refill(&crew, length); crew.hold.left > 0;) {
        crew_take(&crew, 0);
        sequence.bound[++sequence.steps] = length - crew.hold.left;
    }
    sequence_write(&sequence, got, sizeof got);
    assert_string_equal(got, wanted);
    sequence_free(&sequence);
}

/* gss: ceil(R/4) of 100; fac2: batches of ceil(R/8); tss of 100 on 4: f = 12, l = 1, C = 16, d = 0;
 * of 1000: f = 125, C = 16, d = 8. static: N/P, the larger first. */
TEST(examples_worked_out_by_hand)
{
    assert_sizes("gss", 4, 100, "25 19 14 11 8 6 5 3x2 2 1x4");
    assert_sizes("gss,6", 4, 100, "25 19 14 11 8 6x3 5");
    assert_sizes("fac2", 4, 100, "13x4 6x4 3x4 2x4 1x4");
    assert_sizes("fac2", 1, 100, "50 25 13 6 3 2 1");
    assert_sizes("tss", 4, 1000, "125 117 109 101 93 85 77 69 61 53 45 37 28");
    assert_sizes("tss", 4, 100, "12x8 4");
    assert_sizes("ss", 4, 7, "1x7");
    assert_sizes("css,3", 4, 10, "3x3 1");
    assert_sizes("static", 4, 10, "3x2 2x2");
    assert_sizes("static,4", 4, 10, "4x2 2");
}

/* gss of 100 on 4 has chunks [0,25) [25,44) [44,58) [58,69) [69,77) ... */
TEST(a_chunk_that_others_have_begun_ends_where_it_would)
{
    const struct keel_spec spec = specs_read("gss");
    struct crew crew;

    crew_begin(&crew, &spec, 4);
    crew_refill(&crew, 100);
    assert_int_equal(crew_take(&crew, 0), 25);
    crew.hold.left = 50;
    assert_int_equal(crew_take(&crew, 0), 8);
    crew.hold.left = 41; /* [58,69) has been begun by one who asked for less */
    assert_int_equal(crew_take(&crew, 0), 10);
    assert_int_equal(crew_take(&crew, 1), 8);
}

/* A leap over more unequal chunks than are walked ends, and sizes go on from there. */
TEST(leaps_take_bounded_time)
{
    const struct keel_spec spec = specs_read("fac:mu=1,sigma=1e10");
    struct crew crew;

    crew_begin(&crew, &spec, 8);
    crew_refill(&crew, UINT64_MAX);
    crew_take(&crew, 0);
    crew.hold.left = UINT64_C(1) << 45;
    uint64_t chunk = crew_take(&crew, 0);
    assert_true(chunk < UINT64_C(1) << 38);
}

/* --- what is measured --- */

#define SIZE(sizer, length, left, team) \
    keel_sizer_size(sizer, &(struct keel_range_view){length, left}, team)

static const struct keel_pace unknown;

/* Two threads, of 100 ns and of 300 ns per iteration: speeds 3 to 1, weights 1.5 and 0.5. */
static const struct keel_paces three_to_one = {.measured = 2,
                                               .speed_per_ns = 1 / 100.0 + 1 / 300.0};

static void weights_follow_measured_speeds(void **state)
{
    const struct keel_spec spec = specs_read(*state);
    struct keel_sizer sizer;

    keel_sizer_begin(&sizer, &spec, 2, unknown);
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 32); /* 250 / 8, rounded up */
    keel_sizer_done(&sizer, 10, 1000, 0);
    assert_int_equal(SIZE(&sizer, 1000, 800, &three_to_one), 300); /* 1.5 * 200 */
    keel_sizer_begin(&sizer, &spec, 2, unknown);
    keel_sizer_done(&sizer, 10, 3000, 0);
    assert_int_equal(SIZE(&sizer, 1000, 800, &three_to_one), 100);
}

/* awf stays with what earlier loops have shown; for wf2 all are alike by setting. */
TEST(weights_that_are_not_learned_within_a_loop_stay)
{
    const struct keel_spec awf = specs_read("awf"), wf2 = specs_read("wf2");
    struct keel_sizer sizer;

    keel_sizer_begin(&sizer, &awf, 2, (struct keel_pace){.mean_ns = 300});
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 125);
    keel_sizer_done(&sizer, 100, 100 * 100.0, 0);
    assert_int_equal(SIZE(&sizer, 1000, 800, &three_to_one), 100);
    keel_sizer_begin(&sizer, &wf2, 2, (struct keel_pace){.mean_ns = 300});
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 250);
}

/* By what earlier loops have shown, the thread is 75 times as quick as the mean of this one, or a
 * 150th of it. */
TEST(weights_have_bounds)
{
    const struct keel_spec spec = specs_read("awf");
    struct keel_sizer sizer;

    keel_sizer_begin(&sizer, &spec, 2, (struct keel_pace){.mean_ns = 2});
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 500); /* 2 threads: 2 * 250 */
    keel_sizer_begin(&sizer, &spec, 2, (struct keel_pace){.mean_ns = 22500});
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 4); /* 250 / 64, rounded up */
}

/* Known beforehand, the pace counts like a chunk of 1000 / 2 / 8 iterations, and the first measured
 * chunk twice: (62.5 * 300 + 2 * 125 * 150) / (62.5 + 2 * 125) = 180. */
TEST(a_known_pace_is_the_first_sample)
{
    const struct keel_spec spec = specs_read("awf-c");
    struct keel_sizer sizer;

    keel_sizer_begin(&sizer, &spec, 2, (struct keel_pace){.mean_ns = 300});
    assert_float_equal(keel_sizer_pace(&sizer).mean_ns, 300, 0);
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 125);
    keel_sizer_done(&sizer, 125, 125 * 150.0, 0);
    assert_float_equal(keel_sizer_pace(&sizer).mean_ns, 180, 1e-9);
}

TEST(paces_that_cannot_be_are_not_known)
{
    allow_exceptions();
    static const double bad[] = {0, -5, NAN, INFINITY};
    const struct keel_spec spec = specs_read("awf-b");
    struct keel_sizer sizer;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        keel_sizer_begin(&sizer, &spec, 2, (struct keel_pace){.mean_ns = bad[i]});
        assert_float_equal(keel_sizer_pace(&sizer).mean_ns, 0, 0);
    }
}

/* Half of the thread's share of what is left, 3/4 of it, as there is no deviation. */
TEST(af_sizes_by_its_share_of_what_is_left)
{
    const struct keel_spec spec = specs_read("af");
    struct keel_sizer sizer;

    keel_sizer_begin(&sizer, &spec, 2, unknown);
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 3); /* 1000 / 2 / 128 */
    keel_sizer_done(&sizer, 3, 300, 0);
    assert_int_equal(SIZE(&sizer, 1000, 800, &three_to_one), 300);
}

/* aid gives each thread its share of the hold once: 0.8 * 3/4 of 1000, and of the next hold. */
TEST(what_a_thread_has_taken_counts_per_hold)
{
    const struct keel_spec spec = specs_read("aid,5");
    struct keel_sizer sizer;

    keel_sizer_begin(&sizer, &spec, 2, unknown);
    assert_int_equal(SIZE(&sizer, 1000, 1000, &three_to_one), 5);
    keel_sizer_done(&sizer, 5, 500, 0);
    assert_int_equal(SIZE(&sizer, 1000, 900, &three_to_one), 595);
    keel_sizer_done(&sizer, 595, 59500, 0);
    assert_int_equal(SIZE(&sizer, 1000, 300, &three_to_one), 5);
    assert_int_equal(SIZE(&sizer, 2000, 2000, &three_to_one), 1200);
}

static uint64_t halved(const struct keel_claim_context *context)
{
    return context->divisor;
}

static void adapting(struct keel_claim_context *context)
{
    context->divisor = context->done + (uint64_t)context->progress;
}

TEST(schedules_that_adapt_hear_of_each_chunk)
{
    const struct keel_schedule schedule = {
        .name = "adapting", .claim = KEEL_CLAIM_SIZED, .take = halved, .adapt = adapting};
    const struct keel_spec spec = {.schedule = &schedule, .value = {[KEEL_MIN] = {.count = 1}}};
    struct keel_sizer sizer;

    keel_sizer_begin(&sizer, &spec, 3, unknown);
    assert_int_equal(SIZE(&sizer, 100, 100, &three_to_one), 3);
    keel_sizer_done(&sizer, 10, 1, 0);
    assert_int_equal(SIZE(&sizer, 100, 90, &three_to_one), 20);
    keel_sizer_done(&sizer, 0, 1, 0); /* not a chunk */
    assert_int_equal(SIZE(&sizer, 100, 90, &three_to_one), 20);
}

static void assert_stand_in(const char *text, const struct keel_schedule *wanted, uint64_t minimum)
{
    struct keel_spec spec;
    struct keel_sizer sizer;
    char problem[KEEL_PROBLEM_MAX];

    assert_int_equal(keel_spec_read(text, strlen(text), &spec, problem), KEEL_SPEC_GOOD);
    keel_sizer_begin(&sizer, &spec, 4, unknown);
    assert_ptr_equal(sizer.spec.schedule, wanted);
    assert_int_equal(sizer.spec.value[KEEL_MIN].count, minimum);
    assert_int_equal(sizer.spec.value[KEEL_CHUNK].count, 0);
}

TEST(others_stand_in_where_a_hold_does_not_do)
{
    assert_stand_in("rate,3", &keel_schedule_rate_in_order, 3);
    assert_stand_in("auto", &keel_schedule_rate_in_order, 1);
    assert_stand_in("afs", &keel_schedule_fac2, 1);
    assert_stand_in("lds", &keel_schedule_fac2, 1);
    assert_stand_in("steal:chunk=7,min=2", &keel_schedule_fac2, 2);
    assert_stand_in("monotonic:ich", &keel_schedule_fac2, 1);
    assert_stand_in("lpt", &keel_schedule_fac2, 1);
    assert_stand_in("binlpt,9", &keel_schedule_fac2, 1);
    assert_stand_in("fac:mu=3", &keel_schedule_fac2, 1);
    assert_stand_in("fac:mu=3,sigma=1,min=5", &keel_schedule_fac, 5);
    assert_stand_in("tap", &keel_schedule_fac2, 1);
    assert_stand_in("af,4", &keel_schedule_af, 4);
}

/* --- any schedule, and those that learn in mid-loop --- */

BEFORE_TESTS
{
    static const char *const learning[] = {"awf-b", "awf-c", "awf-d", "awf-e"};

    draws = draws_begin();
    for (size_t i = 0; i < sizeof learning / sizeof learning[0]; i++) {
        ADD_CASE(weights_follow_measured_speeds, learning[i], "%s: weights", learning[i]);
    }
    for (const char *const *text = specs_texts; *text != NULL; text++) {
        ADD_CASE(holds_are_covered_by_threads_in_any_order, *text, "%s: any order", *text);
        ADD_CASE(ends_that_go_away_are_respected, *text, "%s: ends that go away", *text);
        ADD_CASE(the_longest_holds_are_sized, *text, "%s: longest holds", *text);
        ADD_CASE(chunks_known_beforehand_are_those_of_the_plan, *text, "%s: plan", *text);
    }
}
