/* Ordered loops run their ordered regions in the order of the iterations, also where some
 * iterations have none. */
#include "tests/support/schedules.h"

static long turn; /* value of the iteration whose ordered region comes next */

static void take_turn(long value, long next)
{
    CHECK(turn == value, "ordered region of %ld when it was the turn of %ld", value, turn);
    turn = next;
}

static void in_every_iteration(void)
{
    struct marks up = marks_of(70), down = marks_of(23), wide = marks_of(31);

    turn = 0;
#pragma omp parallel for ordered schedule(runtime)
    for (int i = 0; i < 70; i++) {
        marks_hit(&up, (uint64_t)i);
#pragma omp ordered
        take_turn(i, i + 1);
    }
    marks_end(&up, "ordered");
    turn = 66;
#pragma omp parallel
#pragma omp for ordered schedule(runtime)
    for (long i = 66; i >= 0; i -= 3) {
#pragma omp ordered
        take_turn(i, i - 3);
        marks_hit(&down, (uint64_t)(66 - i) / 3);
    }
    marks_end(&down, "ordered downwards");
    turn = 0;
#pragma omp parallel
#pragma omp for ordered schedule(monotonic : runtime)
    for (unsigned long long i = 0; i < 31; i++) {
        marks_hit(&wide, i);
#pragma omp ordered
        take_turn((long)i, (long)i + 1);
    }
    marks_end(&wide, "ordered over unsigned long long");
}

/* Iterations without an ordered region, among them whole chunks, hold nobody up. */
static void in_some_iterations(void)
{
    struct marks marks = marks_of(90);

    turn = 0;
#pragma omp parallel for ordered schedule(runtime)
    for (int i = 0; i < 90; i++) {
        marks_hit(&marks, (uint64_t)i);
        if (i % 7 == 0 || i > 80) {
#pragma omp ordered
            take_turn(i, i < 77 ? i + 7 : i == 77 ? 81 : i + 1);
        }
    }
    marks_end(&marks, "ordered in some iterations");
    CHECK(turn == 90, "it is the turn of %ld at the end, wanted 90", turn);
}

static void without_iterations(void)
{
    struct marks one = marks_of(1);

    turn = 4;
#pragma omp parallel
    {
#pragma omp for ordered schedule(runtime) nowait
        for (int i = 4; i < 4; i++) {
#pragma omp ordered
            CHECK(0, "an empty ordered loop has an iteration");
        }
#pragma omp for ordered schedule(runtime)
        for (int i = 4; i < 5; i++) {
            marks_hit(&one, 0);
#pragma omp ordered
            take_turn(i, i + 1);
        }
    }
    marks_end(&one, "ordered loop of one iteration");
}

/* Ordered and other loops take turns on the same state. */
static void among_others(void)
{
    for (int k = 1; k < 12; k++) {
        struct marks ordered = marks_of((uint64_t)k), other = marks_of((uint64_t)k),
                     reduced = marks_of((uint64_t)k);
        long total = 0;

        turn = 0;
#pragma omp parallel
        {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < k; i++) {
                marks_hit(&other, (uint64_t)i);
            }
#pragma omp for ordered schedule(runtime) nowait
            for (int i = 0; i < k; i++) {
                marks_hit(&ordered, (uint64_t)i);
#pragma omp ordered
                take_turn(i, i + 1);
            }
#pragma omp for ordered schedule(runtime) reduction(task, + : total)
            for (int i = 0; i < k; i++) {
                marks_hit(&reduced, (uint64_t)i);
#pragma omp task in_reduction(+ : total)
                total += i;
#pragma omp ordered
                {
                }
            }
        }
        marks_end(&ordered, "ordered among others");
        marks_end(&other, "other among ordered");
        marks_end(&reduced, "ordered with a task reduction");
        CHECK(total == k * (k - 1) / 2, "the task reduction gives %ld with %d iterations", total,
              k);
    }
}

static void in_other_teams(void)
{
    struct marks serial = marks_of(40), nested = marks_of(4 * 15);

    turn = 0;
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < 40; i++) {
        marks_hit(&serial, (uint64_t)i);
#pragma omp ordered
        take_turn(i, i + 1);
    }
    marks_end(&serial, "ordered outside of parallel");
    turn = 0;
#pragma omp parallel for ordered schedule(runtime)
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        {
            take_turn(i, i + 1);
            long inner_turn = 0;
#pragma omp parallel for ordered schedule(runtime) num_threads(2)
            for (int j = 0; j < 15; j++) {
                __atomic_add_fetch(&nested.times[i * 15 + j], 1, __ATOMIC_RELAXED);
#pragma omp ordered
                {
                    CHECK(inner_turn == j, "nested ordered region %d, turn of %ld", j, inner_turn);
                    inner_turn = j + 1;
                }
            }
        }
    }
    marks_end(&nested, "nested ordered");
}

static void every_order(void)
{
    in_every_iteration();
    in_some_iterations();
    without_iterations();
    among_others();
    in_other_teams();
}

int main(void)
{
    omp_set_max_active_levels(2);
    each_schedule_and_team(every_order);
    return check_status();
}
