/* Advice on loops: what it suggests comes out in loops that are drawn, and what it says of others
 * is so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/learn/least_chunk.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/forecast/advice_cases.h"
#include "tests/schedules/forecast/played_loop.h"

#define CASES 400
#define INSTANCES 6

/* --- what is suggested comes out --- */

static const char *const in_force[] = {"static", "static,16", "gss",   "tss",
                                       "fac2",   "ss",        "css,8", "steal"};

#define IN_FORCE (sizeof in_force / sizeof in_force[0])

/* One drawn loop, and what Keel would know of it. */
struct drawn_case {
    struct played_loop loop;
    struct keel_spec spec;
    struct keel_profile profile;
    double speed[PLAYED_THREADS_MAX];
    struct played_times times;
    struct keel_advice_loop known;
    struct keel_advice advice;
};

/* What is known of speeds and costs strays by some percent. */
static void measure(struct drawn_case *drawn, struct draws *draws)
{
    struct keel_profile flat;
    double sum = 0;

    keel_profile_begin(&flat);
    for (uint64_t i = 0; i < drawn->loop.threads; i++) {
        drawn->speed[i] = drawn->loop.speed[i] * (1 + 0.02 * (draws_real(draws) - 0.5));
        sum += drawn->speed[i];
    }
    for (uint64_t i = 0; i < drawn->loop.threads; i++) {
        drawn->speed[i] *= (double)drawn->loop.threads / sum;
    }
    played_loop_run(&drawn->loop, &drawn->spec, &flat, drawn->speed, INSTANCES, draws,
                    &drawn->times);
}

/* Bins that no iteration begins in have the cost of the one before. */
static double learn_profile(struct drawn_case *drawn)
{
    double work_ns = 0, sum = 0, before = 0;

    for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
        uint64_t low = (b * drawn->loop.iterations + KEEL_PROFILE_BINS - 1) / KEEL_PROFILE_BINS;
        uint64_t high =
            ((b + 1) * drawn->loop.iterations + KEEL_PROFILE_BINS - 1) / KEEL_PROFILE_BINS;
        before = high > low ? drawn->times.bin_ns[b] / (double)(high - low) : before;
        drawn->profile.cost[b] = before;
        sum += before;
        work_ns += drawn->times.bin_ns[b];
    }
    for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
        drawn->profile.cost[b] *= KEEL_PROFILE_BINS / sum;
    }
    return work_ns / (double)(INSTANCES * drawn->loop.iterations);
}

static void describe(struct drawn_case *drawn)
{
    double iteration_ns = learn_profile(drawn);
    struct keel_advice_loop *known = &drawn->known;

    *known = (struct keel_advice_loop){
        .subject = KEEL_ADVICE_LOOP,
        .spec = &drawn->spec,
        .threads = drawn->loop.threads,
        .instances = INSTANCES,
        .iterations = INSTANCES * drawn->loop.iterations,
        .chunks = drawn->times.chunks,
        .elapsed_s = drawn->times.elapsed_ns / 1e9,
        .elapsed_squares_s2 = drawn->times.squares_ns2 / 1e18,
        .waits_seen = keel_median_count(&drawn->times.waits),
        .median_wait_s = keel_median_of(&drawn->times.waits) / 1e9,
        .iteration_s = iteration_ns / 1e9,
        .deviation_s = drawn->loop.variation * iteration_ns / 1e9,
        .claim_s = drawn->loop.claim_ns / 1e9,
        .profile = &drawn->profile,
        .speed = drawn->speed,
    };
    for (uint64_t i = 0; i < drawn->loop.threads; i++) {
        known->busy_s += drawn->times.busy_ns[i] / 1e9;
        known->busiest_s = fmax(known->busiest_s, drawn->times.busy_ns[i] / 1e9);
    }
}

/* As Keel completes it: with a smallest chunk that is worth its claim. */
static struct keel_spec completed(const struct keel_spec *stated, const struct drawn_case *drawn)
{
    struct keel_spec spec = *stated;
    double iteration_ns = 1e9 * drawn->known.iteration_s;

    if (!keel_least_chunk_is_stated(&spec)) {
        spec.value[KEEL_MIN].count = keel_least_chunk(drawn->loop.claim_ns, iteration_ns);
        spec.min_measured = true;
    }
    return spec;
}

