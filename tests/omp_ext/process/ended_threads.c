/* Threads of the program that end by cancellation: one that is to end finishes the loops that come
 * before the program's own cancellation point, as it does without Keel; one that ends within a loop
 * that it runs alone leaves nothing behind that others wait for. */
#include <pthread.h>

#include "tests/support/schedules.h"

enum { ITERATIONS = 300 };

static unsigned finished;
static const char *schedule; /* that threads ask for; NULL: none */

static void loops_of(int team)
{
    struct marks combined = marks_of(ITERATIONS), alone = marks_of(ITERATIONS);

    if (schedule != NULL) {
        set_schedule(schedule);
    }
#pragma omp parallel for schedule(runtime) num_threads(team)
    for (int i = 0; i < ITERATIONS; i++) {
        marks_hit(&combined, (uint64_t)i);
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < ITERATIONS; i++) {
        marks_hit(&alone, (uint64_t)i);
    }
    marks_end(&combined, "before the end");
    marks_end(&alone, "alone before the end");
}

static void *ends_behind(void *team)
{
    pthread_cancel(pthread_self()); /* counts at the next cancellation point */
    loops_of(*(int *)team);
    finished++;
    pthread_testcancel();
    return team;
}

static void *ends_within(void *team)
{
#pragma omp for schedule(runtime)
    for (int i = 0; i < ITERATIONS; i++) {
        if (i == ITERATIONS / 2) {
            pthread_cancel(pthread_self());
            pthread_testcancel();
        }
    }
    return team;
}

static void *goes_on(void *team)
{
    loops_of(*(int *)team);
    return NULL;
}

static void *end_of(void *(*thread)(void *), int team)
{
    pthread_t handle;
    void *result = NULL;

    CHECK(pthread_create(&handle, NULL, thread, &team) == 0, "no thread");
    pthread_join(handle, &result);
    return result;
}

static void end_threads(int team)
{
    unsigned before = finished;

    CHECK(end_of(ends_behind, team) == PTHREAD_CANCELED, "the thread has not been cancelled");
    CHECK(finished == before + 1, "a thread ended within Keel");
    CHECK(end_of(ends_within, team) == PTHREAD_CANCELED, "the thread has not ended in its loop");
    CHECK(end_of(goes_on, team) == NULL, "the next thread has not ended by itself");
}

int main(int count, char **arguments)
{
    (void)arguments;
    check_any_order = count > 1; /* an argument: what the environment says */
    for (int round = 0; round < 3; round++) {
        end_threads(1 + round);
    }
    for (size_t i = 0; count == 1 && i < COUNT(every_schedule); i++) {
        schedule = every_schedule[i];
        end_threads(1 + (int)(i % 3));
    }
    loops_of(4);
    return check_status();
}
