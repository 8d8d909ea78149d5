/* What sweeps show, and the sizes that follow: by hand, and against tiny simulations. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/forecast/block_size.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

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

/* Every fourth block brings elements into the cache; a group of eight elements tells what that is
 * worth. */
TEST(groups_of_blocks_are_timed)
{
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
    struct keel_block_size_figures all = {.blocks = 10, .busy_s = 100, .span_s = 134};

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
    keel_block_size_filling_note(&filling, &(struct keel_block_size_figures){0}, 0);
    assert_near(keel_block_size_filling_steps(&filling, 8), 1);
}

/* --- sizes --- */

static const struct keel_block_size_messages messages = {.fixed_s = 1, .incr_s = 0, .hop_s = 5};

/* By S5: sqrt(F t_share / t_fixed) blocks. */
TEST(sizes_are_those_of_the_model)
{
    struct keel_block_size_figures all = {0};

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
    struct keel_block_size_figures own = {0};

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

TEST(two_lengths_tell_what_messages_cost)
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
