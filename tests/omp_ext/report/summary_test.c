/* Sums and efficiencies: worked out by hand, and what holds for any figures. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_document.h"
#include "tests/omp_ext/report/sample.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

TEST(a_loop_without_threads_loses_nothing)
{
    struct keel_report_loop loop = {.threads = 4, .elapsed_s = 3};
    struct keel_report_loss loss = keel_report_loss_of(&loop);

    assert_near(loss.lost_s, 0);
    assert_near(loss.imbalance_percent, 0);
}

/* Measured times may add up to more than there is. Waiting counts before claiming, and both
 * together are no more than what is lost. */
TEST(a_loop_claims_no_more_than_it_loses)
{
    static const struct keel_report_thread threads[2] = {
        {.busy_s = 3, .waited_s = 0.5, .claiming_s = 1}, {.busy_s = 4, .claiming_s = 1}};
    const struct keel_report_loop loop = {.threads = 2, .thread = threads, .elapsed_s = 4};
    struct keel_report_loss loss = keel_report_loss_of(&loop);

    assert_near(loss.lost_s, 1);
    assert_near(loss.waited_s, 0.5);
    assert_near(loss.claiming_s, 0.5);
    assert_near(loss.other_s, 0);
}

/* Two threads of a program, none of them the initial one, open regions of two threads at a time: 3
 * of 4 s. The initial one opens none. */
TEST(teams_that_run_at_the_same_time_are_counted)
{
    static const struct keel_report_thread threads[2] = {{.busy_s = 5, .waited_s = 1},
                                                         {.busy_s = 3, .waited_s = 3}};
    const struct keel_report_loop region = {
        .kind = KEEL_REPORT_REGION, .region = -1, .threads = 2, .thread = threads, .elapsed_s = 6};
    const struct keel_report_process process = {
        .elapsed_s = 4, .serial_s = 4, .threads = 2, .loop = &region, .loop_count = 1};
    const struct keel_report_process *only = &process;
    struct keel_report_summary summary = keel_report_summarise(&only, 1);

    assert_int_equal(summary.threads, 4);
    assert_near(summary.useful_s, 8);
    assert_near(summary.waited_s, 4);
    assert_near(summary.serial_s, 0);
    assert_near(summary.efficiency.parallel, 0.5);
}

/* The same regions take 4.02 s of 4: clocks differ, and it was one team at a time. By 4.05 s, there
 * were two. */
TEST(hardly_more_than_one_team_is_one)
{
    static const struct keel_report_thread threads[2] = {{.busy_s = 4}, {.busy_s = 4}};
    struct keel_report_loop region = {
        .kind = KEEL_REPORT_REGION, .region = -1, .threads = 2, .thread = threads};
    const struct keel_report_process process = {
        .elapsed_s = 4, .serial_s = 1, .threads = 2, .loop = &region, .loop_count = 1};
    const struct keel_report_process *only = &process;

    region.elapsed_s = 4.02;
    assert_int_equal(keel_report_summarise(&only, 1).threads, 2);
    region.elapsed_s = 4.05;
    assert_int_equal(keel_report_summarise(&only, 1).threads, 4);
}

/* The serial second of each is useful in one of two threads, and all factors are known; but not
 * where one of the ranks was not seen. */
TEST(of_ranks_whose_calls_of_mpi_are_seen_all_is_known)
{
    struct keel_report_process first = sample_process(0, 2), second = sample_process(1, 2);
    const struct keel_report_process *both[] = {&first, &second};
    double serial_s = 1 + 1.25;

    first.mpi_seen = second.mpi_seen = true;
    struct keel_report_summary summary = keel_report_summarise(both, 2);
    assert_true(summary.of_ranks && summary.mpi_seen);
    assert_near(summary.useful_s, 28 + serial_s);
    assert_near(summary.serial_s, serial_s);
    assert_near(summary.mpi_s, 2 * 1.75);
    assert_near(summary.efficiency.mpi_balance, (9 + 9.25) / (2 * 9.25));
    assert_near(summary.efficiency.mpi_communication, 9.25 / 10);
    assert_near(summary.efficiency.parallel, (28 + serial_s) / 40);
    second.mpi_seen = false;
    summary = keel_report_summarise(both, 2);
    assert_true(summary.of_ranks && !summary.mpi_seen && isnan(summary.efficiency.parallel));
}

TEST(a_rank_that_ends_early_loses_what_is_left)
{
    struct keel_report_process ranks[2] = {
        {.elapsed_s = 8, .serial_s = 8, .threads = 1, .ranks = 2},
        {.elapsed_s = 4, .serial_s = 4, .threads = 1, .rank = 1, .ranks = 2},
    };
    const struct keel_report_process *both[] = {&ranks[0], &ranks[1]};
    struct keel_report_summary summary = keel_report_summarise(both, 2);

    assert_near(summary.serial_s, 12);
    assert_near(summary.mpi_s, 0);
    assert_near(summary.early_s, 4);
}

