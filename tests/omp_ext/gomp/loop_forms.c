/* The forms of loops in a program: collapsed, orphaned, back to back without
 * barriers, outside of parallel regions, in teams that change, over spaces that change. */
#include "tests/support/schedules.h"

static void collapsed(void)
{
    struct marks two = marks_of(7 * 11), three = marks_of(3 * 5 * 6);

#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(runtime)
        for (int i = 0; i < 7; i++) {
            for (int j = 21; j > -1; j -= 2) {
                marks_hit(&two, (uint64_t)(i * 11 + (21 - j) / 2));
            }
        }
#pragma omp for collapse(3) schedule(runtime) nowait
        for (long i = -3; i < 0; i++) {
            for (unsigned char j = 0; j < 5; j++) {
                for (unsigned long long k = 12; k > 0; k -= 2) {
                    marks_hit(&three, (uint64_t)((i + 3) * 30 + j * 6) + (12 - k) / 2);
                }
            }
        }
    }
    marks_end(&two, "collapse(2)");
    marks_end(&three, "collapse(3)");
}

/* OpenMP allows no schedule clause here: these stay as they are compiled. */
static void not_rectangular(void)
{
    struct marks low = marks_of(20 * 21 / 2), high = marks_of(20 * 19 / 2);

#pragma omp parallel for collapse(2)
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j <= i; j++) {
            marks_hit(&low, (uint64_t)(i * (i + 1) / 2 + j));
        }
    }
#pragma omp parallel for collapse(2)
    for (int i = 1; i < 20; i++) {
        for (int j = i; j > 0; j--) {
            marks_hit(&high, (uint64_t)(i * (i - 1) / 2 + i - j));
        }
    }
    marks_end(&low, "triangle");
    marks_end(&high, "triangle downwards");
}

/* No narrow unsigned type counts down here: GCC 12 takes its step for a large positive one, with
 * any library. */
static void short_types(void)
{
    static char text[300];
    struct marks shorts = marks_of(200), chars = marks_of(255), pointers = marks_of(100);

#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (short i = -100; i < 100; i++) {
            marks_hit(&shorts, (uint64_t)(i + 100));
        }
#pragma omp for schedule(runtime) nowait
        for (signed char i = 127; i > -128; i--) {
            marks_hit(&chars, (uint64_t)(127 - i));
        }
#pragma omp for schedule(runtime) nowait
        for (char *p = text; p < text + 300; p += 3) {
            marks_hit(&pointers, (uint64_t)(p - text) / 3);
        }
    }
    marks_end(&shorts, "short");
    marks_end(&chars, "signed char");
    marks_end(&pointers, "pointer");
}

/* Threads run far ahead of each other: several instances are open at once. */
static void back_to_back(void)
{
    enum { LOOPS = 100 };
    struct marks marks[LOOPS];

    for (int k = 0; k < LOOPS; k++) {
        marks_begin(&marks[k], (uint64_t)k);
    }
#pragma omp parallel
    for (int k = 0; k < LOOPS; k++) {
        MARKED_LOOP("omp for schedule(runtime) nowait", marks[k], int, k)
    }
    for (int k = 0; k < LOOPS; k++) {
        marks_end(&marks[k], "nowait");
    }
}

__attribute__((noinline)) static void orphan(struct marks *marks, long count)
{
    MARKED_LOOP("omp for schedule(runtime)", *marks, long, count)
}

static void orphaned(void)
{
    struct marks team = marks_of(100), serial = marks_of(100), one = marks_of(100),
                 off = marks_of(100);

    orphan(&serial, 100);
#pragma omp parallel
    {
        orphan(&team, 100);
    }
#pragma omp parallel num_threads(1)
    orphan(&one, 100);
    MARKED_LOOP("omp parallel for schedule(runtime) if (team.count == 0)", off, int, 100)
    marks_end(&serial, "outside of parallel");
    marks_end(&team, "orphan");
    marks_end(&one, "team of one");
    marks_end(&off, "if(0)");
}

/* One source loop, other teams and other spaces each time, as in LU factoring. */
static void changing(void)
{
    for (int k = 24; k > 0; k--) {
        struct marks marks = marks_of((uint64_t)k);

#pragma omp parallel for schedule(runtime) num_threads(1 + k % 5)
        for (int i = k; i < 2 * k; i++) {
            marks_hit(&marks, (uint64_t)(i - k));
        }
        marks_end(&marks, "changing team");
    }
}

/* All threads are in the loop when the state of the ones before has long gone. */
static void empty_between(void)
{
    struct marks marks = marks_of(10);

#pragma omp parallel
    {
        for (int k = 0; k < 10; k++) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 0; i++) {
                CHECK(0, "an empty loop has an iteration");
            }
        }
        orphan(&marks, 10);
    }
    marks_end(&marks, "after empty loops");
}

static void every_form(void)
{
    collapsed();
    not_rectangular();
    short_types();
    back_to_back();
    orphaned();
    changing();
    empty_between();
}

int main(void)
{
    each_schedule_and_team(every_form);
    return check_status();
}