static void draw_case(struct draws *draws, struct drawn_case *drawn)
{
    played_loop_draw(draws, &drawn->loop);
    drawn->spec = specs_read(in_force[draws_below(draws, IN_FORCE)]);
    measure(drawn, draws);
    describe(drawn);
    drawn->spec = completed(&drawn->spec, drawn);
    measure(drawn, draws);
    describe(drawn);
    drawn->advice = keel_advise(&drawn->known);
}

/* Under other random numbers than it was measured with; both schedules have the same. */
static double seen_ns(const struct drawn_case *drawn, const struct keel_spec *spec, uint64_t seed)
{
    struct draws draws = {seed};
    struct played_times times;

    played_loop_run(&drawn->loop, spec, &drawn->profile, drawn->speed, INSTANCES, &draws, &times);
    return times.elapsed_ns;
}

static struct keel_spec suggested(const struct drawn_case *drawn)
{
    char text[KEEL_ADVICE_TEXT_MAX];

    keel_advice_write_schedule(&drawn->advice, text);
    struct keel_spec spec = specs_read(text);
    return completed(&spec, drawn);
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Parts of loops' times. */
struct outcome {
    double value[CASES];
    int count;
};

static void add(struct outcome *outcome, double value)
{
    outcome->value[outcome->count++] = value;
}

static void sort(struct outcome *outcome)
{
    qsort(outcome->value, (size_t)outcome->count, sizeof outcome->value[0], by_size);
}

/* The value that a part 0 .. 1 of them do not reach. */
static double part_of(const struct outcome *outcome, double part)
{
    return outcome->value[(int)(part * (outcome->count - 1))];
}

static void print_outcome(const char *what, struct outcome *outcome)
{
    sort(outcome);
    printf("# %s, %% of the loop's time, %d of %d loops: least %.1f, 5 %% %.1f, median %.1f, "
           "95 %% %.1f, most %.1f\n",
           what, outcome->count, CASES, 100 * part_of(outcome, 0), 100 * part_of(outcome, 0.05),
           100 * part_of(outcome, 0.5), 100 * part_of(outcome, 0.95), 100 * part_of(outcome, 1));
}

/* What the best of those that are suggested would gain. */
static double best_gain(const struct drawn_case *drawn, uint64_t seed)
{
    const char *const texts[] = {"static", "fac2", "gss", "tss", "steal", "rate"};
    double before_ns = seen_ns(drawn, &drawn->spec, seed), best_ns = before_ns;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct keel_spec stated = specs_read(texts[i]), spec = completed(&stated, drawn);
        best_ns = fmin(best_ns, seen_ns(drawn, &spec, seed));
    }
    return 1 - best_ns / before_ns;
}

/* No gain within what a forecast can tell apart: a part of the time, and one iteration. */
static void assert_not_too_fine(const struct drawn_case *drawn)
{
    const struct keel_advice *advice = &drawn->advice;
    double part = advice->gain_s / drawn->known.elapsed_s;

    assert_true(part > KEEL_ADVICE_PART_MIN);
    assert_true(advice->gain_s > INSTANCES * drawn->known.iteration_s);
    assert_true(advice->schedule->learns != KEEL_LEARNS_BLOCKS || part > 0.1);
}

/* Bounds that 60 seeds stay within. */
static void what_is_predicted_comes_out(void **state)
{
    struct draws draws = draws_begin();
    static struct outcome error, gain, missed;
    static struct drawn_case drawn;
    int slower = 0;

    (void)state;
    for (int round = 0; round < CASES; round++) {
        draw_case(&draws, &drawn);
        uint64_t seed = draws_next(&draws);
        if (drawn.advice.schedule == NULL) {
            add(&missed, best_gain(&drawn, seed));
            continue;
        }
        assert_not_too_fine(&drawn);
        struct keel_spec spec = suggested(&drawn);
        double before_ns = seen_ns(&drawn, &drawn.spec, seed);
        add(&gain, 1 - seen_ns(&drawn, &spec, seed) / before_ns);
        slower += gain.value[gain.count - 1] < 0;
        add(&error, gain.value[gain.count - 1] - 1e9 * drawn.advice.gain_s / before_ns);
    }
    print_outcome("gain seen less predicted", &error);
    print_outcome("gain seen", &gain);
    printf("# %d of %d are slower\n", slower, gain.count);
    print_outcome("best gain where nothing is suggested", &missed);
    assert_in_range(error.count, CASES / 4, CASES * 3 / 4);
    assert_true(part_of(&error, 0.05) > -0.06 && part_of(&error, 0.5) > 0.01);
    assert_true(part_of(&error, 0.5) < 0.06 && part_of(&error, 0.95) < 0.2);
    assert_in_range(slower, 0, error.count / 50);
    assert_true(part_of(&gain, 0) > -0.2 && part_of(&gain, 0.5) > 0.1);
    assert_true(part_of(&missed, 0.5) < 0.05 && part_of(&missed, 0.95) < 0.35);
}

