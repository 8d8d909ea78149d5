/* What counts as computing on rows: marks where there are any, else loops, since the span began.
 * The clock and libkeel.so's counters are the test's. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mpi_backend/rows/costs/row_costs.h"
#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/lending/lending.h"
#include "tests/mpi_backend/rows/set_clock.h"
#include "tests/support/unit.h"

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
    (void)handle;
    return keel_is_there && strcmp(name, "keel_lending_meet") == 0 ? (void *)meet : NULL;
}

static int reset(void **state)
{
    (void)state;
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

/* Loops count in spans without marks alone, whether they come before or after marks, or in them. */
TEST_WITH(marks_rule_over_loops, reset, NULL)
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
TEST_WITH(loops_are_watched_between_marks, reset, NULL)
{
    struct keel_mpi_row_window window = {0};
    struct keel_mpi_rows rows = {.watched = true, .window = &window};

    keel_mpi_rows_work_begin(&rows);
    assert_true(window.open);
    keel_mpi_rows_work_end(&rows);
    assert_false(window.open);
    keel_mpi_rows_work_begin(&rows);
    assert_true(window.open);
}

TEST_WITH(open_marks_count_in_both_spans, reset, NULL)
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

TEST_WITH(needless_calls_do_nothing, reset, NULL)
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

TEST_WITH(works_without_libkeel, reset, NULL)
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
