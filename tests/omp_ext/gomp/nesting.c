/* What is in the body of a scheduled loop: parallel regions, and tasks. */
#include "tests/support/schedules.h"

/* --- parallel regions: the loop around them goes on, also where two teams are in one loop --- */

enum { OUTER = 9, INNER = 12 };

static void two_levels(void)
{
    struct marks outer = marks_of(OUTER);
    struct marks inner[OUTER];

    for (int i = 0; i < OUTER; i++) {
        marks_begin(&inner[i], INNER);
    }
#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < OUTER; i++) {
#pragma omp parallel for schedule(runtime) num_threads(2)
            for (int j = 0; j < INNER; j++) {
                marks_hit(&inner[i], (uint64_t)j);
            }
            marks_hit(&outer, (uint64_t)i);
        }
    }
    marks_end(&outer, "outer loop");
    for (int i = 0; i < OUTER; i++) {
        marks_end(&inner[i], "inner loop");
    }
}

/* The same function at each depth: all levels share one source loop, and two teams are in it at
 * once. */
static void descend(struct marks *leaves, uint64_t first, int depth)
{
    if (depth == 0) {
        marks_hit(leaves, first);
        return;
    }
#pragma omp parallel num_threads(depth == 3 ? omp_get_max_threads() : 2)
#pragma omp for schedule(runtime) nowait
    for (uint64_t i = 0; i < 4; i++) {
        /* marks_hit takes notes on the innermost loop only, whose leaves are next to each other */
        descend(leaves, first * 4 + i, depth - 1);
    }
}

static void recursion(void)
{
    struct marks leaves = marks_of(64);

    descend(&leaves, 0, 3);
    marks_end(&leaves, "recursion");
}

/* Regions without a loop, with sections and with an explicit schedule in the body. */
static void other_regions(void)
{
    struct marks outer = marks_of(OUTER);
    unsigned done = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : done)
    for (int i = 0; i < OUTER; i++) {
        unsigned here = 0;
#pragma omp parallel sections num_threads(2) reduction(+ : here)
        {
#pragma omp section
            here += 1;
#pragma omp section
            here += 10;
        }
#pragma omp parallel num_threads(2) reduction(+ : here)
#pragma omp single
        here += 100;
#pragma omp parallel for schedule(dynamic) num_threads(2) reduction(+ : here)
        for (int j = 0; j < 4; j++) {
            here += 1000;
        }
#pragma omp parallel for schedule(static, 1) num_threads(2) reduction(+ : here)
        for (int j = 0; j < 3; j++) {
            here += 10000;
        }
        done += here;
        marks_hit(&outer, (uint64_t)i);
    }
    marks_end(&outer, "around other regions");
    CHECK(done == OUTER * 34111, "regions in the body did %u, wanted %u", done, OUTER * 34111);
}

/* Loops of the outer team are before and after a nested region of the same thread. */
static void loops_around(void)
{
    struct marks before = marks_of(30), after = marks_of(30);

#pragma omp parallel
    {
        MARKED_LOOP("omp for schedule(runtime) nowait", before, int, 30)
        struct marks own = marks_of(7);

#pragma omp parallel num_threads(2) shared(own)
        {MARKED_LOOP("omp for schedule(runtime)", own, int, 7)} marks_end(&own, "own region");
        MARKED_LOOP("omp for schedule(runtime) nowait", after, int, 30)
    }
    marks_end(&before, "before");
    marks_end(&after, "after");
}

/* The inner loop is left by a region that never asks for the next chunk: a serial team inside of
 * the body. */
static void serialised(void)
{
    struct marks outer = marks_of(OUTER);

    omp_set_max_active_levels(1);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < OUTER; i++) {
        struct marks inner = marks_of(INNER);

#pragma omp parallel for schedule(runtime) shared(inner)
        for (int j = 0; j < INNER; j++) {
            marks_hit(&inner, (uint64_t)j);
        }
        marks_end(&inner, "serialised");
        marks_hit(&outer, (uint64_t)i);
    }
    omp_set_max_active_levels(4);
    marks_end(&outer, "around serialised regions");
}

static void every_nest(void)
{
    two_levels();
    recursion();
    other_regions();
    loops_around();
    serialised();
}

/* --- tasks run on the thread that is in the loop, and may start teams with loops --- */

static void nested_loop(void)
{
    struct marks marks = marks_of(11);

#pragma omp parallel for schedule(runtime) num_threads(2) shared(marks)
    for (int j = 0; j < 11; j++) {
        marks_hit(&marks, (uint64_t)j);
    }
    marks_end(&marks, "loop of a task");
}

static void tasks_with_teams(void)
{
    struct marks outer = marks_of(12);
    unsigned tasks = 0;

#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 12; i++) {
#pragma omp task shared(tasks)
            {
                nested_loop();
#pragma omp atomic
                tasks++;
            }
            if (i % 3 == 0) {
#pragma omp taskyield
            } else if (i % 3 == 1) {
#pragma omp taskwait
            }
            marks_hit(&outer, (uint64_t)i);
        }
    }
    marks_end(&outer, "loop with tasks");
    CHECK(tasks == 12, "%u tasks ran of 12", tasks);
}

/* Tasks that other threads made run while this one waits within its chunk. */
static void taskloops(void)
{
    struct marks outer = marks_of(10), inner = marks_of(100);

#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 10; i++) {
#pragma omp taskloop grainsize(3)
        for (int j = 0; j < 10; j++) {
            __atomic_add_fetch(&inner.times[i * 10 + j], 1, __ATOMIC_RELAXED);
        }
        marks_hit(&outer, (uint64_t)i);
    }
    marks_end(&outer, "loop with taskloops");
    marks_end(&inner, "taskloop");
}

static void reductions(void)
{
    long total = 0, combined = 0, scoped = 0;

#pragma omp parallel
    {
#pragma omp for schedule(runtime) reduction(task, + : total)
        for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : total)
            total += i;
        }
#pragma omp for schedule(nonmonotonic : runtime) reduction(task, + : combined)
        for (unsigned long long i = 0; i < 40; i++) {
            combined++;
#pragma omp task in_reduction(+ : combined)
            combined += (long)i;
        }
    }
#pragma omp parallel for schedule(runtime) reduction(task, + : scoped)
    for (long i = 40; i > 0; i--) {
#pragma omp task in_reduction(+ : scoped)
        scoped += i;
    }
    CHECK(total == 780, "task reduction gives %ld, wanted 780", total);
    CHECK(combined == 820, "task reduction over unsigned long long gives %ld, wanted 820",
          combined);
    CHECK(scoped == 820, "task reduction of a combined loop gives %ld, wanted 820", scoped);
}

/* A region with a task reduction around a scheduled loop. */
static void region_reductions(void)
{
    long total = 0;
    struct marks marks = marks_of(25);

#pragma omp parallel reduction(task, + : total)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 25; i++) {
            marks_hit(&marks, (uint64_t)i);
#pragma omp task in_reduction(+ : total)
            total += i;
        }
    }
    marks_end(&marks, "in a region with a task reduction");
    CHECK(total == 300, "task reduction of a region gives %ld, wanted 300", total);
}

static void every_task(void)
{
    tasks_with_teams();
    taskloops();
    reductions();
    region_reductions();
}

int main(void)
{
    omp_set_max_active_levels(4);
    each_schedule_and_team(every_nest);
    each_schedule_and_team(every_task);
    return check_status();
}
