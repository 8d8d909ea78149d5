/* Every iteration of a bare loop is executed exactly once, under any OMP_SCHEDULE and
 * KEEL_SCHEDULE: loops that the programs of tests/omp_ext/gomp lack. Prints errors. */

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { count = 1000 };

static int hits[count];
static int failures;

static void expect_once(const char *loop, int first, int last, int step)
{
    for (int i = 0; i < count; i++) {
        int wanted = i >= first && i <= last && (i - first) % step == 0;

        if (hits[i] != wanted) {
            printf("%s: iteration %d ran %d times, wanted %d\n", loop, i, hits[i], wanted);
            failures++;
            break;
        }
    }
    memset(hits, 0, sizeof hits);
}

static void expect(const char *what, long long got, long long wanted)
{
    if (got != wanted) {
        printf("%s: %lld, wanted %lld\n", what, got, wanted);
        failures++;
    }
}

static void hit(long i)
{
#pragma omp atomic
    hits[i]++;
}

/* Loops of each integer type, up and down, at both ends of its range but without overflow. */
#define EXACT(type, low, high)                                                             \
    static void exact_##low(void)                                                          \
    {                                                                                      \
        volatile type from = (low), to = (high);                                           \
        type a = from, b = to;                                                             \
        _Pragma("omp parallel for") for (type i = a; i < (type)(a + 100); i++) hit(i - a); \
        expect_once(#type " up from " #low, 0, 99, 1);                                     \
        _Pragma("omp parallel for") for (type i = b - 99; i < (type)(b - 2); i += 2)       \
            hit(i - (b - 99));                                                             \
        expect_once(#type " by two to " #high, 0, 96, 2);                                  \
        _Pragma("omp parallel for") for (type i = b; i > (type)(b - 100); i--) hit(b - i); \
        expect_once(#type " down from " #high, 0, 99, 1);                                  \
        _Pragma("omp parallel for") for (type i = a + 99; i >= (type)(a + 3); i -= 3)      \
            hit((a + 99) - i);                                                             \
        expect_once(#type " down by three to " #low, 0, 96, 3);                            \
    }

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_t;
typedef unsigned uint_t;
typedef unsigned long ulong_t;
typedef unsigned long long ullong;
enum { UCHAR_MIN, USHRT_MIN, UINT_MIN, ULONG_MIN, ULLONG_MIN };

EXACT(schar, SCHAR_MIN, SCHAR_MAX)
EXACT(uchar, UCHAR_MIN, UCHAR_MAX)
EXACT(short, SHRT_MIN, SHRT_MAX)
EXACT(ushort_t, USHRT_MIN, USHRT_MAX)
EXACT(int, INT_MIN, INT_MAX)
EXACT(uint_t, UINT_MIN, UINT_MAX)
EXACT(long, LONG_MIN, LONG_MAX)
EXACT(ulong_t, ULONG_MIN, ULONG_MAX)
EXACT(ullong, ULLONG_MIN, ULLONG_MAX)

static void integer_types(void)
{
    exact_SCHAR_MIN();
    exact_UCHAR_MIN();
    exact_SHRT_MIN();
    exact_USHRT_MIN();
    exact_INT_MIN();
    exact_UINT_MIN();
    exact_LONG_MIN();
    exact_ULONG_MIN();
    exact_ULLONG_MIN();
}

static void on_host_teams(void)
{
#pragma omp teams distribute parallel for simd num_teams(3)
    for (short i = 0; i < count; i++) {
        hit(i);
    }
    expect_once("teams distribute parallel for simd", 0, 999, 1);
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for collapse(2) dist_schedule(static, 7)
    for (unsigned i = 0; i < 10; i++) {
        for (unsigned j = 100; j > 0; j--) {
            hit(i * 100 + j - 1);
        }
    }
    expect_once("distribute parallel for collapse(2)", 0, 999, 1);
#pragma omp target parallel for map(tofrom : hits) /* left alone */
    for (int i = 0; i < count; i++) {
        hits[i]++;
    }
    expect_once("target parallel for", 0, 999, 1);
}

static void linear(void)
{
    int line = 100, steps = 0;

#pragma omp parallel for linear(line : 3) reduction(+ : steps)
    for (int i = 0; i < count; i++) {
        steps += line == 100 + 3 * i;
        line += 3;
    }
    expect("linear within the loop", steps, count);
    expect("linear after the loop", line, 100 + 3 * count);
}

int main(void)
{
    integer_types();
    on_host_teams();
    linear();
    if (failures == 0) {
        puts("exact");
    }
    return failures != 0;
}
