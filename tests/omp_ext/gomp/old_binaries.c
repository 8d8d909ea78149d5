/* Binaries from before GCC 4.9: a parallel region is a start, a call of the outlined function and
 * an end. No compiler at hand generates that any more, so the calls are here as GCC 4.8 made
 * them. Their loops are libgomp's, which gives single iterations by default, also where they are
 * in loops of newer code, and these in them. */
#include "tests/support/schedules.h"

enum { ROWS = 23, COLUMNS = 41 };

typedef void outlined_function(void *);
void GOMP_parallel_start(outlined_function *outlined, void *data, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_runtime_start(outlined_function *outlined, void *data, unsigned threads,
                                      long start, long end, long incr);
void GOMP_parallel_loop_dynamic_start(outlined_function *outlined, void *data, unsigned threads,
                                      long start, long end, long incr, long chunk);
_Bool GOMP_loop_runtime_start(long start, long end, long incr, long *istart, long *iend);
_Bool GOMP_loop_runtime_next(long *istart, long *iend);
_Bool GOMP_loop_dynamic_next(long *istart, long *iend);
void GOMP_loop_end_nowait(void);

static struct marks rows, cells[ROWS];

static void check_single(long first, long last)
{
    CHECK(last - first == 1, "chunk from %ld to %ld", first, last);
}

/* for (long column = 0; column < COLUMNS; column++), combined */
static void row_body(void *data)
{
    long row = *(long *)data, first, last;

    while (GOMP_loop_runtime_next(&first, &last)) {
        check_single(first, last);
        for (long column = first; column < last; column++) {
            marks_hit(&cells[row], (uint64_t)column);
        }
    }
    GOMP_loop_end_nowait();
}

static void run_row(long row)
{
    GOMP_parallel_loop_runtime_start(row_body, &row, 2, 0, COLUMNS, 1);
    row_body(&row);
    GOMP_parallel_end();
}

static void run_rows(long first, long last)
{
    for (long row = first; row < last; row++) {
        run_row(row);
        marks_hit(&rows, (uint64_t)row);
    }
}

/* for (long row = 0; row < ROWS; row++), combined, with a region in the body */
static void rows_body(void *data)
{
    long first, last;

    (void)data;
    while (GOMP_loop_runtime_next(&first, &last)) {
        run_rows(first, last);
    }
    GOMP_loop_end_nowait();
}

static void combined(void)
{
    GOMP_parallel_loop_runtime_start(rows_body, NULL, 0, 0, ROWS, 1);
    rows_body(NULL);
    GOMP_parallel_end();
}

/* The same with the loop apart from its region. */
static void separate_body(void *data)
{
    long first, last;

    (void)data;
    for (_Bool more = GOMP_loop_runtime_start(0, ROWS, 1, &first, &last); more;
         more = GOMP_loop_runtime_next(&first, &last)) {
        check_single(first, last);
        run_rows(first, last);
    }
    GOMP_loop_end_nowait();
}

static void separate(void)
{
    GOMP_parallel_start(separate_body, NULL, 0);
    separate_body(NULL);
    GOMP_parallel_end();
}

static void explicit_body(void *data)
{
    long first, last;

    (void)data;
    while (GOMP_loop_dynamic_next(&first, &last)) {
        run_rows(first, last);
    }
    GOMP_loop_end_nowait();
}

static void explicit_clause(void)
{
    GOMP_parallel_loop_dynamic_start(explicit_body, NULL, 0, 0, ROWS, 1, 3);
    explicit_body(NULL);
    GOMP_parallel_end();
}

static void within_newer(void)
{
#pragma omp parallel for schedule(runtime)
    for (long row = 0; row < ROWS; row++) {
        run_rows(row, row + 1);
    }
}

static void within_serial(void)
{
#pragma omp for schedule(runtime)
    for (long row = 0; row < ROWS; row++) {
        run_rows(row, row + 1);
    }
}

static void newer_body(void *data)
{
    (void)data;
#pragma omp single
    within_newer();
}

static void around_newer(void)
{
    GOMP_parallel_start(newer_body, NULL, 2);
    newer_body(NULL);
    GOMP_parallel_end();
}

static void run_marked(void (*loops)(void), const char *name)
{
    marks_begin(&rows, ROWS);
    for (long row = 0; row < ROWS; row++) {
        marks_begin(&cells[row], COLUMNS);
    }
    loops();
    marks_end(&rows, name);
    for (long row = 0; row < ROWS; row++) {
        marks_end(&cells[row], name);
    }
}

static void every_region(void)
{
    run_marked(combined, "combined");
    run_marked(separate, "separate");
    run_marked(explicit_clause, "explicit");
    run_marked(within_newer, "within newer");
    run_marked(within_serial, "within serial");
    run_marked(around_newer, "around newer");
}

int main(void)
{
    omp_set_max_active_levels(3);
    each_schedule_and_team(every_region);
    return check_status();
}
