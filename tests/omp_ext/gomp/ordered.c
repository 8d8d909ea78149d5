/* Ordered loops: their regions, and depend(sink) and depend(source). */
#include "tests/support/schedules.h"

/* --- ordered regions come in the order of the iterations, of which some may have none --- */

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

/* Iterations without an ordered region, among them whole chunks, delay no thread. */
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
            MARKED_LOOP("omp for schedule(runtime) nowait", other, int, k)
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

/* --- depend(sink) and depend(source): such loops are libgomp's, others stay Keel's --- */

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
static void doacross_among_others(void)
{
    for (int k = 0; k < 5; k++) {
        struct marks before = marks_of(20), after = marks_of(20), own = marks_of(20);
        long chain[20] = {0}, total = 0;

#pragma omp parallel
        {
            MARKED_LOOP("omp for schedule(runtime) nowait", before, int, 20)
#pragma omp for ordered(1) schedule(runtime) reduction(task, + : total)
            for (long i = 0; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
                chain[i] = i > 0 ? chain[i - 1] + 1 : 1;
#pragma omp ordered depend(source)
                marks_hit(&own, (uint64_t)i);
#pragma omp task in_reduction(+ : total)
                total += i;
            }
            MARKED_LOOP("omp for schedule(runtime) nowait", after, int, 20)
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
    struct marks narrow = marks_of(30), wide = marks_of(30);
    long chain[30] = {0};

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
    doacross_among_others();
    after_an_unfinished_loop();
}

int main(void)
{
    each_schedule_and_team(every_doacross);
    omp_set_max_active_levels(2);
    each_schedule_and_team(every_order);
    return check_status();
}