/* --- by hand --- */

static struct keel_profile profile_of_loop;

static void an_even_loop_has_nothing_to_gain(void **state)
{
    const char *const texts[] = {"static", "fac2", "ss", "gss", "steal"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct keel_advice_loop loop = even_loop(texts[i]);
        assert_advice(&loop, "nothing to gain");
        loop.busy_s = 0.385; /* 3.75 % */
        assert_advice(&loop, "nothing to gain");
    }
}

static void waiting_bounds_the_gain(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.busy_s = 0.28; /* 0.1 - 0.28 / 4 s, less 2 us an instance */
    assert_advice(&loop, "fac2: up to 30 ms less");
    loop.spec = &(struct keel_spec){.schedule = &keel_schedule_gss};
    assert_advice(&loop, "fac2: up to 30 ms less");
    loop.spec =
        &(struct keel_spec){.schedule = &keel_schedule_fac2}; /* its last chunks are small */
    assert_advice(&loop, "no schedule is known to be faster");
    loop.spec = NULL;
    assert_advice(&loop, "no schedule is known to be faster");
}

/* Where threads hardly work, they wait for something else than for each other's iterations. */
static void no_more_is_gained_than_is_worked(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.busy_s = 0.04; /* one thread did it all, at worst: three quarters of it go to others */
    loop.busiest_s = 0.01;
    assert_advice(&loop, "fac2: up to 30 ms less");
    loop.busy_s = 0.002;
    assert_advice(&loop, "no schedule is known to be faster");
}

static void what_chance_may_have_done_is_no_gain(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.busy_s = 0.36;
    assert_advice(&loop, "fac2: up to 10 ms less");
    /* instances of 10 ms, standard deviation 20 ms: the mean of ten is known to 6 ms */
    loop.elapsed_squares_s2 = 10 * (0.01 * 0.01 + 0.02 * 0.02);
    assert_advice(&loop, "no schedule is known to be faster");
}

static void loops_of_the_compiler_have_to_be_built_otherwise(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.spec = NULL;
    loop.iterations = 0;
    loop.busy_s = 0.28;
    loop.subject = KEEL_ADVICE_STATIC;
    assert_advice(&loop,
                  "built with Keel's plugin: run it under `keel run -s fac2` (up to 30 ms less)");
    loop.subject = KEEL_ADVICE_REGION;
    assert_advice(&loop, "if it is a loop with static shares: compile with `keel cflags`, then try "
                         "fac2 (up to 30 ms less)");
    loop.holds_loops = true; /* they have advice of their own */
    assert_advice(&loop, "");
}

static void regions_lose_by_serial_parts_and_by_being_short(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.subject = KEEL_ADVICE_REGION;
    loop.busy_s = 0.101;
    loop.busiest_s = 0.098; /* the others have 1 ms each */
    assert_advice(&loop, "serial part: one thread works, the others wait");
    loop.busiest_s = 0.07; /* 10 ms each: not one thread alone */
    assert_advice(&loop, "if it is a loop with static shares: compile with `keel cflags`, then try "
                         "fac2 (up to 75 ms less)");
    loop.instances = 20000; /* of 5 us, half of which is lost */
    loop.busy_s = 0.19;
    assert_advice(&loop, "too short for a team, at 5.0 us an instance: try one thread");
    loop.busy_s = 0.21;
    assert_true(keel_advise(&loop).hint != KEEL_ADVICE_TOO_SHORT);
    loop.instances = 10;
    loop.threads = 2;
    loop.busy_s = 0.1; /* of which the second thread has 2 ms */
    loop.busiest_s = 0.098;
    assert_advice(&loop, "serial part: one thread works, the others wait");
}

