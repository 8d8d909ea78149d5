/* Every iteration of a bare loop is executed exactly once, whatever OMP_SCHEDULE and KEEL_SCHEDULE
 * say. With KEEL_SCHEDULE=static,3 the threads show that the schedule reaches the loops, and
 * without it that nothing else does. Prints what is wrong. */

#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

static void pointers(void)
{
#pragma omp parallel for
    for (int *p = hits + 10; p < hits + 200; p += 5) {
        hit(p - hits);
    }
    expect_once("a pointer up", 10, 199, 5);
#pragma omp parallel for
    for (int *p = hits + 199; p >= hits + 10; --p) {
        hit(p - hits);
    }
    expect_once("a pointer down", 10, 199, 1);
}

static void collapsed(void)
{
#pragma omp parallel for collapse(3)
    for (unsigned char i = 10; i > 0; i--) {
        for (long j = -5; j < 5; j++) {
            for (short k = 18; k >= 0; k -= 2) {
                hit((i - 1) * 100 + (j + 5) * 10 + k / 2);
            }
        }
    }
    expect_once("collapse(3)", 0, 999, 1);
#pragma omp parallel for collapse(2) /* left alone */
    for (int i = 0; i < 10; i++) {
        for (int j = i; j < 10; j++) {
            hit(i * 10 + j);
            hit(j * 10 + i + 100);
        }
    }
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++) {
            expect("a non-rectangular loop", hits[i * 10 + j], i <= j);
            expect("a non-rectangular loop", hits[i * 10 + j + 100], j <= i);
        }
    }
    memset(hits, 0, sizeof hits);
}

__attribute__((noinline)) static void orphan(int first, int last)
{
#pragma omp for nowait /* left alone */
    for (int i = first; i < last; i++) {
        hit(i);
    }
}

static void orphaned(void)
{
#pragma omp parallel
    {
        orphan(0, 250);
        orphan(250, 500);
        orphan(500, 500);
        orphan(500, 1000);
    }
    expect_once("orphaned loops without barriers", 0, 999, 1);
    orphan(0, 300);
    expect_once("an orphaned loop outside a team", 0, 299, 1);
}

static void nested(void)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 10; i++) {
#pragma omp parallel for num_threads(2)
        for (int j = 0; j < 100; j++) {
            hit(i * 100 + j);
        }
    }
    expect_once("a team inside a loop", 0, 999, 1);
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

int conditional;

__attribute__((noinline)) static void last_multiple_of_seven(void)
{
#pragma omp for lastprivate(conditional : conditional) /* left alone */
    for (short i = 0; i < count; i++) {
        if (i % 7 == 0) {
            conditional = i;
        }
    }
}

static void data_sharing(void)
{
    int last = -1, first = 5, line = 100, steps = 0, in_parallel = 0;
    long long sum = 0, task_sum = 0;

#pragma omp parallel
    {
#pragma omp for lastprivate(last) firstprivate(first) linear(line : 3) reduction(+ : sum, steps)
        for (int i = 0; i < count; i++) {
            last = i;
            sum += first + i;
            steps += line == 100 + 3 * i;
            line += 3;
        }
#pragma omp for reduction(task, + : task_sum) /* left alone */
        for (int i = 0; i < count; i++) {
#pragma omp task in_reduction(+ : task_sum)
            task_sum += i;
        }
        last_multiple_of_seven();
    }
#pragma omp parallel for lastprivate(conditional : in_parallel) collapse(2) /* left alone */
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++) {
            if ((i + j) % 7 == 0) {
                in_parallel = i * 10 + j;
            }
        }
    }
    expect("lastprivate", last, count - 1);
    expect("firstprivate and reduction", sum, 5LL * count + count * (count - 1LL) / 2);
    expect("linear within the loop", steps, count);
    expect("linear after the loop", line, 100 + 3 * count);
    expect("a task reduction", task_sum, count * (count - 1LL) / 2);
    expect("lastprivate(conditional:)", conditional, 994);
    expect("lastprivate(conditional:) in a parallel", in_parallel, 95);
}

static void scan(void)
{
    static int prefix[count];
    int sum = 0;

#pragma omp parallel for reduction(inscan, + : sum) /* left alone */
    for (int i = 0; i < count; i++) {
        sum += i;
#pragma omp scan inclusive(sum)
        prefix[i] = sum;
    }
    for (int i = 0; i < count; i++) {
        expect("scan", prefix[i], i * (i + 1) / 2);
    }
}

static void cancelled(void)
{
    int after = 0;

#pragma omp parallel reduction(+ : after)
    {
#pragma omp for
        for (int i = 0; i < count; i++) {
#pragma omp cancel for if (i == 500)
            hit(i);
        }
#pragma omp for
        for (int i = 0; i < count; i++) {
            after++;
        }
    }
    for (int i = 0; i < count; i++) {
        expect("at most once with cancel", hits[i] > 1, 0);
    }
    memset(hits, 0, sizeof hits);
    expect("a loop after a cancelled one", after, count);
}

/* Of `count` iterations in static blocks. */
static int owner_of(int iteration, int threads)
{
    int longer = count % threads, border = longer * (count / threads + 1);

    return iteration < border ? iteration / (count / threads + 1)
                              : longer + (iteration - border) / (count / threads);
}

/* Static shares unless Keel is asked for others; OMP_SCHEDULE means other loops. */
static void schedule_arrives(void)
{
    const char *schedule = getenv("KEEL_SCHEDULE");
    bool dealt = schedule != NULL && strcmp(schedule, "static,3") == 0;
    int threads = 0, wrong = 0;

    if (schedule != NULL && !dealt && strcmp(schedule, "static") != 0) {
        return;
    }
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp parallel for reduction(+ : wrong)
    for (int i = 0; i < count; i++) {
        wrong += omp_get_thread_num() != (dealt ? i / 3 % threads : owner_of(i, threads));
    }
    expect("iterations on another thread than static says", wrong, 0);
}

int main(void)
{
    integer_types();
    pointers();
    collapsed();
    orphaned();
    nested();
    on_host_teams();
    data_sharing();
    scan();
    cancelled();
    schedule_arrives();
    if (failures == 0) {
        puts("exact");
    }
    return failures != 0;
}
