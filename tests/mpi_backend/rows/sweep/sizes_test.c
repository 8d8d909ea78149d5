/* The size of a sweep's blocks, as one rank works it out: which sweeps try other widths, what of a
 * sweep is kept, and what the next size follows from. The clock is the test's. */
#include <math.h>
#include <stddef.h>

#include "mpi_backend/rows/sweep/sweep.h"
#include "tests/mpi_backend/rows/set_clock.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

enum { LENGTH = 20000, ROWS = 30, GROUP = 32, RANKS = 3 };

/* The middle one of three ranks; its sweep has 10 rows. */
static struct keel_mpi_array array = {.element = 8, .length = LENGTH, .halo = 1};
static struct keel_mpi_rows rows;
static struct keel_mpi_pipeline pipeline;

static int reset(void **state)
{
    static const uint64_t shares[RANKS] = {10, 10, 10};

    (void)state;
    clock_s = 100;
    keel_mpi_placement_free(&rows.placement);
    rows = (struct keel_mpi_rows){.rank = 1, .ranks = 1}; /* without reductions */
    assert_true(keel_mpi_placement_make(&rows.placement, RANKS, shares));
    pipeline = (struct keel_mpi_pipeline){
        .rows = &rows,
        .array = &array,
        .costs = {.group = GROUP},
        .messages = {.fixed_s = 2e-6, .incr_s = 1e-9, .hop_s = 3e-6},
        .sweep = {.first = 10, .last = 20},
    };
    return 0;
}

/* --- cuts --- */

TEST_WITH(two_sweeps_learn, reset, NULL)
{
    for (pipeline.sweeps = 1; pipeline.sweeps <= 50; pipeline.sweeps++) {
        for (pipeline.fixed_size = 0; pipeline.fixed_size <= 500; pipeline.fixed_size += 500) {
            bool learns = pipeline.sweeps <= 2 && pipeline.fixed_size == 0;
            struct keel_block_size_cut cut = keel_block_size_cut(LENGTH, 500, learns, GROUP);
            keel_mpi_sizes_cut(&pipeline, 500);
            assert_int_equal(pipeline.size, 500);
            assert_memory_equal(&pipeline.sweep.cut, &cut, sizeof cut);
        }
    }
}

/* --- the next size --- */

/* A rank whose blocks take `element_s` for each element of all its rows. */
static struct keel_block_size_figures figures_with(double element_s)
{
    struct keel_block_size_figures figures = {.blocks = 40, .busy_s = 1, .span_s = 1.1};

    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        figures.block_s[i] = 1e-6 + element_s * (double)keel_block_size_width_at(i);
    }
    return figures;
}

TEST_WITH(sizes_follow_from_the_latest_that_is_known, reset, NULL)
{
    const double filling = keel_block_size_filling_steps(&pipeline.filling, RANKS);
    struct keel_block_size_figures own = figures_with(1e-7), all = figures_with(1e-9);

    pipeline.own = own;
    pipeline.sweeps = 1;
    uint64_t first = keel_mpi_sizes_choose(&pipeline);
    assert_int_equal(first, keel_block_size_first(RANKS, LENGTH));
    pipeline.sweeps = 2;
    uint64_t second = keel_mpi_sizes_choose(&pipeline);
    assert_int_equal(second, keel_block_size_second(&pipeline.messages, &own, RANKS, LENGTH));
    pipeline.sweeps = 3;
    pipeline.size = 500;
    uint64_t alone = keel_mpi_sizes_choose(&pipeline);
    assert_int_equal(alone, keel_block_size_next(&pipeline.messages, &own, filling, RANKS, LENGTH,
                                                 pipeline.size));
    pipeline.has_all = true;
    pipeline.all = all;
    uint64_t next = keel_mpi_sizes_choose(&pipeline);
    assert_int_equal(next, keel_block_size_next(&pipeline.messages, &all, filling, RANKS, LENGTH,
                                                pipeline.size));
    assert_true(first != second && second != alone && alone != next);
}

TEST_WITH(figures_are_reduced_where_rows_have_moved, reset, NULL)
{
    pipeline.sweeps = 30;
    pipeline.reduction.due = 1000;
    keel_mpi_sizes_follow_rows(&pipeline); /* none have */
    assert_int_equal(pipeline.reduction.due, 1000);
    rows.report.movements = 1;
    keel_mpi_sizes_follow_rows(&pipeline);
    assert_int_equal(pipeline.reduction.due, 30);
}

/* --- after a sweep --- */

/* A sweep of 10 blocks of 500 that took so long, of which it computed so long. */
static void sweep(double work_s, double took_s)
{
    pipeline.sweeps++;
    keel_mpi_sizes_cut(&pipeline, 500);
    pipeline.sweep.blocks = 10;
    pipeline.sweep.work_s = work_s;
    pipeline.sweep.sweep_begun_s = clock_s;
    clock_s += took_s;
    keel_mpi_sizes_note_sweep(&pipeline);
}

TEST_WITH(a_sweep_is_busy_with_blocks_and_messages, reset, NULL)
{
    pipeline.sweep.receive_s = 5e-6; /* each was waited for: no more than a message takes */
    pipeline.sweep.send_s = 1e-6;
    sweep(1, 2);
    assert_near(pipeline.own.blocks, 10);
    assert_near(pipeline.own.busy_s, 1 + 10 * 3e-6);
    assert_true(fabs(pipeline.own.span_s - 2) < 1e-6);
    pipeline.sweep.receive_s = 1e-6;
    sweep(1.5, 4);
    assert_near(pipeline.own.busy_s, 1.5 + 10 * 2e-6);
    assert_true(fabs(pipeline.own.span_s - 4) < 1e-6);
}

TEST_WITH(blocks_cost_what_their_rows_do, reset, NULL)
{
    pipeline.sweeps = 2;
    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        pipeline.costs.row_s[i] = 1e-6 * (i + 1);
    }
    sweep(1, 2);
    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        assert_near(pipeline.own.block_s[i], 10 * pipeline.costs.row_s[i]);
    }
    pipeline.sweep.blocks = 0; /* a rank without rows */
    keel_mpi_sizes_note_sweep(&pipeline);
    assert_near(pipeline.own.span_s, 0);
}

TEST_WITH(reports_tell_what_was_measured, reset, NULL)
{
    const struct keel_mpi_pipeline_report *report = &pipeline.report;

    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        pipeline.costs.row_s[i] = 1e-6 + 1e-9 * (double)keel_block_size_width_at(i);
        pipeline.own.block_s[i] = 10 * pipeline.costs.row_s[i];
    }
    pipeline.sweeps = 7;
    pipeline.sweep.cut.size = 512;
    pipeline.sweep.blocks = 40;
    pipeline.sweep.work_s = 3;
    pipeline.sweep.wait_s = 0.5;
    keel_mpi_sizes_report(&pipeline);
    assert_int_equal(report->block, 512);
    assert_int_equal(report->blocks, 40);
    assert_int_equal(report->sweeps, 7);
    assert_near(report->busy_s, 3);
    assert_near(report->waiting_s, 0.5);
    assert_near(report->element_s, (1e-6 + 512e-9) / 512);
    assert_true(fabs(report->start_s - 1e-5) < 1e-12);
    assert_near(report->fixed_s, 2e-6);
    assert_near(report->incr_s, 1e-9);
    assert_near(report->filling, RANKS - 1);
}
