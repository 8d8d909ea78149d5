/* Tasks in the body of a scheduled loop run at scheduling points, on the thread that is in the
 * loop, and may start teams with loops of their own. */
#include "tests/support/schedules.h"

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
    each_schedule_and_team(every_task);
    return check_status();
}
