/* Target regions that run on the host, and leagues of teams, in and around scheduled loops. */
#include "tests/support/schedules.h"

static void in_target_regions(void)
{
    unsigned char times[80] = {0};

#pragma omp target map(tofrom : times)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            times[i]++;
        }
#pragma omp parallel for schedule(runtime)
        for (int i = 40; i < 80; i++) {
            times[i]++;
        }
    }
    for (int i = 0; i < 80; i++) {
        CHECK(times[i] == 1, "iteration %d in a target region was executed %u times", i, times[i]);
    }
}

static void target_in_loop(void)
{
    struct marks outer = marks_of(15);

#pragma omp parallel
#pragma omp for schedule(runtime)
    for (int i = 0; i < 15; i++) {
        unsigned char times[20] = {0};
#pragma omp target map(tofrom : times)
        {
#pragma omp for schedule(runtime)
            for (int j = 0; j < 20; j++) {
                times[j]++;
            }
        }
        for (int j = 0; j < 20; j++) {
            CHECK(times[j] == 1, "iteration %d was executed %u times", j, times[j]);
        }
        marks_hit(&outer, (uint64_t)i);
    }
    marks_end(&outer, "around a target region");
}

static void leagues(void)
{
    struct marks distributed, within[3];
    unsigned char times[60] = {0};

    marks_begin(&distributed, 100);
    for (int i = 0; i < 3; i++) {
        marks_begin(&within[i], 50);
    }
#pragma omp teams distribute parallel for num_teams(2) schedule(runtime)
    for (int i = 0; i < 100; i++) {
        marks_hit(&distributed, (uint64_t)i);
    }
#pragma omp teams num_teams(3)
    {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int i = 0; i < 50; i++) {
            marks_hit(&within[omp_get_team_num()], (uint64_t)i);
        }
    }
#pragma omp target teams distribute parallel for map(tofrom : times) schedule(runtime)
    for (int i = 0; i < 60; i++) {
        __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
    }
    marks_end(&distributed, "distribute parallel for");
    for (int i = 0; i < 3; i++) {
        marks_end(&within[i], "in a team of a league");
    }
    for (int i = 0; i < 60; i++) {
        CHECK(times[i] == 1, "iteration %d on the target was executed %u times", i, times[i]);
    }
}

static void every_target(void)
{
    in_target_regions();
    target_in_loop();
    leagues();
}

int main(void)
{
    each_schedule_and_team(every_target);
    return check_status();
}