/* Its time is in that of the one around it. */
TEST(a_nested_region_does_not_count_again)
{
    const struct keel_report_thread thread = {.busy_s = 3};
    struct keel_report_loop region[] = {
        {.kind = KEEL_REPORT_REGION, .elapsed_s = 4, .threads = 1, .thread = &thread},
        {.kind = KEEL_REPORT_REGION,
         .elapsed_s = 4,
         .threads = 1,
         .thread = &thread,
         .nested = true},
    };
    const struct keel_report_process process = {
        .elapsed_s = 8, .threads = 1, .loop = region, .loop_count = 2};
    const struct keel_report_process *only = &process;

    assert_near(keel_report_summarise(&only, 1).useful_s, 3);
}

TEST(nothing_at_all)
{
    struct keel_report_summary summary = keel_report_summarise(NULL, 0);

    assert_near(summary.useful_s, 0);
    assert_near(summary.efficiency.parallel, 1);
}

/* 10 s of two threads, 3 s before and 1 s after a region of 6 s. Ranks wait for 0.5 s outside, and
 * in the region for 4 s, in which one thread waits for ranks and the other at the region's end. */
TEST(waits_in_regions_are_no_serial_part)
{
    const struct keel_report_thread thread[2] = {{.busy_s = 2, .waited_s = 4},
                                                 {.busy_s = 1.5, .waited_s = 4.5}};
    const struct keel_report_loop region = {
        .kind = KEEL_REPORT_REGION, .elapsed_s = 6, .threads = 2, .thread = thread};
    const struct keel_report_process process = {.elapsed_s = 10,
                                                .serial_s = 4,
                                                .mpi_s = 4.5,
                                                .mpi_in_regions_s = 4,
                                                .threads = 2,
                                                .loop = &region,
                                                .loop_count = 1};
    const struct keel_report_process *only = &process;
    struct keel_report_summary summary = keel_report_summarise(&only, 1);

    assert_near(summary.mpi_s, 9);
    assert_near(summary.serial_s, 3.5);
    assert_near(summary.useful_s, 7);
    assert_near(summary.waited_s, 0.5);
    assert_near(summary.other_s, 0);
    assert_near(summary.efficiency.serial, 7.5 / 11);
}

/* --- any figures --- */

#define TEAM 4
#define RANKS 3

static void draw_region(struct draws *draws, struct keel_report_loop *region,
                        struct keel_report_thread *thread)
{
    *region = (struct keel_report_loop){
        .kind = KEEL_REPORT_REGION,
        .elapsed_s = draws_real(draws) * 10,
        .threads = 1 + (uint32_t)draws_below(draws, TEAM),
        .thread = thread,
        .nested = draws_below(draws, 4) == 0,
    };
    for (uint32_t i = 0; i < region->threads; i++) {
        thread[i].busy_s = draws_real(draws) * 15; /* now and then more than can be */
        thread[i].waited_s = draws_real(draws) * 10;
        thread[i].claiming_s = draws_real(draws);
    }
}

static void assert_factor(double factor)
{
    assert_true(factor >= 0 && factor <= 1);
}

static void check(const struct keel_report_summary *summary)
{
    const struct keel_report_efficiency *efficiency = &summary->efficiency;
    double capacity = (double)summary->threads * summary->elapsed_s;

    assert_factor(efficiency->balance);
    assert_factor(efficiency->overhead);
    if (summary->of_ranks) {
        assert_true(isnan(efficiency->parallel) && isnan(efficiency->mpi));
    } else {
        assert_factor(efficiency->parallel);
        assert_factor(efficiency->mpi);
        assert_factor(efficiency->serial);
        assert_near(efficiency->openmp,
                    efficiency->serial * efficiency->balance * efficiency->overhead);
        assert_true(is_near_unit(efficiency->parallel, efficiency->mpi * efficiency->openmp));
    }
    if (!summary->of_ranks && capacity > 0 && summary->useful_s > 0) {
        assert_true(is_near_unit(efficiency->parallel, summary->useful_s / capacity));
    }
    assert_true(is_near_unit(summary->useful_s + summary->serial_s + summary->waited_s +
                                 summary->claiming_s + summary->other_s + summary->mpi_s +
                                 summary->early_s,
                             capacity));
}

TEST(parts_add_up_and_factors_multiply_for_any_figures)
{
    struct draws draws = draws_begin();

    for (int i = 0; i < 20000; i++) {
        struct keel_report_process process[RANKS];
        struct keel_report_loop region[RANKS][2];
        struct keel_report_thread thread[RANKS][2][TEAM];
        const struct keel_report_process *all[RANKS];
        int ranks = 1 + (int)draws_below(&draws, RANKS);
        memset(thread, 0, sizeof thread);
        for (int j = 0; j < RANKS; j++) {
            draw_region(&draws, &region[j][0], thread[j][0]);
            draw_region(&draws, &region[j][1], thread[j][1]);
            process[j] = (struct keel_report_process){
                .rank = j,
                .ranks = ranks,
                .elapsed_s = draws_real(&draws) * 20,
                .serial_s = draws_real(&draws) * 20,
                .mpi_s = draws_real(&draws) * 10 - 1,
                .mpi_in_regions_s = draws_real(&draws) * 10 - 1,
                .threads = (uint32_t)draws_below(&draws, TEAM + 1),
                .loop = region[j],
                .loop_count = draws_below(&draws, 3),
            };
            all[j] = &process[j];
        }
        struct keel_report_summary summary =
            keel_report_summarise(all, ranks == 1 ? 1 : 1 + draws_below(&draws, RANKS));
        check(&summary);
    }
}