/* 10 ns iterations, 40 ns to get each. */
static void chunks_that_cost_as_much_as_iterations_are_named(void **state)
{
    struct keel_advice_loop loop = even_loop("ss");

    (void)state;
    loop.iterations = loop.chunks = 8000000;
    loop.busy_s = 0.08;
    loop.claiming_s = 0.32;
    /* a claim of 40 ns is worth 128 iterations: 0.08 s x (1 - 1/128), but not more than is lost */
    assert_advice(&loop, "chunks cost as much as iterations: try steal,128 (up to 79 ms less)");
    loop.claiming_s = 0.1; /* 12.5 ns each, and 37.5 ns an iteration */
    loop.busy_s = 0.3;
    assert_advice(&loop, "getting chunks takes 25 % of the time: try steal,16 (up to 23 ms less)");
    loop.claiming_s = 0.2;
    loop.busy_s = 0.2;
    loop.iterations = 5120; /* 512 an instance: the smallest chunk is to be 512/16/4 at most */
    loop.chunks = 5120 / 4;
    assert_advice(&loop, "chunks cost as much as iterations: try steal,8 (up to 25 ms less)");
    loop.chunks = 5120 / 6; /* nearly as large as that */
    assert_true(keel_advise(&loop).hint != KEEL_ADVICE_CLAIMS);
    loop.claiming_s = 0.1;
    loop.iterations = loop.chunks = 640; /* too few to be taken together */
    assert_true(keel_advise(&loop).hint != KEEL_ADVICE_CLAIMS);
}

static void an_untimed_claim_costs_less_than_a_timed_one(void **state)
{
    struct keel_advice_loop loop = even_loop("ss");

    (void)state;
    loop.iterations = loop.chunks = 8000000;
    loop.busy_s = 0.24;
    loop.claim_s = 40e-9; /* 12 ns of it without the clock: 0.096 of 0.336 s */
    assert_advice(&loop, "getting chunks takes 29 % of the time: try steal,64 (up to 24 ms less)");
}

static void an_iteration_that_is_longer_than_a_share_is_shown(void **state)
{
    struct keel_advice_loop loop = even_loop("ss");

    (void)state;
    loop.iterations = 630; /* fewer than 16 for each thread */
    loop.busy_s = 0.16;    /* 4 ms a share; the rest of 10 ms is 3/4 of an iteration at most */
    assert_advice(&loop,
                  "one iteration takes longer than a thread's share: fewer threads, or split it");
    loop.iterations = 1000; /* the wait may be for a thread that came late */
    assert_advice(&loop, "no schedule is known to be faster");
    loop.iteration_s = 0.16e-3;
    loop.deviation_s = 0.5e-3; /* one of 8 ms among 100 would make it 0.8 ms */
    assert_advice(&loop, "no schedule is known to be faster");
    loop.deviation_s = 0.9e-3;
    assert_true(keel_advise(&loop).hint == KEEL_ADVICE_LONG_ITERATION);
    loop.deviation_s = 0;
    loop.iterations = 630;
    loop.busy_s = 0.24; /* 6 ms a share, and 4 ms may be 3/4 of 5.3 ms */
    assert_advice(&loop, "no schedule is known to be faster");
    loop = even_loop("css,8"); /* the wait may be for eight iterations */
    loop.busy_s = 0.16;
    assert_advice(&loop, "fac2: up to 60 ms less");
}

static void a_long_iteration_is_seen_in_the_profile(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    keel_profile_begin(&profile_of_loop);
    for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
        profile_of_loop.cost[b] = b == 5 ? 64 - 0.5 : 0.5 / 63;
    }
    loop.profile = &profile_of_loop;
    loop.iterations = 640; /* 64 of each instance, the sixth of which has nearly all work */
    loop.iteration_s = 0.1 / 640;
    loop.busy_s = 0.1;
    assert_true(keel_advise(&loop).hint == KEEL_ADVICE_LONG_ITERATION);
    loop.iterations = 64000; /* now a hundred iterations have it */
    loop.iteration_s = 0.1 / 64000;
    assert_true(keel_advise(&loop).hint == KEEL_ADVICE_NO_HINT);
    assert_true(keel_advise(&loop).schedule != NULL);
}

static void few_iterations_leave_threads_without_any(void **state)
{
    struct keel_advice_loop loop = even_loop("static");

    (void)state;
    loop.iterations = 40;
    loop.busy_s = 0.28;
    assert_advice(&loop, "no more iterations than threads: fewer threads, or split them");
    loop.iterations = 50;
    assert_true(keel_advise(&loop).hint == KEEL_ADVICE_NO_HINT);
}

