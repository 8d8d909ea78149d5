/* Every iteration of loops over long and unsigned long long, up and down by any step, is
 * executed exactly once. */
#include <limits.h>

#include "tests/support/schedules.h"

typedef unsigned long long ull;

struct range {
    long start, end, step; /* up: end is excluded and last + step does not overflow */
};

struct ull_range {
    ull start, end, step;
};

static const struct range up[] =
    LIST({0, 0, 1}, {5, 5, 3}, {7, 3, 2}, {LONG_MAX, LONG_MIN, 1}, {0, 1, 1}, {-1, 0, LONG_MAX},
         {0, 1000, 1}, {-500, 501, 7}, {-3, 4, 100}, {0, 4000000000, 100000007},
         {LONG_MAX - 1000, LONG_MAX, 1}, {LONG_MAX - 1000, LONG_MAX - 9, 9},
         {LONG_MIN, LONG_MIN + 100, 3}, {LONG_MIN, LONG_MAX - LONG_MAX / 16, LONG_MAX / 16});

static const struct range down[] =
    LIST({0, 0, 1}, {3, 7, 2}, {0, -1, 1}, {0, -1, LONG_MAX}, {1000, 0, 1}, {500, -501, 7},
         {LONG_MIN + 1000, LONG_MIN, 1}, {LONG_MIN + 1000, LONG_MIN + 9, 9},
         {LONG_MAX, LONG_MAX - 100, 3}, {LONG_MAX, LONG_MIN + LONG_MAX / 16, LONG_MAX / 16});

static const struct ull_range ull_up[] = LIST(
    {0, 0, 1}, {5, 3, 2}, {0, 1, ULLONG_MAX}, {0, 1000, 1},
    {LONG_MAX - 500ull, LONG_MAX + 500ull, 3}, {ULLONG_MAX - 1000, ULLONG_MAX, 1},
    {ULLONG_MAX - 1000, ULLONG_MAX - 9, 9}, {0, ULLONG_MAX - ULLONG_MAX / 32, ULLONG_MAX / 32});

static const struct ull_range ull_down[] =
    LIST({0, 0, 1}, {3, 5, 2}, {1, 0, 1}, {1000, 0, 1}, {LONG_MAX + 500ull, LONG_MAX - 500ull, 3},
         {ULLONG_MAX, ULLONG_MAX - 1000, 1}, {ULLONG_MAX, ULLONG_MAX / 32, ULLONG_MAX / 32},
         {1000, 9, 9});

static uint64_t count_of(uint64_t low, uint64_t high, uint64_t step)
{
    return 1 + (high - low - 1) / step;
}

/* The value is one of the loop's, and its number in it. */
static void hit(struct marks *marks, uint64_t start, uint64_t step, uint64_t value)
{
    uint64_t distance = value - start;

    if (step > LONG_MAX) { /* downwards; the only other one is a loop of one iteration */
        distance = -distance;
        step = -step;
    }
    CHECK(distance % step == 0, "value %llu is not in the loop", (ull)value);
    marks_hit(marks, distance / step);
}

/* The same loop as three constructs, which call three families of entry points, and in a
 * combined one. */
#define LOOPS(name, type, header)                                                         \
    static void name(type start, type end, type step, uint64_t direction, uint64_t count) \
    {                                                                                     \
        struct marks marks[5];                                                            \
        for (int i = 0; i < 5; i++) {                                                     \
            marks_begin(&marks[i], count);                                                \
        }                                                                                 \
        _Pragma("omp parallel")                                                           \
        {                                                                                 \
            _Pragma("omp for schedule(runtime)") header                                   \
            {                                                                             \
                hit(&marks[0], start, direction, i);                                      \
            }                                                                             \
            _Pragma("omp for schedule(monotonic: runtime) nowait") header                 \
            {                                                                             \
                hit(&marks[1], start, direction, i);                                      \
            }                                                                             \
            _Pragma("omp for schedule(nonmonotonic: runtime) nowait") header              \
            {                                                                             \
                hit(&marks[2], start, direction, i);                                      \
            }                                                                             \
        }                                                                                 \
        _Pragma("omp parallel for schedule(runtime)") header                              \
        {                                                                                 \
            hit(&marks[3], start, direction, i);                                          \
        }                                                                                 \
        _Pragma("omp parallel for schedule(nonmonotonic: runtime)") header                \
        {                                                                                 \
            hit(&marks[4], start, direction, i);                                          \
        }                                                                                 \
        marks_end(&marks[0], #name " runtime");                                           \
        marks_end(&marks[1], #name " monotonic");                                         \
        marks_end(&marks[2], #name " nonmonotonic");                                      \
        marks_end(&marks[3], #name " combined");                                          \
        marks_end(&marks[4], #name " combined nonmonotonic");                             \
    }

LOOPS(long_up, long, for (long i = start; i < end; i += step))
LOOPS(long_down, long, for (long i = start; i > end; i -= step))
LOOPS(ull_counted_up, ull, for (ull i = start; i < end; i += step))
LOOPS(ull_counted_down, ull, for (ull i = start; i > end; i -= step))

/* Runs a loop over each of these ranges. */
#define EACH_RANGE(ranges, low, high, loop, sign)                              \
    for (unsigned k = 0; k < COUNT(ranges); k++) {                             \
        __typeof(ranges[0]) r = ranges[k];                                     \
        uint64_t count = r.low < r.high ? count_of(r.low, r.high, r.step) : 0; \
        loop(r.start, r.end, r.step, sign(uint64_t) r.step, count);            \
    }

static void every_space(void)
{
    EACH_RANGE(up, start, end, long_up, +)
    EACH_RANGE(down, end, start, long_down, -)
    EACH_RANGE(ull_up, start, end, ull_counted_up, +)
    EACH_RANGE(ull_down, end, start, ull_counted_down, -)
}

int main(void)
{
    each_schedule_and_team(every_space);
    return check_status();
}
