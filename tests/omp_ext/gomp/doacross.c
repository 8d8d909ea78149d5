/* Loops with depend(sink) and depend(source) get their results, whichever schedule is asked for:
 * they are libgomp's, and the loops around and between them stay Keel's. */
#include <stdbool.h>

#include "tests/support/schedules.h"

extern bool GOMP_loop_runtime_start(long, long, long, long *, long *);
extern void GOMP_loop_end(void);

enum { ROWS = 12, COLUMNS = 9 };

static void one_level(void)
{
    long fibonacci[50];

    fibonacci[0] = fibonacci[1] = 1;
#pragma omp parallel
    {
#pragma omp for ordered(1) schedule(runtime)
        for (int i = 2; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1) depend(sink : i - 2)
            fibonacci[i] = fibonacci[i - 1] + fibonacci[i - 2];
#pragma omp ordered depend(source)
        }
    }
    CHECK(fibonacci[49] == 12586269025, "number 49 is %ld", fibonacci[49]);
}

static void two_levels(void)
{
    long paths[ROWS][COLUMNS];

    for (int i = 0; i < ROWS; i++) {
        paths[i][0] = 1;
    }
    for (int j = 0; j < COLUMNS; j++) {
        paths[0][j] = 1;
    }
#pragma omp parallel for ordered(2) collapse(2) schedule(runtime)
    for (unsigned long long i = 1; i < ROWS; i++) {
        for (unsigned long long j = 1; j < COLUMNS; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            paths[i][j] = paths[i - 1][j] + paths[i][j - 1];
#pragma omp ordered depend(source)
        }
    }
    CHECK(paths[ROWS - 1][COLUMNS - 1] == 75582, "%ld paths, wanted 75582",
          paths[ROWS - 1][COLUMNS - 1]);
}

/* The doacross loop is libgomp's, the ones around it are Keel's: neither takes the other's
 * chunks. */
static void among_others(void)
{
    for (int k = 0; k < 5; k++) {
        struct marks before, after, own;
        long chain[20] = {0}, total = 0;

        marks_begin(&before, 20);
        marks_begin(&after, 20);
        marks_begin(&own, 20);
#pragma omp parallel
        {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 20; i++) {
                marks_hit(&before, (uint64_t)i);
            }
#pragma omp for ordered(1) schedule(runtime) reduction(task, + : total)
            for (long i = 0; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
                chain[i] = i > 0 ? chain[i - 1] + 1 : 1;
#pragma omp ordered depend(source)
                marks_hit(&own, (uint64_t)i);
#pragma omp task in_reduction(+ : total)
                total += i;
            }
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 20; i++) {
                marks_hit(&after, (uint64_t)i);
            }
        }
        marks_end(&before, "before a doacross loop");
        marks_end(&own, "doacross loop");
        marks_end(&after, "after a doacross loop");
        CHECK(chain[19] == 20, "the chain is %ld long, wanted 20", chain[19]);
        CHECK(total == 190, "the task reduction gives %ld, wanted 190", total);
    }
}

/* A loop that its threads leave before they have all chunks, as a cancelled one: a doacross loop
 * does not get them. */
static void after_an_unfinished_loop(void)
{
    struct marks narrow, wide;
    long chain[30] = {0};

    marks_begin(&narrow, 30);
    marks_begin(&wide, 30);
#pragma omp parallel
    {
        long start, end;

        GOMP_loop_runtime_start(0, 100, 1, &start, &end);
        GOMP_loop_end();
#pragma omp for ordered(1) schedule(runtime)
        for (int i = 0; i < 30; i++) {
#pragma omp ordered depend(sink : i - 1)
            chain[i] = i > 0 ? chain[i - 1] + 1 : 1;
#pragma omp ordered depend(source)
            marks_hit(&narrow, (uint64_t)i);
        }
        GOMP_loop_runtime_start(0, 100, 1, &start, &end);
        GOMP_loop_end();
#pragma omp for ordered(1) schedule(runtime)
        for (unsigned long long i = 1; i < 31; i++) {
#pragma omp ordered depend(sink : i - 1)
            marks_hit(&wide, i - 1);
#pragma omp ordered depend(source)
        }
    }
    marks_end(&narrow, "doacross after an unfinished loop");
    marks_end(&wide, "doacross over unsigned long long after an unfinished loop");
    CHECK(chain[29] == 30, "the chain is %ld long, wanted 30", chain[29]);
}

static void every_doacross(void)
{
    one_level();
    two_levels();
    among_others();
    after_an_unfinished_loop();
}

int main(void)
{
    each_schedule_and_team(every_doacross);
    return check_status();
}