static void nothing_is_said_without_figures(void **state)
{
    struct keel_advice_loop loop = {0};

    (void)state;
    assert_advice(&loop, "");
    loop = even_loop("static");
    loop.busy_s = 0;
    assert_advice(&loop, "");
    loop = even_loop("static");
    loop.elapsed_s = NAN;
    assert_advice(&loop, "");
    loop = even_loop("static");
    loop.threads = 1;
    loop.busy_s = 0.05; /* nobody waits for a thread that is alone */
    assert_true(keel_advise(&loop).schedule == NULL);
}

/* --- any figures at all --- */

static double draw_amount(struct draws *draws)
{
    const double odd[] = {0, -1, NAN, INFINITY, 1e300, 1e-300};

    return draws_below(draws, 8) == 0 ? odd[draws_below(draws, 6)]
                                      : pow(10, 12 * draws_real(draws) - 10);
}

static uint64_t draw_count(struct draws *draws)
{
    const uint64_t odd[] = {0, 1, UINT64_MAX};

    return draws_below(draws, 8) == 0 ? odd[draws_below(draws, 3)] : draws_below(draws, 100000);
}

static void no_figures_break_it(void **state)
{
    struct draws draws = draws_begin();
    double speed[32];

    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct keel_spec spec = specs_read(specs_texts[draws_below(&draws, 20)]);
        for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
            profile_of_loop.cost[b] = draw_amount(&draws);
            speed[b % 32] = draw_amount(&draws);
        }
        struct keel_advice_loop loop = {
            .subject = (enum keel_advice_subject)draws_below(&draws, 4),
            .spec = draws_below(&draws, 3) > 0 ? &spec : NULL,
            .threads = draws_below(&draws, 33),
            .instances = draw_count(&draws),
            .iterations = draw_count(&draws),
            .chunks = draw_count(&draws),
            .elapsed_s = draw_amount(&draws),
            .elapsed_squares_s2 = draws_below(&draws, 2) * draw_amount(&draws),
            .waits_seen = draw_count(&draws),
            .median_wait_s = draw_amount(&draws),
            .busy_s = draw_amount(&draws),
            .busiest_s = draw_amount(&draws),
            .claiming_s = draw_amount(&draws),
            .iteration_s = draw_amount(&draws),
            .deviation_s = draw_amount(&draws),
            .claim_s = draw_amount(&draws),
            .profile = draws_below(&draws, 2) > 0 ? &profile_of_loop : NULL,
            .speed = draws_below(&draws, 2) > 0 ? speed : NULL,
        };
        struct keel_advice advice = keel_advise(&loop);
        char text[KEEL_ADVICE_TEXT_MAX];
        assert_true((advice.schedule != NULL) == (advice.gain_s > 0));
        assert_true(advice.gain_s >= 0 && (advice.gain_s == 0 || advice.gain_s <= loop.elapsed_s));
        keel_advice_write(&advice, text);
        assert_true(strlen(text) < KEEL_ADVICE_TEXT_MAX - 1); /* none is cut */
        keel_advice_write_schedule(&advice, text);
        if (text[0] != '\0') {
            specs_read(text); /* reads back */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_predicted_comes_out),
        cmocka_unit_test(an_even_loop_has_nothing_to_gain),
        cmocka_unit_test(waiting_bounds_the_gain),
        cmocka_unit_test(no_more_is_gained_than_is_worked),
        cmocka_unit_test(what_chance_may_have_done_is_no_gain),
        cmocka_unit_test(loops_of_the_compiler_have_to_be_built_otherwise),
        cmocka_unit_test(regions_lose_by_serial_parts_and_by_being_short),
        cmocka_unit_test(chunks_that_cost_as_much_as_iterations_are_named),
        cmocka_unit_test(an_untimed_claim_costs_less_than_a_timed_one),
        cmocka_unit_test(an_iteration_that_is_longer_than_a_share_is_shown),
        cmocka_unit_test(a_long_iteration_is_seen_in_the_profile),
        cmocka_unit_test(few_iterations_leave_threads_without_any),
        cmocka_unit_test(nothing_is_said_without_figures),
        cmocka_unit_test(no_figures_break_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
