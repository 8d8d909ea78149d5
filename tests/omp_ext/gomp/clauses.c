/* Data clauses of scheduled loops, among them those for which libgomp shares memory among the
 * team: lastprivate(conditional:) and scan. */
#include "tests/support/schedules.h"

enum { COUNT_I = 61 };

static int kept;
#pragma omp threadprivate(kept)

static void private_data(void)
{
    int first = 5, last = -1, wrong = 0;
    long sum = 0;
    double largest = 0;

#pragma omp parallel for schedule(runtime) firstprivate(first) lastprivate(last) \
    reduction(+ : sum, wrong) reduction(max : largest)
    for (int i = 0; i < COUNT_I; i++) {
        wrong += first != 5;
        last = i;
        sum += i;
        largest = i == 40 ? 1000 : largest;
    }
    CHECK(wrong == 0, "firstprivate is wrong %d times", wrong);
    CHECK(last == COUNT_I - 1, "lastprivate is %d", last);
    CHECK(sum == COUNT_I * (COUNT_I - 1) / 2, "sum is %ld", sum);
    CHECK(largest == 1000, "largest is %g", largest);
}

static void copied_in(void)
{
    int wrong = 0;

    kept = 7;
#pragma omp parallel for schedule(runtime) copyin(kept) reduction(+ : wrong)
    for (int i = 0; i < COUNT_I; i++) {
        wrong += kept != 7;
    }
    CHECK(wrong == 0, "copyin is wrong %d times", wrong);
}

/* Upwards only: of a static loop that counts down, GCC 12 keeps the wrong value, with any
 * library. */
static void conditional(void)
{
    int last = -1, up = -1;
    unsigned long long wide = 0;

#pragma omp parallel
    {
#pragma omp for schedule(runtime) lastprivate(conditional : last)
        for (int i = 0; i < COUNT_I; i++) {
            if (i % 10 == 3) {
                last = i;
            }
        }
#pragma omp for schedule(runtime) lastprivate(conditional : wide)
        for (unsigned long long i = 9; i < 90; i++) {
            if (i % 10 == 4) {
                wide = i;
            }
        }
    }
#pragma omp parallel for schedule(runtime) lastprivate(conditional : up)
    for (long i = 0; i < COUNT_I; i++) {
        if (i < 20) {
            up = (int)i;
        }
    }
    CHECK(last == 53, "lastprivate(conditional) is %d, wanted 53", last);
    CHECK(wide == 84, "lastprivate(conditional) over unsigned long long is %llu, wanted 84", wide);
    CHECK(up == 19, "lastprivate(conditional) of a combined loop is %d, wanted 19", up);
}

static void scan(void)
{
    int inclusive[COUNT_I], exclusive[COUNT_I];
    int sum = 0, before = 0, between = 0;

#pragma omp parallel
    {
#pragma omp for reduction(inscan, + : sum)
        for (int i = 0; i < COUNT_I; i++) {
            sum += i;
#pragma omp scan inclusive(sum)
            inclusive[i] = sum;
        }
#pragma omp for schedule(runtime) reduction(+ : between)
        for (int i = 0; i < COUNT_I; i++) {
            between += i;
        }
#pragma omp for reduction(inscan, + : before)
        for (int i = 0; i < COUNT_I; i++) {
            exclusive[i] = before;
#pragma omp scan exclusive(before)
            before += i;
        }
    }
    CHECK(between == COUNT_I * (COUNT_I - 1) / 2, "sum between scans is %d", between);
    for (int i = 0; i < COUNT_I; i++) {
        CHECK(inclusive[i] == i * (i + 1) / 2, "inclusive scan is %d at %d", inclusive[i], i);
        CHECK(exclusive[i] == i * (i - 1) / 2, "exclusive scan is %d at %d", exclusive[i], i);
    }
}

/* A loop body that works on what the whole team reduces, right behind a loop without a barrier. */
static void back_to_back(void)
{
    int total = 0, last = 0;

#pragma omp parallel
    {
        for (int k = 1; k <= 20; k++) {
#pragma omp for schedule(runtime) reduction(+ : total) lastprivate(conditional : last) nowait
            for (int i = 0; i < k; i++) {
                total += 1;
                if (i == k - 1) {
                    last = k;
                }
            }
#pragma omp barrier
#pragma omp master
            CHECK(last == k, "last is %d in loop %d", last, k);
#pragma omp barrier
        }
    }
    CHECK(total == 210, "total is %d, wanted 210", total);
}

/* --- the same with chunks, as some compilers have lastprivate(conditional:) --- */

#define RUNTIME ((long)0x80000000) /* schedule(monotonic:runtime) */

_Bool GOMP_loop_start(long start, long end, long incr, long kind, long chunk, long *istart,
                      long *iend, uintptr_t *reductions, void **memory);
_Bool GOMP_loop_runtime_next(long *istart, long *iend);
_Bool GOMP_loop_ull_start(_Bool up, unsigned long long start, unsigned long long end,
                          unsigned long long incr, long kind, unsigned long long chunk,
                          unsigned long long *istart, unsigned long long *iend,
                          uintptr_t *reductions, void **memory);
_Bool GOMP_loop_ull_runtime_next(unsigned long long *istart, unsigned long long *iend);
void GOMP_loop_end(void);

/* The team's memory, which begins as 0, counts what all execute: returns the most that is seen. */
static int count_in(void *memory, int iterations)
{
    return __atomic_add_fetch((int *)memory, iterations, __ATOMIC_RELAXED);
}

static void shared_memory(void)
{
    int most = 0, most_wide = 0;

#pragma omp parallel reduction(max : most, most_wide)
    {
        unsigned long long first_wide, last_wide;
        void *memory = (void *)(uintptr_t)64; /* its size */
        long first, last;
        _Bool is_one = GOMP_loop_start(0, COUNT_I, 1, RUNTIME, 0, &first, &last, NULL, &memory);
        CHECK((uintptr_t)memory > 64, "no memory is shared");
        for (; is_one; is_one = GOMP_loop_runtime_next(&first, &last)) {
            most = count_in(memory, (int)(last - first));
        }
        GOMP_loop_end();
        memory = (void *)(uintptr_t)64;
        is_one = GOMP_loop_ull_start(1, 0, COUNT_I, 1, RUNTIME, 0, &first_wide, &last_wide, NULL,
                                     &memory);
        CHECK((uintptr_t)memory > 64, "no memory is shared by a loop over unsigned long long");
        for (; is_one; is_one = GOMP_loop_ull_runtime_next(&first_wide, &last_wide)) {
            most_wide = count_in(memory, (int)(last_wide - first_wide));
        }
        GOMP_loop_end();
    }
    CHECK(most == COUNT_I, "shared memory has %d, wanted %d", most, COUNT_I);
    CHECK(most_wide == COUNT_I, "that of unsigned long long has %d, wanted %d", most_wide, COUNT_I);
}

static void every_clause(void)
{
    shared_memory();
    private_data();
    copied_in();
    conditional();
    scan();
    back_to_back();
}

int main(void)
{
    each_schedule_and_team(every_clause);
    return check_status();
}
