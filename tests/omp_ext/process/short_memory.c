/* Loops stay right when libkeel.so gets no memory: its allocations fail from the n-th on, or the
 * n-th alone, for every n. failing_memory.so is preloaded. */
#include "tests/support/schedules.h"

/* Of failing_memory.so. */
extern void keel_test_fail_after(long allocations, int all);
extern int keel_test_has_failed(void);
#pragma weak keel_test_fail_after
#pragma weak keel_test_has_failed

/* What is to fail: all behind so many, or one alone. */
static struct {
    long allocations;
    int all;
} plan;

static void loops(void)
{
    struct marks combined = marks_of(500), separate = marks_of(70), ordered = marks_of(90);
    int next = 0;

    MARKED_LOOP("omp parallel for schedule(runtime)", combined, int, 500)
#pragma omp parallel
    {
        MARKED_LOOP("omp for schedule(runtime) nowait", separate, unsigned long long, 70)
#pragma omp for schedule(runtime) ordered
        for (int i = 0; i < 90; i++) {
            marks_hit(&ordered, (uint64_t)i);
#pragma omp ordered
            {
                CHECK(next == i, "ordered region %d, turn of %d", i, next);
                next = i + 1;
            }
        }
    }
    marks_end(&combined, "combined");
    marks_end(&separate, "separate");
    marks_end(&ordered, "ordered");
}

/* A schedule that finds no memory is refused, and the one before holds. */
static void every_schedule_short_of_memory(void)
{
    keel_test_fail_after(plan.allocations, plan.all);
    EACH_SCHEDULE(schedule)
    {
        int result = find_set_schedule()(*schedule);
        check_any_order = !is_in_order(*schedule);
        CHECK(result == KEEL_OK || result == KEEL_NO_ROOM, "%s is %d", *schedule, result);
        loops();
        loops();
    }
}

static void known_schedules_short_of_memory(void)
{
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
    }
    every_schedule_short_of_memory();
}

/* In a child, because a process has its schedules, sites and plans for good. Returns whether an
 * allocation failed. */
static int with_memory_for(long allocations, int then_more, void (*body)(void))
{
    int status;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(300);
        plan.allocations = allocations;
        plan.all = !then_more;
        snprintf(check_context, sizeof check_context, ", %ld allocations%s", allocations,
                 then_more ? ", one fails" : "");
        body();
        _exit(check_failures > 0 ? 1 : keel_test_has_failed() ? 42 : 0);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 42 || WEXITSTATUS(status) == 0),
          "with %ld allocations the program ends with status %x", allocations, status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

int main(void)
{
    find_set_schedule();
    if (keel_test_fail_after == NULL) {
        printf("failing_memory.so is not loaded\n");
        return 2;
    }
    omp_set_num_threads(3);
    CHECK(with_memory_for(0, 0, every_schedule_short_of_memory), "nothing failed without memory");
    /* by day every second one, and then every third one */
    for (long n = 0; n < 24; n += check_nightly() ? 1 : 2) {
        CHECK(with_memory_for(n, 0, every_schedule_short_of_memory), "nothing failed after %ld", n);
        CHECK(with_memory_for(n, 1, every_schedule_short_of_memory), "number %ld did not fail", n);
        CHECK(with_memory_for(n, 0, known_schedules_short_of_memory), "nothing failed after %ld",
              n);
    }
    for (long n = 24; n < 400; n += check_nightly() ? 19 : 57) {
        with_memory_for(n, 0, every_schedule_short_of_memory);
        with_memory_for(n, 1, known_schedules_short_of_memory);
    }
    return check_status();
}
