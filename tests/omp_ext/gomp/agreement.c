/* Threads of one team that ask for different schedules, or of whom only some ask, share each
 * loop all the same; what a thread asks for holds in the teams that it creates and ends with the
 * region. */
#include "tests/support/schedules.h"

static int (*get_schedule)(char *, size_t);

static void expect_schedule(const char *wanted, const char *where)
{
    char text[300];

    get_schedule(text, sizeof text);
    CHECK(strcmp(text, wanted) == 0, "%s: the schedule is %s, wanted %s", where, text, wanted);
}

/* What thread `thread` asks for in round `round`; NULL: nothing. */
static const char *wish(unsigned round, unsigned thread)
{
    static const char *const others[] = {NULL, "libgomp"};
    unsigned which = (round * 7 + thread * 5) % (COUNT(every_schedule) + 4);

    return which < COUNT(every_schedule) ? every_schedule[which]
                                         : others[(which - COUNT(every_schedule)) % 2];
}

/* Threads ask for different schedules, again between loops; some for nothing, or for libgomp's. */
static void some_ask(void)
{
    for (unsigned round = 0; round < 100; round++) {
        struct marks first = marks_of(100), second = marks_of(45), shared = marks_of(33),
                     clause = marks_of(70);
        int last = -1;

#pragma omp parallel num_threads(2 + (int)round % 3)
        {
            unsigned thread = (unsigned)omp_get_thread_num();
            find_set_schedule()(wish(round, thread));
            MARKED_LOOP("omp for schedule(runtime) nowait", first, int, 100)
            set_schedule(every_schedule[(round + thread * 4) % COUNT(every_schedule)]);
#pragma omp for schedule(runtime) nowait
            for (unsigned long long i = 0; i < 90; i += 2) {
                marks_hit(&second, i / 2);
            }
            find_set_schedule()(wish(round + 1, thread));
#pragma omp for schedule(runtime) lastprivate(conditional : last)
            for (int i = 0; i < 33; i++) {
                marks_hit(&shared, (uint64_t)i);
                last = i;
            }
            MARKED_LOOP("omp for schedule(dynamic, 4) nowait", clause, int, 70)
        }
        marks_end(&clause, "some ask, explicit clause");
        marks_end(&first, "some ask");
        marks_end(&second, "some ask, unsigned long long");
        marks_end(&shared, "some ask, shared memory");
        CHECK(last == 32, "lastprivate(conditional) is %d", last);
    }
}

/* The first schedule that anybody asks for in this process, by one thread while the others are
 * in a loop of libgomp's. */
static void first_of_all(void)
{
    struct marks next = marks_of(50);
    struct marks marks[40];

    for (int k = 0; k < 40; k++) {
        marks_begin(&marks[k], 50);
    }
#pragma omp parallel num_threads(4)
    for (int k = 0; k < 40; k++) {
        if (k == 3 + omp_get_thread_num() * 10) {
            set_schedule("fac2");
        }
        MARKED_LOOP("omp for schedule(runtime) nowait", marks[k], int, 50)
    }
    for (int k = 0; k < 40; k++) {
        marks_end(&marks[k], "asked for in a running region");
    }
    set_schedule("fac2");
    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(4)", next, int, 50)
    marks_end(&next, "in the next region");
}

/* One thread of the team calls OpenMP's own function. */
static void one_asks_libgomp(void)
{
    set_schedule("fac2");
    for (unsigned round = 0; round < 40; round++) {
        struct marks marks = marks_of(100);

#pragma omp parallel num_threads(4)
        {
            if ((unsigned)omp_get_thread_num() == round % 4) {
                omp_set_schedule(omp_sched_dynamic, 3);
            }
            MARKED_LOOP("omp for schedule(runtime)", marks, int, 100)
        }
        marks_end(&marks, "one asks libgomp");
    }
}

static void inherited(void)
{
    set_schedule("fac2,5");
#pragma omp parallel num_threads(3)
    {
        expect_schedule("fac2,5", "in a team");
        set_schedule("tss");
#pragma omp parallel num_threads(2)
        {
            expect_schedule("tss", "in a nested team");
            find_set_schedule()(NULL);
            expect_schedule("libgomp", "in a nested team that took it back");
        }
        expect_schedule("tss", "after a nested team");
        omp_set_schedule(omp_sched_dynamic, 3);
        expect_schedule("libgomp", "after omp_set_schedule");
        set_schedule("gss");
        expect_schedule("gss", "after omp_set_schedule and keel_set_schedule");
    }
    expect_schedule("fac2,5", "after the team");
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        expect_schedule("fac2,5", "in a section");
#pragma omp section
        {
            expect_schedule("fac2,5", "in another section");
            set_schedule("tss");
        }
    }
    expect_schedule("fac2,5", "after sections");
#pragma omp parallel num_threads(3)
    expect_schedule("fac2,5", "in the next team");
    find_set_schedule()(NULL);
#pragma omp parallel num_threads(3)
    expect_schedule("libgomp", "in a team when nothing is asked for");
}

int main(void)
{
    get_schedule = (int (*)(char *, size_t))find_function("keel_get_schedule");
    check_any_order = true; /* schedules of blocks may win */
    omp_set_max_active_levels(2);
    first_of_all();
    inherited();
    some_ask();
    one_asks_libgomp();
    return check_status();
}
