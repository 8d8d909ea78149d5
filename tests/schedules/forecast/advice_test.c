/* Advice on loops, and sizes of blocks. */
#include <math.h>
#include <string.h>

#include "schedules/forecast/advice.h"
#include "schedules/forecast/block_size.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- advice on loops, by hand --- */

static struct keel_spec spec_in_force;

/* 4 threads, 10 instances of 10 ms, all of it work. */
static struct keel_advice_loop even_loop(const char *spec)
{
    spec_in_force = specs_read(spec);
    return (struct keel_advice_loop){
        .subject = KEEL_ADVICE_LOOP,
        .spec = &spec_in_force,
        .threads = 4,
        .instances = 10,
        .iterations = 10000,
        .elapsed_s = 0.1,
        .elapsed_squares_s2 = 0.001,
        .busy_s = 0.4,
        .busiest_s = 0.1,
    };
}

static void assert_advice(const struct keel_advice_loop *loop, const char *what)
{
    struct keel_advice advice = keel_advise(loop);
    char text[KEEL_ADVICE_TEXT_MAX];

    keel_advice_write(&advice, text);
    assert_string_equal(text, what);
    assert_true((advice.schedule != NULL) == (advice.gain_s > 0));
}

/* --- by hand --- */

TEST(loops_of_the_compiler_have_to_be_built_otherwise)
{
    struct keel_advice_loop loop = even_loop("static");

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

/* 10 ns iterations, 40 ns to get each. */
TEST(chunks_that_cost_as_much_as_iterations_are_named)
{
    struct keel_advice_loop loop = even_loop("ss");

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

TEST(an_untimed_claim_costs_less_than_a_timed_one)
{
    struct keel_advice_loop loop = even_loop("ss");

    loop.iterations = loop.chunks = 8000000;
    loop.busy_s = 0.24;
    loop.claim_s = 40e-9; /* 12 ns of it without the clock: 0.096 of 0.336 s */
    assert_advice(&loop, "getting chunks takes 29 % of the time: try steal,64 (up to 24 ms less)");
}

TEST(an_iteration_that_is_longer_than_a_share_is_shown)
{
    struct keel_advice_loop loop = even_loop("ss");

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

TEST(nothing_is_said_without_measurements)
{
    struct keel_advice_loop loop = {0};

    assert_advice(&loop, "");
    loop = even_loop("static");
    loop.busy_s = 0;
    assert_advice(&loop, "");
    loop = even_loop("static");
    loop.elapsed_s = NAN;
    assert_advice(&loop, "");
    loop = even_loop("static");
    loop.instances = 0;
    assert_advice(&loop, "");
    loop = even_loop("static");
    loop.threads = 1;
    loop.busy_s = 0.05; /* no thread waits for one that is alone */
    assert_true(keel_advise(&loop).schedule == NULL);
}

/* --- interruptions, and instances of several kinds --- */

TEST(forecasts_know_nothing_of_interruptions)
{
    static struct keel_profile profile_of_loop;

    keel_profile_begin(&profile_of_loop);
    for (int b = 0; b < KEEL_PROFILE_BINS; b++) { /* twice as long at the end as at the start */
        profile_of_loop.cost[b] = (1 + (b + 0.5) / KEEL_PROFILE_BINS) / 1.5;
    }
    struct keel_advice_loop steady = even_loop("static");
    steady.threads = 2;
    steady.profile = &profile_of_loop;
    steady.iteration_s = 17e-6; /* 17 ms of work, 8.5 ms a thread; one has 1.75/3 of it: 9.9 ms */
    steady.busy_s = 0.17;
    steady.claim_s = 100e-9;
    struct keel_advice without = keel_advise(&steady);
    assert_true(without.schedule != NULL && without.evidence == KEEL_ADVICE_FORECAST);
    steady.waits_seen = 10;
    steady.median_wait_s = 1.5e-3;
    struct keel_advice with = keel_advise(&steady);
    assert_true(with.schedule == without.schedule && with.gain_s == without.gain_s);
    steady.median_wait_s = 0; /* all that was waited was so in one of them */
    assert_true(keel_advise(&steady).schedule == NULL);
}

TEST(what_ran_once_may_have_been_interrupted)
{
    struct keel_advice_loop loop = even_loop("static");

    loop.busy_s = 0.28;
    loop.instances = 1;
    loop.elapsed_squares_s2 = 0.01;
    assert_advice(&loop, "measured once: too little to know if another schedule helps");
    loop.instances = 2;
    loop.elapsed_squares_s2 = 0.005;
    assert_advice(&loop, "measured twice: too little to know if another schedule helps");
    loop.instances = 3;
    loop.elapsed_squares_s2 = 0.01 / 3;
    assert_advice(&loop, "fac2: up to 30 ms less");
    loop.instances = 1;
    loop.elapsed_s = 1; /* no time slice is 0.3 s */
    loop.elapsed_squares_s2 = 1;
    loop.busy_s = 2.8;
    assert_advice(&loop, "fac2: up to 0.30 s less, measured once");
    loop.subject = KEEL_ADVICE_REGION;
    loop.spec = NULL;
    loop.iterations = 0;
    assert_advice(&loop, "if it is a loop with static shares: compile with `keel cflags`, then try "
                         "fac2 (up to 0.30 s less, measured once)");
    loop.busy_s = 3.98;
    assert_advice(&loop, "nothing to gain");
}

/* --- sizes of blocks: what sweeps show, and the sizes that follow: by hand, and against tiny
 * simulations --- */

/* --- widths --- */

TEST(widths_double_in_two_steps)
{
    static const uint64_t first[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};

    for (unsigned i = 0; i < sizeof first / sizeof *first; i++) {
        assert_int_equal(keel_block_size_width_at(i), first[i]);
    }
    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        uint64_t width = keel_block_size_width_at(i);
        assert_int_equal(keel_block_size_index_of(width), i);
        assert_true(i == 0 || width > keel_block_size_width_at(i - 1));
        assert_int_equal(keel_block_size_index_of(width + (i > 3)), i);
        assert_true(i < 2 || keel_block_size_index_of(width - 1) == i - 1);
    }
    assert_int_equal(keel_block_size_index_of(UINT64_MAX), KEEL_BLOCK_SIZE_WIDTHS - 1);
}

/* --- cuts --- */

static uint64_t count_width(const struct keel_block_size_cut *cut, uint64_t elements,
                            uint64_t width)
{
    uint64_t count = 0;

    for (uint64_t from = 0; from < elements; from += keel_block_size_width(cut, from)) {
        count += keel_block_size_width(cut, from) == width;
    }
    return count;
}

TEST(sweeps_to_learn_from_have_other_widths)
{
    struct keel_block_size_cut wide = keel_block_size_cut(1000, 96, true, 32);

    for (uint64_t width = 48; width >= 3; width /= 2) {
        uint64_t groups = 2 * ((32 + width - 1) / width);
        assert_true(count_width(&wide, 1000, width) >= (groups > 3 ? groups : 3));
    }
    assert_true(count_width(&wide, 1000, 96) >= 3);
}

/* --- costs --- */

TEST(smallest_times_count)
{
    allow_exceptions();
    struct keel_block_size_costs costs = {0};

    keel_block_size_costs_note(&costs, 10, 4, 30);
    keel_block_size_costs_note(&costs, 10, 4, 20);
    keel_block_size_costs_note(&costs, 10, 5, 1); /* a width that is not kept */
    keel_block_size_costs_note(&costs, 10, 4, 0);
    keel_block_size_costs_note(&costs, 10, 4, -1);
    keel_block_size_costs_note(&costs, 10, 4, NAN);
    keel_block_size_costs_end(&costs, 4, true);
    assert_near(keel_block_size_time_s(costs.row_s, 4), 2);
    keel_block_size_costs_note(&costs, 10, 4, 25);
    keel_block_size_costs_end(&costs, 4, true);
    assert_near(keel_block_size_time_s(costs.row_s, 4), 2);
    keel_block_size_costs_note(&costs, 10, 4, 22);
    keel_block_size_costs_end(&costs, 4, false);
    assert_near(keel_block_size_time_s(costs.row_s, 4), 2.2);
}

/* Every fourth block brings elements into the cache; a group of eight elements shows what that is
 * worth. */
TEST(groups_of_blocks_are_timed)
{
    allow_exceptions();
    struct keel_block_size_costs costs = {.group = 8};

    for (int i = 0; i < 12; i++) {
        keel_block_size_costs_note(&costs, 1, 2, i % 4 == 0 ? 5 : 1);
    }
    keel_block_size_costs_note(&costs, 1, 4, 1); /* half a group */
    keel_block_size_costs_note(&costs, 1, 2, 1);
    keel_block_size_costs_note(&costs, 1, 4, 1);
    keel_block_size_costs_note(&costs, 1, 4, NAN);
    keel_block_size_costs_note(&costs, 1, 4, 1);
    keel_block_size_costs_end(&costs, 2, true);
    keel_block_size_costs_note(&costs, 1, 4, 1);
    keel_block_size_costs_end(&costs, 2, true);
    assert_near(costs.row_s[keel_block_size_index_of(2)], 2);
    assert_true(costs.row_s[keel_block_size_index_of(4)] == 0);
}

/* A load comes: all widths take twice as long, of which only one is measured. */
TEST(other_widths_follow_the_speed)
{
    struct keel_block_size_costs costs = {0};

    keel_block_size_costs_note(&costs, 1, 4, 1);
    keel_block_size_costs_note(&costs, 1, 8, 3);
    keel_block_size_costs_end(&costs, 8, true);
    keel_block_size_costs_note(&costs, 1, 4, 2);
    keel_block_size_costs_end(&costs, 4, false);
    assert_near(keel_block_size_time_s(costs.row_s, 8), 6);
    keel_block_size_costs_note(&costs, 1, 4, 2.2); /* noise */
    keel_block_size_costs_end(&costs, 4, false);
    assert_near(keel_block_size_time_s(costs.row_s, 8), 6);
}

/* --- filling --- */

TEST(filling_is_what_remains_of_a_sweep)
{
    struct keel_block_size_filling filling = {0};
    struct keel_block_size_measurements all = {.blocks = 10, .busy_s = 100, .span_s = 134};

    assert_near(keel_block_size_filling_steps(&filling, 8), 7);
    keel_block_size_filling_note(&filling, &all, 1);
    assert_near(keel_block_size_filling_steps(&filling, 8), 3);
    all.span_s = 156;
    keel_block_size_filling_note(&filling, &all, 1); /* somebody else took time */
    assert_near(keel_block_size_filling_steps(&filling, 8), 3);
    assert_near(keel_block_size_filling_steps(&filling, 3), 2);
    keel_block_size_filling_note(&filling, &all, 1);
    keel_block_size_filling_note(&filling, &all, 1); /* it stays */
    assert_near(keel_block_size_filling_steps(&filling, 8), 5);
    all.span_s = 100;
    keel_block_size_filling_note(&filling, &all, 1);
    assert_near(keel_block_size_filling_steps(&filling, 8), 1);
    keel_block_size_filling_note(&filling, &(struct keel_block_size_measurements){0}, 0);
    assert_near(keel_block_size_filling_steps(&filling, 8), 1);
}

/* --- sizes --- */

static const struct keel_block_size_messages messages = {.fixed_s = 1, .incr_s = 0, .hop_s = 5};

/* By S5: sqrt(F t_share / t_fixed) blocks. */
TEST(sizes_are_those_of_the_model)
{
    struct keel_block_size_measurements all = {0};

    all.block_s[keel_block_size_index_of(16)] = 16; /* 1 per element, 1000 for a row */
    assert_int_equal(keel_block_size_next(&messages, &all, 1, 2, 1000, 0), 32);
    assert_int_equal(keel_block_size_next(&messages, &all, 15, 16, 1000, 0), 8);
    assert_int_equal(keel_block_size_next(&messages, &all, 2, 16, 1000, 0), 24);
    assert_int_equal(keel_block_size_next(&messages, &all, 2.5, 16, 1000, 0), 24);
    assert_int_equal(keel_block_size_next(&messages, &all, 2.9, 16, 1000, 0), 16);
    assert_int_equal(keel_block_size_next(&messages, &all, 1, 1, 1000, 0), 1000);
    assert_int_equal(keel_block_size_next(&messages, &all, 1, 2, 1000, 31), 31); /* as good */
    assert_int_equal(keel_block_size_next(&messages, &all, 1, 2, 1000, 500), 32);
}

/* Where each block takes a time to start, wider ones than those of the first sweep are tried. */
TEST(wider_blocks_are_tried_where_starting_takes_long)
{
    const struct keel_block_size_messages cheap = {.fixed_s = 0.1};
    struct keel_block_size_measurements own = {0};

    for (uint64_t width = 3; width <= 12; width *= 2) {
        own.block_s[keel_block_size_index_of(width)] = (double)width;
    }
    assert_int_equal(keel_block_size_second(&cheap, &own, 4, 1000), 12);
    for (uint64_t width = 3; width <= 12; width *= 2) {
        own.block_s[keel_block_size_index_of(width)] = 200 + (double)width;
    }
    assert_int_equal(keel_block_size_second(&cheap, &own, 4, 1000), 96);
    assert_int_equal(keel_block_size_second(&cheap, &own, 250, 1000), 4);
    assert_int_equal(keel_block_size_second(&cheap, &own, 1, 1000), 1000);
}

TEST(two_lengths_show_what_messages_cost)
{
    struct keel_block_size_messages of = keel_block_size_messages_of(3, 13, 101, 20, 5);

    assert_near(of.fixed_s, 13.0 * 64 / 101); /* a line of a long one is more than the short one */
    assert_near(of.incr_s, 2);
    assert_near(of.hop_s, 5);
    of = keel_block_size_messages_of(9, 13, 101, 20, 5);
    assert_near(of.fixed_s, 9);
    of = keel_block_size_messages_of(3, 2, 4096, 8, 5); /* by chance */
    assert_near(of.fixed_s, 3);
    assert_near(of.incr_s, 0);
    of = keel_block_size_messages_of(3, 3, 1, 1, 5);
    assert_near(of.fixed_s, 3);
    assert_near(of.incr_s, 0);
}
