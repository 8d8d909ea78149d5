/* Children of fork run scheduled loops, whether the parent had teams before or not. libgomp
 * itself lets the child of a process that had a team run serial loops only. */
#include <pthread.h>

#include "tests/support/schedules.h"

static void team_loop(int threads)
{
    struct marks marks = marks_of(100);

    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(threads)", marks, int, 100)
    marks_end(&marks, threads > 1 ? "team" : "team of one");
}

static void serial_loop(void)
{
    struct marks marks = marks_of(100);

    MARKED_LOOP("omp for schedule(runtime)", marks, int, 100)
    marks_end(&marks, "serial");
}

static void team_child(void)
{
    serial_loop();
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        team_loop(3);
    }
}

static void serial_child(void)
{
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        serial_loop();
        team_loop(1);
    }
    serial_loop();
    fork_and(serial_loop);
}

/* Threads that take the library's lock all the time, so that a fork falls into it: each spec is
 * a new policy. */
static int stop;

static void *invent_schedules(void *unused)
{
    char text[40];

    (void)unused;
    for (unsigned k = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); k++) {
        snprintf(text, sizeof text, "css,%u", 1 + k % 900);
        set_schedule(text);
    }
    return NULL;
}

static void new_schedule_child(void)
{
    set_schedule("gss,77");
    serial_loop();
}

int main(void)
{
    pthread_t inventor;

    fork_and(team_child);
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        team_loop(4);
    }
    fork_and(serial_child);
    team_loop(4);
    pthread_create(&inventor, NULL, invent_schedules, NULL);
    for (int k = 0; k < 50; k++) {
        fork_and(new_schedule_child);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(inventor, NULL);
    return check_status();
}
