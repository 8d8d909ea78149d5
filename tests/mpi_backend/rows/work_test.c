/* One rank under a fake clock: sizes of blocks in sweeps, and measured computing time. */
#define _GNU_SOURCE

#include <math.h>
#include <string.h>
#include <time.h>

#include "mpi_backend/rows/rows_room.h"
#include "mpi_backend/rows/sweep/sweep.h"
#include "omp_ext/lending/lending.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- the clock --- */

static double clock_s;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    now->tv_sec = (time_t)clock_s;
    now->tv_nsec = (long)((clock_s - (double)now->tv_sec) * 1e9 + 0.5);
    return 0;
}

/* --- sizes of blocks of sweeps on one rank: which sweeps try other widths, which measurements are
 * kept, and the next size that follows. The clock is the test's. --- */

enum { LENGTH = 20000, ROWS = 30, GROUP = 32, RANKS = 3 };

/* The middle one of three ranks; its sweep has 10 rows. */
static struct keel_mpi_array array = {.element = 8, .length = LENGTH, .halo = 1};
static struct keel_mpi_rows rows;
static struct keel_mpi_pipeline pipeline;

static int reset(void **state)
{
    static const uint64_t shares[RANKS] = {10, 10, 10};

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
static struct keel_block_size_measurements measurements_with(double element_s)
{
    struct keel_block_size_measurements measurements = {.blocks = 40, .busy_s = 1, .span_s = 1.1};

    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        measurements.block_s[i] = 1e-6 + element_s * (double)keel_block_size_width_at(i);
    }
    return measurements;
}

TEST_WITH(sizes_follow_from_the_latest_known_measurements, reset, NULL)
{
    const double filling = keel_block_size_filling_steps(&pipeline.filling, RANKS);
    struct keel_block_size_measurements own = measurements_with(1e-7),
                                        all = measurements_with(1e-9);

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

TEST_WITH(measurements_are_reduced_after_rows_have_moved, reset, NULL)
{
    pipeline.sweeps = 30;
    pipeline.reduction.due = 1000;
    keel_mpi_sizes_follow_rows(&pipeline); /* none have arrived */
    assert_int_equal(pipeline.reduction.due, 1000);
    rows.report.movements = 1;
    keel_mpi_sizes_follow_rows(&pipeline);
    assert_int_equal(pipeline.reduction.due, 30);
}

/* --- after a sweep --- */

/* A sweep of 10 blocks of 500 that took took_s, with work_s of computing. */
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
    pipeline.sweep.receive_s = 5e-6; /* each was waited for: counts as the cost of a message */
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

TEST_WITH(blocks_cost_as_much_as_their_rows, reset, NULL)
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

TEST_WITH(reports_have_what_was_measured, reset, NULL)
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

/* --- computing time on rows since the span began: of marks if there are any, otherwise of loops.
 * The clock and libkeel.so's counters are the test's. --- */

/* --- libkeel.so --- */

static bool keel_is_there;
static unsigned watchers;
static struct keel_loop_counters work;

static const struct keel_loop_counters *watch(void)
{
    watchers++;
    return &work;
}

static const struct keel_lending *meet(uint32_t version, uint32_t *newest)
{
    static const struct keel_lending libkeel = {.count_loops = watch};

    *newest = KEEL_LENDING_VERSION;
    return version == KEEL_LENDING_VERSION ? &libkeel : NULL;
}

void *__wrap_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name)
{
    return keel_is_there && strcmp(name, "keel_lending_meet") == 0 ? (void *)meet : NULL;
}

static int reset_work(void **state)
{
    clock_s = 0; /* as in a simulator */
    keel_is_there = true;
    watchers = 0;
    work.busy_ns = 0;
    return 0;
}

static void loop(double time_s)
{
    clock_s += time_s;
    work.busy_ns += (uint64_t)(time_s * 1e9);
    work.loops++;
}

static void mark(struct keel_mpi_rows *rows, double time_s)
{
    keel_mpi_rows_work_begin(rows);
    clock_s += time_s;
    keel_mpi_rows_work_end(rows);
}

static void begin(struct keel_mpi_rows *rows)
{
    keel_mpi_work_begin_span(rows);
    assert_true(keel_mpi_work_busy(rows) == 0);
}

/* To the precision of sums. */
static void expect(struct keel_mpi_rows *rows, double busy_s)
{
    double found_s = keel_mpi_work_busy(rows);

    if (fabs(found_s - busy_s) > 1e-8) {
        fail_msg("%.9f s of computing instead of %.9f", found_s, busy_s);
    }
}

/* --- spans --- */

/* Loops count only in spans without marks, not before, after or within marks. */
TEST_WITH(marks_take_precedence_over_loops, reset_work, NULL)
{
    struct keel_mpi_rows rows = {0};

    loop(1);
    begin(&rows);
    loop(2);
    mark(&rows, 0.5);
    expect(&rows, 0.5);
    loop(4);
    keel_mpi_rows_work_begin(&rows);
    loop(8);
    keel_mpi_rows_work_end(&rows);
    expect(&rows, 8.5);
    begin(&rows);
    loop(16);
    expect(&rows, 16);
    begin(&rows);
    mark(&rows, 0);
    loop(32);
    expect(&rows, 0);
}

/* Costs of rows are those of loops within marks. */
TEST_WITH(loops_are_timed_within_marks, reset_work, NULL)
{
    struct keel_mpi_row_window window = {0};
    struct keel_mpi_rows rows = {.timed = true, .window = &window};

    keel_mpi_rows_work_begin(&rows);
    assert_true(window.open);
    keel_mpi_rows_work_end(&rows);
    assert_false(window.open);
    keel_mpi_rows_work_begin(&rows);
    assert_true(window.open);
}

TEST_WITH(open_marks_count_in_both_spans, reset_work, NULL)
{
    struct keel_mpi_rows rows = {0};

    begin(&rows);
    keel_mpi_rows_work_begin(&rows);
    clock_s += 1;
    expect(&rows, 1);
    clock_s += 1;
    expect(&rows, 2);
    loop(1);
    begin(&rows);
    expect(&rows, 0);
    clock_s += 4;
    keel_mpi_rows_work_end(&rows);
    clock_s += 8;
    expect(&rows, 4);
}

TEST_WITH(needless_calls_do_nothing, reset_work, NULL)
{
    struct keel_mpi_rows rows = {0};

    keel_mpi_rows_work_begin(NULL);
    keel_mpi_rows_work_end(NULL);
    begin(&rows);
    clock_s += 1;
    keel_mpi_rows_work_end(&rows);
    loop(0.125);
    expect(&rows, 0.125);
    keel_mpi_rows_work_begin(&rows);
    clock_s += 1;
    keel_mpi_rows_work_begin(&rows);
    clock_s += 1;
    keel_mpi_rows_work_end(&rows);
    clock_s += 1;
    keel_mpi_rows_work_end(&rows);
    expect(&rows, 2);
}

TEST_WITH(works_without_libkeel, reset_work, NULL)
{
    struct keel_mpi_rows rows = {0};

    keel_is_there = false;
    begin(&rows);
    clock_s += 1;
    expect(&rows, 0);
    mark(&rows, 2);
    expect(&rows, 2);
    begin(&rows);
    expect(&rows, 0);
}
